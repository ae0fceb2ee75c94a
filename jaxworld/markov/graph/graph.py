"""The exact joint transition graph of a game, as NumPy arrays on the host."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError
from jaxworld.markov.graph.links import ROW_SUM_TOLERANCE
from jaxworld.markov.graph.states import States


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Graph(States):
    """States S, joint actions J, players A, edges E.

    Row ``state * J + joint`` holds the successors of a state under a joint action, in the order of their numbers.

    Attributes:
        row_offsets: ``int64[S * J + 1]``; the edges of row r are ``row_offsets[r]`` to ``row_offsets[r + 1] - 1``.
        target: ``int32[E]``, the successor.
        probability: ``float64[E]``, above 0; every row sums to 1.

    The others are those of :class:`~jaxworld.markov.graph.states.States`.
    """

    row_offsets: np.ndarray
    target: np.ndarray
    probability: np.ndarray

    @property
    def num_edges(self) -> int:
        """E, self-loops of terminal states included."""
        return int(self.target.shape[0])

    def row(self, state: int, joint: int) -> tuple[np.ndarray, np.ndarray]:
        """Successors ``int32[n]`` and their probabilities ``float64[n]``."""
        number = state * self.num_joint_actions + joint
        part = slice(self.row_offsets[number], self.row_offsets[number + 1])
        return self.target[part], self.probability[part]

    def facts(self) -> dict[str, Any]:
        """What the graph is and how large, as JSON values."""
        return {
            **self.state_facts(),
            "edges": self.num_edges,
            "max_branching": int(np.diff(self.row_offsets).max()),
            "bytes": self.num_bytes,
        }

    @property
    def num_bytes(self) -> int:
        """Memory of the arrays."""
        return sum(array.nbytes for array in self.arrays().values())

    def arrays(self) -> dict[str, np.ndarray]:
        """Every array by name, labels as ``label:NAME``."""
        named = {field: getattr(self, field) for field in ARRAYS}
        return {**named, **{f"label:{name}": held for name, held in self.labels.items()}}

    def check(self) -> None:
        """Check every property a graph promises, in a few passes over its arrays.

        Raises:
            ConfigurationError: naming the array and what is wrong with it.
        """
        check_graph(self)


ARRAYS = ("state_words", "row_offsets", "target", "probability", "reward", "terminal", "initial", "level")


def check_graph(graph: Graph) -> None:
    """See :meth:`Graph.check`."""
    _check_shapes(graph)
    counts = np.diff(graph.row_offsets)
    _promise(
        graph.row_offsets[0] == 0 and graph.row_offsets[-1] == graph.num_edges and bool((counts > 0).all()),
        "row_offsets",
        "every row needs an edge, and offsets run from 0 to the number of edges",
    )
    inside = (graph.target >= 0) & (graph.target < graph.num_states)
    _promise(bool(inside.all()), "target", "every successor must be a state")
    good = np.isfinite(graph.probability) & (graph.probability > 0)
    _promise(bool(good.all()), "probability", "every probability must be above 0")
    sums = np.add.reduceat(graph.probability, graph.row_offsets[:-1])
    _promise(bool((np.abs(sums - 1) <= ROW_SUM_TOLERANCE).all()), "probability", "every row must sum to 1")
    start = np.isfinite(graph.initial).all() and (graph.initial >= 0).all()
    _promise(bool(start) and abs(graph.initial.sum() - 1) <= ROW_SUM_TOLERANCE, "initial", "must be a distribution")
    _promise(bool(np.isfinite(graph.reward).all()), "reward", "every reward must be finite")
    _check_terminals(graph, counts)
    unique = np.unique(graph.state_words, axis=0).shape[0]
    _promise(unique == graph.num_states, "state_words", "every state must have words of its own")


def _check_shapes(graph: Graph) -> None:
    states, joint = graph.num_states, graph.num_joint_actions
    wanted = {
        "state_words": (np.uint32, (states, max(1, -(-graph.num_bits // 32)))),
        "row_offsets": (np.int64, (states * joint + 1,)),
        "target": (np.int32, (graph.num_edges,)),
        "probability": (np.float64, (graph.num_edges,)),
        "reward": (np.float64, (states, joint, graph.num_players)),
        "terminal": (np.bool_, (states,)),
        "initial": (np.float64, (states,)),
        "level": (np.int32, (states,)),
        **{f"label:{name}": (np.bool_, (states,)) for name in graph.labels},
    }
    for name, array in graph.arrays().items():
        dtype, shape = wanted[name]
        fits = array.dtype == dtype and array.shape == shape
        _promise(fits, name, f"is {array.dtype.name}{list(array.shape)}, must be {np.dtype(dtype).name}{list(shape)}")


def _check_terminals(graph: Graph, counts: np.ndarray) -> None:
    """Terminal states are exactly those marked so that do nothing but stay."""
    joint = graph.num_joint_actions
    rows = np.flatnonzero(np.repeat(graph.terminal, joint))
    loops = (counts[rows] == 1) & (graph.target[graph.row_offsets[rows]] == rows // joint)
    _promise(bool(loops.all()), "terminal", "a terminal state must have one edge a row, to itself")
    _promise(not graph.reward[graph.terminal].any(), "reward", "a terminal state must not be rewarded")


def _promise(holds: bool, array: str, remedy: str) -> None:
    if not holds:
        raise ConfigurationError("graph", array, remedy)


def json_config(config: Any) -> dict[str, Any]:
    """A configuration dataclass as JSON values."""
    values: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(config)))
    return values
