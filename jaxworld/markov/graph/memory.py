"""How much memory a graph will take, before it is built and meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jaxworld.core.errors import ConfigurationError, require

if TYPE_CHECKING:
    from jaxworld.markov.graph.expand import Expander

DEFAULT_MAX_MEMORY = 8 * 2**30
"""Bytes."""
PROBE_STATES = 64
"""States whose successors are counted for an estimate, in each of a few rounds."""
PROBE_ROUNDS = 3


class Budget:
    """Bytes that may be used.

    Raises:
        ConfigurationError: for no positive whole number of bytes.
    """

    def __init__(self, max_memory: int) -> None:
        whole = isinstance(max_memory, int | np.integer) and not isinstance(max_memory, bool) and max_memory > 0
        require(bool(whole), "max_memory", max_memory, "use a positive number of bytes")
        self.limit, self.spent = int(max_memory), 0

    def foresee(self, expander: Expander) -> None:
        """Refuse a game whose graph is likely to be too large, if the game bounds its number of states.

        Raises:
            ConfigurationError: with the estimate.
        """
        bound = expander.game.state_bound()
        if bound is not None:
            why = f"about {bound:,} states"
            stages = expander.game.num_settling and factored_bytes(expander, bound) <= self.limit
            way = "a graph in stages (build_factored, --factored), " if stages else ""
            self._refuse_above(graph_bytes(expander, bound, 1.0), why, way)
            if graph_bytes(expander, bound, float(expander.slots)) > self.limit:
                self._refuse_above(graph_bytes(expander, bound, mean_branching(expander)), why, way)

    def foresee_factored(self, expander: Expander) -> None:
        """As :meth:`foresee`, for a graph in stages."""
        bound = expander.game.state_bound()
        if bound is not None:
            self._refuse_above(factored_bytes(expander, bound), f"about {bound:,} states")

    def spend(self, num_bytes: int) -> None:
        """Count what was built.

        Raises:
            ConfigurationError: if it is more than the limit.
        """
        self.spent += num_bytes
        self._refuse_above(self.spent, "not all states seen yet")

    def _refuse_above(self, needed: int, why: str, way: str = "") -> None:
        if needed > self.limit:
            shown = f"{needed / 2**30:.3g} GiB"
            remedy = f"the graph needs {shown} or more ({why}): choose {way}a smaller game or a larger max_memory"
            raise ConfigurationError("max_memory", self.limit, remedy)


def graph_bytes(expander: Expander, num_states: int, branching: float) -> int:
    """Bytes a graph of so many states and edges a row takes while it is built.

    Edges are held twice while the parts are put together, in 4 + 8 bytes, as are rewards and row offsets.
    """
    row = 2 * (12 * branching + 8 * expander.game.num_agents + 8)
    return int(num_states * (len(expander.actions) * row + 4 * expander.num_words + 32))


def factored_bytes(expander: Expander, num_states: int) -> int:
    """Bytes a graph in stages takes while it is built, where what players do is certain.

    Rows hold one column and rewards, both twice while the parts are put together.
    """
    row = 2 * (4 + 4 * expander.game.num_agents)
    return int(num_states * (len(expander.actions) * row + 4 * expander.num_words + 32))


def mean_branching(expander: Expander) -> float:
    """Edges of a row, by some states near the start."""
    edges, rows = 0, 0
    words = expander.sample_starts(PROBE_STATES)
    for _ in range(PROBE_ROUNDS):
        terminal, _ = expander.describe(words)
        live = words[~terminal]
        if not len(live):
            break
        block, count = next(expander.blocks(_spread(live, PROBE_STATES)))
        made = expander.settled(expander.advance(block, count)[0])
        edges, rows, words = edges + len(made.row), rows + count * len(expander.actions), made.keys
    return edges / rows if rows else 1.0


def _spread(words: np.ndarray, count: int) -> np.ndarray:
    """At most ``count`` keys, evenly spread over those given."""
    if len(words) <= count:
        return words
    return words[np.linspace(0, len(words) - 1, count).astype(np.int64)]
