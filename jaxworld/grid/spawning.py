"""Where avatars appear: distinct random points at the start, a random free point on return."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core.pytree import replace
from jaxworld.core.random import uniform_index
from jaxworld.grid.avatars import Avatars
from jaxworld.grid.board import Board


def scatter_over(points: jax.Array | np.ndarray, words: jax.Array) -> jax.Array:
    """Different points for everybody, uniformly: ``int32[A]`` out of ``points int32[P]``, P at least A.

    The first A exchanges of a Fisher-Yates shuffle, without the array that is shuffled.

    Args:
        points: cells.
        words: ``uint32[A]``.
    """
    size, taken = points.shape[0], words.shape[0]
    chosen: list[jax.Array] = []
    slots: list[jax.Array] = []
    held: list[jax.Array] = []

    def value_at(slot: jax.Array) -> jax.Array:
        value = slot
        for earlier, moved in zip(slots, held, strict=True):
            value = jnp.where(slot == earlier, moved, value)
        return value

    for player in range(taken):
        slot = np.int32(player) + uniform_index(words[player], jnp.asarray(size - player, jnp.uint32))
        chosen.append(value_at(slot))
        here = value_at(jnp.asarray(player, jnp.int32))
        slots.append(slot)
        held.append(here)
    return jnp.asarray(points)[jnp.stack(chosen)]


def facing(words: jax.Array) -> jax.Array:
    """A uniformly random orientation for each word: ``int32[A]``, 0 to 3."""
    return (words >> np.uint32(30)).astype(jnp.int32)


def respawn(
    board: Board, points: np.ndarray, avatars: Avatars, delay: jax.Array, where: jax.Array, turn: jax.Array
) -> tuple[jax.Array, Avatars]:
    """Bring back everybody whose absence is over, each to a uniformly random free point, facing a random way.

    Who was removed in step t with a delay of n misses the observations of t ... t + n. Where no point is free one
    waits for the next step. Timers run on from where they were.

    Args:
        board: the geometry.
        points: ``int32[P]``, cells in ascending order.
        avatars: after moves; those removed in this very step are not among the absent yet.
        delay: ``int32[]``.
        where: ``uint32[A]``, which of the free points, in ascending order.
        turn: ``uint32[A]``, which way to face.

    Returns:
        ``bool[A]``: who came back; and the avatars. Those who stay away have missed one observation more.
    """
    size = len(points)
    place = np.full(board.num_cells + 1, size, np.int32)
    place[points] = np.arange(size)
    standing = jnp.where(avatars.present, jnp.asarray(place)[avatars.cell], np.int32(size))
    due = ~avatars.present & (avatars.absence > delay)
    players = np.arange(avatars.cell.shape[0], dtype=np.int32)

    def choose(player: jax.Array, standing: jax.Array) -> jax.Array:
        mine = jnp.asarray(players) == player
        free = np.int32(size) - (standing < np.int32(size)).sum(dtype=jnp.int32)
        word = jnp.where(mine, where, np.uint32(0)).sum(dtype=jnp.uint32)
        chosen = _nth_free(standing, uniform_index(word, free))
        return jnp.where(mine & due & (free > np.int32(0)), chosen, standing)

    standing = lax.fori_loop(0, len(players), choose, standing)
    back = due & (standing < np.int32(size))
    cell = jnp.where(back, jnp.asarray(points)[jnp.minimum(standing, np.int32(size - 1))], avatars.cell)
    waiting = ~avatars.present & ~back
    return back, replace(
        avatars,
        cell=cell,
        orientation=jnp.where(back, facing(turn), avatars.orientation),
        absence=jnp.where(
            back, np.int32(0), jnp.where(waiting, jnp.maximum(avatars.absence, np.int32(0)) + np.int32(1), np.int32(0))
        ),
    )


def _nth_free(standing: jax.Array, index: jax.Array) -> jax.Array:
    """The number of the free point that has ``index`` free ones before it.

    Args:
        standing: ``int32[A]``, points taken, all different; a number beyond the last point for who takes none.
        index: ``int32[]``, below the number of free points.
    """
    before = (standing[None, :] < standing[:, None]).sum(axis=1, dtype=jnp.int32)
    # A taken point is passed over if at most ``index`` free ones lie before it.
    return index + (standing - before <= index).sum(dtype=jnp.int32)
