"""The law of a graph in stages as one player sees it: nothing is multiplied out."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Self

import numpy as np

from jaxworld.markov.graph.factored import FactoredGraph
from jaxworld.markov.graph.links import Links, lowered_from
from jaxworld.markov.solve.backup import Backup, split_actions, split_joint

STATES_AT_ONCE = 2**13
"""Values of a block of so many states stay in a processor's cache from the gather to what is made of them."""


@dataclasses.dataclass(frozen=True, eq=False)
class StagedRows(Backup):
    """Rows of some states in stages.

    Attributes:
        states, num_choices, num_replies: as of any law.
        stages: the first has rows ``lane * J + joint action``, the last leads to all states.
        num_actions: what a joint action counts through, the first slowest.
        player: whose actions are the choices; the others' are the replies.
        weights: ``float64[L, replies]`` where replies are drawn, else None.
    """

    states: np.ndarray
    num_choices: int
    num_replies: int
    stages: tuple[Links, ...]
    num_actions: tuple[int, ...]
    player: int
    weights: np.ndarray | None = None

    @property
    def _joint(self) -> int:
        return math.prod(self.num_actions)

    @property
    def blocks(self) -> list[slice]:
        ends = range(0, max(1, len(self.states)), STATES_AT_ONCE)
        return [slice(begin, min(begin + STATES_AT_ONCE, len(self.states))) for begin in ends]

    def expected(self, values: np.ndarray, *, up: bool = False) -> Iterator[np.ndarray]:
        for links in reversed(self.stages[1:]):
            values = links.expect_up(values) if up else links.expect(values)
        for block in self.blocks:
            rows = self.stages[0].part(block.start * self._joint, block.stop * self._joint)
            means = rows.expect_up(values) if up else rows.expect(values)
            grouped = split_joint(means, self.num_actions, self.player)
            yield grouped if self.weights is None else _drawn(grouped, self.weights[block], up=up)

    def mix_replies(self, policy: np.ndarray) -> Self:
        return dataclasses.replace(self, num_replies=1, weights=policy[self.states])

    def pick(self, lanes: np.ndarray, choice: np.ndarray, reply: np.ndarray) -> StagedChain:
        split = split_actions(self.num_actions, self.player)
        joint = split[choice, reply][:, None] if self.weights is None else split[choice]
        rows = (lanes[:, None] * self._joint + joint).reshape(-1)
        weights = None if self.weights is None else self.weights[lanes]
        return StagedChain((self.stages[0].take(rows), *self.stages[1:]), weights)


@dataclasses.dataclass(frozen=True, eq=False)
class StagedChain:
    """One row a state, or one a reply where replies are drawn by ``weights float64[n, replies]``."""

    stages: tuple[Links, ...]
    weights: np.ndarray | None

    def __matmul__(self, values: np.ndarray, /) -> np.ndarray:
        for links in reversed(self.stages):
            values = links.expect(values)
        if self.weights is None:
            return values
        return np.asarray(np.einsum("nr,nr->n", values.reshape(self.weights.shape), self.weights))


def staged_rows(graph: FactoredGraph, states: np.ndarray, num_actions: tuple[int, ...], player: int) -> StagedRows:
    """The rows of some states of a graph in stages."""
    first = graph.stages[0].take(states, graph.num_joint_actions)
    own, joint = num_actions[player], math.prod(num_actions)
    return StagedRows(states, own, joint // own, (first, *graph.stages[1:]), num_actions, player)


def _drawn(values: np.ndarray, weights: np.ndarray, *, up: bool) -> np.ndarray:
    """``float64[B, choices, 1]``: ``float64[B, choices, replies]`` averaged by ``weights float64[B, replies]``."""
    if not up:
        return np.asarray(np.einsum("bcr,br->bc", values, weights))[:, :, None]
    possible = weights[:, None, :] > 0
    top = np.where(possible, values, -np.inf).max(axis=2)
    short = np.where(possible, (top[:, :, None] - values) * weights[:, None, :], 0.0)
    return lowered_from(top, short.sum(axis=2), weights.shape[1])[:, :, None]
