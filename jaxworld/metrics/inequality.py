"""Inequality inside a kernel, in float32: the Gini coefficient and the Lorenz curve.

All functions reduce the last axis, work under ``jit`` and ``vmap``, and share these conventions:

- ``values`` are numbers of any real dtype, at least 0. Nothing is checked here: a non-finite value gives NaN and a
  negative one gives a number without meaning (the twins in :mod:`jaxworld.metrics.host` refuse both).
- ``weights`` are population sizes: an entry of weight w stands for w entries that hold the value each.
- ``mask`` is boolean; an entry that is masked out, whatever it holds, counts as if it were not there.
- ``weights`` and ``mask`` broadcast to the shape of ``values``.

Reported figures come from the host twins; these are for use within a step or a search.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from jaxworld.metrics._inputs import ascending, ratio


def gini(values: jax.Array, weights: jax.Array | None = None, mask: jax.Array | None = None) -> jax.Array:
    """Gini coefficient: half the mean absolute difference of all ordered pairs, relative to the mean.

    With values in ascending order it equals ``sum_i (2 i - n - 1) v_i / (n sum_i v_i)`` (Sen, On Economic
    Inequality, 1973); it lies in ``[0, 1 - 1/n]``.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.

    Returns:
        ``float32[...]``; 0 if all values are 0, for a single entry and if nothing is unmasked.
    """
    ordered, counted = ascending(values, weights, mask)
    population = counted.sum(axis=-1, keepdims=True)
    held = counted * ordered
    # Of the entries at one value, the mean rank is the one in the middle: 2 * rank - n - 1 becomes this lead.
    lead = 2 * jnp.cumsum(counted, axis=-1) - counted - population
    gaps = (held * ratio(lead, population)).sum(axis=-1)
    return jnp.maximum(ratio(gaps, held.sum(axis=-1)), jnp.float32(0))


def lorenz_curve(
    values: jax.Array, weights: jax.Array | None = None, mask: jax.Array | None = None
) -> tuple[jax.Array, jax.Array]:
    """Lorenz curve: the share of all value that the poorest share of the population holds.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.

    Returns:
        ``(population_share float32[..., n + 1], value_share float32[..., n + 1])``, from (0, 0) to (1, 1). Dropped
        entries repeat the first point, which keeps the shape fixed. If all values are 0 the curve is the diagonal
        at the entries' population shares; if nothing is unmasked it is the diagonal in n equal steps.
    """
    ordered, counted = ascending(values, weights, mask)
    steps = lax.broadcasted_iota(jnp.float32, ordered.shape, ordered.ndim - 1) + 1
    population = jnp.cumsum(counted, axis=-1)
    empty = population[..., -1:] == 0
    population = jnp.where(empty, steps / ordered.shape[-1], ratio(population, population[..., -1:]))
    held = jnp.cumsum(counted * ordered, axis=-1)
    held = jnp.where(held[..., -1:] == 0, population, ratio(held, held[..., -1:]))
    origin = [(0, 0)] * (ordered.ndim - 1) + [(1, 0)]
    return jnp.pad(population, origin), jnp.pad(held, origin)
