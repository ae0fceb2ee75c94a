"""Gaussian noise whose standard deviation is a fraction of the value's own size."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.batch_hints import any_in_batch
from jaxworld.core.layout import worlds_last
from jaxworld.observe.fields import LARGEST, Number
from jaxworld.observe.normal import unfused
from jaxworld.observe.registry import Context, register
from jaxworld.observe.variable import Variable


def _apply(value: jax.Array, parameters: Mapping[str, Any], context: Context) -> jax.Array:
    fraction = parameters["std_fraction"]
    if fraction.ndim == 1:  # one for each observer, the first axis of every value
        fraction = jnp.expand_dims(fraction, tuple(range(1, value.ndim)))
    # A conditional keeps the draws out of reach of fusion, which would repeat them for every array computed from them,
    # and spares them where nobody in the batch wants noise.
    drawn = jax.lax.cond(
        any_in_batch((fraction > np.float32(0)).any()),
        lambda: worlds_last(context.normal()),
        lambda: worlds_last(jnp.zeros(value.shape, jnp.float32)),
    )
    noisy = value + unfused(fraction * jnp.abs(value) * drawn)
    return jnp.where((fraction > np.float32(0)) & jnp.isfinite(value), noisy, value)


def _check(path: str, specification: dict[str, Any], variable: Variable) -> dict[str, Any]:
    fraction = specification["std_fraction"]
    if fraction > 1:
        warnings.warn(f"{path} = {fraction:g}: more than one in three readings will be off by more than all of "
                      f"{variable.name}", stacklevel=2)  # fmt: skip
    return specification


KIND = register(
    "gaussian_noise",
    {"std_fraction": Number(0, LARGEST, required=True)},
    "number",
    "number",
    _apply,
    check=_check,
    summary="Gaussian noise, standard deviation {std_fraction:g} of the value's size, fresh for each reading",
)
