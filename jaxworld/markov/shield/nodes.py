"""Finding a public state's node in a graph, inside a kernel."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.markov.graph.graph import Graph


@pytree_dataclass
class NodeIndex:
    """Keys of a graph in order.

    Attributes:
        words: ``uint32[W, S]``, the packed public bits, the last word most significant, ascending.
        node: ``int32[S]``, the node each belongs to.
    """

    words: jax.Array
    node: jax.Array


def make_index(graph: Graph) -> NodeIndex:
    """The index of a graph, with NumPy leaves."""
    keys = np.asarray(graph.state_words, np.uint32)
    order = np.lexsort(keys.T)
    return NodeIndex(words=np.ascontiguousarray(keys[order].T), node=order.astype(np.int32))  # type: ignore[arg-type]


def find_node(index: NodeIndex, key: jax.Array) -> tuple[jax.Array, jax.Array]:
    """The node with this key, by bisection over all words.

    Args:
        index: of the graph.
        key: ``uint32[W]``, packed public bits.

    Returns:
        The node ``int32[]`` (any node if there is none) and whether it is there, ``bool[]``.
    """
    size = index.node.shape[0]
    words = jnp.asarray(index.words)

    def halve(_: int, span: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        low, high = span
        middle = (low + high) // np.int32(2)
        below = _less(words[:, jnp.minimum(middle, np.int32(size - 1))], key)
        open_ = low < high
        return jnp.where(open_ & below, middle + np.int32(1), low), jnp.where(open_ & ~below, middle, high)

    start = jnp.zeros((), jnp.int32), jnp.asarray(size, jnp.int32)
    place, _ = lax.fori_loop(0, int(size).bit_length(), halve, start)
    place = jnp.minimum(place, np.int32(size - 1))
    return jnp.asarray(index.node)[place], (words[:, place] == key).all()


def _less(one: jax.Array, other: jax.Array) -> jax.Array:
    """``bool[]``: whether one key comes before another, the last word first."""
    less = jnp.zeros((), bool)
    for word in range(one.shape[0]):
        less = (one[word] < other[word]) | ((one[word] == other[word]) & less)
    return less
