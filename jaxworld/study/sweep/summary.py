"""Means over seeds with intervals, and paired differences: a sweep's rows, condensed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.metrics.intervals import Interval, mean_interval, paired_difference
from jaxworld.study.sweep.study import OWN_COLUMNS

_KEYS = ("arm", "point", "tick")


@dataclasses.dataclass(frozen=True, eq=False)
class Summary:
    """One row for each arm and point (and tick).

    Attributes:
        keys: columns that say which: ``arm``, labels, ``point``, varied parameters, ``tick`` if there are ticks.
        figures: per figure its mean over seeds and the ends of the interval, ``float64[rows]``; NaN where some
            world's figure is not a number.
        worlds: seeds in each row.
    """

    keys: Mapping[str, np.ndarray]
    figures: Mapping[str, Interval]
    worlds: int

    def columns(self) -> dict[str, np.ndarray]:
        """A tidy table: the keys, then ``figure``, ``figure_low`` and ``figure_high``."""
        made = dict(self.keys)
        for name, interval in self.figures.items():
            made |= {name: interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}
        return made


@dataclasses.dataclass(frozen=True, eq=False)
class Differences:
    """Paired differences of one figure; rows as in :class:`Summary`, those of the baseline included (they are 0)."""

    keys: Mapping[str, np.ndarray]
    difference: Interval
    baseline: str


def summarise(rows: Mapping[str, np.ndarray], figures: Sequence[str], *, level: float = 0.95) -> Summary:
    """Condense rows over their seeds, with Student's t intervals.

    Args:
        rows: the complete table of a sweep, in any order.
        figures: which columns to average.
        level: of the intervals.

    Raises:
        ConfigurationError: for an unknown figure, or a table in which some worlds are missing.
    """
    keys, order, worlds = _cells(rows)
    made = {name: _interval(_figure(rows, name)[order].reshape(-1, worlds).T, level) for name in figures}
    return Summary(keys, made, worlds)


def difference_table(
    rows: Mapping[str, np.ndarray],
    figure: str,
    *,
    arm: str | None = None,
    point: int | None = None,
    level: float = 0.95,
) -> Differences:
    """How much a figure differs from a baseline in the same seeded worlds.

    Args:
        rows: the complete table of a sweep.
        figure: which column.
        arm: compare every arm with this one, at the same point; or
        point: compare every point with this one, in the same arm. Both: with that point of that arm.
        level: of the intervals.

    Raises:
        ConfigurationError: if neither is given, or the baseline is not in the table.
    """
    require(arm is not None or point is not None, "baseline", None, "name an arm, a point, or both")
    keys, order, worlds = _cells(rows)
    values = _figure(rows, figure)[order].reshape(-1, worlds)
    parts = [keys[name] for name in _KEYS if name in keys]
    index = {cell: number for number, cell in enumerate(zip(*(part.tolist() for part in parts), strict=True))}
    wanted = []
    for own_arm, own_point, *tick in index:
        cell = (own_arm if arm is None else arm, own_point if point is None else point, *tick)
        if cell not in index:
            known = sorted({str(entry) for entry in keys["arm"]}) if arm is not None else int(keys["point"].max())
            raise ConfigurationError("baseline", cell, f"is not in the table (there are {known})")
        wanted.append(index[cell])
    baseline = values[wanted]
    finite = np.isfinite(values).all(axis=1) & np.isfinite(baseline).all(axis=1)
    ends = np.full((3, len(values)), np.nan)
    if finite.any():
        ends[:, finite] = paired_difference(values[finite].T, baseline[finite].T, level)
    name = " at ".join([part for part in (arm, None if point is None else f"point {point}") if part is not None])
    return Differences(keys, Interval(*ends), name)


def _cells(rows: Mapping[str, np.ndarray]) -> tuple[dict[str, np.ndarray], np.ndarray, int]:
    """The key columns of each cell, the order that puts a cell's worlds side by side, and worlds in a cell."""
    _, first, code = np.unique(rows["arm"].astype(str), return_index=True, return_inverse=True)
    # Arms keep the order in which the table has them.
    rank = np.argsort(np.argsort(first))[code]
    ticks = rows["tick"] if "tick" in rows else np.zeros(len(rank), np.int32)
    order = np.lexsort((rows["world"], ticks, rows["point"], rank))
    cell = np.stack([rank, rows["point"], ticks])[:, order]
    starts = np.flatnonzero(np.concatenate([[True], (np.diff(cell, axis=1) != 0).any(axis=0)]))
    sizes = np.diff(np.concatenate([starts, [len(order)]]))
    complete = len(order) > 0 and bool((sizes == sizes[0]).all())
    require(complete, "rows", len(order), "some worlds are missing: summarise the merged table")
    last = list(rows).index("world")
    names = [name for name in list(rows)[:last] if name in _KEYS or name not in OWN_COLUMNS]
    names += ["tick"] if "tick" in rows else []
    return {name: rows[name][order][starts] for name in names}, order, int(sizes[0])


def _figure(rows: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    known = [column for column in rows if column not in OWN_COLUMNS]
    require(name in known, "figure", name, f"use one of {', '.join(known)}")
    values: Any = rows[name]
    require(values.dtype.kind in "biuf", "figure", name, "holds texts: use a column of numbers")
    return values.astype(np.float64)


def _interval(values: np.ndarray, level: float) -> Interval:
    """As ``mean_interval`` of ``[worlds, cells]``, with NaN where a cell has a figure that is not a number."""
    finite = np.isfinite(values).all(axis=0)
    ends = np.full((3, values.shape[1]), np.nan)
    if finite.any():
        ends[:, finite] = mean_interval(values[:, finite], level)
    return Interval(*ends)
