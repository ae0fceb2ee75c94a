"""Things on the ground at fixed sites: collected by entering, growing back by chance."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import require
from jaxworld.grid.avatars import Avatars
from jaxworld.grid.board import Board


@dataclasses.dataclass(frozen=True)
class Sites:
    """Cells that may hold something, S of them, numbered in ascending order.

    Attributes:
        board: the geometry.
        cells: cell of each site.
    """

    board: Board
    cells: tuple[int, ...]

    def __post_init__(self) -> None:
        require(len(self.cells) > 0, "map", "no site", "put at least one cell on the map where things can be")

    @property
    def size(self) -> int:
        """Number of sites S."""
        return len(self.cells)

    def number(self) -> np.ndarray:
        """``int32[num_cells + 1]``: the site on each cell, S where there is none."""
        table = np.full(self.board.num_cells + 1, self.size, np.int32)
        table[list(self.cells)] = np.arange(self.size)
        return table

    def under(self, avatars: Avatars) -> jax.Array:
        """``int32[A]``: the site each avatar stands on, S for none and for absent avatars."""
        here = jnp.asarray(self.number())[avatars.cell]
        return jnp.where(avatars.present, here, np.int32(self.size))

    def on_board(self, values: jax.Array, elsewhere: int = 0) -> jax.Array:
        """Values ``[S]`` by site as values ``[num_cells]`` by cell."""
        padded = jnp.concatenate([values, jnp.full(1, elsewhere, values.dtype)])
        return padded[jnp.asarray(self.number()[:-1])]

    def adjacency(self, radius: int) -> np.ndarray:
        """``float32[S, S]``: 1 for two sites within a Euclidean distance, 0 for others and oneself."""
        return self.board.disc(np.asarray(self.cells), radius).astype(np.float32)


def look_up(values: jax.Array, site: jax.Array, nothing: int = 0) -> jax.Array:
    """``values[S]`` at ``site int32[A]``, ``nothing`` where the site is S."""
    return jnp.concatenate([values, jnp.full(1, nothing, values.dtype)])[site]


def put(values: jax.Array, site: jax.Array, where: jax.Array, value: int) -> jax.Array:
    """``values[S]`` with ``value`` at ``site int32[A]`` of those ``where bool[A]`` holds."""
    target = jnp.where(where, site, np.int32(values.shape[0]))
    return values.at[target].set(jnp.asarray(value, values.dtype), mode="drop")


def count_near(live: jax.Array, adjacency: np.ndarray) -> jax.Array:
    """``int32[S]``: how many ``live bool[S]`` sites are near each; a product of small integers, exact in float32."""
    return jnp.dot(live.astype(jnp.float32), jnp.asarray(adjacency)).astype(jnp.int32)


def happens(words: jax.Array, threshold: jax.Array) -> jax.Array:
    """``bool[...]``: independent events with probability ``threshold / 2**32``."""
    return words < threshold
