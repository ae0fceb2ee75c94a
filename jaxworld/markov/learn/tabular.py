"""Values learned from replay, one number a state."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy.sparse import csr_matrix

from jaxworld.core.checks import number, whole
from jaxworld.core.errors import require
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.graph.keys import KeyTable, unique_words
from jaxworld.markov.learn.replay import Replay
from jaxworld.markov.solve.certificate import SolverError
from jaxworld.markov.solve.discounted import check_discount


@dataclasses.dataclass(frozen=True)
class TabularValues:
    """Values of the states that were seen.

    Attributes:
        state: ``uint32[U, W]``, packed public bits.
        value: ``float64[U]``.
        visits: ``int64[U]``, how often each was acted in.
    """

    state: np.ndarray
    value: np.ndarray
    visits: np.ndarray

    def of(self, words: np.ndarray) -> np.ndarray:
        """``float64[N]``: values of packed states ``uint32[N, W]``, NaN where one was never seen."""
        table = KeyTable(self.state.shape[1])
        table.add(self.state)
        place = table.find(words)
        return np.where(place >= 0, self.value[place], np.nan)

    def at_start(self, graph: Graph) -> float:
        """The mean value of the states an episode begins with, by their chances."""
        starts = np.flatnonzero(graph.initial > 0)
        return float(graph.initial[starts] @ self.of(graph.state_words[starts]))


def learn_values(
    replay: Replay, discount: float, *, player: int = 0, tolerance: float = 1e-9, max_sweeps: int = 100_000
) -> TabularValues:
    """Batch TD(0): every state's value is moved to its mean target until nothing moves.

    The target is ``reward + discount * replay.discount * value of the true successor``: it goes through truncation, and
    stops where the game ended.

    Args:
        replay: transitions.
        discount: in [0, 1).
        player: whose rewards.
        tolerance: stop when no value moves by more.
        max_sweeps: sweeps to allow.

    Raises:
        ConfigurationError: for arguments that do not fit, or an empty replay.
        SolverError: if it has not settled after ``max_sweeps``.
    """
    check_discount(discount)
    number("tolerance", tolerance, 0.0, 1e9)
    require(replay.size > 0, "replay", replay.size, "collect some transitions first")
    whole("player", player, 0, replay.action.shape[1] - 1)
    states, place = unique_words(np.concatenate([replay.state, replay.successor]))
    source, target = place[: replay.size], place[replay.size :]
    visits = np.bincount(source, minlength=len(states))
    share = 1.0 / visits[source]
    paid = np.bincount(source, share * replay.reward[:, player].astype(np.float64), len(states))
    followed = share * replay.discount.astype(np.float64) * discount
    moves = csr_matrix((followed, (source, target)), shape=(len(states), len(states)))
    value = np.zeros(len(states))
    for _ in range(max_sweeps):
        swept = paid + moves @ value
        moved = float(np.abs(swept - value).max())
        value = swept
        if moved <= tolerance:
            return TabularValues(state=states, value=value, visits=visits)
    raise SolverError(f"values still move by {moved:.1e} after {max_sweeps:,} sweeps: allow more with max_sweeps")
