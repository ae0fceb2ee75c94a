"""Trees of arrays on the host: names of leaves, digests, and where two trees differ."""

from __future__ import annotations

import hashlib
from typing import Any

import jax
import numpy as np


def named_leaves(tree: Any, root: str = "") -> list[tuple[str, Any]]:
    """Leaves with readable paths such as ``state.position``, in the tree's order."""
    return [(root + jax.tree_util.keystr(path), leaf) for path, leaf in jax.tree_util.tree_leaves_with_path(tree)]


def digest(tree: Any) -> str:
    """SHA-256 (hex) over path, dtype, shape and bytes of every leaf; works on any tree of arrays."""
    hasher = hashlib.sha256()
    for path, leaf in named_leaves(tree):
        array = np.ascontiguousarray(np.asarray(leaf))
        hasher.update(f"{path}|{array.dtype.name}|{np.shape(leaf)}|".encode())
        hasher.update(array.tobytes())
    return hasher.hexdigest()


def first_difference(expected: Any, actual: Any, tolerance: float = 0.0) -> tuple[str, str] | None:
    """The first leaf in which two trees differ, as ``(path, description)``; None if there is none.

    Args:
        expected, actual: trees of arrays.
        tolerance: 0 compares bits; above it, floats may differ by this much, relative and absolute.
    """
    one_structure: Any = jax.tree.structure(expected)
    other_structure: Any = jax.tree.structure(actual)
    if one_structure != other_structure:
        return "", f"the trees differ: {one_structure} and {other_structure}"
    for (path, one), (_, other) in zip(named_leaves(expected), named_leaves(actual), strict=True):
        difference = _array_difference(np.asarray(one), np.asarray(other), tolerance)
        if difference is not None:
            return path, difference
    return None


def _array_difference(one: np.ndarray, other: np.ndarray, tolerance: float) -> str | None:
    if (one.dtype, one.shape) != (other.dtype, other.shape):
        return f"{one.dtype.name}{list(one.shape)} and {other.dtype.name}{list(other.shape)}"
    if one.tobytes() == other.tobytes():
        return None
    if tolerance > 0.0 and one.dtype.kind not in "iub":
        wide_one, wide_other = one.astype(np.float64), other.astype(np.float64)
        differs: Any = ~np.isclose(wide_one, wide_other, rtol=tolerance, atol=tolerance, equal_nan=True)
    else:
        width = one.dtype.itemsize
        flat = (np.frombuffer(array.tobytes(), np.uint8).reshape(-1, width) for array in (one, other))
        differs = np.not_equal(*flat).any(axis=-1).reshape(one.shape)
    if not differs.any():
        return None
    where = tuple(int(index) for index in np.argwhere(differs)[0])
    return f"{int(differs.sum())} of {one.size} entries differ, first at {where}: {one[where]} and {other[where]}"
