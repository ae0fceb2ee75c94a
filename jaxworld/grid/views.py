"""What each player sees of a board: a window that turns with it, or the whole map.

All grids of a window come from one slice of a board that lies in memory in all four rotations, because the cells of a
window are then next to each other; a gather of single cells costs five times as much.
"""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core import checks
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.grid.avatars import Avatars
from jaxworld.grid.board import Board

MODES = ("local", "global", "focal")


@dataclasses.dataclass(frozen=True)
class Window:
    """An egocentric window, the way ahead up: how many cells it shows ahead, behind, to the left and to the right."""

    forward: int
    backward: int
    left: int
    right: int

    def __post_init__(self) -> None:
        for field in ("forward", "backward", "left", "right"):
            checks.whole(f"view.{field}", getattr(self, field), 0, 1000)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.forward + 1 + self.backward, self.left + 1 + self.right

    @property
    def reach(self) -> int:
        """Cells it can show beyond its owner, in any direction."""
        return max(self.forward, self.backward, self.left, self.right)


WIDE = Window(forward=9, backward=1, left=5, right=5)
"""11 x 11 cells, the owner at row 9, column 5."""
NARROW = Window(forward=3, backward=1, left=2, right=2)
"""5 x 5 cells, the owner at row 3, column 2."""


def focal_window(board: Board) -> Window:
    """The window with its owner at the centre that shows all of the map from anywhere on it.

    It has 2 max(rows, cols) - 1 cells a side, so that it does so whichever way its owner faces.
    """
    reach = max(board.rows, board.cols) - 1
    return Window(forward=reach, backward=reach, left=reach, right=reach)


def check_mode(mode: str) -> str:
    """A known observation mode.

    Raises:
        ConfigurationError: for another one.
    """
    require(mode in MODES, "observation_mode", mode, f"use one of {', '.join(MODES)}")
    return mode


def check_window(window: Window) -> Window:
    """A window.

    Raises:
        ConfigurationError: for anything else.
    """
    if not isinstance(window, Window):
        raise ConfigurationError(
            "view", window, "use jaxworld.grid.Window(forward=..., backward=..., left=..., right=...)"
        )
    return window


def see_window(board: Board, window: Window, words: jax.Array, avatars: Avatars) -> jax.Array:
    """Cut everybody's window out of a board.

    Args:
        board: the geometry.
        window: what is cut.
        words: ``uint32[num_cells]``.
        avatars: who looks, from where, which way.

    Returns:
        ``uint32[A, rows, cols]``, 0 off a bounded map; on a torus the map repeats. All 0 for absent avatars.
    """
    margin = window.reach
    mode = "wrap" if board.torus else "constant"
    padded = jnp.pad(words.reshape(board.rows, board.cols), margin, mode=mode)
    height, width = padded.shape
    side = max(height, width)
    turned = jnp.zeros((4, side, side), words.dtype)
    for quarter in range(4):  # after as many quarter turns to the left, that way is up
        rotated = jnp.rot90(padded, quarter)
        turned = turned.at[quarter, : rotated.shape[0], : rotated.shape[1]].set(rotated)
    row = avatars.cell // np.int32(board.cols) + np.int32(margin)
    col = avatars.cell % np.int32(board.cols) + np.int32(margin)
    rows = jnp.stack([row, np.int32(width - 1) - col, np.int32(height - 1) - row, col])
    cols = jnp.stack([col, row, np.int32(width - 1) - col, np.int32(height - 1) - row])

    def cut(facing: jax.Array, row: jax.Array, col: jax.Array) -> jax.Array:
        start = (facing, row - np.int32(window.forward), col - np.int32(window.left))
        return lax.dynamic_slice(turned, start, (1, *window.shape))[0]

    player = np.arange(avatars.cell.shape[0])
    facing = avatars.orientation
    seen = jax.vmap(cut)(facing, rows[facing, player], cols[facing, player])
    return jnp.where(avatars.present[:, None, None], seen, jnp.zeros((), seen.dtype))


def see_map(board: Board, words: jax.Array, avatars: Avatars) -> jax.Array:
    """The whole map, north up, for everybody on the board: ``uint32[A, rows, cols]``, all 0 for absent avatars."""
    seen = jnp.where(avatars.present[:, None], words[None, :], jnp.zeros((), words.dtype))
    return seen.reshape(-1, board.rows, board.cols)
