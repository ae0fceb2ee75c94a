"""From a pytree of results, one or one a tick for each world, to columns with readable names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.study.sweep.paths import leaves_by_name

MOST_ENTRIES = 256
"""Entries of one leaf that may become columns; more than that is no table but an array."""


def tree_columns(tree: Any, leading: int) -> dict[str, np.ndarray]:
    """Columns of a pytree of host arrays.

    Args:
        tree: leaves with ``leading`` shared axes, ``[W, ...]`` or ``[W, T, ...]``.
        leading: how many axes make rows.

    Returns:
        Columns of ``W`` or ``W * T`` rows, worlds first. A leaf ``name`` with further axes becomes columns
        ``name[0]``, ``name[1]``, ..., in row-major order of its indices.

    Raises:
        ConfigurationError: for a leaf with too many entries, or a result without leaves.
    """
    columns: dict[str, np.ndarray] = {}
    for name, leaf in leaves_by_name(tree).items():
        own = np.shape(leaf)[leading:]
        check_entries(name, own)
        flat = np.asarray(leaf).reshape(-1, int(np.prod(own, dtype=np.int64)))
        for number, index in enumerate(np.ndindex(*own)):
            suffix = f"[{','.join(map(str, index))}]" if index else ""
            columns[(name or "value") + suffix] = np.ascontiguousarray(flat[:, number])
    require(len(columns) > 0, "reducer", "no results", "return at least one array a world")
    return columns


def check_entries(name: str, shape: tuple[int, ...]) -> None:
    """Refuse a leaf that is too large for a table."""
    entries = int(np.prod(shape, dtype=np.int64))
    require(
        entries <= MOST_ENTRIES, "reducer", name, f"has {entries} entries a row: reduce it to {MOST_ENTRIES} or less"
    )


def column_types(result: Any, leading: int, host: Callable[..., Any] | None) -> dict[str, np.dtype]:
    """Names and dtypes of the columns that results of this shape will have.

    Args:
        result: a pytree of shapes and dtypes, ``leading`` row axes included.
        leading: how many axes make rows.
        host: what the reducer does to its columns, if anything.

    Raises:
        ConfigurationError: as :func:`tree_columns`, and for random keys.
    """
    for name, leaf in leaves_by_name(result).items():
        numeric = not jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        require(numeric, "reducer", name, "random keys are no results: leave them out")
        check_entries(name, leaf.shape[leading:])
    blank = jax.tree.map(lambda leaf: np.zeros((1,) * leading + leaf.shape[leading:], leaf.dtype), result)
    columns = tree_columns(blank, leading)
    if host is not None:
        columns = host(columns)
    for name, values in columns.items():
        plain = isinstance(values, np.ndarray) and values.dtype.kind in "biuf"
        if not plain or values.shape != (1,):
            raise ConfigurationError("host_columns", name, "return one array of numbers, [rows], for each column")
    return {name: values.dtype for name, values in columns.items()}
