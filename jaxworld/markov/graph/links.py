"""Links: from things of one kind to distributions over things of another."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError, MissingExtraError

ROW_SUM_TOLERANCE = 1e-12
BLOCK = 2**18
"""Rows whose links are counted at once."""


@dataclasses.dataclass(frozen=True, eq=False)
class Links:
    """R rows, E links to C columns, sorted by row and within one by column.

    Where every row has exactly one link, for certain, only the columns are held.

    Attributes:
        num_columns: C.
        target: ``int32[E]``, the column.
        offsets: ``int64[R + 1]``; the links of row r are ``offsets[r]`` to ``offsets[r + 1] - 1``. None if certain.
        probability: ``float64[E]``, above 0; every row sums to 1. None if certain.
    """

    num_columns: int
    target: np.ndarray
    offsets: np.ndarray | None = None
    probability: np.ndarray | None = None

    @property
    def certain(self) -> bool:
        """Whether every row has exactly one link."""
        return self.offsets is None

    @property
    def num_rows(self) -> int:
        """R."""
        return len(self.target) if self.offsets is None else len(self.offsets) - 1

    @property
    def num_links(self) -> int:
        """E."""
        return int(self.target.shape[0])

    @property
    def num_bytes(self) -> int:
        """Memory of the arrays."""
        return sum(array.nbytes for array in (self.target, self.offsets, self.probability) if array is not None)

    def row_offsets(self) -> np.ndarray:
        """``int64[R + 1]``, whether they are held or not."""
        return np.arange(len(self.target) + 1, dtype=np.int64) if self.offsets is None else self.offsets

    def probabilities(self) -> np.ndarray:
        """``float64[E]``, whether they are held or not."""
        return np.ones(len(self.target)) if self.probability is None else self.probability

    @functools.cached_property
    def matrix(self) -> Any:
        """``csr_array[R, C]``.

        Raises:
            MissingExtraError: if SciPy is not installed.
        """
        try:
            from scipy.sparse import csr_array
        except ImportError as error:
            raise MissingExtraError("scipy", "study", "a sweep over links") from error
        entries = (self.probabilities(), self.target, self.row_offsets())
        return csr_array(entries, shape=(self.num_rows, self.num_columns))

    def expect(self, values: np.ndarray) -> np.ndarray:
        """``float64[R]``: the mean of ``values float64[C]`` over the links of each row.

        Raises:
            MissingExtraError: if SciPy is not installed.
        """
        return values.take(self.target) if self.certain else np.asarray(self.matrix @ values)

    def expect_up(self, values: np.ndarray) -> np.ndarray:
        """As :meth:`expect`, never below the true mean."""
        at_links = values.take(self.target)
        return at_links if self.certain else means_up(at_links, self.row_offsets(), self.probabilities())

    def take(self, groups: np.ndarray, size: int = 1) -> Links:
        """The rows of groups ``int64[n]`` of ``size`` rows each, in that order; those of a run are not copied."""
        if len(groups) and (np.diff(groups) == 1).all():
            return self.part(int(groups[0]) * size, (int(groups[-1]) + 1) * size)
        rows = groups if size == 1 else (groups[:, None] * size + np.arange(size)).reshape(-1)
        if self.offsets is None or self.probability is None:
            return Links(self.num_columns, self.target[rows])
        starts, counts = self.offsets[rows], self.offsets[rows + 1] - self.offsets[rows]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        place = np.repeat(starts - offsets[:-1], counts) + np.arange(offsets[-1])
        return Links(self.num_columns, self.target[place], offsets, self.probability[place])

    def part(self, begin: int, end: int) -> Links:
        """The rows from ``begin`` to before ``end``; links are not copied."""
        if self.offsets is None or self.probability is None:
            return Links(self.num_columns, self.target[begin:end])
        offsets = self.offsets[begin : end + 1]
        place = slice(offsets[0], offsets[-1])
        return Links(self.num_columns, self.target[place], offsets - offsets[0], self.probability[place])

    def check(self) -> None:
        """Check that columns exist and that every row is a distribution.

        Raises:
            ConfigurationError: naming the array.
        """
        offsets, probability = self.row_offsets(), self.probabilities()
        if not (np.diff(offsets) > 0).all() or offsets[0] != 0 or offsets[-1] != self.num_links:
            raise ConfigurationError("links", "offsets", "every row needs a link, and offsets run to their number")
        if not ((self.target >= 0) & (self.target < self.num_columns)).all():
            raise ConfigurationError("links", "target", "every column must exist")
        sums = probability if self.certain else np.add.reduceat(probability, offsets[:-1])
        if not (probability > 0).all() or not (np.abs(sums - 1) <= ROW_SUM_TOLERANCE).all():
            raise ConfigurationError("links", "probability", "every row needs chances above 0 that sum to 1")


def make_links(row: np.ndarray, column: np.ndarray, probability: np.ndarray, shape: tuple[int, int]) -> Links:
    """Links ``int64[E]``, ``int64[E]``, ``float64[E]``, sorted by row and column, of so many rows and columns."""
    counts = np.bincount(row, minlength=shape[0])
    target = column.astype(np.int32)
    if (counts == 1).all() and (probability == 1).all():
        return Links(shape[1], target)
    return Links(shape[1], target, np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), probability)


def means_up(values: np.ndarray, offsets: np.ndarray, probability: np.ndarray) -> np.ndarray:
    """An upper bound of each row's mean of ``values float64[E, ...]``, one a link: ``[R, ...]``.

    The largest value of the row less the expected distance to it, the distance rounded down. Where a row's values are
    all the same the result is that value exactly, so nothing drifts up where nothing is at stake.

    Args:
        values: of each link.
        offsets: ``int64[R + 1]``, of the rows; every row has a link.
        probability: ``float64[E]``.
    """
    starts, counts = np.asarray(offsets[:-1], np.int64), np.diff(offsets)
    top = np.maximum.reduceat(values, starts, axis=0)
    expand = (slice(None),) + (None,) * (values.ndim - 1)
    short = (np.repeat(top, counts, axis=0) - values) * probability[expand]
    distance = np.add.reduceat(short, starts, axis=0)
    return lowered_from(top, distance, int(counts.max(initial=1)))


def lowered_from(top: np.ndarray, distance: np.ndarray, terms: int) -> np.ndarray:
    """``top - distance``, not below what it would be if ``distance``, a sum of so many products, were exact."""
    # A sum of n rounded products is off by less than (n + 1) units in the last place; 2**-52 each is generous.
    distance = distance * (1.0 - (float(terms) + 4.0) * 2.0**-52)
    return np.where(distance > 0, np.nextafter(top - distance, np.inf), top)


def count_links(stages: Sequence[Links]) -> np.ndarray:
    """``int32[R]``: the columns of the last stage that each row of the first one leads to.

    Raises:
        MissingExtraError: if SciPy is not installed.
    """
    first, later = stages[0], stages[1:]
    if not later:
        return np.diff(first.row_offsets()).astype(np.int32)
    if first.certain:
        return count_links(later).take(first.target)
    counts = []
    for begin in range(0, first.num_rows, BLOCK):
        reached = first.matrix[begin : begin + BLOCK]
        for links in later:
            reached = reached @ links.matrix
        counts.append(np.diff(reached.indptr))
    return np.concatenate(counts).astype(np.int32)
