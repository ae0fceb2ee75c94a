"""Maps as readable text: the legend, the parsed map, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from jaxworld.core.errors import ConfigurationError, require

WALL = "#"
FLOOR = "."
SPAWN = "S"
INSIDE_SPAWN = "I"
APPLE = "A"
RESOURCES = "123"
RANDOM_RESOURCE = "?"
OUT_OF_PLAY = " "

#: What each symbol of a map means; one legend for all substrates.
LEGEND: Mapping[str, str] = MappingProxyType(
    {
        WALL: "wall",
        FLOOR: "open floor",
        SPAWN: "spawn point",
        INSIDE_SPAWN: "inside spawn point",
        APPLE: "apple site",
        "1": "resource of class 1",
        "2": "resource of class 2",
        "3": "resource of class 3",
        RANDOM_RESOURCE: "resource of a class drawn each episode",
        OUT_OF_PLAY: "out of play",
    }
)

_NOTHING_REQUIRED: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True)
class GridMap:
    """A rectangular map. Row 0 is north, and a cell is the number ``row * cols + col``.

    Make one with :func:`parse_map`, which checks it. It holds text only, so it hashes and compares by what it shows.

    Args:
        text: the rows from north to south, all of one length, one symbol of :data:`LEGEND` a cell.
    """

    text: tuple[str, ...]

    @property
    def rows(self) -> int:
        return len(self.text)

    @property
    def cols(self) -> int:
        return len(self.text[0])

    def cells(self, symbols: str) -> np.ndarray:
        """The cells that hold one of ``symbols``, ascending, int32[n]."""
        return np.flatnonzero(self.mask(symbols)).astype(np.int32)

    def mask(self, symbols: str) -> np.ndarray:
        """Whether a cell holds one of ``symbols``, bool[rows, cols]."""
        return np.array([[symbol in symbols for symbol in row] for row in self.text], dtype=np.bool_)

    def count(self, symbols: str) -> int:
        """How many cells hold one of ``symbols``."""
        return sum(row.count(symbol) for row in self.text for symbol in set(symbols))

    def __str__(self) -> str:
        return "\n".join(self.text)


def parse_map(
    text: str | Sequence[str], symbols: str, required: Mapping[str, int] = _NOTHING_REQUIRED, field: str = "map"
) -> GridMap:
    """A checked map.

    Args:
        text: the map as one text of lines, or as its rows. Empty lines before and after the map are dropped; nothing
            else is, because a space is a symbol.
        symbols: the symbols that the substrate understands.
        required: how many cells of a kind the substrate needs at least. A key of several symbols is met by any of
            them: ``{"SI": 7}`` asks for seven spawn points of either kind.
        field: what the map is called in an error.

    Raises:
        ConfigurationError: if the map is no text, is empty or ragged, holds a symbol the substrate does not
            understand, or too few cells of a kind it needs.
    """
    rows = _rows_of(text, field)
    _require_rectangle(rows, field)
    _require_known_symbols(rows, symbols, field)
    grid_map = GridMap(rows)
    for wanted, minimum in required.items():
        found = grid_map.count(wanted)
        remedy = f"the map needs at least {minimum:,} cells of {_described(wanted)}"
        require(found >= minimum, f"number of {wanted!r} in {field}", found, remedy)
    return grid_map


def _rows_of(text: str | Sequence[str], field: str) -> tuple[str, ...]:
    """The rows between the first and the last line that has a character."""
    if isinstance(text, str):
        lines = text.splitlines()
    else:
        usable = isinstance(text, Sequence) and all(isinstance(row, str) for row in text)
        require(usable, field, text, "use one text of lines, or a sequence of rows of text")
        lines = list(text)
    filled = [index for index, line in enumerate(lines) if line]
    require(bool(filled), field, text, "use at least one row of at least one symbol")
    return tuple(lines[filled[0] : filled[-1] + 1])


def _require_rectangle(rows: tuple[str, ...], field: str) -> None:
    width = len(rows[0])
    for index, row in enumerate(rows):
        remedy = f"make all rows equally long: this one has {len(row)} symbols, row 0 has {width}"
        require(len(row) == width, f"{field} row {index}", row, remedy)


def _require_known_symbols(rows: tuple[str, ...], symbols: str, field: str) -> None:
    for row, col, symbol in _each_cell(rows):
        if symbol not in symbols:
            place = f"{field} row {row}, column {col}"
            raise ConfigurationError(place, symbol, f"use one of {_described(symbols)}")


def _each_cell(rows: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """Row, column and symbol of every cell, row by row."""
    for row, line in enumerate(rows):
        for col, symbol in enumerate(line):
            yield row, col, symbol


def _described(symbols: str) -> str:
    """``'#' (wall), 'S' (spawn point)``."""
    return ", ".join(f"{symbol!r} ({LEGEND[symbol]})" if symbol in LEGEND else repr(symbol) for symbol in symbols)
