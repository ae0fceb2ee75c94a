"""From raw fitness to what a strategy learns from; higher is better throughout."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np


def centered_rank(fitness: jax.Array) -> jax.Array:
    """Ranks spread evenly over ``[-0.5, 0.5]``, ``float32[P]``; ties share their mean rank.

    Only the order counts, so any increasing transformation of the fitness gives the same result, and a generation
    of equals gives zeros (rank shaping of Salimans et al. 2017, "Evolution Strategies as a Scalable Alternative to
    Reinforcement Learning").
    """
    ordered = jnp.sort(fitness)
    below = jnp.searchsorted(ordered, fitness, side="left")
    up_to = jnp.searchsorted(ordered, fitness, side="right")
    rank = (below + up_to - 1).astype(jnp.float32) * np.float32(0.5)
    return rank / np.float32(max(fitness.shape[0] - 1, 1)) - np.float32(0.5)


def standardised(fitness: jax.Array) -> jax.Array:
    """Fitness in standard deviations from its mean, ``float32[P]``; zeros if all are equal."""
    centred = fitness - fitness.mean()
    spread = jnp.sqrt(jnp.square(centred).mean())
    return jnp.where(spread > 0, centred / jnp.where(spread > 0, spread, np.float32(1)), np.float32(0))


def unshaped(fitness: jax.Array) -> jax.Array:
    """The fitness itself."""
    return fitness


def worst_for_invalid(fitness: jax.Array) -> jax.Array:
    """Replace every entry that is not finite by one below all that are, so that it ranks last, alone or tied.

    Args:
        fitness: ``float32[P]``.

    Returns:
        ``float32[P]``, finite; zeros if nothing was finite: such a generation teaches nothing.
    """
    valid = jnp.isfinite(fitness)
    limit = np.float32(np.finfo(np.float32).max)
    low = jnp.min(jnp.where(valid, fitness, limit))
    high = jnp.max(jnp.where(valid, fitness, -limit))
    # Half a range each, so that the difference of two huge numbers stays finite.
    margin = np.float32(1) + jnp.abs(high * np.float32(0.5) - low * np.float32(0.5))
    worst = jnp.maximum(low - margin, -limit)
    # Next to a huge number one unit is lost in rounding.
    worst = jnp.minimum(worst, jnp.nextafter(low, jnp.full_like(low, -jnp.inf)))
    return jnp.where(valid.any(), jnp.where(valid, fitness, worst), np.float32(0))
