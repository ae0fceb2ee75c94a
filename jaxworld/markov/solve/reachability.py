"""How likely a labelled state is reached: with everyone in control, against worst replies, or against known play."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np

from jaxworld.core.checks import number, whole
from jaxworld.core.errors import require
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.solve.certificate import FINE_UNITS, SolverError, certify_upper
from jaxworld.markov.solve.chains import chain_reachability, chain_waiting, greedy_chain, has_one_solution
from jaxworld.markov.solve.rows import Rows, check_player, check_policy, get_label, player_rows

SWEEPS_BETWEEN_JUMPS = 100
"""Where play dawdles, sweeps get nowhere: now and then the chain of the current best play is solved for directly."""
DIRECT_STATES, CHAIN_SWEEPS = 3000, 1000
MODES = ("min", "max", "robust", "level")
"""``min``, ``max``: all players together keep the probability low or high. ``robust``: the player commits to an action,
the others reply with the worst. ``level``: the others draw from a known policy, or the worst of several."""


@dataclasses.dataclass(frozen=True)
class Reachability:
    """Probability of ever reaching a labelled state.

    Attributes:
        value: ``float64[S]``, what value iteration settles at.
        upper: ``float64[S]``, a certified bound from above: whole units of 1 / FINE_UNITS (see ``certificate``) that a
            sweep, rounded up, does not raise.
        choice: ``int64[S]``, the player's best action (joint action for ``min`` and ``max``), -1 where nothing is
            decided.
        sweeps: how many sweeps ``value`` took.
    """

    value: np.ndarray
    upper: np.ndarray
    choice: np.ndarray
    sweeps: int


def reachability(
    graph: Graph,
    label: str,
    mode: str,
    *,
    player: int = 0,
    policies: Sequence[np.ndarray] = (),
    tolerance: float = 1e-13,
    max_sweeps: int = 200_000,
) -> Reachability:
    """Least fixed point of the risk operator, by value iteration from below, then certified from above.

    Labelled states count as reached whether or not the game goes on from them.

    Args:
        graph: a joint graph.
        label: name of the label to reach.
        mode: one of :data:`MODES`.
        player: who decides, in ``robust`` and ``level``.
        policies: for ``level``: what the others do, ``float64[S, A_others]`` each; the worst of them is taken anew in
            every state.
        tolerance: iteration ends when no state moves by more.
        max_sweeps: sweeps to allow.

    Raises:
        ConfigurationError: for an unknown mode, label or player, or a policy of another shape.
        SolverError: if it has not settled after ``max_sweeps``.
    """
    require(mode in MODES, "mode", mode, f"use one of {', '.join(MODES)}")
    number("tolerance", tolerance, 0.0, 1.0)
    target = get_label(graph, label)
    rows = live_rows(graph, target, player)
    if mode in ("min", "max"):
        rows = Rows(rows.states, player_rows(graph, 0, rows.states).matrix, rows.num_choices * rows.num_replies, 1)
    scenarios = [rows]
    if mode == "level":
        scenarios = mixed_scenarios(rows, policies, len(graph.terminal))
    return solve(
        target, scenarios, tolerance=tolerance, max_sweeps=max_sweeps, best=np.max if mode == "max" else np.min
    )


def live_rows(graph: Graph, target: np.ndarray, player: int) -> Rows:
    """The player's rows of every state in which something is still open: not ended and not in ``target bool[S]``."""
    states = np.flatnonzero(~target & ~np.asarray(graph.terminal, bool)).astype(np.int64)
    return player_rows(graph, check_player(graph, player), states)


def mixed_scenarios(rows: Rows, policies: Sequence[np.ndarray], num_states: int) -> list[Rows]:
    """One set of rows for each policy of the others.

    Raises:
        ConfigurationError: if there is no policy, or one of another shape.
    """
    require(len(policies) > 0, "policies", policies, "give at least one policy of the others")
    shape = num_states, rows.num_replies
    return [rows.mix_replies(check_policy("policies", policy, shape)) for policy in policies]


def worst_case(expected: Sequence[np.ndarray]) -> np.ndarray:
    """``float64[L, choices]``: the worst over replies and scenarios, each ``[L, choices, replies]``."""
    worst = expected[0].max(axis=2)
    for other in expected[1:]:
        worst = np.maximum(worst, other.max(axis=2))
    return worst


def solve(
    target: np.ndarray,
    scenarios: Sequence[Rows],
    *,
    tolerance: float = 1e-13,
    max_sweeps: int = 200_000,
    best: Callable[..., np.ndarray] = np.min,
    units: int = FINE_UNITS,
) -> Reachability:
    """As :func:`reachability`, on rows made before: best choice against the worst over replies and scenarios."""
    states, highest = scenarios[0].states, best is np.max
    value, risks, sweeps = settle(target, scenarios, tolerance=tolerance, max_sweeps=max_sweeps, best=best)

    def sweep_up(bound: np.ndarray) -> np.ndarray:
        swept = target * float(units)
        swept[states] = best(worst_case([rows.expect_up(bound) for rows in scenarios]), axis=1)
        return swept

    def waiting(bound: np.ndarray) -> np.ndarray:
        return chain_waiting(states, greedy_chain(scenarios, bound, highest=highest))

    choice = np.full(len(target), -1, np.int64)
    choice[states] = (risks.argmax if highest else risks.argmin)(axis=1)
    upper = certify_upper(sweep_up, waiting, value, units) / units
    return Reachability(value=value, upper=upper, choice=choice, sweeps=sweeps)


def settle(
    target: np.ndarray,
    scenarios: Sequence[Rows],
    *,
    tolerance: float = 1e-13,
    max_sweeps: int = 200_000,
    best: Callable[..., np.ndarray] = np.min,
) -> tuple[np.ndarray, np.ndarray, int]:
    """The value ``float64[S]`` alone, the risk of each choice ``float64[L, choices]``, and the sweeps it took."""
    whole("max_sweeps", max_sweeps, 1, 2**62)
    states, highest = scenarios[0].states, best is np.max
    value, moved, risks = target.astype(np.float64), np.inf, np.zeros((len(states), 1))
    settled = highest or has_one_solution(target, scenarios)
    sweeps = 0
    while moved > tolerance:
        if sweeps == max_sweeps:
            raise SolverError(
                f"the value still moves by {moved:.1e} after {sweeps:,} sweeps: allow more with max_sweeps"
            )
        sweeps += 1
        if settled and sweeps % SWEEPS_BETWEEN_JUMPS == 0:
            value = _jump(target, scenarios, value, highest=highest)
        risks = worst_case([rows.expect(value) for rows in scenarios])
        swept = np.minimum(best(risks, axis=1), 1.0)
        moved = float(np.abs(swept - value[states]).max(initial=0.0))
        value[states] = swept
    return value, risks, sweeps


def _jump(target: np.ndarray, scenarios: Sequence[Rows], value: np.ndarray, *, highest: bool) -> np.ndarray:
    """The value of current best play.

    A highest probability is never below that of any play, so it stays a bound from below. For a lowest one this is a
    step of policy iteration, sound where the equations have one solution only.
    """
    states = scenarios[0].states
    chain = greedy_chain(scenarios, value, highest=highest)
    if len(states) <= DIRECT_STATES:
        jumped = chain_reachability(target, states, chain)
    else:  # the factors of a large system fill up; sweeps of the one chain are cheap
        jumped = value.copy()
        for _ in range(CHAIN_SWEEPS):
            jumped[states] = chain @ jumped
    return np.maximum(value, jumped) if highest else jumped
