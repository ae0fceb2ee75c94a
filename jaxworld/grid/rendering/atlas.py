"""Every look a cell can have, drawn once: a picture then is one look-up a cell, however many grids it shows."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np

from jaxworld.grid.layers import Layer
from jaxworld.grid.sprites.art import SIZE
from jaxworld.grid.sprites.table import Plane, background, planes

MAX_LOOKS = 2**14
"""Looks of one sheet at most: 3 MiB, of which a picture uses a small part."""


@dataclasses.dataclass(frozen=True)
class Digit:
    """How one grid counts in the number of a look: its code times ``stride``."""

    layer: str
    turning: bool
    stride: int


@dataclasses.dataclass(frozen=True, eq=False)
class Sheet:
    """Looks that some grids make together.

    Attributes:
        digits: the grids.
        colour: ``uint8[looks, 8, 8, 3]``, red, green and blue, times how solid they are.
        keep: ``uint8[looks, 8, 8]``, how much of what is behind shows, 0 to 255; None where nothing does.
    """

    digits: tuple[Digit, ...]
    colour: np.ndarray
    keep: np.ndarray | None


@dataclasses.dataclass(frozen=True, eq=False)
class Atlas:
    """``sheets`` from back to front; the first is solid. Most sets of grids need no other."""

    sheets: tuple[Sheet, ...]


@functools.cache
def make_atlas(layers: tuple[Layer, ...]) -> Atlas:
    """The atlas of a set of grids. Grids that are not seen, such as orientations, may be among them."""
    groups: list[list[Plane]] = [[]]
    for plane in planes(layers):
        if groups[-1] and math.prod(member.size for member in groups[-1]) * plane.size > MAX_LOOKS:
            groups.append([])
        groups[-1].append(plane)
    return Atlas(tuple(_sheet(group, solid=place == 0) for place, group in enumerate(groups)))


def over_255(value: np.ndarray) -> np.ndarray:
    """``value / 255`` rounded to the nearest, for 0 to 255 * 255 in ``uint16``; NumPy or JAX."""
    raised = value + np.uint16(128)
    return (raised + (raised >> np.uint16(8))) >> np.uint16(8)  # type: ignore[no-any-return]


def _sheet(group: list[Plane], solid: bool) -> Sheet:
    """Plane before plane, for all combinations of their codes; the code of the first plane counts ones."""
    made = background() if solid else np.zeros((SIZE, SIZE, 4), np.uint8)
    looks = made[None].astype(np.uint16)
    digits = []
    for plane in group:
        digits.append(Digit(plane.layer, plane.turning, len(looks)))
        front = plane.sprites.astype(np.uint16)
        alpha = front[..., 3:]
        front = np.concatenate([over_255(front[..., :3] * alpha), alpha], axis=-1)
        behind = over_255(looks[None] * (np.uint16(255) - alpha)[:, None])
        looks = (front[:, None] + behind).reshape(-1, SIZE, SIZE, 4)
    keep = None if solid else (np.uint16(255) - looks[..., 3]).astype(np.uint8)
    return Sheet(tuple(digits), looks[..., :3].astype(np.uint8), keep)
