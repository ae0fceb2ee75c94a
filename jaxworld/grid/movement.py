"""How avatars turn and move: one after the other, in a random order, first come, first served.

Following somebody into a cell works only for those whose turn comes later; two that face one another cannot swap.
A simultaneous rule would have other statistics of chains.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core.pytree import replace
from jaxworld.grid.avatars import Avatars
from jaxworld.grid.board import Board
from jaxworld.grid.draws import order_of_play

BASIC_ACTIONS = ("noop", "forward", "backward", "step_left", "step_right", "turn_left", "turn_right")
"""Actions 0 to 6 of every substrate."""

_BEARING = np.array([-1, 0, 2, 3, 1, -1, -1], np.int32)
"""Quarter turns to the right of the facing in which an action moves; -1 does not move."""
_TURN = np.array([0, 0, 0, 0, 0, -1, 1], np.int32)


def move(board: Board, solid: jax.Array | np.ndarray, avatars: Avatars, action: jax.Array, words: jax.Array) -> Avatars:
    """Turn and move everybody who is on the board and not frozen.

    Args:
        board: the geometry.
        solid: ``bool[num_cells + 1]``, cells nobody can enter, off the map included.
        avatars: as at the end of the last step, thawed.
        action: ``int32[A]``.
        words: ``uint32[A]``; smaller words move first.
    """
    act = jnp.where(avatars.mobile & (action < len(BASIC_ACTIONS)), action, np.int32(0))
    bearing = jnp.asarray(_BEARING)[act]
    heading = (avatars.orientation + bearing) & np.int32(3)
    ahead = jnp.asarray(board.neighbours().reshape(-1))[heading * np.int32(board.num_cells + 1) + avatars.cell]
    moves = (bearing >= np.int32(0)) & ~jnp.asarray(solid)[ahead]
    cell = settle(avatars.standing(), jnp.where(moves, ahead, avatars.standing()), words)
    return replace(
        avatars,
        cell=jnp.where(avatars.present, cell, avatars.cell),
        orientation=(avatars.orientation + jnp.asarray(_TURN)[act]) & np.int32(3),
    )


def settle(standing: jax.Array, target: jax.Array, words: jax.Array) -> jax.Array:
    """Where everybody ends up: each in turn takes its target if nobody stands there at that moment.

    Args:
        standing: ``int32[A]``, cells taken up, all different.
        target: ``int32[A]``, cells wanted; one's own to stay.
        words: ``uint32[A]``; smaller words go first.
    """
    places = order_of_play(words)

    def turn(place: jax.Array, standing: jax.Array) -> jax.Array:
        mine = places == place
        goal = jnp.where(mine, target, np.int32(0)).sum(dtype=jnp.int32)
        free = ~(standing == goal).any()
        return jnp.where(mine & free, goal, standing)

    # A loop compiles four times as fast as its turns written out, and runs a little faster.
    return lax.fori_loop(0, standing.shape[0], turn, standing)
