"""Drawings as text: how they are read and coloured."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterator, Mapping
from importlib.resources import files

import numpy as np

from jaxworld.core.errors import ConfigurationError, require

SIZE = 8
"""Rows and columns of a drawing, in pixels."""
CLEAR = "."
_SHADES = {"@": 0.0, "@-": -0.45, "@+": 0.45}
"""How far a tint goes towards black (below 0) or white."""


@dataclasses.dataclass(frozen=True)
class Art:
    """One drawing.

    Attributes:
        name: its name.
        rows: 8 strings of 8 letters.
        colours: letter to colour, as written.
    """

    name: str
    rows: tuple[str, ...]
    colours: Mapping[str, str]

    def __post_init__(self) -> None:
        fits = len(self.rows) == SIZE and all(len(row) == SIZE for row in self.rows)
        require(fits, f"drawing {self.name}", self.rows, f"give {SIZE} rows of {SIZE} letters")
        unknown = sorted(set("".join(self.rows)) - set(self.colours) - {CLEAR})
        require(not unknown, f"drawing {self.name}", unknown, "give these letters a colour in the line of its name")

    def pixels(self, tint: str | None = None) -> np.ndarray:
        """``uint8[8, 8, 4]``: red, green, blue, and 0 (clear) to 255 (solid).

        Args:
            tint: ``rrggbb`` for the letters coloured ``@``.

        Raises:
            ConfigurationError: for a colour that is none, or a drawing that needs a tint and has none.
        """
        made = {letter: self._colour(text, tint) for letter, text in self.colours.items()}
        made[CLEAR] = (0, 0, 0, 0)
        return np.array([[made[letter] for letter in row] for row in self.rows], np.uint8)

    def _colour(self, text: str, tint: str | None) -> tuple[int, ...]:
        field = f"colour of drawing {self.name}"
        if not text.startswith("@"):
            return parse_colour(field, text)
        shade, _, solid = text.partition(":")
        require(shade in _SHADES, field, text, f"use one of {', '.join(_SHADES)}")
        require(tint is not None, field, text, "give this drawing a tint")
        share, base = _SHADES[shade], parse_colour(field, tint or "")[:3]
        target = 255 if share > 0 else 0
        mixed = tuple(round(value + (target - value) * abs(share)) for value in base)
        return (*mixed, int(solid, 16) if solid else 255)


def parse_colour(field: str, text: str) -> tuple[int, ...]:
    """``rrggbb`` or ``rrggbbaa`` as four numbers.

    Raises:
        ConfigurationError: for another text.
    """
    try:
        values = tuple(bytes.fromhex(text))
    except ValueError:
        values = ()
    if len(values) not in (3, 4):
        raise ConfigurationError(field, text, "use rrggbb or rrggbbaa, in hexadecimal digits")
    return values if len(values) == 4 else (*values, 255)


def parse_art(text: str) -> dict[str, Art]:
    """Drawings by name, from text in the form the head of ``art.txt`` describes.

    Raises:
        ConfigurationError: for a drawing that is not 8 x 8, has a letter without a colour, or comes twice.
    """
    made: dict[str, Art] = {}
    for block in _blocks(text):
        name, *entries = block[0].split()
        colours = dict(entry.split("=", 1) for entry in entries if "=" in entry)
        require(len(colours) == len(entries), f"drawing {name}", block[0], "write name letter=colour ...")
        require(name not in made, "drawing", name, "give each drawing a name of its own")
        made[name] = Art(name, tuple(block[1:]), colours)
    return made


@functools.cache
def packaged_art() -> dict[str, Art]:
    """The drawings that come with the package."""
    return parse_art(files("jaxworld.grid.sprites").joinpath("art.txt").read_text(encoding="utf-8"))


def _blocks(text: str) -> Iterator[list[str]]:
    """Lines between empty lines, remarks left out."""
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.strip() and not line.startswith("#"):
            block.append(line.strip())
        elif block and not line.strip():
            yield block
            block = []
