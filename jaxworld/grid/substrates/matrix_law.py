"""What an interaction in The Matrix is: who meets whom, who wins, and what it pays when its time has come."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.grid.endings import IntervalEnding
from jaxworld.grid.substrates.matrix_beams import NOBODY
from jaxworld.grid.substrates.matrix_games import mixed_payoff

IDLE = np.int32(-1)
"""The countdown of whoever takes part in no interaction."""


@pytree_dataclass
class MatrixOwn:
    """What only The Matrix has.

    Attributes:
        inventory: ``int32[A, K]``, resources of each class; one of each to begin with.
        ready: ``bool[A]``, gathered something since the inventory was last reset.
        capped: ``bool[A]``, seen to be ready: what ``ready`` was a step before.
        countdown: ``int32[A]``, steps until an interaction takes effect, -1 for none.
        pair: ``int32[A, 2, K]``, own and partner's inventory as the last interaction began.
        as_row: ``bool[A]``, whether one was the row player in it.
        kinds: ``uint8[S]``, the class of each site in this episode, from 1.
        waiting: ``int32[S]``, 0 where a resource is, else observations without it so far.
        health: ``int32[S]``, hits until it is destroyed; gathering it leaves this as it is.
    """

    inventory: jax.Array
    ready: jax.Array
    capped: jax.Array
    countdown: jax.Array
    pair: jax.Array
    as_row: jax.Array
    kinds: jax.Array
    waiting: jax.Array
    health: jax.Array


@pytree_dataclass
class MatrixParams:
    """Numbers of the law.

    Attributes:
        payoffs: ``float32[2, K, K]``, the row and the column player's table, by (row, column) strategy.
        result_edges: ``float32[4]``, payoffs at which a result's colour changes, in tenths.
        regrowth: ``uint32[]``, threshold of the chance that a resource comes back in a step.
        regrowth_delay: ``int32[]``, steps before it may.
        freeze: ``int32[]``, steps for which an interaction shows its result.
        respawn_delay: ``int32[]``, observations missed after the step of a removal.
        cooldown: ``int32[]``, steps between two beams.
        health: ``int32[]``, hits that destroy a fresh resource.
        gathering_reward: ``float32[]``, for each resource gathered.
        unready_reward: ``float32[]``, for firing at somebody who is not ready.
        ending: when an episode may end.
    """

    payoffs: jax.Array
    result_edges: jax.Array
    regrowth: jax.Array
    regrowth_delay: jax.Array
    freeze: jax.Array
    respawn_delay: jax.Array
    cooldown: jax.Array
    health: jax.Array
    gathering_reward: jax.Array
    unready_reward: jax.Array
    ending: IntervalEnding


def result(pair: jax.Array, as_row: jax.Array, payoffs: jax.Array) -> tuple[jax.Array, jax.Array]:
    """What an interaction comes to for each player, as numerator and denominator ``float32[A]``.

    Args:
        pair: ``int32[A, 2, K]``, own and partner's inventory.
        as_row: ``bool[A]``.
        payoffs: ``float32[2, K, K]``.
    """
    table = jnp.where(as_row[:, None, None], payoffs[0][None], payoffs[1].T[None])
    return mixed_payoff(pair[:, 0], pair[:, 1], table)


def pay(own: MatrixOwn, due: jax.Array, payoffs: jax.Array) -> jax.Array:
    """``float32[A]``: the payoff of whom ``due bool[A]``."""
    numerator, denominator = result(own.pair, own.as_row, payoffs)
    return jnp.where(due, numerator / jnp.maximum(denominator, np.float32(1)), np.float32(0))


def lose_all(own: MatrixOwn, who: jax.Array) -> MatrixOwn:
    """Inventories of ``who bool[A]`` as at the start."""
    return replace(own, inventory=jnp.where(who[:, None], np.int32(1), own.inventory), ready=own.ready & ~who)


def gather(own: MatrixOwn, taken: jax.Array) -> MatrixOwn:
    """One more of class ``taken int32[A]`` for everybody; 0 is none."""
    classes = np.arange(1, own.inventory.shape[1] + 1, dtype=np.int32)
    more = (taken[:, None] == classes[None, :]).astype(jnp.int32)
    return replace(own, inventory=own.inventory + more, ready=own.ready | (taken > np.int32(0)))


def interact(
    own: MatrixOwn, victim: jax.Array, row_players: tuple[bool, ...], ties: jax.Array, params: MatrixParams
) -> tuple[jax.Array, MatrixOwn]:
    """Begin interactions.

    Args:
        own: as beams have been fired.
        victim: ``int32[A]``, with whom each shooter would interact, -1 for nobody; each player in one pair at most.
        row_players: who is a row player, and equal ones do not interact; empty where shooters are the row players.
        ties: ``bool[A]``, whether the row player wins a tie, by row player.
        params: numbers.

    Returns:
        ``int32[A]``, each one's partner, -1 for nobody; and own things. A row player that wins loses its inventory at
        once.
    """
    players = np.arange(victim.shape[0], dtype=np.int32)
    other = jnp.maximum(victim, np.int32(0))
    begins = (victim != NOBODY) & (own.countdown[other] == IDLE) & own.ready & own.ready[other]
    as_row = begins
    if row_players:
        as_row = jnp.asarray(row_players)
        begins = begins & (as_row != as_row[other])
    struck = (
        jnp.full(len(players), NOBODY).at[jnp.where(begins, victim, np.int32(len(players)))].set(players, mode="drop")
    )
    partner = jnp.where(begins, victim, struck)
    joins, other = partner != NOBODY, jnp.maximum(partner, np.int32(0))
    met = jnp.stack([own.inventory, own.inventory[other]], axis=1)
    mine, _ = result(met, as_row, params.payoffs)
    wins = (mine > mine[other]) | ((mine == mine[other]) & ties)
    own = replace(
        own,
        pair=jnp.where(joins[:, None, None], met, own.pair),
        as_row=jnp.where(joins, as_row, own.as_row),
        countdown=jnp.where(joins, params.freeze, own.countdown),
    )
    return partner, lose_all(own, joins & as_row & wins)
