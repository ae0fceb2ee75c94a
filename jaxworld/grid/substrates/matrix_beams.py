"""Beams that wear resources down: cast one after the other, because each changes what stops the next."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.grid.beams import Beam, cast

NOBODY = np.int32(-1)
MOST_HEALTH = 255
_GONE = np.int32(MOST_HEALTH + 1)
"""Added to the health of a resource that is destroyed; it leaves the board only after all have fired."""


@pytree_dataclass
class Aims:
    """What lies before each shooter, in the order in which they fire.

    Attributes:
        cells: ``int32[A, K]``, the footprint, rays one after the other.
        solid: ``bool[A, K]``, cells with a wall or an avatar.
        site: ``int32[A, K]``, the site in each cell, S for none.
        standing: ``int32[A]``, the cell each player takes up.
        fires: ``bool[A]``.
    """

    cells: jax.Array
    solid: jax.Array
    site: jax.Array
    standing: jax.Array
    fires: jax.Array


@pytree_dataclass
class Shots:
    """What each beam did, shooters in the order in which they fired.

    Attributes:
        lit: ``bool[A, K]``, cells in which a beam is seen: it came there and nothing stopped it.
        destroyed: ``int32[A]``, how many resources it destroyed.
        victim: ``int32[A]``, place of whom the shooter gets to deal with, -1 for nobody.
    """

    lit: jax.Array
    destroyed: jax.Array
    victim: jax.Array


def fire_volley(beam: Beam, aims: Aims, health: jax.Array, full: jax.Array) -> tuple[Shots, jax.Array, jax.Array]:
    """Cast all beams in turn.

    A resource stops a beam and loses one health by it; the hit that takes the last one destroys it and passes. It
    leaves the board only after all have fired: until then it stands there again with full health.

    Nobody takes part in two attempts in one step, and any hit counts as an attempt for whoever is hit. A shooter who
    had none gets to deal with the first on its rays who had none.

    Args:
        beam: the shape, with a footprint of K cells.
        aims: what lies before whom.
        health: ``int32[S]``, 0 where there is no resource.
        full: ``int32[]``, health of a fresh one.

    Returns:
        What each did; health ``int32[S]`` afterwards; and which resources were destroyed, ``bool[S]``.
    """
    players = np.arange(aims.fires.shape[0], dtype=np.int32)
    size = health.shape[0]

    def turn(carry: tuple[jax.Array, jax.Array], index: jax.Array) -> tuple[tuple[jax.Array, jax.Array], Shots]:
        state, marked = carry
        site = aims.site[index]
        left = state[site] & np.int32(MOST_HEALTH)
        rays = cast(beam, aims.cells[index], aims.fires[index], aims.solid[index] | (left > np.int32(1)))
        destroyed = rays.reached & (left == np.int32(1))
        worn = state[site] - np.int32(1)
        target = jnp.where(rays.reached & (left > np.int32(0)), site, np.int32(size + 1))
        state = state.at[target].set(jnp.where(destroyed, full + _GONE, worn), mode="drop")
        struck = (aims.cells[index][:, None] == aims.standing[None, :]) & rays.reached[:, None]
        victim, marked = _first_unmarked(beam, struck, marked, index)
        return (state, marked), Shots(lit=rays.lit, destroyed=destroyed.sum(dtype=jnp.int32), victim=victim)

    start = (jnp.concatenate([health, jnp.zeros(1, jnp.int32)]), jnp.zeros(len(players), bool))
    (state, _), shots = lax.scan(turn, start, jnp.asarray(players))
    return shots, state[:size] & np.int32(MOST_HEALTH), state[:size] >= _GONE


def _first_unmarked(
    beam: Beam, struck: jax.Array, marked: jax.Array, shooter: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """The first on the rays who is not marked, -1 if there is nobody or the shooter is marked; and who is marked then.

    Args:
        beam: the shape.
        struck: ``bool[K, A]``, who was hit in which cell.
        marked: ``bool[A]``, who has taken part in an attempt.
        shooter: ``int32[]``.
    """
    players = np.arange(marked.shape[0], dtype=np.int32)
    me = jnp.asarray(players) == shooter
    busy, victim, start = (me & marked).any(), jnp.asarray(NOBODY), 0
    for ray in beam.rays():
        fresh = struck[start : start + len(ray)].any(axis=0) & ~marked
        first = jnp.where(fresh, players, NOBODY).max()
        victim = jnp.where(victim == NOBODY, first, victim)
        start += len(ray)
    victim = jnp.where(busy, NOBODY, victim)
    return victim, marked | struck.any(axis=0) | (me & (victim != NOBODY))
