"""Arrays of a batch of worlds with the worlds next to each other in memory."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import TypeVar

import jax
from jax.custom_batching import custom_vmap
from jax.experimental.layout import Layout, with_layout_constraint

T = TypeVar("T")


def worlds_last(tree: T) -> T:
    """``tree`` itself, of which every array of a batch is laid out with the axes that ``vmap`` added innermost.

    Compilers lay an array ``[W, N]`` out by rows, and their vector instructions then run along the N entries of one
    world, which for a handful of players leaves most lanes empty. With the W worlds innermost they run along the
    worlds. The layout spreads from here through element-wise operations, and no value depends on it.
    """
    return jax.tree.map(lambda leaf: leaf if leaf.ndim == 0 else _innermost(0)(leaf), tree)


FEW = 64
"""Up to here a sum is written out."""


def sum_over_few(values: jax.Array) -> jax.Array:
    """Sum of ``values [N, ...]`` over N, in the order of the entries where N is at most 64.

    XLA's CPU backend hands sums over a short axis to a routine that wants another layout, which costs a copy and a
    pass over memory. Written out they are a part of whatever uses them, and no compiler chooses their order.
    """
    if values.shape[0] > FEW:
        return values.sum(axis=0)
    return functools.reduce(operator.add, [values[entry] for entry in range(values.shape[0])])


@functools.cache
def _innermost(axes: int) -> Callable[[jax.Array], jax.Array]:
    """Identity whose first ``axes`` axes are worlds; every further ``vmap`` adds one."""

    @custom_vmap
    def identity(array: jax.Array) -> jax.Array:
        if not axes or not isinstance(array, jax.core.Tracer):
            return array
        return with_layout_constraint(array, Layout((*range(axes, array.ndim), *range(axes))))

    @identity.def_vmap
    def _rule(axis_size: int, in_batched: list[bool], array: jax.Array) -> tuple[jax.Array, bool]:
        del axis_size
        return (_innermost(axes + 1)(array), True) if in_batched[0] else (_innermost(axes)(array), False)

    return identity
