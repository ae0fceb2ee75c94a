"""Profile and stimulus vectors on one integer grid, so that float32 similarities are exact in any order."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxworld.core.errors import require

SIMILARITY_SCALE = 4000
"""Length of a quantised unit vector: the largest round number whose square stays below 2**24."""


def quantize_unit_vectors(vectors: Any, scale: int = SIMILARITY_SCALE, field: str = "vectors") -> np.ndarray:
    """Scale each row to length ``scale`` and round every entry to an integer.

    By the Cauchy-Schwarz inequality no partial sum of a product of two such rows exceeds the product of their
    lengths. While that stays below 2**24, every float32 partial sum is an integer that float32 holds exactly, and
    the order of summation (hence batch width, chunk or device) cannot change a similarity.

    Args:
        vectors: real numbers ``[N, D]``; an all-zero row means "no vector" and stays zero.
        scale: length of the quantised rows.
        field: name used in error messages.

    Returns:
        ``float32[N, D]`` of integers.

    Raises:
        ConfigurationError: if the array is not two-dimensional, holds NaN or infinities, or is so wide that the
            rounding could push a product past 2**24.
    """
    rows = np.asarray(vectors, dtype=np.float64)
    require(rows.ndim == 2, field, rows.shape, "give an array of shape [personas, dimensions]")
    finite = np.isfinite(rows).all(axis=1)
    require(bool(finite.all()), field, f"row {int(np.argmin(finite))} is not finite", "remove NaN and infinities")
    dimensions = rows.shape[1]
    # Rounding moves each entry by at most 1/2, a row of D entries by at most sqrt(D) / 2.
    longest = scale + np.sqrt(dimensions) / 2
    require(longest**2 <= 2**24, field, rows.shape, f"use fewer dimensions or a scale below {scale}")
    if dimensions == 0:
        return np.zeros(rows.shape, np.float32)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    # Dividing by the largest entry first keeps the squares of huge and tiny rows in range.
    shaped = np.divide(rows, largest, out=np.zeros_like(rows), where=largest > 0)
    length = np.sqrt((shaped * shaped).sum(axis=1, keepdims=True))
    unit = np.divide(shaped, length, out=np.zeros_like(rows), where=length > 0)
    return np.asarray(np.rint(unit * scale), np.float32)
