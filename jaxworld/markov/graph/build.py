"""From a game to its graph: breadth first, a level at a time."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.markov.game import MarkovGame
from jaxworld.markov.graph.expand import Expander
from jaxworld.markov.graph.graph import Graph, json_config
from jaxworld.markov.graph.keys import KeyTable, stable_order, unique_words
from jaxworld.markov.graph.links import Links
from jaxworld.markov.graph.memory import DEFAULT_MAX_MEMORY, Budget

MAX_PENDING = 2**22
"""New keys collected before their repetitions are dropped."""


class Part:
    """Rows of some states, while the successors' numbers are not known yet.

    Attributes:
        states: ``int64[N]``, whose rows these are.
        counts: ``int32[N * J]``, edges of each row; None if every row has one edge, for certain.
        column: ``int32[E]`` among ``keys``, later their numbers.
        probability: ``float64[E]``; None if all is certain.
        reward: ``[N, J, A]``; float32 where that is exact, else float64.
        keys: ``uint32[U, W]`` or, once they are numbered, None.
    """

    def __init__(self, states: np.ndarray, expander: Expander, block: np.ndarray, *, settle: bool = True) -> None:
        self.states = states
        edges, reward, self.varies = expander.advance(block, len(states))
        edges = expander.settled(edges) if settle else edges
        narrow = reward.astype(np.float32)
        self.reward = narrow if np.array_equal(narrow, reward) else reward
        self.keys: np.ndarray | None = edges.keys
        self.column = edges.column.astype(np.int32)
        self.counts: np.ndarray | None = None
        self.probability: np.ndarray | None = None
        rows = len(states) * len(expander.actions)
        if len(self.column) > rows or (edges.probability != 1).any():
            self.counts = np.bincount(edges.row, minlength=rows).astype(np.int32)
            self.probability = edges.probability

    @property
    def num_bytes(self) -> int:
        """Memory of the arrays."""
        held = (self.column, self.reward, self.counts, self.probability)
        return sum(array.nbytes for array in held if array is not None)

    def number(self, table: KeyTable) -> None:
        """Replace keys by the numbers of states, and order each row by them."""
        assert self.keys is not None
        numbers = table.find(self.keys)[self.column]
        self.keys = None
        if self.counts is None or self.probability is None:
            self.column = numbers.astype(np.int32)
            return
        row = np.repeat(np.arange(len(self.counts)), self.counts)
        order = stable_order(row * np.int64(len(table)) + numbers)
        self.column, self.probability = numbers[order].astype(np.int32), self.probability[order]


def build_graph(
    game: MarkovGame[Any, Any],
    params: Any = None,
    *,
    chunk: int | None = None,
    max_memory: int = DEFAULT_MAX_MEMORY,
) -> Graph:
    """The exact joint transition graph of a game.

    The graph is the same, byte for byte, whatever ``chunk`` and the device are.

    Args:
        game: the game; a wrapper around one (a step limit, restarts) is looked through, as the law is the game's.
        params: the game's parameters; the default ones if None.
        chunk: states expanded in one call, at least 1.
        max_memory: bytes the graph may take while it is built; estimated before, watched meanwhile.

    Returns:
        The graph of all states that can be reached.

    Raises:
        ConfigurationError: for arguments that cannot work, and, with the bytes, for a graph that is too large.
    """
    expander, budget = make_expander(game, params, chunk), Budget(max_memory)
    inner = expander.game
    budget.foresee(expander)
    frontier, initial = expander.start()
    seen, parts = Seen(expander), []
    while len(frontier):
        made = expand_level(expander, frontier, *seen.add(frontier), budget)
        frontier = unseen_keys(seen.table, [part.keys for part in made if part.keys is not None], frontier[:0])
        known = seen.table.joined(frontier)
        for part in made:
            part.number(known)
        parts += made
    number = np.arange(len(seen.table))
    rows = gather(parts, expander, seen.terminal, number, len(number))
    return Graph(
        name=inner.name,
        config=json_config(inner.config),
        num_actions=tuple(inner.num_actions),
        num_bits=inner.num_bits,
        state_words=seen.table.words,
        row_offsets=rows.links.row_offsets(),
        target=rows.links.target,
        probability=rows.links.probabilities(),
        reward=rows.reward.astype(np.float64, copy=False),
        labels=seen.labels,
        terminal=seen.terminal,
        initial=np.concatenate([initial, np.zeros(len(seen.table) - len(initial))]),
        level=seen.level,
        reward_varies=rows.varies,
    )


class Seen:
    """The states found so far, level by level.

    Attributes:
        table: their keys and numbers.
        sizes: how many each level has.
    """

    def __init__(self, expander: Expander) -> None:
        self._expander = expander
        self._ends: list[np.ndarray] = []
        self._marks: list[np.ndarray] = []
        self.table, self.sizes = KeyTable(expander.num_words), list[int]()

    def add(self, frontier: np.ndarray) -> tuple[np.ndarray, int]:
        """A level of new keys; returns the numbers ``int64[N]`` of its live states, and its first number."""
        first = len(self.table)
        self.table.add(frontier)
        self.sizes.append(len(frontier))
        terminal, labels = self._expander.describe(frontier)
        self._ends.append(terminal)
        self._marks.append(labels)
        return first + np.flatnonzero(~terminal), first

    @property
    def terminal(self) -> np.ndarray:
        """``bool[S]``."""
        return np.concatenate(self._ends)

    @property
    def level(self) -> np.ndarray:
        """``int32[S]``."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes).astype(np.int32)

    @property
    def labels(self) -> dict[str, np.ndarray]:
        """``bool[S]`` by name."""
        marks = np.concatenate(self._marks)
        return {name: marks[:, number].copy() for number, name in enumerate(self._expander.game.label_names)}


