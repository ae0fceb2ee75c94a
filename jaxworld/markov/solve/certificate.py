"""Upper bounds of least fixed points that a single sweep can check."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from jaxworld.core.errors import JaxworldError

UNITS = 709_632_000
"""Risks are certified in whole units of 1 / UNITS: 2**13 * 3**2 * 5**3 * 7 * 11, which fits int32 and which many budget
grids divide, 10, 20, 40, 100 and 1000 among them."""


class SolverError(JaxworldError):
    """A solver did not get there in the sweeps it was given."""


FINE_UNITS = 2**42
"""Units where nothing but the bound itself is wanted."""
SWEEPS_BEFORE_LIFTING = 50


def certify_upper(
    sweep_up: Callable[[np.ndarray], np.ndarray],
    waiting: Callable[[np.ndarray], np.ndarray],
    value: np.ndarray,
    units: int,
    max_lifts: int = 60,
) -> np.ndarray:
    """Whole units just above ``value`` that one sweep, rounded up, does not raise.

    A bound that its operator does not raise lies above the least fixed point (Knaster and Tarski), however ``value``
    was found. Rounding to the nearest unit, or to float32, would lose exactly this property. Rounding up every sweep
    instead adds a unit a sweep for as long as play lasts, so the bound is lifted at once by that: units times the
    expected time left, doubled until it holds.

    Args:
        sweep_up: the operator on units ``float64[S]``, never below the true one.
        waiting: expected number of steps left, ``float64[S]``, under best play at a bound.
        value: an approximation, ``float64[S]`` in [0, 1].
        units: units of 1, at most 2**45.
        max_lifts: liftings to allow.

    Returns:
        ``int64[S]``, units.

    Raises:
        SolverError: if it is still rising after ``max_lifts``.
    """
    start = np.minimum(np.ceil(value * units - 1e-6), float(units))
    bound = start
    for lift in range(max_lifts):
        for _ in range(SWEEPS_BEFORE_LIFTING):
            swept = np.minimum(np.maximum(bound, np.ceil(sweep_up(bound))), float(units))
            if (swept == bound).all():
                return bound.astype(np.int64)
            bound = swept
        bound = np.minimum(np.maximum(bound, np.ceil(start + 1.25 * 2.0 ** (lift / 2) * waiting(bound))), float(units))
    raise SolverError(f"the bound still rises after {max_lifts} liftings")
