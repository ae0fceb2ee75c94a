"""From grids of categories to pixels, by one rule in NumPy and in JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.grid.rendering.atlas import Atlas, Sheet, over_255
from jaxworld.grid.sprites.art import SIZE

ORIENTATIONS = "AVATAR_ORIENTATIONS"

Taker = Callable[[np.ndarray, Any], Any]
"""Rows ``uint8[..., 24]`` of a table ``uint8[n, 24]``, by number ``int32[...]``."""


def draw(atlas: Atlas, grids: Mapping[str, Any], facing: Any) -> np.ndarray:
    """Pictures of grids, on the host.

    Args:
        atlas: from :func:`~jaxworld.grid.rendering.atlas.make_atlas`; grids of its that are not given are empty.
        grids: categories ``[..., rows, cols]`` by name; with avatars, ``AVATAR_ORIENTATIONS`` as well.
        facing: ``int32[...]``, which way is up in each picture: 0 to 3 for north, east, south, west.

    Returns:
        ``uint8[..., rows * 8, cols * 8, 3]``.
    """
    seen = {name: np.asarray(grid) for name, grid in grids.items()}
    return _draw(atlas, seen, np.asarray(facing, np.int32), lambda table, rows: np.take(table, rows, axis=0))


def draw_traced(atlas: Atlas, grids: Mapping[str, jax.Array], facing: jax.Array) -> jax.Array:
    """:func:`draw` in JAX, to be compiled: the same pixels."""
    return _draw(atlas, grids, facing, _take_traced)  # type: ignore[no-any-return]


def _draw(atlas: Atlas, grids: Mapping[str, Any], facing: Any, take: Taker) -> Any:
    made: Any = None
    for sheet in atlas.sheets:
        rows = _rows(sheet, grids, facing)
        colour = take(_table(sheet.colour), rows)
        if sheet.keep is None:
            made = colour
        else:
            keep = take(_table(np.repeat(sheet.keep[..., None], 3, axis=-1)), rows)
            made = colour + over_255(made.astype(np.uint16) * keep.astype(np.uint16)).astype(np.uint8)
    height, _, width = rows.shape[-3:]
    return made.reshape(*rows.shape[:-3], height * SIZE, width * SIZE, 3)


def _rows(sheet: Sheet, grids: Mapping[str, Any], facing: Any) -> Any:
    """``int32[..., rows, 8, cols]``: where the rows of each cell's sprite lie in the sheet."""
    look: Any = np.zeros(next(iter(grids.values())).shape, np.int32)
    for digit in sheet.digits:
        if digit.layer not in grids:
            continue
        code = grids[digit.layer].astype(np.int32)
        if digit.turning:
            turn = (grids[ORIENTATIONS].astype(np.int32) - np.int32(1) - facing[..., None, None]) & np.int32(3)
            code = (code > np.int32(0)).astype(np.int32) * (code * np.int32(4) - np.int32(3) + turn)
        look = look + code * np.int32(digit.stride)
    inside = np.arange(SIZE, dtype=np.int32).reshape(*(1,) * (look.ndim - 1), SIZE, 1)
    return look[..., :, None, :] * np.int32(SIZE) + inside


def _table(sprites: np.ndarray) -> np.ndarray:
    """``uint8[looks * 8, 24]``: a line for each row of a sprite, which is copied whole."""
    return sprites.reshape(-1, SIZE * 3)


def _take_traced(table: np.ndarray, rows: jax.Array) -> jax.Array:
    # Without this mode XLA compares each of the 24 bytes with the bounds, which costs 25 times as much on a CPU.
    return jnp.asarray(table).at[rows].get(mode="promise_in_bounds")
