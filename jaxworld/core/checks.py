"""Host-side checks of single values, for constructors: each names the field, the value and the remedy."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.random import probability_threshold


def number(field: str, value: Any, low: float, high: float) -> float:
    """A finite real number from ``low`` to ``high``, both included.

    Raises:
        ConfigurationError: for anything else, booleans and strings of digits included.
    """
    real = isinstance(value, numbers.Real | np.number) and not isinstance(value, bool | np.bool_)
    fits = real and math.isfinite(value) and low <= value <= high
    require(bool(fits), field, value, f"use a number from {low:g} to {high:g}")
    return float(value)


def whole(field: str, value: Any, low: int, high: int, remedy: str | None = None) -> int:
    """A whole number from ``low`` to ``high``, both included; 3.0 counts as 3.

    Raises:
        ConfigurationError: for anything else.
    """
    real = isinstance(value, numbers.Real | np.number) and not isinstance(value, bool | np.bool_)
    fits = real and math.isfinite(value) and int(value) == value and low <= value <= high
    require(bool(fits), field, value, remedy or f"use a whole number from {low:,} to {high:,}")
    return int(value)


def threshold(field: str, probability: Any) -> np.ndarray:
    """The ``uint32`` threshold of a probability, see :func:`jaxworld.core.random.probability_threshold`.

    Raises:
        ConfigurationError: for anything but a number from 0 to 1.
    """
    return probability_threshold(number(field, probability, 0.0, 1.0))


def flag(field: str, value: Any) -> bool:
    """True or False, nothing else.

    Raises:
        ConfigurationError: for anything else.
    """
    require(isinstance(value, bool | np.bool_), field, value, "use True or False")
    return bool(value)


def numeric_array(field: str, value: Any) -> np.ndarray:
    """A float64 array of finite numbers.

    Raises:
        ConfigurationError: for anything that is not numbers, or not finite.
    """
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ConfigurationError(field, value, "use an array of numbers") from None
    require(bool(np.isfinite(array).all()), field, "NaN or infinity", "use finite numbers")
    return array
