"""Graphs in two stages, for games whose steps settle: far fewer edges, the same law.

What the players' actions decide is one sparse matrix, from rows to states in between; how those settle, which depends
on nothing else, is another. Their product is the graph of :func:`~jaxworld.markov.graph.build_graph`.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np

from jaxworld.core.errors import MissingExtraError
from jaxworld.markov.game import MarkovGame
from jaxworld.markov.graph.build import Part, Seen, base_game, expand_level, gather, unseen_keys
from jaxworld.markov.graph.expand import Edges, Expander
from jaxworld.markov.graph.keys import KeyTable
from jaxworld.markov.graph.memory import DEFAULT_MAX_MEMORY, Budget


@dataclasses.dataclass(frozen=True, eq=False)
class FactoredGraph:
    """States S, joint actions J, players A, states in between M; numbered as the states of a graph are.

    Attributes:
        name: the game's name.
        num_actions: actions of each player.
        state_words: ``uint32[S, W]``.
        row_offsets, between, probability: ``int64[S * J + 1]``, ``int32[E1]``, ``float64[E1]``: from each row to the
            states in between.
        settle_offsets, target, settle_probability: ``int64[M + 1]``, ``int32[E2]``, ``float64[E2]``: from those to
            states.
        reward: ``float64[S, J, A]``, expected.
        labels: ``bool[S]`` by name.
        terminal: ``bool[S]``; a terminal state leads to itself.
        initial: ``float64[S]``.
    """

    name: str
    num_actions: tuple[int, ...]
    state_words: np.ndarray
    row_offsets: np.ndarray
    between: np.ndarray
    probability: np.ndarray
    settle_offsets: np.ndarray
    target: np.ndarray
    settle_probability: np.ndarray
    reward: np.ndarray
    labels: dict[str, np.ndarray]
    terminal: np.ndarray
    initial: np.ndarray

    @property
    def num_states(self) -> int:
        """S."""
        return int(self.state_words.shape[0])

    @property
    def num_edges(self) -> tuple[int, int]:
        """Edges of the two stages."""
        return int(self.between.shape[0]), int(self.target.shape[0])

    @property
    def num_bytes(self) -> int:
        """Memory of the arrays."""
        held = [value for value in vars(self).values() if isinstance(value, np.ndarray)]
        return sum(array.nbytes for array in [*held, *self.labels.values()])

    @functools.cached_property
    def _stages(self) -> tuple[Any, Any]:
        try:
            from scipy.sparse import csr_array
        except ImportError as error:
            raise MissingExtraError("scipy", "study", "a sweep over a graph in two stages") from error
        middle = len(self.settle_offsets) - 1
        shapes = ((len(self.row_offsets) - 1, middle), (middle, self.num_states))
        first = csr_array((self.probability, self.between, self.row_offsets), shape=shapes[0])
        return first, csr_array((self.settle_probability, self.target, self.settle_offsets), shape=shapes[1])

    def expect(self, values: np.ndarray) -> np.ndarray:
        """``float64[S, J]``: the mean of ``values float64[S]`` over each row's successors.

        Raises:
            MissingExtraError: if SciPy is not installed.
        """
        first, second = self._stages
        return np.asarray(first @ (second @ values)).reshape(self.num_states, -1)


def build_factored(
    game: MarkovGame[Any, Any], params: Any = None, *, max_memory: int = 3 * DEFAULT_MAX_MEMORY
) -> FactoredGraph:
    """The graph of a game in two stages.

    Args:
        game: the game, or a wrapper around one.
        params: its parameters; the default ones if None.
        max_memory: bytes it may take, watched while it is built; 24 GiB by default.

    Raises:
        ConfigurationError: if it takes more memory.
    """
    inner, params = base_game(game, params)
    expander, budget = Expander(inner, params), Budget(max_memory)
    frontier, initial = expander.start()
    seen, middle = Seen(expander), KeyTable(expander.num_words)
    states = seen.table
    parts: list[Part] = []
    settled: list[Edges] = []
    while len(frontier):
        live, first = seen.add(frontier)
        made = expand_level(expander, frontier, live, first, budget, settle=False)
        ended = np.delete(frontier, live - first, axis=0)
        keys = [part.keys for part in made if part.keys is not None]
        fresh = unseen_keys(middle, keys, ended[middle.find(ended) < 0])
        middle.add(fresh)
        for part in made:
            part.number(middle)
        parts += made
        frontier = frontier[:0]
        if len(fresh):
            settled.append(expander.settled(Edges(np.arange(len(fresh)), fresh, np.ones(len(fresh)))))
            frontier = settled[-1].keys[states.find(settled[-1].keys) < 0]
    offsets, target, share = _settling(settled, states)
    rows = gather(parts, expander, seen.terminal, middle.find(states.words))
    return FactoredGraph(
        name=inner.name,
        num_actions=tuple(inner.num_actions),
        state_words=states.words,
        row_offsets=rows.offsets,
        between=rows.column,
        probability=rows.probability,
        settle_offsets=offsets,
        target=target,
        settle_probability=share,
        reward=rows.reward,
        labels=seen.labels,
        terminal=seen.terminal,
        initial=np.concatenate([initial, np.zeros(len(states) - len(initial))]),
    )


def _settling(settled: list[Edges], states: KeyTable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Offsets, targets and probabilities from the states in between, level after level, to the states."""
    counts, targets, shares = [], [], []
    for edges in settled:
        number = states.find(edges.keys)[edges.column]
        order = np.argsort(edges.row * np.int64(len(states)) + number, kind="stable")
        targets.append(number[order].astype(np.int32))
        shares.append(edges.probability[order])
        counts.append(np.bincount(edges.row))
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)
    return offsets, np.concatenate(targets), np.concatenate(shares)
