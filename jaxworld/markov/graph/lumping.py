"""Whether a smaller key would do: the test of the Markov property."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.markov.bits import pack_host
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.graph.keys import unique_words

TOLERANCE = 1e-9


@dataclasses.dataclass(frozen=True)
class Lumping:
    """States grouped by some of their bits.

    Attributes:
        class_of: ``int64[S]``.
        num_classes: number of different keys.
        violating: ``bool[num_classes]``: classes whose states do not share one law over classes.
    """

    class_of: np.ndarray
    num_classes: int
    violating: np.ndarray

    @property
    def num_violating(self) -> int:
        """How many classes hide something their future depends on; 0 if the bits are Markov."""
        return int(self.violating.sum())


def lump(graph: Graph, kept: Any = None) -> Lumping:
    """Group states by the bits that are kept, and compare their laws over the groups.

    Two laws are compared by their products with one random weight for each group, which differ whenever the laws do,
    except with probability 0.

    Args:
        graph: the graph.
        kept: ``bool[B]``, bits that belong to the key; all by default.

    Raises:
        ConfigurationError: for another shape.
    """
    bits = graph.bits()
    mask = np.ones(graph.num_bits, bool) if kept is None else np.asarray(kept, bool)
    require(mask.shape == (graph.num_bits,), "kept", mask.shape, f"give one mark a bit, {(graph.num_bits,)}")
    keys, class_of = unique_words(pack_host(bits & mask))
    weight = np.random.default_rng(0).random(len(keys))
    law = np.add.reduceat(graph.probability * weight[class_of[graph.target]], graph.row_offsets[:-1])
    law = law.reshape(graph.num_states, -1)
    order = np.argsort(class_of, kind="stable")
    starts = np.searchsorted(class_of[order], np.arange(len(keys)))
    low, high = (extreme.reduceat(law[order], starts, axis=0) for extreme in (np.minimum, np.maximum))
    return Lumping(
        class_of=class_of, num_classes=len(keys), violating=np.asarray(((high - low) > TOLERANCE).any(axis=1))
    )
