"""Beams: which cells a shooter reaches, and where walls and players stop them."""

from __future__ import annotations

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.grid.avatars import Avatars
from jaxworld.grid.board import Board


@dataclasses.dataclass(frozen=True)
class Beam:
    """The shape of a beam: a ray ahead, and to each side rays that start beside the shooter.

    Attributes:
        length: cells of the ray ahead, at least 1.
        radius: rays to each side; the k-th starts k cells beside the shooter and has ``length - k + 1`` cells.
    """

    length: int
    radius: int

    def __post_init__(self) -> None:
        checks.whole("beam.length", self.length, 1, 100)
        checks.whole("beam.radius", self.radius, 0, 100)
        require(self.num_cells <= 32, "beam", self, "use a shape of at most 32 cells")

    @property
    def lanes(self) -> int:
        """Rays to each side that have any cell."""
        return min(self.radius, self.length)

    def rays(self) -> list[list[tuple[int, int]]]:
        """Rays in the order they are cast (left inner to outer, right inner to outer, ahead), as (forward, right)."""
        sides = [
            [(forward, side * lane) for forward in range(self.length - lane + 1)]
            for side in (-1, 1)
            for lane in range(1, self.lanes + 1)
        ]
        return [*sides, [(forward, 0) for forward in range(1, self.length + 1)]]

    @property
    def num_cells(self) -> int:
        """Cells K of the whole footprint."""
        return sum(len(ray) for ray in self.rays())


@pytree_dataclass
class Rays:
    """What some shooters' beams did.

    Attributes:
        cells: ``int32[A, K]``, cells of each footprint, ``num_cells`` off the map.
        reached: ``bool[A, K]``, cells the beam came to, those that stopped it included: whatever is there is hit.
        lit: ``bool[A, K]``, cells in which it is seen: reached, and nothing there stopped it.
    """

    cells: jax.Array
    reached: jax.Array
    lit: jax.Array


@functools.cache
def footprint(board: Board, beam: Beam) -> np.ndarray:
    """``int32[4 * (num_cells + 1), K]``: the cells of a beam by facing and shooter's cell."""
    offsets = [offset for ray in beam.rays() for offset in ray]
    return board.towards(offsets).reshape(-1, len(offsets))


def beam_cells(board: Board, beam: Beam, avatars: Avatars) -> jax.Array:
    """``int32[A, K]``: the cells of everybody's footprint, in the order of ``Beam.rays``."""
    row = avatars.orientation * np.int32(board.num_cells + 1) + avatars.cell
    return jnp.asarray(footprint(board, beam))[row]


def cast(beam: Beam, cells: jax.Array, fires: jax.Array, stops: jax.Array) -> Rays:
    """Cast the beams of all who fire, where what stops a beam does not depend on other beams.

    Args:
        beam: the shape.
        cells: ``int32[A, K]`` from :func:`beam_cells`.
        fires: ``bool[A]``.
        stops: ``bool[A, K]``, whether something in a cell stops the beam.
    """
    reached: list[jax.Array] = []
    start = 0
    cast_wider = fires
    for number, ray in enumerate(beam.rays()):
        # A side ray stopped in its first cell keeps the wider rays of that side from being cast.
        lane = number % beam.lanes if number < 2 * beam.lanes else 0
        going = cast_wider if lane else fires
        for place in range(len(ray)):
            reached.append(going)
            going = going & ~stops[..., start + place]
            if place == 0:
                cast_wider = going
        start += len(ray)
    made = jnp.stack(reached, axis=-1)
    return Rays(cells=cells, reached=made, lit=made & ~stops)


def occupied(board: Board, solid: jax.Array | np.ndarray, avatars: Avatars) -> jax.Array:
    """``bool[num_cells + 1]``: cells with a wall or an avatar, off the map included."""
    cell = jnp.where(avatars.present, avatars.cell, np.int32(board.num_cells))
    return jnp.asarray(solid).at[cell].set(True)  # off the map is solid anyway


def hit(rays: Rays, avatars: Avatars) -> jax.Array:
    """``bool[A, A]``: whose beam (first axis) came to whom."""
    meets = rays.cells[:, None, :] == avatars.standing()[None, :, None]
    return (rays.reached[:, None, :] & meets).any(axis=-1)


def pack(lit: jax.Array) -> jax.Array:
    """``uint32[A]`` with a bit for each of at most 32 cells of ``bool[A, K]``."""
    bits = (np.uint32(1) << np.arange(lit.shape[-1], dtype=np.uint32))[None, :]
    return jnp.where(lit, bits, np.uint32(0)).sum(axis=-1, dtype=jnp.uint32)


def unpack(bits: jax.Array, size: int) -> jax.Array:
    """Undo :func:`pack`: ``bool[A, size]``."""
    return ((bits[:, None] >> np.arange(size, dtype=np.uint32)[None, :]) & np.uint32(1)) == np.uint32(1)
