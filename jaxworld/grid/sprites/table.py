"""Which drawing shows which category of which grid, and what lies before what.

A substrate needs no entry here: what the table does not know is shown by the drawing of its grid, or a tile, in a
colour that follows from its name.
"""

from __future__ import annotations

import colorsys
import dataclasses
import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from jaxworld.grid.layers import Layer
from jaxworld.grid.sprites.art import SIZE, packaged_art

NAMED_COLOURS = {
    "red": "e5484d",
    "blue": "4a7dff",
    "yellow": "f2c230",
    "green": "46b058",
    "purple": "a35ae0",
    "violet": "a35ae0",
}
PLAYER_COLOURS = (
    "4a7dff",
    "f06aa8",
    "d8e04a",
    "a862e8",
    "9a6b4a",
    "8fa3b8",
    "ffb3a0",
    "2f5d9e",
    "f5903d",
    "3fd0c9",
)
"""Of the first players; red and green are left to apples and grass."""
_COIN_COLOURS = ("red", "blue", "yellow", "green", "purple")
_RESULT_COLOURS = ("red", "yellow", "green", "blue", "violet")
_CLASS_COLOURS = ("35c4b5", "f08a3c", "b58cf0")

DRAWINGS: Mapping[str, Mapping[str, tuple[str, str] | None]] = {
    "TERRAIN": {
        "wall": ("wall", ""),
        "floor": ("floor", ""),
        "grass": ("grass", ""),
        "bare_grass": ("bare_grass", ""),
    },
    "APPLES": {"apple": ("apple", "")},
    "COINS": {name: ("coin", NAMED_COLOURS[name]) for name in _COIN_COLOURS},
    "RESOURCES": {
        "class_1": ("gem", _CLASS_COLOURS[0]),
        "class_2": ("block", _CLASS_COLOURS[1]),
        "class_3": ("ring", _CLASS_COLOURS[2]),
    },
    "AVATAR_STATES": {
        **{name: ("avatar", NAMED_COLOURS[name]) for name in _COIN_COLOURS},
        "not_ready": None,
        "ready": ("dot", "ffffff"),
    },
    "AVATAR_ROLES": {
        "self": None,
        "other": None,
        "bach_fan": ("collar", _CLASS_COLOURS[0]),
        "stravinsky_fan": ("collar", _CLASS_COLOURS[1]),
    },
    "INTERACTION_RESULT": {name: ("cap", NAMED_COLOURS[name]) for name in _RESULT_COLOURS},
    "SELF": {"self": ("brackets", "")},
    "BEAMS": {"zap": ("beam", "ffd84a"), "interact": ("beam", "7ad7ff")},
}
"""Grid to category to (drawing, tint); None shows nothing."""

FALLBACKS = {
    "COINS": "coin",
    "RESOURCES": "gem",
    "AVATARS": "avatar",
    "AVATAR_STATES": "cap",
    "AVATAR_ROLES": "collar",
    "INTERACTION_RESULT": "cap",
    "SELF": "brackets",
    "BEAMS": "beam",
}
"""Drawing of categories the table does not know, by grid; a tile for other grids."""

TURNING = ("avatar", "collar")
"""Drawings that show which way an avatar faces; all others stand upright whoever looks."""

ORDER = ("TERRAIN", "", "AVATARS", "AVATAR_STATES", "AVATAR_ROLES", "INTERACTION_RESULT", "SELF", "BEAMS")
"""Grids from back to front; those that are not named lie where the empty name is, in their own order."""
_UNSEEN = ("AVATAR_ORIENTATIONS",)


@dataclasses.dataclass(frozen=True, eq=False)
class Plane:
    """The sprites of one grid.

    Attributes:
        layer: the grid's name.
        turning: whether its sprites turn with the avatar in their cell.
        sprites: ``uint8[codes, 8, 8, 4]``. Code 0 is clear; category k has code k, or codes ``4k - 3`` to ``4k`` for
            avatars that face up, right, down and left in the picture.
    """

    layer: str
    turning: bool
    sprites: np.ndarray

    @property
    def size(self) -> int:
        """Number of codes."""
        return len(self.sprites)


def planes(layers: Sequence[Layer]) -> tuple[Plane, ...]:
    """What is seen of grids, from back to front."""
    seen = [layer for layer in layers if layer.name not in _UNSEEN]
    ordered = sorted(seen, key=lambda layer: ORDER.index(layer.name if layer.name in ORDER else ""))
    made = (_plane(layer) for layer in ordered)
    return tuple(plane for plane in made if plane.sprites.any())


def background() -> np.ndarray:
    """``uint8[8, 8, 4]``: where there is nothing."""
    return packaged_art()["nothing"].pixels()


def tint_of(name: str) -> str:
    """A bright colour ``rrggbb`` that depends on a name only."""
    words = hashlib.sha256(name.encode()).digest()
    return _rgb(int.from_bytes(words[:2], "big") / 2**16, 0.55 + words[2] / 1024, 0.75 + words[3] / 1280)


def player_tint(player: int) -> str:
    """The colour of a player, counted from 0."""
    if player < len(PLAYER_COLOURS):
        return PLAYER_COLOURS[player]
    golden = 0.61803398875  # multiples of the golden ratio spread evenly over the circle of hues
    return _rgb(player * golden % 1.0, 0.6, (0.95, 0.7)[player % 2])


def _plane(layer: Layer) -> Plane:
    drawn = [_drawing(layer.name, place, category) for place, category in enumerate(layer.categories)]
    turning = any(entry is not None and entry[0] in TURNING for entry in drawn)
    clear = np.zeros((SIZE, SIZE, 4), np.uint8)
    sprites = [clear]
    for entry in drawn:
        pixels = clear if entry is None else packaged_art()[entry[0]].pixels(entry[1] or None)
        turned = entry is not None and entry[0] in TURNING
        sprites.extend([np.rot90(pixels, -quarter * turned) for quarter in range(4)] if turning else [pixels])
    return Plane(layer.name, turning, np.stack(sprites))


def _drawing(layer: str, place: int, category: str) -> tuple[str, str] | None:
    known = DRAWINGS.get(layer, {})
    if category in known:
        return known[category]
    tint = player_tint(place) if layer == "AVATARS" else tint_of(category)
    return FALLBACKS.get(layer, "tile"), tint


def _rgb(hue: float, saturation: float, value: float) -> str:
    return bytes(round(255 * part) for part in colorsys.hsv_to_rgb(hue, saturation, value)).hex()
