"""Concentration inside a kernel, in float32: how few entries hold how much.

The conventions on ``values``, ``weights`` and ``mask`` are those of :mod:`jaxworld.metrics.inequality`. If all
values are 0, or nothing is unmasked, every function here returns 0.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.metrics._inputs import ascending, prepare, ratio, require_one_size, top_count


def herfindahl(values: jax.Array, weights: jax.Array | None = None, mask: jax.Array | None = None) -> jax.Array:
    """Herfindahl-Hirschman index: the sum of squared shares.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.

    Returns:
        ``float32[...]`` in ``[1/n, 1]``; 0 if nothing is held, as then every share is 0.
    """
    held, counted = prepare(values, weights, mask)
    total = (counted * held).sum(axis=-1)
    return ratio(ratio((counted * held * held).sum(axis=-1), total), total)


def effective_number(values: jax.Array, weights: jax.Array | None = None, mask: jax.Array | None = None) -> jax.Array:
    """How many entries with equal shares would be as concentrated: 1 over the Herfindahl index.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.

    Returns:
        ``float32[...]`` in ``[1, n]``; 0 if nothing is held.
    """
    index = herfindahl(values, weights, mask)
    return ratio(jnp.ones_like(index), index)


def top_share(
    values: jax.Array,
    weights: jax.Array | None = None,
    mask: jax.Array | None = None,
    *,
    fraction: float | None = None,
    count: int | None = None,
) -> jax.Array:
    """Share of all value that the largest entries hold.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.
        fraction: take this fraction of the unmasked population, rounded up to whole entries (static); with weights
            the product is rounded in float32, so it is good to six digits.
        count: or take this many entries (static); more than there are gives share 1.

    Returns:
        ``float32[...]`` in ``[0, 1]``; 0 if nothing is held.

    Raises:
        ConfigurationError: unless exactly one of ``fraction`` in (0, 1] and ``count`` of at least 1 is given.
    """
    require_one_size(fraction, count)
    if weights is not None:
        return _weighted_top_share(values, weights, mask, fraction, count)
    held, counted = prepare(values, None, mask)
    size = held.shape[-1]
    # How many belong to the top depends on how many are unmasked: exact, from a table over all possibilities.
    takes = np.array([min(size, top_count(present, fraction, count)) for present in range(size + 1)], np.int32)
    largest = lax.top_k(held, int(takes[-1]))[0]
    taken = jnp.asarray(takes)[counted.sum(axis=-1, keepdims=True).astype(jnp.int32)]
    slot = lax.broadcasted_iota(jnp.int32, largest.shape, largest.ndim - 1)
    largest = jnp.where(slot < taken, largest, jnp.float32(0))
    return ratio(largest.sum(axis=-1), held.sum(axis=-1))


def _weighted_top_share(
    values: jax.Array, weights: jax.Array, mask: jax.Array | None, fraction: float | None, count: int | None
) -> jax.Array:
    """The general case: an entry may lie in the top with only a part of its weight."""
    held, counted = (jnp.flip(array, axis=-1) for array in ascending(values, weights, mask))
    if count is None:
        product = jnp.float32(fraction) * counted.sum(axis=-1, keepdims=True)
        taken = jnp.ceil(product * jnp.float32(1 - 2.0**-21))
    else:
        taken = jnp.full((*held.shape[:-1], 1), count, jnp.float32)
    ahead = jnp.cumsum(counted, axis=-1) - counted
    inside = jnp.clip(taken - ahead, jnp.float32(0), counted)
    return ratio((inside * held).sum(axis=-1), (counted * held).sum(axis=-1))


def entropy(
    values: jax.Array, weights: jax.Array | None = None, mask: jax.Array | None = None, *, normalised: bool = False
) -> jax.Array:
    """Shannon entropy of the shares, in nats.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.
        normalised: divide by its largest possible value, the logarithm of the population (static).

    Returns:
        ``float32[...]`` in ``[0, log n]``, or in ``[0, 1]`` if normalised; 0 if nothing is held or at most one
        entry is there.
    """
    held, counted = prepare(values, weights, mask)
    share = ratio(held, (counted * held).sum(axis=-1, keepdims=True))
    surprise = -jnp.log(jnp.where(share == 0, jnp.float32(1), share))
    nats = jnp.maximum((counted * share * surprise).sum(axis=-1), jnp.float32(0))
    if not normalised:
        return nats
    population = jnp.maximum(counted.sum(axis=-1), jnp.float32(1))
    return jnp.minimum(ratio(nats, jnp.log(population)), jnp.float32(1))


def coverage(values: jax.Array, weights: jax.Array | None = None, mask: jax.Array | None = None) -> jax.Array:
    """Share of the unmasked population whose value is above 0.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.

    Returns:
        ``float32[...]`` in ``[0, 1]``.
    """
    held, counted = prepare(values, weights, mask)
    reached = jnp.where(held > 0, counted, jnp.float32(0))
    return ratio(reached.sum(axis=-1), counted.sum(axis=-1))
