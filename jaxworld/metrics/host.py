"""Inequality, concentration and the use of a commons on the host, for every reported figure, in NumPy.

The names are those of the kernel metrics. Whole-number values (and weights) are summed exactly and divided once, so
a figure depends on the counts alone and not on the order of a sum; anything else is float64. Conventions as in
:mod:`jaxworld.metrics.inequality`, with one addition: a negative or non-finite entry that is not masked out is
refused.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.metrics._inputs import host_ratio, require_one_size, top_count
from jaxworld.metrics.host_commons import (
    discounted,
    efficiency,
    equality,
    honour_rate,
    log_utility,
    over_usage,
    peace,
    rawls,
    survival_time,
    sustainability,
    utilitarian,
    welfare,
)

__all__ = [
    "coverage",
    "discounted",
    "effective_number",
    "efficiency",
    "entropy",
    "equality",
    "gini",
    "herfindahl",
    "honour_rate",
    "log_utility",
    "lorenz_curve",
    "over_usage",
    "peace",
    "rawls",
    "survival_time",
    "sustainability",
    "top_share",
    "utilitarian",
    "welfare",
]
from jaxworld.metrics.host_cascades import CascadeFigures as CascadeFigures
from jaxworld.metrics.host_cascades import measure_cascades as measure_cascades

_EXACT_LIMIT = 2.0**62
"""Sums of int64 stay below this; where they might not, they are Python integers."""


class _Population(NamedTuple):
    """Values and weights ``[..., n]``, both int64 or both float64, zero where an entry is dropped."""

    values: NDArray[Any]
    weights: NDArray[Any]

    def held(self) -> NDArray[Any]:
        return self.values * self.weights

    def ascending(self) -> _Population:
        """In ascending order of value, the dropped entries first."""
        order = np.argsort(np.where(self.weights > 0, self.values, -1), axis=-1, kind="stable")
        return _Population(*(np.take_along_axis(array, order, axis=-1) for array in self))


def _numbers(field: str, array: ArrayLike) -> NDArray[Any]:
    """``array`` as int64 if it holds whole-number types, else as float64."""
    numbers = np.asarray(array)
    require(numbers.dtype.kind in "biuf", field, array, "must be an array of real numbers")
    if numbers.dtype.kind == "f":
        return numbers.astype(np.float64)
    if numbers.dtype == np.uint64:
        require(not numbers.size or int(numbers.max()) < 2**63, field, array, "integers must lie below 2**63")
    return numbers.astype(np.int64)


def _broadcast(field: str, array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ConfigurationError(field, array.shape, f"its shape must broadcast to that of values, {shape}") from None


def _require_amounts(field: str, amounts: NDArray[Any], counted: NDArray[np.bool_]) -> None:
    """Refuse the first negative or non-finite counted entry, by its value."""
    wrong = counted & ~((amounts >= 0) & np.isfinite(amounts))
    if wrong.any():
        raise ConfigurationError(field, amounts[wrong][0].item(), "every unmasked entry must be finite and at least 0")


def _population(values: ArrayLike, weights: ArrayLike | None, mask: ArrayLike | None) -> _Population:
    """Check the inputs and bring them to one shape, one kind and a safe scale."""
    amounts = _numbers("values", values)
    require(amounts.ndim >= 1, "values", values, "must have at least one axis")
    counted = np.ones(amounts.shape, np.bool_)
    if mask is not None:
        flags = np.asarray(mask)
        require(flags.dtype == np.bool_, "mask", flags.dtype.name, "must be an array of bool")
        counted = _broadcast("mask", flags, amounts.shape)
    sizes = counted.astype(np.int64)
    if weights is not None:
        given = _broadcast("weights", _numbers("weights", weights), amounts.shape)
        _require_amounts("weights", given, counted)
        sizes = np.where(counted, given, 0)
    _require_amounts("values", amounts, counted)
    amounts = np.where(sizes > 0, amounts, 0)
    if amounts.dtype.kind == sizes.dtype.kind == "i":
        return _within_range(_Population(amounts, sizes))
    # Every metric is scale-free: relative to the largest value no sum or square overflows.
    return _Population(_relative(amounts), sizes.astype(np.float64))


def _relative(amounts: NDArray[Any]) -> NDArray[np.float64]:
    peak = amounts.max(axis=-1, keepdims=True, initial=0)
    return np.asarray(amounts / np.where(peak > 0, peak, 1), np.float64)


def _within_range(population: _Population) -> _Population:
    """The same whole numbers, as Python integers if any sum of squares that a metric forms might pass int64."""
    total = float((population.values.astype(np.float64) * population.weights).sum(axis=-1).max(initial=0.0))
    people = float(population.weights.astype(np.float64).sum(axis=-1).max(initial=0.0))
    if 2 * max(total, people) * max(total, 1.0) < _EXACT_LIMIT:
        return population
    return _Population(population.values.astype(object), population.weights.astype(object))


def gini(values: ArrayLike, weights: ArrayLike | None = None, mask: ArrayLike | None = None) -> NDArray[np.float64]:
    """Gini coefficient, as :func:`jaxworld.metrics.gini`.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.

    Returns:
        ``float64[...]`` in ``[0, 1 - 1/n]``; 0 if all values are 0, for a single entry and if nothing is unmasked.

    Raises:
        ConfigurationError: for a negative or non-finite unmasked value or weight, or shapes that do not broadcast.
    """
    people = _population(values, weights, mask).ascending()
    population = people.weights.sum(axis=-1, keepdims=True)
    lead = 2 * np.cumsum(people.weights, axis=-1) - people.weights - population
    held = people.held()
    gaps = (held * lead).sum(axis=-1)
    return np.maximum(host_ratio(gaps, population[..., 0] * held.sum(axis=-1)), 0.0)


def lorenz_curve(
    values: ArrayLike, weights: ArrayLike | None = None, mask: ArrayLike | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lorenz curve, as :func:`jaxworld.metrics.lorenz_curve`.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.

    Returns:
        ``(population_share float64[..., n + 1], value_share float64[..., n + 1])``, from (0, 0) to (1, 1). Dropped
        entries repeat the first point. If all values are 0 the curve is the diagonal at the entries' population
        shares; if nothing is unmasked it is the diagonal in n equal steps.

    Raises:
        ConfigurationError: for a negative or non-finite unmasked value or weight, or shapes that do not broadcast.
    """
    people = _population(values, weights, mask).ascending()
    size = people.values.shape[-1]
    origin = [(0, 0)] * (people.values.ndim - 1) + [(1, 0)]
    population = np.pad(np.cumsum(people.weights, axis=-1), origin)
    held = np.pad(np.cumsum(people.held(), axis=-1), origin)
    diagonal = np.arange(size + 1) / max(size, 1)
    shares = np.where(population[..., -1:] > 0, host_ratio(population, population[..., -1:]), diagonal)
    return shares, np.where(held[..., -1:] > 0, host_ratio(held, held[..., -1:]), shares)


