"""Graphs in stages, for games whose steps settle: far fewer edges, the same law.

What the players' actions decide leads from rows to states in between; how those settle, which depends on nothing else,
leads on, a settling stage at a time. The product of all stages is the graph of
:func:`~jaxworld.markov.graph.build_graph`, and a sweep over all its edges is one gather a stage.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError
from jaxworld.markov.game import MarkovGame
from jaxworld.markov.graph.build import Part, Seen, expand_level, gather, make_expander, unseen_keys
from jaxworld.markov.graph.expand import Edges, Expander
from jaxworld.markov.graph.graph import Graph, json_config
from jaxworld.markov.graph.keys import KeyTable, stable_order, unique_words
from jaxworld.markov.graph.links import Links, count_links, make_links
from jaxworld.markov.graph.memory import DEFAULT_MAX_MEMORY, Budget
from jaxworld.markov.graph.states import States


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class FactoredGraph(States):
    """States S, joint actions J, players A; the same states, with the same numbers, as in a graph.

    Attributes:
        stages: the first leads from row ``state * J + joint`` to states in between, each of the others from those to
            the next ones, the last to states.

    The others are those of :class:`~jaxworld.markov.graph.states.States`.
    """

    stages: tuple[Links, ...]

    @property
    def num_links(self) -> tuple[int, ...]:
        """Links of each stage; one that is certain has as many as rows."""
        return tuple(links.num_links for links in self.stages)

    @property
    def num_bytes(self) -> int:
        """Memory of the arrays."""
        held = [value for value in vars(self).values() if isinstance(value, np.ndarray)]
        arrays = sum(array.nbytes for array in [*held, *self.labels.values()])
        return arrays + sum(links.num_bytes for links in self.stages)

    def edges_of_rows(self, first: int = 0, last: int | None = None) -> np.ndarray:
        """``int32[R]``: edges of each row of stage ``first`` when the stages to before ``last`` are made one.

        All stages have those of the graph. They are counted without holding them.

        Raises:
            MissingExtraError: if SciPy is not installed.
        """
        return count_links(self.stages[first:last])

    def expect(self, values: np.ndarray) -> np.ndarray:
        """``float64[S, J]``: the mean of ``values float64[S]`` over each row's successors.

        Raises:
            MissingExtraError: if SciPy is not installed.
        """
        for links in reversed(self.stages):
            values = links.expect(values)
        return values.reshape(self.num_states, -1)

    def facts(self) -> dict[str, Any]:
        """What the graph is and how large, as JSON values; ``edges`` are those of the graph it stands for.

        Raises:
            MissingExtraError: if SciPy is not installed.
        """
        counts = self.edges_of_rows()
        return {
            **self.state_facts(),
            "edges": int(counts.sum(dtype=np.int64)),
            "max_branching": int(counts.max()),
            "links": list(self.num_links),
            "bytes": self.num_bytes,
        }

    def check(self) -> None:
        """Check that links exist, rows sum to 1, terminal states stay without reward, and states differ in their words.

        Raises:
            ConfigurationError: naming the array and what is wrong with it.
            MissingExtraError: if SciPy is not installed.
        """
        for links in self.stages:
            links.check()
        number = np.arange(self.num_states, dtype=np.float64)
        stays = self.expect(number)[self.terminal] == number[self.terminal, None]
        if not stays.all() or self.reward[self.terminal].any():
            raise ConfigurationError("graph", "terminal", "a terminal state must stay, without reward")
        if len(unique_words(self.state_words)[0]) != self.num_states:
            raise ConfigurationError("graph", "state_words", "every state must have words of its own")


AnyGraph = Graph | FactoredGraph


def build_factored(
    game: MarkovGame[Any, Any], params: Any = None, *, chunk: int | None = None, max_memory: int = DEFAULT_MAX_MEMORY
) -> FactoredGraph:
    """The graph of a game in stages.

    It is the same, byte for byte, whatever ``chunk`` and the device are.

    Args:
        game: the game, or a wrapper around one.
        params: its parameters; the default ones if None.
        chunk: states expanded in one call, at least 1.
        max_memory: bytes it may take, estimated before and watched while it is built.

    Raises:
        ConfigurationError: for arguments that cannot work, and, with the bytes, for a graph that is too large.
    """
    expander, budget = make_expander(game, params, chunk), Budget(max_memory)
    inner = expander.game
    budget.foresee_factored(expander)
    frontier, initial = expander.start()
    seen, middle = Seen(expander), KeyTable(expander.num_words)
    states, settling = seen.table, Settling(expander)
    parts: list[Part] = []
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
            reached = settling.add(fresh)
            frontier = reached[states.find(reached) < 0]
    rows = gather(parts, expander, seen.terminal, middle.find(states.words), len(middle))
    return FactoredGraph(
        name=inner.name,
        config=json_config(inner.config),
        num_actions=tuple(inner.num_actions),
        num_bits=inner.num_bits,
        state_words=states.words,
        stages=(rows.links, *settling.stages(states)),
        reward=rows.reward,
        labels=seen.labels,
        terminal=seen.terminal,
        initial=np.concatenate([initial, np.zeros(len(states) - len(initial))]),
        level=seen.level,
        reward_varies=rows.varies,
    )


class Settling:
    """What states in between lead to, settling stage by settling stage; those of a level have numbers of their own.

    Args:
        expander: knows how they settle.
    """

    def __init__(self, expander: Expander) -> None:
        self._expander = expander
        self._count = max(1, expander.game.num_settling)
        self._edges: list[list[Edges]] = [[] for _ in range(self._count)]

    def add(self, keys: np.ndarray) -> np.ndarray:
        """States in between ``uint32[N, W]``; returns the keys of the states they settle as, ``uint32[U, W]``."""
        for stage in range(self._count):
            if self._expander.game.num_settling:
                edges = self._expander.settle(stage, keys)
            else:
                itself = np.arange(len(keys))
                edges = Edges(itself, keys, itself, np.ones(len(keys)))
            keys = edges.keys
            if stage < self._count - 1:  # only the last ones are looked for again
                edges.keys = keys[:0]
            self._edges[stage].append(edges)
        return keys

    def stages(self, states: KeyTable) -> list[Links]:
        """The links of each stage, the last to numbers of states; what was added is used up."""
        return [self._links(stage, states) for stage in range(self._count)]

    def _links(self, stage: int, states: KeyTable) -> Links:
        levels, self._edges[stage] = self._edges[stage], []
        sizes = [(int(edges.row[-1]) + 1, int(edges.column.max()) + 1) for edges in levels]
        before = np.concatenate([[(0, 0)], np.cumsum(sizes, axis=0)])
        row = np.concatenate([edges.row + first for edges, (first, _) in zip(levels, before, strict=False)])
        probability = np.concatenate([edges.probability for edges in levels])
        if stage < self._count - 1:
            column = np.concatenate([edges.column + first for edges, (_, first) in zip(levels, before, strict=False)])
            return make_links(row, column, probability, tuple(before[-1]))
        column = np.concatenate([states.find(edges.keys)[edges.column] for edges in levels])
        order = stable_order(row * np.int64(len(states)) + column)
        return make_links(row, column[order], probability[order], (int(before[-1][0]), len(states)))
