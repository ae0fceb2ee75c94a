"""Reputation: the share of binding turns in which a player kept what it had signed.

Only a turn in which a pact could be broken says anything about a player. Turns after the commons has collapsed
therefore count neither as kept nor as exposed: otherwise somebody who broke a pact in every turn there was would end
with an honour rate near 1. For the same reason a barred player's turns do not count.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.spaces import Boolean, Box, Composite


@pytree_dataclass
class Reputation:
    """``exposed float32[N]``, binding pacts summed over turns, and ``violations float32[N]``, breaches likewise."""

    exposed: jax.Array
    violations: jax.Array


@pytree_dataclass
class ReputationView:
    """What each player knows of the others, one row an observer.

    Attributes:
        honour_rate: ``float32[N, N]``, 0 where nothing is known.
        known: ``bool[N, N]``, False for oneself, and for whoever was never bound by anything if there is no prior.
    """

    honour_rate: jax.Array
    known: jax.Array


def new_reputation(num_players: int) -> Reputation:
    """Nothing known of anybody."""
    zeros = jnp.zeros(num_players, jnp.float32)
    return Reputation(exposed=zeros, violations=zeros)


def update(
    reputation: Reputation, bound: jax.Array, broken: jax.Array, memory: jax.Array, alive: jax.Array
) -> Reputation:
    """Take in one turn, if the commons is alive: the past fades to ``memory`` times itself and the turn is added.

    Args:
        reputation: so far.
        bound, broken: ``bool[P, N]``, which pacts bound whom, and which of them were broken.
        memory: ``float32[]``, 0 to 1.
        alive: ``bool[]``.
    """

    def add(past: jax.Array, now: jax.Array) -> jax.Array:
        return jnp.where(alive, memory * past + now.sum(axis=0, dtype=jnp.int32).astype(jnp.float32), past)

    return Reputation(exposed=add(reputation.exposed, bound), violations=add(reputation.violations, broken))


def honour_rate(reputation: Reputation, prior: jax.Array) -> tuple[jax.Array, jax.Array]:
    """``(rate float32[N], known bool[N])``: the share kept, ``(kept + prior) / (exposed + 2 prior)``.

    With prior 0 whoever was never exposed has no rate; with prior 1 it is the rule of succession (Laplace 1814).
    """
    total = reputation.exposed + np.float32(2) * prior
    known = total > 0
    kept = reputation.exposed - reputation.violations + prior
    rate = jnp.where(known, kept / jnp.where(known, total, np.float32(1)), np.float32(0))
    return jnp.clip(rate, np.float32(0), np.float32(1)), known


def view_of_others(reputation: Reputation, prior: jax.Array) -> ReputationView:
    """Everyone's rate as everyone else sees it."""
    rate, known = honour_rate(reputation, prior)
    visible = known[None, :] & ~np.eye(rate.shape[0], dtype=bool)
    return ReputationView(honour_rate=jnp.where(visible, rate[None, :], np.float32(0)), known=visible)


def reputation_space(num_players: int) -> Composite:
    """Space of :class:`ReputationView`."""
    shape = (num_players, num_players)
    return Composite(ReputationView, {"honour_rate": Box(0, 1, shape), "known": Boolean(shape)})
