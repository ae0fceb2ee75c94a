"""Which parameter values a sweep visits: a grid, a list of points, or points that fill a box.

A design is made before it is known what it is for; :func:`fit_design` checks it against the parameters of a world.
"""

from __future__ import annotations

import dataclasses
import inspect
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.study.sweep.paths import Target, find_target

Value = bool | int | float | Sequence[Any] | np.ndarray
Range = tuple[float, float]
"""Lowest and highest value. Two whole numbers mean whole numbers, both included; else the highest is left out."""

MOST_POINTS = 10_000_000


@dataclasses.dataclass(frozen=True, eq=False)
class Design:
    """Points of a parameter space.

    Attributes:
        columns: path of a parameter to its values, ``[P]``, or ``[P, *shape]`` for a parameter that is an array.
        num_points: P.
        kind: how the points came about.
    """

    columns: Mapping[str, np.ndarray]
    num_points: int
    kind: str


def default_point() -> Design:
    """The one point that changes nothing."""
    return Design({}, 1, "default")


def grid(axes: Mapping[str, Sequence[Value] | np.ndarray]) -> Design:
    """Every combination of values; the last axis varies fastest.

    Raises:
        ConfigurationError: for no axis, an empty axis, a value that is listed twice or is not finite.
    """
    require(len(axes) > 0, "design", axes, "is empty: give at least one path with values")
    checked = {path: _axis(path, values) for path, values in axes.items()}
    size = int(np.prod([len(values) for values in checked.values()], dtype=np.float64))
    require(size <= MOST_POINTS, "design", size, f"use at most {MOST_POINTS:,} points")
    rows = np.indices([len(values) for values in checked.values()]).reshape(len(checked), -1)
    columns = {path: values[row] for (path, values), row in zip(checked.items(), rows, strict=True)}
    return Design(columns, size, "grid")


def points(rows: Sequence[Mapping[str, Value]]) -> Design:
    """The points that are listed, in their order; all must name the same paths.

    Raises:
        ConfigurationError: for an empty list, points that differ in their paths, or values that are not finite.
    """
    require(len(rows) > 0, "design", list(rows), "is empty: give at least one point")
    paths = list(rows[0])
    require(len(paths) > 0, "design", dict(rows[0]), "is empty: give at least one path with a value")
    for row in rows:
        require(set(row) == set(paths), "design", dict(row), f"every point must name {', '.join(paths)}")
    columns = {path: _numbers(path, [row[path] for row in rows]) for path in paths}
    return Design(columns, len(rows), "points")


def random(ranges: Mapping[str, Range], num_points: int, seed: int = 0) -> Design:
    """Independent uniform points of a box.

    Raises:
        ConfigurationError: for no range, a range that is empty or not finite, or no points.
    """
    unit = np.random.default_rng(seed).random((_count(num_points), _dimensions(ranges)))
    return _scaled(ranges, unit, "random")


def latin_hypercube(ranges: Mapping[str, Range], num_points: int, seed: int = 0) -> Design:
    """A Latin hypercube (McKay, Beckman and Conover 1979): each of P equal slices of every axis holds one point.

    Raises:
        ConfigurationError: as :func:`random`.
    """
    from scipy.stats import qmc

    sampler = _sampler(qmc.LatinHypercube, _dimensions(ranges), seed)
    return _scaled(ranges, sampler.random(_count(num_points)), "latin_hypercube")


def sobol(ranges: Mapping[str, Range], num_points: int, seed: int = 0) -> Design:
    """The start of a scrambled Sobol sequence (Sobol 1967, Owen 1998), best balanced for a power of two points.

    Raises:
        ConfigurationError: as :func:`random`.
    """
    from scipy.stats import qmc

    sampler = _sampler(qmc.Sobol, _dimensions(ranges), seed)
    unit = sampler.random_base2((_count(num_points) - 1).bit_length())[:num_points]
    return _scaled(ranges, unit, "sobol")


FILLING = {"random": random, "latin_hypercube": latin_hypercube, "sobol": sobol}
"""Designs made from ranges."""


def cross(first: Design, second: Design) -> Design:
    """Every point of ``first`` with every point of ``second``, which varies fastest.

    Raises:
        ConfigurationError: if both vary the same path.
    """
    for path in second.columns:
        require(path not in first.columns, "design", path, "is varied twice: keep one of the overlapping axes")
    size = first.num_points * second.num_points
    require(size <= MOST_POINTS, "design", size, f"use at most {MOST_POINTS:,} points")
    columns = {path: np.repeat(values, second.num_points, axis=0) for path, values in first.columns.items()}
    for path, values in second.columns.items():
        columns[path] = np.concatenate([values] * first.num_points)
    return Design(columns, size, f"{first.kind} x {second.kind}")


@dataclasses.dataclass(frozen=True, eq=False)
class FittedDesign:
    """A design and where its values go.

    Attributes:
        targets: per path, what it means in the parameters.
        values: per path ``[P, *shape]`` in the dtype of the leaf.
        num_points: P.
    """

    targets: Mapping[str, Target]
    values: Mapping[str, np.ndarray]
    num_points: int


