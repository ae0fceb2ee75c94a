"""Cascades inside a kernel: scale, depth, maximum breadth and structural virality of every tree of a forest.

A forest is one array: ``parent int32[..., n]``, the node each node came from, -1 for a root. Nodes stand in any
order; those that ``mask`` leaves out are not there, and no node that is there may come from one that is not. Parents
must not go in circles (:func:`jaxworld.metrics.host.measure_cascades` refuses that; a kernel cannot).

Everything is counted in integers, in O(n log n): depths and sizes of subtrees by pointer jumping, and the sum of
distances over all pairs of nodes from the sizes, since an edge above a subtree of s of m nodes lies on the paths of
s (m - s) pairs (Wiener 1947).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.random import multiply_high

T = TypeVar("T")


@pytree_dataclass
class Forest:
    """Where each node stands in its tree; -1 (``subtree``: 0) for nodes that are not there.

    Attributes:
        root: ``int32[..., n]``, the root of the node's tree, itself for a root.
        depth: ``int32[..., n]``, steps up to the root.
        subtree: ``int32[..., n]``, nodes at and below it.
    """

    root: jax.Array
    depth: jax.Array
    subtree: jax.Array


@pytree_dataclass
class Cascades:
    """Every tree of a forest, in the entry of its root; 0 in all other entries.

    Attributes:
        scale: ``int32[..., n]``, nodes, the root included.
        depth: ``int32[..., n]``, steps from the root to the farthest node.
        max_breadth: ``int32[..., n]``, nodes on the widest level below the root; 0 for a root alone.
        distance_digits: ``int32[..., n, D]``, sum over unordered pairs of nodes of the steps between them, as
            ``sum(digit << (k * digit_bits(n)))``, so that it fits 32 bits a digit.
    """

    scale: jax.Array
    depth: jax.Array
    max_breadth: jax.Array
    distance_digits: jax.Array


def digit_bits(num_nodes: int) -> int:
    """Bits of a digit of ``Cascades.distance_digits``: a sum of one digit a node stays below 2**31."""
    return 31 - max(num_nodes, 1).bit_length()


def num_digits(num_nodes: int) -> int:
    """Digits D that hold a product s (m - s) with m up to ``num_nodes``."""
    bits = 2 * max(num_nodes, 1).bit_length()
    return -(-bits // digit_bits(num_nodes))


def trace_forest(parent: jax.Array, mask: jax.Array | None = None) -> Forest:
    """Root, depth and subtree size of every node.

    Args:
        parent: ``int32[..., n]``, -1 for roots.
        mask: ``bool[..., n]``, nodes that are there; all by default.

    Returns:
        The forest, with the shape of ``parent``.
    """
    member = jnp.ones(parent.shape, bool) if mask is None else jnp.broadcast_to(mask, parent.shape)
    return _over_forests(_trace, parent, member)


def measure_cascades(parent: jax.Array, mask: jax.Array | None = None) -> Cascades:
    """Scale, depth, maximum breadth and the sum of distances of every tree.

    Args:
        parent: ``int32[..., n]``, -1 for roots; n below 2**20.
        mask: ``bool[..., n]``, nodes that are there; all by default.

    Returns:
        The cascades, one an entry of ``parent`` that is a root.
    """
    member = jnp.ones(parent.shape, bool) if mask is None else jnp.broadcast_to(mask, parent.shape)
    return _over_forests(_measure, parent, member)


def cascade_curves(parent: jax.Array, tick: jax.Array, ticks: jax.Array) -> Cascades:
    """Every tree as it stood at each of some ticks.

    Args:
        parent: ``int32[n]``, -1 for roots.
        tick: ``int32[n]``, when each node joined; -1 for never. Nobody joins before its parent.
        ticks: ``int32[T]``, when to look.

    Returns:
        The cascades ``[T, n]``.
    """
    return lax.map(lambda now: _measure(parent, (tick >= 0) & (tick <= now)), ticks)


def structural_virality(cascades: Cascades) -> jax.Array:
    """Mean distance between two different nodes of a tree, ``float32[..., n]``; 0 for fewer than two nodes.

    This is the measure of Goel, Anderson, Hofman and Watts (2016), "The structural virality of online diffusion":
    2 (m - 1) / m, below 2, for a star of m nodes, and (m + 1) / 3 for a chain.
    """
    size = cascades.scale.shape[-1]
    total = jnp.zeros(cascades.scale.shape, jnp.float32)
    for digit in range(num_digits(size)):
        weight = np.float32(2.0 ** (digit * digit_bits(size)))
        total = total + cascades.distance_digits[..., digit].astype(jnp.float32) * weight
    scale = cascades.scale.astype(jnp.float32)
    pairs = scale * (scale - 1) / 2
    return jnp.where(pairs > 0, total / jnp.maximum(pairs, 1), jnp.float32(0))


def _over_forests(function: Callable[[jax.Array, jax.Array], T], parent: jax.Array, member: jax.Array) -> T:
    """Apply a function of ``[n]`` along the last axis."""
    for _ in range(parent.ndim - 1):
        function = jax.vmap(function)
    return function(parent, member)


def _trace(parent: jax.Array, member: jax.Array) -> Forest:
    size = parent.shape[0]
    node = jnp.arange(size, dtype=jnp.int32)
    # Where each node stands after 1, 2, 4, ... steps up; `size` is above every root and stays there.
    above = jnp.where(member & (parent >= 0), parent, size)
    up = jnp.concatenate([above, jnp.full(1, size, jnp.int32)])
    root = jnp.concatenate([node, jnp.full(1, size, jnp.int32)])
    depth = jnp.concatenate([(above < size).astype(jnp.int32), jnp.zeros(1, jnp.int32)])
    below = jnp.concatenate([member.astype(jnp.int32), jnp.zeros(1, jnp.int32)])
    root = jnp.where(up < size, up, root)
    for _ in range(max(size - 1, 1).bit_length()):
        # Nodes less than 2**k below, and those of them that stand at exactly 2**k and bring theirs along.
        below = (below + jnp.zeros_like(below).at[up].add(below)).at[size].set(0)
        depth = depth + depth[up]
        root = jnp.where(up < size, root[up], root)
        up = up[up]
    return Forest(
        root=jnp.where(member, root[:size], -1),
        depth=jnp.where(member, depth[:size], -1),
        subtree=jnp.where(member, below[:size], 0),
    )


def _measure(parent: jax.Array, member: jax.Array) -> Cascades:
    size = parent.shape[0]
    forest = _trace(parent, member)
    place = jnp.where(member, forest.root, size)
    nothing = jnp.zeros(size, jnp.int32)
    scale = nothing.at[place].add(1, mode="drop")
    whole = scale[jnp.maximum(forest.root, 0)]
    apart = jnp.where(member, whole - forest.subtree, 0)
    digits = _product_digits(forest.subtree, apart)
    distance = jnp.zeros((size, digits.shape[-1]), jnp.int32).at[place].add(digits, mode="drop")
    return Cascades(
        scale=scale,
        depth=nothing.at[place].max(jnp.maximum(forest.depth, 0), mode="drop"),
        max_breadth=_widest_levels(place, forest.depth),
        distance_digits=distance,
    )


def _product_digits(first: jax.Array, second: jax.Array) -> jax.Array:
    """Digits ``int32[n, D]`` of the products of two arrays of counts below ``2**31``, the lowest digit first."""
    size = first.shape[0]
    width, count = digit_bits(size), num_digits(size)
    a, b = first.astype(jnp.uint32), second.astype(jnp.uint32)
    low, high = a * b, multiply_high(a, b)
    taken = []
    for digit in range(count):
        shift = digit * width
        if shift >= 32:
            part = high >> np.uint32(shift - 32)
        else:
            part = low >> np.uint32(shift)
            if shift + width > 32:
                part = part | (high << np.uint32(32 - shift))
        taken.append((part & np.uint32((1 << width) - 1)).astype(jnp.int32))
    return jnp.stack(taken, axis=-1)


def _widest_levels(place: jax.Array, depth: jax.Array) -> jax.Array:
    """Most nodes at one depth of 1 or more of each tree, ``int32[n]``: the longest run of equal (root, depth)."""
    size = place.shape[0]
    root, level = lax.sort((jnp.where(depth > 0, place, size), depth), num_keys=2)
    position = jnp.arange(size, dtype=jnp.int32)
    first = jnp.concatenate([jnp.ones(1, bool), (root[1:] != root[:-1]) | (level[1:] != level[:-1])])[:size]
    run = position - lax.cummax(jnp.where(first, position, 0)) + 1
    return jnp.zeros(size, jnp.int32).at[root].max(run, mode="drop")
