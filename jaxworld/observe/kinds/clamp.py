"""Cutting a number off at limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp

from jaxworld.core.errors import require
from jaxworld.observe.fields import Number
from jaxworld.observe.registry import Context, register
from jaxworld.observe.variable import Variable


def _apply(value: jax.Array, parameters: Mapping[str, Any], context: Context) -> jax.Array:
    low, high = parameters["min"], parameters["max"]
    if low is not None:
        value = jnp.maximum(value, low)
    if high is not None:
        value = jnp.minimum(value, high)
    return value


def _check(path: str, specification: dict[str, Any], variable: Variable) -> dict[str, Any]:
    low, high = specification["min"], specification["max"]
    require(low is not None or high is not None, path, None, "a clamp needs min, max or both")
    if low is not None and high is not None:
        require(low <= high, f"{path}.min", low, f"use at most max = {high:g}")
    return specification


KIND = register(
    "clamp",
    {"min": Number(), "max": Number()},
    "number",
    "number",
    _apply,
    check=_check,
    summary="cut off at the limits {min} and {max}",
)
