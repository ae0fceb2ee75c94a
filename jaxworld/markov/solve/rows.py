"""A joint graph as one player sees it: rows (state, own action, what the others do), as sparse matrices on the host."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, overload

import numpy as np
from scipy.sparse import csr_matrix

from jaxworld.core.checks import whole
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.markov.graph.factored import AnyGraph, FactoredGraph
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.graph.links import means_up
from jaxworld.markov.solve.backup import Backup, split_actions
from jaxworld.markov.solve.staged import StagedRows, staged_rows


def get_label(graph: AnyGraph, label: str) -> np.ndarray:
    """``bool[S]``: the states that carry a label.

    Raises:
        ConfigurationError: for a label the graph does not have.
    """
    if label not in graph.labels:
        raise ConfigurationError("label", label, f"use one of {', '.join(sorted(graph.labels)) or '(there are none)'}")
    return np.asarray(graph.labels[label], bool)


def check_player(graph: AnyGraph, player: int) -> int:
    """A player's number, checked.

    Raises:
        ConfigurationError: for a player that is not in the graph.
    """
    return whole("player", player, 0, len(graph.num_actions) - 1)


def joint_matrix(graph: Graph) -> csr_matrix:
    """The law as a sparse matrix ``[S*A, S]``, row ``s * A + joint action``."""
    shape = (len(graph.row_offsets) - 1, len(graph.terminal))
    return csr_matrix((graph.probability, graph.target, graph.row_offsets), shape=shape)


def product_policy(policies: list[np.ndarray]) -> np.ndarray:
    """``float64[S, A]``: players who draw independently, each ``float64[S, A_i]``, as one over their joint actions."""
    made = np.ones((len(policies[0]), 1))
    for policy in policies:
        made = (made[:, :, None] * policy[:, None, :]).reshape(len(made), -1)
    return made


def check_policy(field: str, policy: Any, shape: tuple[int, int]) -> np.ndarray:
    """A table of action probabilities as float64.

    Raises:
        ConfigurationError: for another shape, negative entries, or rows that do not sum to 1.
    """
    made = np.asarray(policy, np.float64)
    require(made.shape == shape, field, made.shape, f"use an array of shape {shape}")
    fits = bool((made >= 0).all()) and bool(np.abs(made.sum(1) - 1).max(initial=0.0) <= 1e-9)
    require(fits, field, "its rows", "use probabilities that sum to 1 in every state")
    return made


@dataclasses.dataclass(frozen=True)
class Rows(Backup):
    """Rows of successors of some states, grouped by (state, choice, reply).

    Attributes:
        states: ``int64[L]``, the states that have rows.
        matrix: ``[L * choices * replies, S]`` with the probabilities.
        num_choices, num_replies: sizes of the two groups.
    """

    states: np.ndarray
    matrix: csr_matrix
    num_choices: int
    num_replies: int

    def expected(self, values: np.ndarray, *, up: bool = False) -> Iterator[np.ndarray]:
        means = self.expect_up_edges(values[self.matrix.indices]) if up else np.asarray(self.matrix @ values)
        yield means.reshape(self.shape)

    def expect_up_edges(self, values: np.ndarray) -> np.ndarray:
        """An upper bound of each row's expectation of ``values float64[E, ...]``, one an edge: ``[rows, ...]``."""
        return means_up(values, self.matrix.indptr, self.matrix.data)

    def pick(self, lanes: np.ndarray, choice: np.ndarray, reply: np.ndarray) -> csr_matrix:
        return self.matrix[(lanes * self.num_choices + choice) * self.num_replies + reply]

    def mix_replies(self, policy: np.ndarray) -> Rows:
        """The rows when replies are drawn: ``policy float64[S, replies]`` leaves one reply."""
        weights = np.broadcast_to(policy[self.states][:, None, :], self.shape)
        return Rows(self.states, _weigh(weights.reshape(-1, self.num_replies), self.matrix), self.num_choices, 1)

    def mix_choices(self, policy: np.ndarray) -> Rows:
        """The rows when choices are drawn: ``policy float64[S, choices]``; the replies become the choices."""
        swapped = self.swap()
        weights = np.broadcast_to(policy[self.states][:, None, :], swapped.shape)
        matrix = _weigh(weights.reshape(-1, self.num_choices), swapped.matrix)
        return Rows(self.states, matrix, self.num_replies, 1)

    def swap(self) -> Rows:
        """Choices and replies exchanged."""
        order = np.arange(self.matrix.shape[0]).reshape(self.shape).swapaxes(1, 2).ravel()
        return Rows(self.states, self.matrix[order], self.num_replies, self.num_choices)


@overload
def player_rows(graph: Graph, player: int, states: np.ndarray) -> Rows: ...


@overload
def player_rows(graph: FactoredGraph, player: int, states: np.ndarray) -> StagedRows: ...


def player_rows(graph: AnyGraph, player: int, states: np.ndarray) -> Rows | StagedRows:
    """The rows of some states: choices are the player's actions, replies what all others do."""
    return grouped_rows(graph, states, graph.num_actions, player)


@overload
def grouped_rows(graph: Graph, states: np.ndarray, num_actions: tuple[int, ...], player: int) -> Rows: ...


@overload
def grouped_rows(graph: FactoredGraph, states: np.ndarray, num_actions: tuple[int, ...], player: int) -> StagedRows: ...


def grouped_rows(
    graph: AnyGraph, states: np.ndarray, num_actions: tuple[int, ...], player: int = 0
) -> Rows | StagedRows:
    """The rows of some states with joint actions counted through as ``num_actions``.

    ``(A,)`` makes all joint actions choices, ``(1, A)`` makes them replies.
    """
    if isinstance(graph, FactoredGraph):
        return staged_rows(graph, states, num_actions, player)
    split = split_actions(num_actions, player)
    order = (states[:, None] * split.size + split.ravel()[None, :]).ravel()
    matrix = joint_matrix(graph)
    if not np.array_equal(order, np.arange(matrix.shape[0])):
        matrix = matrix[order]
    return Rows(states, matrix, *split.shape)


def _weigh(weights: np.ndarray, matrix: csr_matrix) -> csr_matrix:
    """Rows averaged in groups of equal size, ``weights [groups, size]``."""
    groups, size = weights.shape
    offsets = np.arange(groups + 1, dtype=np.int64) * size
    mixing = csr_matrix(
        (np.array(weights, np.float64).ravel(), np.arange(groups * size), offsets), shape=(groups, groups * size)
    )
    mixing.eliminate_zeros()
    mixed = (mixing @ matrix).tocsr()
    mixed.sort_indices()
    return mixed