def expand_level(
    expander: Expander, frontier: np.ndarray, live: np.ndarray, first: int, budget: Budget, *, settle: bool = True
) -> list[Part]:
    """The rows of a level's live states (numbers ``live int64[N]``, the level's first number ``first``), unnumbered."""
    made: list[Part] = []
    done = 0
    for block, count in expander.blocks(frontier[live - first]):
        made.append(Part(live[done : done + count], expander, block, settle=settle))
        done += count
        budget.spend(made[-1].num_bytes * 2)
    return made


def unseen_keys(table: KeyTable, groups: list[np.ndarray], more: np.ndarray) -> np.ndarray:
    """The different keys of all groups, and ``more``, that a table does not have, in lexicographic order."""
    found, waiting = more, 0
    pending: list[np.ndarray] = []
    for group in [*groups, more[:0]]:
        pending.append(group[table.find(group) < 0])
        waiting += len(pending[-1])
        if waiting > MAX_PENDING:
            found, pending, waiting = unique_words(np.concatenate([found, *pending]))[0], [], 0
    return unique_words(np.concatenate([found, *pending]))[0]


@dataclasses.dataclass(frozen=True)
class Rows:
    """All rows of S states and J joint actions.

    Attributes:
        links: from row ``state * J + joint``.
        reward: ``[S, J, A]``; float32 where that is exact, else float64.
        varies: whether some reward depends on the outcome.
    """

    links: Links
    reward: np.ndarray
    varies: bool


def gather(parts: list[Part], expander: Expander, terminal: np.ndarray, itself: np.ndarray, num_columns: int) -> Rows:
    """Put the rows of numbered parts together, and let terminal states stay; the parts are used up.

    Args:
        parts: emptied, so that their memory is free again as soon as may be.
        expander: what made them.
        terminal: ``bool[S]``.
        itself: ``int[S]``, the column of each terminal state; others are not looked at.
        num_columns: how many columns there are.
    """
    size, joint = len(terminal), len(expander.actions)
    dtype = np.result_type(np.float32, *(part.reward.dtype for part in parts))
    reward = np.zeros((size, joint, expander.game.num_agents), dtype)
    for part in parts:
        reward[part.states] = part.reward
        part.reward = part.reward[:0]
    varies = any(part.varies for part in parts)
    if any(part.counts is not None for part in parts):
        return Rows(_spread(parts, joint, terminal, itself, num_columns), reward, varies)
    column = np.empty((size, joint), np.int32)
    column[terminal] = itself[terminal, None]
    while parts:
        part = parts.pop()
        column[part.states] = part.column.reshape(-1, joint)
    return Rows(Links(num_columns, column.reshape(-1)), reward, varies)


def _spread(parts: list[Part], joint: int, terminal: np.ndarray, itself: np.ndarray, num_columns: int) -> Links:
    """The links of parts some of whose rows have several."""
    counts = np.ones((len(terminal), joint), np.int64)
    for part in parts:
        if part.counts is not None:
            counts[part.states] = part.counts.reshape(-1, joint)
    offsets = np.concatenate([[0], np.cumsum(counts.reshape(-1))]).astype(np.int64)
    column, probability = np.empty(offsets[-1], np.int32), np.empty(offsets[-1])
    ended = np.flatnonzero(terminal)
    loops = offsets[(ended[:, None] * joint + np.arange(joint)).reshape(-1)]
    column[loops], probability[loops] = np.repeat(itself[ended], joint), 1.0
    while parts:
        part = parts.pop()
        rows = (part.states[:, None] * joint + np.arange(joint)).reshape(-1)
        own = np.ones(len(rows), np.int32) if part.counts is None else part.counts
        place = np.repeat(offsets[rows] - (np.cumsum(own) - own), own) + np.arange(len(part.column))
        column[place], probability[place] = part.column, 1.0 if part.probability is None else part.probability
    return Links(num_columns, column, offsets, probability)


def make_expander(game: Any, params: Any, chunk: int | None) -> Expander:
    """The law of the game inside wrappers.

    Raises:
        ConfigurationError: for a world that is no game, or a chunk that is no number of states.
    """
    inner, params = base_game(game, params)
    require(chunk is None or (isinstance(chunk, int) and 1 <= chunk <= 2**20), "chunk", chunk, "use 1 to 2**20")
    return Expander(inner, params, chunk)


def base_game(world: Any, params: Any) -> tuple[MarkovGame[Any, Any], Any]:
    """The game inside wrappers, and its parameters inside theirs.

    Raises:
        ConfigurationError: for a world that is no game.
    """
    params = world.default_params() if params is None else params
    while not isinstance(world, MarkovGame):
        known = hasattr(world, "inner_params")
        require(known, "game", world, "give a game of the markov family, whose law can be enumerated")
        params, world = world.inner_params(params), world.world
    return world, params
