"""Risk when the player mixes actions and the others do not see the draw: a matrix game in every state."""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxworld.core.checks import number, whole
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.solve.matrix_games import solve_matrix_games
from jaxworld.markov.solve.reachability import live_rows, solve
from jaxworld.markov.solve.rows import Rows, get_label

SWEEPS_A_ROUND = 40
_OUTWARD = 2.0**-50


@dataclasses.dataclass(frozen=True)
class MinimaxReachability:
    """Bounds on the minimax probability of reaching a label.

    Attributes:
        upper: ``float64[S]``, certified: the player can keep the probability at or below it.
        lower: ``float64[S]``, the others can get it at least this high.
        policy, others: ``float64[S, A_own]`` and ``float64[S, A_others]``, the last mixed strategies.
    """

    upper: np.ndarray
    lower: np.ndarray
    policy: np.ndarray
    others: np.ndarray


def minimax_reachability(
    graph: Graph,
    label: str,
    *,
    player: int = 0,
    rounds: int = 20,
    iterations: int = 200,
    tolerance: float = 1e-4,
) -> MinimaxReachability:
    """Bounds from both sides by value iteration, with strategies from regret matching.

    Each round solves every state's matrix game at both bounds and then sweeps with these strategies fixed. The upper
    bound starts at the robust one, which the minimax operator does not raise, and only ever falls to what a strategy
    concedes; so the operator never raises it, and it stays above the least fixed point, rough strategies or not.
    The lower bound starts at 0 and only ever rises to what a strategy gets. At last the strategies that the lower bound
    suggests are evaluated against the worst replies, and the smaller of both upper bounds is kept (the smaller of two
    bounds that an operator does not raise is one too).

    Play that can go on for ever leaves a gap: nothing forces the bounds to meet, and both are reported.

    Args:
        graph: a joint graph.
        label: name of the label to reach.
        player: who keeps the probability low.
        rounds: rounds at most.
        iterations: regret-matching steps in each round.
        tolerance: stop when the bounds are this close in every state.

    Raises:
        ConfigurationError: for an unknown label or player, or numbers out of range.
    """
    whole("rounds", rounds, 1, 10**6)
    number("tolerance", tolerance, 0.0, 1.0)
    target = get_label(graph, label)
    rows = live_rows(graph, target, player)
    upper, lower = solve(target, [rows]).upper, target.astype(np.float64)
    shape = len(rows.states)
    policy, others = np.zeros((shape, rows.num_choices)), np.zeros((shape, rows.num_replies))
    for _ in range(rounds):
        policy = solve_matrix_games(rows.expect(upper), iterations).row
        others = solve_matrix_games(rows.expect(lower), iterations).column
        upper = _lowered(rows, upper, policy)
        lower = _raised(rows, lower, others)
        if float((upper - lower).max()) <= tolerance:
            break
    policy_from_below = solve_matrix_games(rows.expect(lower), iterations).row
    committed = rows.mix_choices(_everywhere(policy_from_below, rows, len(target)))
    conceded = solve(target, [committed], tolerance=1e-9, best=np.max).upper
    upper = np.minimum(upper, conceded)
    return MinimaxReachability(
        upper=upper,
        lower=lower,
        policy=_everywhere(policy, rows, len(target)),
        others=_everywhere(others, rows, len(target)),
    )


def _lowered(rows: Rows, upper: np.ndarray, policy: np.ndarray) -> np.ndarray:
    upper = upper.copy()
    for _ in range(SWEEPS_A_ROUND):
        conceded = np.einsum("lm,lmn->ln", policy, rows.expect_up(upper)).max(axis=1) * (1 + _OUTWARD)
        upper[rows.states] = np.minimum(upper[rows.states], np.nextafter(conceded, np.inf))
    return upper


def _raised(rows: Rows, lower: np.ndarray, others: np.ndarray) -> np.ndarray:
    lower = lower.copy()
    for _ in range(SWEEPS_A_ROUND):
        gained = np.einsum("lmn,ln->lm", rows.expect(lower), others).min(axis=1) * (1 - _OUTWARD)
        lower[rows.states] = np.maximum(lower[rows.states], gained)
    return lower


def _everywhere(strategy: np.ndarray, rows: Rows, num_states: int) -> np.ndarray:
    made = np.full((num_states, strategy.shape[1]), 1.0 / strategy.shape[1])
    made[rows.states] = strategy
    return made
