"""What the metrics share: cleaned inputs, one ascending order, one ratio, and how many entries make up a top share."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from numpy.typing import NDArray

from jaxworld.core.errors import ConfigurationError, require


def prepare(values: jax.Array, weights: jax.Array | None, mask: jax.Array | None) -> tuple[jax.Array, jax.Array]:
    """Values relative to their largest and weights, both ``float32[..., n]`` and zero where an entry is dropped.

    Every metric here is scale-free, so dividing by the largest value only keeps sums and squares far from overflow.
    """
    values = jnp.asarray(values).astype(jnp.float32)
    shape = values.shape
    counted = jnp.ones(shape, jnp.float32)
    if weights is not None:
        counted = jnp.broadcast_to(jnp.asarray(weights).astype(jnp.float32), shape)
    if mask is not None:
        counted = jnp.where(jnp.broadcast_to(mask, shape), counted, jnp.float32(0))
    values = jnp.where(counted == 0, jnp.float32(0), values)
    peak = values.max(axis=-1, keepdims=True, initial=0.0)
    return values / jnp.where(peak == 0, jnp.float32(1), peak), counted


def ascending(values: jax.Array, weights: jax.Array | None, mask: jax.Array | None) -> tuple[jax.Array, jax.Array]:
    """As :func:`prepare`, in ascending order of value with the dropped entries first."""
    prepared, counted = prepare(values, weights, mask)
    key = jnp.where(counted == 0, jnp.float32(-1), prepared)
    if weights is not None:
        key, counted = lax.sort((key, counted), dimension=-1, num_keys=1)
        return jnp.where(counted == 0, jnp.float32(0), key), counted
    # Without weights the order of the counts is known, and sorting one operand is several times cheaper than two.
    key = lax.sort(key, dimension=-1)
    size = prepared.shape[-1]
    dropped = size - counted.sum(axis=-1, keepdims=True).astype(jnp.int32)
    present = lax.broadcasted_iota(jnp.int32, prepared.shape, prepared.ndim - 1) >= dropped
    return jnp.where(present, key, jnp.float32(0)), present.astype(jnp.float32)


def ratio(numerator: jax.Array, denominator: jax.Array) -> jax.Array:
    """``numerator / denominator``, and 0 where the denominator is 0; NaN passes through."""
    nothing = denominator == 0
    return jnp.where(nothing, jnp.float32(0), numerator) / jnp.where(nothing, jnp.float32(1), denominator)


def host_ratio(numerator: Any, denominator: Any) -> NDArray[np.float64]:
    """``numerator / denominator`` in float64, 0 where the denominator is 0."""
    above, below = np.asarray(numerator), np.asarray(denominator)
    something = np.asarray(below > 0, np.bool_)
    return np.asarray(np.where(something, above, 0) / np.where(something, below, 1), np.float64)[()]


def top_count(population: float, fraction: float | None, count: int | None) -> int:
    """The number of entries at the top of ``population``: ``count``, or the product with ``fraction``, rounded up.

    The fraction is taken as the decimal it is written as, because in binary ``0.07 * 100`` lies above 7 and would
    round up to 8.
    """
    if count is not None:
        return int(count)
    assert fraction is not None, "require_one_size comes first"
    return ceil(Fraction(repr(float(fraction))) * Fraction(population))


def require_one_size(fraction: float | None, count: int | None) -> None:
    """Refuse anything but exactly one of a fraction in (0, 1] and a count of at least 1.

    Raises:
        ConfigurationError: naming ``fraction`` or ``count``.
    """
    if fraction is None and count is None:
        raise ConfigurationError("fraction", None, "give either a fraction in (0, 1] or a count of at least 1")
    require(fraction is None or count is None, "count", count, "give a fraction or a count, not both")
    if fraction is not None:
        require(0 < fraction <= 1, "fraction", fraction, "must lie in (0, 1], such as 0.01 for the top 1 %")
    if count is not None:
        require(count >= 1 and int(count) == count, "count", count, "must be a whole number of at least 1")