def fit_design(design: Design, params: Any) -> FittedDesign:
    """Check a design against parameters and bring its values into their dtypes.

    Raises:
        ConfigurationError: for an unknown path (the nearest is named), axes that overlap, values of another shape,
            or values that the leaf's dtype cannot hold.
    """
    targets = {path: find_target(params, path) for path in design.columns}
    for (one, target), (other, again) in itertools.combinations(targets.items(), 2):
        require(not target.overlaps(again), "design", other, f"overlaps {one!r}: keep one of the two axes")
    values = {path: _cast(path, design.columns[path], target) for path, target in targets.items()}
    return FittedDesign(targets, values, design.num_points)


def _axis(path: str, values: Any) -> np.ndarray:
    require(np.ndim(values) >= 1, path, values, "give a list of values")
    require(len(values) > 0, path, list(values), "is empty: give at least one value")
    numbers = _numbers(path, values)
    distinct = np.unique(numbers, axis=0)
    require(len(distinct) == len(numbers), path, list(values), "a value is listed twice")
    return numbers


def _numbers(path: str, values: Any) -> np.ndarray:
    """One number or one array of numbers a point: bool, int64, uint64 or float64."""
    try:
        numbers = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise ConfigurationError(path, values, "the values must be numbers, or arrays of one shape") from error
    require(numbers.dtype.kind in "biuf", path, values, "the values must be numbers, or arrays of one shape")
    if numbers.dtype.kind == "f":
        numbers = numbers.astype(np.float64)
    finite = np.isfinite(numbers)
    require(bool(finite.all()), path, numbers[~finite][:1].tolist(), "every value must be finite")
    return numbers


def _cast(path: str, values: np.ndarray, target: Target) -> np.ndarray:
    own = values.shape[1:]
    require(own in ((), target.shape), path, own, f"give numbers, or arrays of the shape {target.shape}")
    values = values.reshape(values.shape[0], *(own or (1,) * len(target.shape)))
    values = np.broadcast_to(values, (values.shape[0], *target.shape))
    kind = target.dtype.kind
    if kind == "b":
        require(bool(np.isin(values, (0, 1)).all()), path, values.ravel()[:3].tolist(), "use true or false")
    elif kind in "iu":
        limits = np.iinfo(target.dtype)
        whole = (values == np.floor(values)) if values.dtype.kind == "f" else np.ones(values.shape, bool)
        wrong = ~whole | (values < limits.min) | (values > limits.max)
        remedy = f"use whole numbers from {limits.min} to {limits.max} (the parameter is {target.dtype.name})"
        require(values.dtype.kind != "b", path, values.ravel()[:1].tolist(), remedy)
        require(not wrong.any(), path, values[wrong][:1].tolist(), remedy)
    else:
        with np.errstate(over="ignore"):
            narrow = values.astype(target.dtype)
        lost = ~np.isfinite(narrow.astype(np.float64))
        require(not lost.any(), path, values[lost][:1].tolist(), f"is too large for {target.dtype.name}")
    return np.ascontiguousarray(values.astype(target.dtype))


def _count(num_points: int) -> int:
    fits = isinstance(num_points, int) and 1 <= num_points <= MOST_POINTS
    require(fits, "points", num_points, f"the design is empty or too large: use from 1 to {MOST_POINTS:,} points")
    return num_points


def _dimensions(ranges: Mapping[str, Range]) -> int:
    require(len(ranges) > 0, "design", dict(ranges), "is empty: give at least one path with a range")
    for path, bounds in ranges.items():
        require(np.shape(bounds) == (2,), path, bounds, "give the lowest and the highest value")
        require(bool(np.isfinite(bounds).all()), path, bounds, "both ends must be finite")
        low, high = bounds
        require(low < high or (low == high and _whole(bounds)), path, bounds, "the lowest value comes first")
    return len(ranges)


def _whole(bounds: Range) -> bool:
    return all(isinstance(bound, int | np.integer) for bound in bounds)


def _scaled(ranges: Mapping[str, Range], unit: np.ndarray, kind: str) -> Design:
    """Stretch points of the unit cube over the box."""
    columns: dict[str, np.ndarray] = {}
    for (path, (low, high)), row in zip(ranges.items(), unit.T, strict=True):
        if _whole((low, high)):
            columns[path] = np.minimum(
                int(low) + np.floor(row * (int(high) - int(low) + 1)).astype(np.int64), int(high)
            )
        else:
            columns[path] = np.minimum(low + row * (high - low), np.nextafter(high, low))
    return Design(columns, unit.shape[0], kind)


def _sampler(kind: Any, dimensions: int, seed: int) -> Any:
    """A sampler of ``scipy.stats.qmc``; its argument for the generator was renamed in SciPy 1.15."""
    name = "rng" if "rng" in inspect.signature(kind).parameters else "seed"
    return kind(dimensions, **{name: np.random.default_rng(seed)})