def herfindahl(
    values: ArrayLike, weights: ArrayLike | None = None, mask: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Herfindahl-Hirschman index, as :func:`jaxworld.metrics.herfindahl`.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.

    Returns:
        ``float64[...]`` in ``[1/n, 1]``; 0 if nothing is held, as then every share is 0.

    Raises:
        ConfigurationError: for a negative or non-finite unmasked value or weight, or shapes that do not broadcast.
    """
    people = _population(values, weights, mask)
    held = people.held()
    return host_ratio((held * people.values).sum(axis=-1), held.sum(axis=-1) ** 2)


def effective_number(
    values: ArrayLike, weights: ArrayLike | None = None, mask: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Number of equal entries that would be as concentrated, as :func:`jaxworld.metrics.effective_number`.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.

    Returns:
        ``float64[...]`` in ``[1, n]``; 0 if nothing is held.

    Raises:
        ConfigurationError: for a negative or non-finite unmasked value or weight, or shapes that do not broadcast.
    """
    people = _population(values, weights, mask)
    held = people.held()
    return host_ratio(held.sum(axis=-1) ** 2, (held * people.values).sum(axis=-1))


def top_share(
    values: ArrayLike,
    weights: ArrayLike | None = None,
    mask: ArrayLike | None = None,
    *,
    fraction: float | None = None,
    count: int | None = None,
) -> NDArray[np.float64]:
    """Share of all value that the largest entries hold, as :func:`jaxworld.metrics.top_share`.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.
        fraction: take this fraction of the unmasked population, rounded up to whole entries: exactly, with the
            fraction as the decimal it is written as.
        count: or take this many entries; more than there are gives share 1.

    Returns:
        ``float64[...]`` in ``[0, 1]``; 0 if nothing is held.

    Raises:
        ConfigurationError: for a negative or non-finite unmasked value or weight, shapes that do not broadcast, or
            unless exactly one of ``fraction`` in (0, 1] and ``count`` of at least 1 is given.
    """
    require_one_size(fraction, count)
    ordered = _population(values, weights, mask).ascending()
    largest = _Population(np.flip(ordered.values, axis=-1), np.flip(ordered.weights, axis=-1))
    ahead = np.cumsum(largest.weights, axis=-1) - largest.weights
    population = largest.weights.sum(axis=-1, keepdims=True)
    taken = _top_counts(population, fraction, count)
    inside = np.minimum(np.maximum(taken - ahead, 0), largest.weights)
    return host_ratio((inside * largest.values).sum(axis=-1), largest.held().sum(axis=-1))


def _top_counts(populations: NDArray[Any], fraction: float | None, count: int | None) -> NDArray[Any]:
    """:func:`top_count` of each population; worlds mostly share a few sizes, so each is computed once."""
    sizes, where = np.unique(populations, return_inverse=True)
    counts = np.array([top_count(size, fraction, count) for size in sizes.tolist()], populations.dtype)
    return counts[where].reshape(populations.shape)


def entropy(
    values: ArrayLike, weights: ArrayLike | None = None, mask: ArrayLike | None = None, *, normalised: bool = False
) -> NDArray[np.float64]:
    """Shannon entropy of the shares in nats, as :func:`jaxworld.metrics.entropy`.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.
        normalised: divide by its largest possible value, the logarithm of the population.

    Returns:
        ``float64[...]`` in ``[0, log n]``, or in ``[0, 1]`` if normalised; 0 if nothing is held or at most one
        entry is there.

    Raises:
        ConfigurationError: for a negative or non-finite unmasked value or weight, or shapes that do not broadcast.
    """
    people = _population(values, weights, mask)
    share = host_ratio(people.values, people.held().sum(axis=-1, keepdims=True))
    surprise = -np.log(np.where(share > 0, share, 1.0))
    nats = np.maximum((people.weights.astype(np.float64) * share * surprise).sum(axis=-1), 0.0)
    if not normalised:
        return nats
    population = np.maximum(np.asarray(people.weights.sum(axis=-1), np.float64), 1.0)
    return np.minimum(host_ratio(nats, np.log(population)), 1.0)


def coverage(values: ArrayLike, weights: ArrayLike | None = None, mask: ArrayLike | None = None) -> NDArray[np.float64]:
    """Share of the unmasked population whose value is above 0, as :func:`jaxworld.metrics.coverage`.

    Args:
        values: ``[..., n]``, at least 0.
        weights: population size of each entry, broadcast to ``values``; all 1 by default.
        mask: ``bool``, broadcast to ``values``; all entries count by default.

    Returns:
        ``float64[...]`` in ``[0, 1]``; 0 if nothing is unmasked.

    Raises:
        ConfigurationError: for a negative or non-finite unmasked value or weight, or shapes that do not broadcast.
    """
    people = _population(values, weights, mask)
    return host_ratio(np.where(people.values > 0, people.weights, 0).sum(axis=-1), people.weights.sum(axis=-1))
