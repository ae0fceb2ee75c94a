"""Steps on a grid of cells, numbered row by row."""

from __future__ import annotations

import numpy as np

ACTION_NAMES = ("left", "right", "up", "down", "stay")
LEFT, RIGHT, UP, DOWN, STAY = range(5)
OFFSETS = np.asarray([(0, -1), (0, 1), (-1, 0), (1, 0), (0, 0)], np.int32)
"""``int32[5, 2]``: change of row and column of each action."""


def move_table(height: int, width: int, walls: tuple[int, ...] = ()) -> np.ndarray:
    """``int32[cells, 5]``: where each action leads from each cell; off the grid or into a wall it leads nowhere."""
    cells = np.arange(height * width)
    rows = np.clip(cells[:, None] // width + OFFSETS[:, 0], 0, height - 1)
    columns = np.clip(cells[:, None] % width + OFFSETS[:, 1], 0, width - 1)
    target = rows * width + columns
    return np.where(np.isin(target, walls), cells[:, None], target).astype(np.int32)
