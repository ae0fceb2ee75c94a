"""Confidence intervals over worlds, on the host and in float64."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jaxworld.core.errors import ConfigurationError, require


class Interval(NamedTuple):
    """A mean and the ends of its two-sided confidence interval, each ``float64[...]``."""

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def mean_interval(values: ArrayLike, level: float = 0.95, *, axis: int = 0) -> Interval:
    """Mean over worlds with Student's t interval, ``mean ± t(n - 1) s / sqrt(n)``.

    Args:
        values: one figure a world, ``[worlds, ...]``; any finite real numbers.
        level: the probability the interval is to cover the true mean with, in (0, 1).
        axis: which axis runs over the worlds.

    Returns:
        The interval, of the shape of ``values`` without ``axis``. One world alone shows no spread: there low and
        high equal the mean, which says nothing about certainty.

    Raises:
        ConfigurationError: for non-finite values, no worlds, or a level outside (0, 1).
    """
    return _interval(_worlds("values", values, axis), level)


def paired_difference(values: ArrayLike, baseline: ArrayLike, level: float = 0.95, *, axis: int = 0) -> Interval:
    """Mean of ``values - baseline`` over worlds that share their seed, with Student's t interval.

    Pairing takes out what both runs owe to the seed, so far fewer worlds show the same difference.

    Args:
        values: one figure a world, ``[worlds, ...]``.
        baseline: the figure of the same worlds under the other condition, of the same shape.
        level: the probability the interval is to cover the true difference with, in (0, 1).
        axis: which axis runs over the worlds.

    Returns:
        The interval of the difference, with the conventions of :func:`mean_interval`.

    Raises:
        ConfigurationError: as :func:`mean_interval`, and if the two shapes differ.
    """
    treated, control = _worlds("values", values, axis), _worlds("baseline", baseline, axis)
    remedy = f"must pair with values world by world, so have the shape {np.shape(values)}"
    require(treated.shape == control.shape, "baseline", np.shape(baseline), remedy)
    return _interval(treated - control, level)


def _worlds(field: str, array: ArrayLike, axis: int) -> NDArray[np.float64]:
    """The figures as ``float64[worlds, ...]``, checked."""
    figures = np.asarray(array)
    require(figures.dtype.kind in "biuf", field, array, "must be an array of real numbers")
    require(-figures.ndim <= axis < figures.ndim, "axis", axis, f"{field} has {figures.ndim} axes")
    figures = np.moveaxis(figures.astype(np.float64), axis, 0)
    require(figures.shape[0] > 0, field, figures.shape, "needs at least one world")
    finite = np.isfinite(figures)
    if not finite.all():
        raise ConfigurationError(field, figures[~finite][0].item(), "every figure must be finite")
    return figures


def _interval(figures: NDArray[np.float64], level: float) -> Interval:
    # SciPy comes with JAX; it is imported here because loading it would slow down every import of this package.
    from scipy.special import stdtrit

    require(0 < level < 1, "level", level, "must lie in (0, 1), such as 0.95")
    worlds = figures.shape[0]
    mean = figures.mean(axis=0)
    if worlds == 1:
        return Interval(mean, mean, mean)
    reach = stdtrit(worlds - 1, (1 + level) / 2) * figures.std(axis=0, ddof=1) / np.sqrt(worlds)
    return Interval(mean, mean - reach, mean + reach)
