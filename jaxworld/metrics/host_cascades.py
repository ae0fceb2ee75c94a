"""Cascades on the host: the figures of :mod:`jaxworld.metrics.cascades` in exact integers, and their ratios in float64.

They are counted level by level from the deepest up, an algorithm of its own beside the kernel's pointer jumping.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jaxworld.core.errors import require

_MOST_NODES = 3_000_000
"""The sum of distances of a chain of m nodes is m (m + 1) (m - 1) / 6 and has to fit 63 bits."""


class CascadeFigures(NamedTuple):
    """Every tree of a forest in the entry of its root; 0 in all other entries.

    Attributes:
        scale, depth, max_breadth: ``int64[n]``, see :class:`jaxworld.metrics.cascades.Cascades`.
        distance: ``int64[n]``, sum over unordered pairs of nodes of the steps between them.
        structural_virality: ``float64[n]``, their mean; 0 for fewer than two nodes.
    """

    scale: NDArray[np.int64]
    depth: NDArray[np.int64]
    max_breadth: NDArray[np.int64]
    distance: NDArray[np.int64]
    structural_virality: NDArray[np.float64]


def measure_cascades(parent: ArrayLike, mask: ArrayLike | None = None) -> CascadeFigures:
    """Scale, depth, maximum breadth, sum of distances and structural virality of every tree.

    Args:
        parent: whole numbers ``[n]``, -1 for roots.
        mask: ``bool[n]``, nodes that are there; all by default.

    Raises:
        ConfigurationError: for a parent that is out of range or not there, or parents that go in circles.
    """
    above, member = _checked(parent, mask)
    size = len(above)
    depth, root = _levels(above, member)
    order = np.argsort(depth, kind="stable")[size - int(member.sum()) :]
    starts = np.searchsorted(depth[order], np.arange(int(depth.max(initial=-1)) + 2))
    subtree = member.astype(np.int64)
    breadth = np.zeros(size, np.int64)
    for level in range(len(starts) - 2, 0, -1):
        nodes = order[starts[level] : starts[level + 1]]
        np.add.at(subtree, above[nodes], subtree[nodes])
        roots, counts = np.unique(root[nodes], return_counts=True)
        breadth[roots] = np.maximum(breadth[roots], counts)
    is_root = member & (above < 0)
    scale = np.where(is_root, subtree, 0)
    deepest, distance = np.zeros(size, np.int64), np.zeros(size, np.int64)
    here = np.flatnonzero(member)
    np.maximum.at(deepest, root[here], depth[here])
    np.add.at(distance, root[here], subtree[here] * (scale[root[here]] - subtree[here]))
    return CascadeFigures(scale, deepest, breadth, distance, virality(scale, distance))


def virality(scale: ArrayLike, distance: ArrayLike) -> NDArray[np.float64]:
    """Structural virality from integers: the mean distance over pairs of nodes, 0 for fewer than two nodes.

    Args:
        scale: nodes of each cascade, ``[...]``.
        distance: sum over unordered pairs of nodes, ``[...]``, see :func:`whole_distance`.
    """
    nodes = np.asarray(scale, np.float64)
    pairs = nodes * (nodes - 1) / 2
    return np.divide(np.asarray(distance, np.float64), pairs, out=np.zeros_like(pairs), where=pairs > 0)


def whole_distance(digits: ArrayLike, num_nodes: int) -> NDArray[np.int64]:
    """``int64[...]`` from ``Cascades.distance_digits`` ``[..., D]`` of forests of ``num_nodes`` nodes."""
    from jaxworld.metrics.cascades import digit_bits

    parts = np.asarray(digits, np.int64)
    place = np.int64(1) << (np.int64(digit_bits(num_nodes)) * np.arange(parts.shape[-1], dtype=np.int64))
    return np.asarray((parts * place).sum(axis=-1), np.int64)


def _checked(parent: ArrayLike, mask: ArrayLike | None) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    given: NDArray[Any] = np.asarray(parent)
    fits = given.ndim == 1 and (given.dtype.kind in "iu" or given.size == 0) and given.size <= _MOST_NODES
    require(fits, "parent", given.shape, f"give whole numbers in one axis, at most {_MOST_NODES:,}")
    above = given.astype(np.int64)
    member = np.ones(above.shape, np.bool_) if mask is None else np.asarray(mask)
    shaped = member.dtype == np.bool_ and member.shape == above.shape
    require(shaped, "mask", member.shape, f"give bool of the shape {above.shape}")
    inside = (above >= -1) & (above < len(above))
    require(
        bool(inside[member].all()), "parent", above[member & ~inside][:1].tolist(), "use -1 or the number of a node"
    )
    above = np.where(member, above, -1)
    missing = member & (above >= 0) & ~member[np.maximum(above, 0)] if len(above) else member
    require(not missing.any(), "parent", above[missing][:1].tolist(), "is not there itself: mend the mask")
    return above, member


def _levels(above: NDArray[np.int64], member: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Depth and root of every node, -1 where there is none, by looking up twice as far each time."""
    size = len(above)
    node = np.arange(size)
    up, depth = np.where(above >= 0, above, node), (above >= 0).astype(np.int64)
    for _ in range(size.bit_length()):
        depth = depth + np.where(up == node, 0, depth[up])
        up = up[up]
    rooted = bool((above[up] < 0).all())
    require(rooted, "parent", node[above[up] >= 0][:1].tolist(), "parents go in circles from here")
    return np.where(member, depth, -1), np.where(member, up, -1)
