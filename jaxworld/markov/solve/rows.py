"""A joint graph as one player sees it: rows (state, own action, what the others do), as sparse matrices on the host."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from jaxworld.core.checks import whole
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.markov.graph.graph import Graph


def get_label(graph: Graph, label: str) -> np.ndarray:
    """``bool[S]``: the states that carry a label.

    Raises:
        ConfigurationError: for a label the graph does not have.
    """
    if label not in graph.labels:
        raise ConfigurationError("label", label, f"use one of {', '.join(sorted(graph.labels)) or '(there are none)'}")
    return np.asarray(graph.labels[label], bool)


def check_player(graph: Graph, player: int) -> int:
    """A player's number, checked.

    Raises:
        ConfigurationError: for a player that is not in the graph.
    """
    return whole("player", player, 0, len(graph.num_actions) - 1)


def joint_matrix(graph: Graph) -> csr_matrix:
    """The law as a sparse matrix ``[S*A, S]``, row ``s * A + joint action``."""
    shape = (len(graph.row_offsets) - 1, len(graph.terminal))
    return csr_matrix((graph.probability, graph.target, graph.row_offsets), shape=shape)


def split_actions(num_actions: tuple[int, ...], player: int) -> np.ndarray:
    """``int64[A_own, A_others]``: the joint action of an own action and what the others do.

    The others' actions are numbered like joint actions, with this player left out.
    """
    joint = np.arange(math.prod(num_actions), dtype=np.int64).reshape(num_actions)
    return np.moveaxis(joint, player, 0).reshape(num_actions[player], -1)


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
class Rows:
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

    @property
    def shape(self) -> tuple[int, int, int]:
        """States, choices, replies."""
        return len(self.states), self.num_choices, self.num_replies

    def expect(self, values: np.ndarray) -> np.ndarray:
        """``float64[L, choices, replies]``: expectation of ``values float64[S]`` at the successor."""
        return np.asarray(self.matrix @ values).reshape(self.shape)

    def expect_up(self, values: np.ndarray) -> np.ndarray:
        """As :meth:`expect`, never below the true expectation."""
        return self.expect_up_edges(values[self.matrix.indices]).reshape(self.shape)

    def expect_up_edges(self, values: np.ndarray) -> np.ndarray:
        """An upper bound of each row's expectation of ``values float64[E, ...]``, one an edge: ``[rows, ...]``.

        The largest value of the row less the expected distance to it, the distance rounded down. Where a row's values
        are all the same the result is that value exactly, so nothing drifts up where nothing is at stake.
        """
        starts = np.asarray(self.matrix.indptr[:-1], np.int64)
        counts = np.diff(self.matrix.indptr)
        top = np.maximum.reduceat(values, starts, axis=0)
        expand = (slice(None),) + (None,) * (values.ndim - 1)
        short = (np.repeat(top, counts, axis=0) - values) * self.matrix.data[expand]
        # A sum of n rounded products is off by less than (n + 1) units in the last place; 2**-52 each is generous.
        slack = 1.0 - (float(counts.max(initial=1)) + 4.0) * 2.0**-52
        distance = np.add.reduceat(short, starts, axis=0) * slack
        return np.where(distance > 0, np.nextafter(top - distance, np.inf), top)

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


def player_rows(graph: Graph, player: int, states: np.ndarray) -> Rows:
    """The rows of some states: choices are the player's actions, replies what all others do."""
    split = split_actions(graph.num_actions, player)
    order = states[:, None] * split.size + split.ravel()[None, :]
    return Rows(states, joint_matrix(graph)[order.ravel()], *split.shape)


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
