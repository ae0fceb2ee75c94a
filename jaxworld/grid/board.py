"""The geometry of a board: which cell lies where, on a bounded map or a torus. NumPy tables, made once."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

NORTH, EAST, SOUTH, WEST = range(4)
COMPASS = ("north", "east", "south", "west")
_STEPS = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])
"""Rows and columns one cell towards north, east, south, west; row 0 is north."""


@dataclasses.dataclass(frozen=True)
class Board:
    """A rectangle of cells, numbered ``row * cols + col``. Cell ``num_cells`` stands for everything off the map.

    Attributes:
        rows, cols: size.
        torus: whether the map goes on at the opposite edge.
    """

    rows: int
    cols: int
    torus: bool = False

    @property
    def num_cells(self) -> int:
        """Number of cells, and the number that stands for off the map."""
        return self.rows * self.cols

    def towards(self, offsets: Sequence[tuple[int, int]]) -> np.ndarray:
        """Cells as somebody on a cell sees them.

        Args:
            offsets: K pairs (cells forward, cells to the right).

        Returns:
            ``int32[4, num_cells + 1, K]``: the cell at each offset, by facing and by the cell looked from.
        """
        forward, right = np.asarray(offsets, np.int64).reshape(-1, 2).T
        cell = np.arange(self.num_cells)
        table = np.full((4, self.num_cells + 1, len(forward)), self.num_cells, np.int32)
        for facing in range(4):
            ahead, beside = _STEPS[facing], _STEPS[(facing + 1) % 4]
            row = (cell // self.cols)[:, None] + forward * ahead[0] + right * beside[0]
            col = (cell % self.cols)[:, None] + forward * ahead[1] + right * beside[1]
            table[facing, :-1] = self._number(row, col)
        return table

    def neighbours(self) -> np.ndarray:
        """``int32[4, num_cells + 1]``: the cell to the north, east, south and west."""
        return self.towards([(1, 0)])[..., 0]

    def disc(self, cells: np.ndarray, radius: int) -> np.ndarray:
        """``bool[S, S]``: which of ``cells int[S]`` lie within a Euclidean distance of one another, not of oneself."""
        row, col = cells // self.cols, cells % self.cols
        rows, cols = abs(row[:, None] - row), abs(col[:, None] - col)
        if self.torus:
            rows, cols = np.minimum(rows, self.rows - rows), np.minimum(cols, self.cols - cols)
        near = rows**2 + cols**2 <= radius**2
        return near & ~np.eye(len(cells), dtype=bool)

    def _number(self, row: np.ndarray, col: np.ndarray) -> np.ndarray:
        if self.torus:
            return (row % self.rows) * self.cols + col % self.cols
        inside = (row >= 0) & (row < self.rows) & (col >= 0) & (col < self.cols)
        return np.where(inside, row * self.cols + col, self.num_cells)
