"""How likely a labelled state is reached: with everyone in control, against worst replies, or against known play."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from scipy.sparse import csr_matrix

from jaxworld.core.checks import number, whole
from jaxworld.core.errors import require
from jaxworld.markov.graph.factored import AnyGraph
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.solve.backup import Backup
from jaxworld.markov.solve.certificate import FINE_UNITS, SolverError, certify_upper
from jaxworld.markov.solve.chains import (
    best_choices,
    chain_reachability,
    chain_waiting,
    follow,
    greedy_chain,
    has_one_solution,
    worst_reply,
)
from jaxworld.markov.solve.rows import Rows, check_player, check_policy, get_label, grouped_rows, player_rows

BackupT = TypeVar("BackupT", bound=Backup)

SWEEPS_BETWEEN_JUMPS = 100
"""Where play dawdles, sweeps get nowhere: now and then the chain of the current best play is solved for directly."""
DIRECT_STATES = 3000
"""States of a chain that are solved for directly; larger ones are swept."""
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
    graph: AnyGraph,
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
        graph: a joint graph, or one in stages.
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
    states = _undecided(graph, target)
    scenarios: Sequence[Backup]
    if mode in ("min", "max"):
        scenarios = [grouped_rows(graph, states, (graph.num_joint_actions,), 0)]
    else:
        rows: Backup = player_rows(graph, check_player(graph, player), states)
        scenarios = mixed_scenarios(rows, policies, len(target)) if mode == "level" else [rows]
    return solve(
        target, scenarios, tolerance=tolerance, max_sweeps=max_sweeps, best=np.max if mode == "max" else np.min
    )


def live_rows(graph: Graph, target: np.ndarray, player: int) -> Rows:
    """The player's rows of every state in which something is still open: not ended and not in ``target bool[S]``."""
    return player_rows(graph, check_player(graph, player), _undecided(graph, target))


def _undecided(graph: AnyGraph, target: np.ndarray) -> np.ndarray:
    return np.flatnonzero(~target & ~np.asarray(graph.terminal, bool)).astype(np.int64)


def mixed_scenarios(rows: BackupT, policies: Sequence[np.ndarray], num_states: int) -> list[BackupT]:
    """One set of rows for each policy of the others.

    Raises:
        ConfigurationError: if there is no policy, or one of another shape.
    """
    require(len(policies) > 0, "policies", policies, "give at least one policy of the others")
    shape = num_states, rows.num_replies
    return [rows.mix_replies(check_policy("policies", policy, shape)) for policy in policies]


def worst_case(expected: Sequence[np.ndarray]) -> np.ndarray:
    """``float64[L, choices]``: the worst over replies and scenarios, each ``[L, choices, replies]``."""
    return functools.reduce(np.maximum, [worst_reply(each) for each in expected])


def solve(
    target: np.ndarray,
    scenarios: Sequence[Backup],
    *,
    tolerance: float = 1e-13,
    max_sweeps: int = 200_000,
    best: Callable[..., np.ndarray] = np.min,
    units: int = FINE_UNITS,
) -> Reachability:
    """As :func:`reachability`, on rows made before: best choice against the worst over replies and scenarios."""
    states, highest = scenarios[0].states, best is np.max
    value, choices, sweeps = settle(target, scenarios, tolerance=tolerance, max_sweeps=max_sweeps, best=best)

    def sweep_up(bound: np.ndarray) -> np.ndarray:
        swept = target * float(units)
        swept[states] = best_choices(scenarios, bound, highest=highest, up=True)[1]
        return swept

    def waiting(bound: np.ndarray) -> np.ndarray:
        return chain_waiting(states, greedy_chain(scenarios, bound, highest=highest), len(target))

    choice = np.full(len(target), -1, np.int64)
    choice[states] = choices
    upper = certify_upper(sweep_up, waiting, value, units) / units
    return Reachability(value=value, upper=upper, choice=choice, sweeps=sweeps)


def settle(
    target: np.ndarray,
    scenarios: Sequence[Backup],
    *,
    tolerance: float = 1e-13,
    max_sweeps: int = 200_000,
    best: Callable[..., np.ndarray] = np.min,
) -> tuple[np.ndarray, np.ndarray, int]:
    """The value ``float64[S]`` alone, the best choice ``int64[L]``, and the sweeps it took."""
    whole("max_sweeps", max_sweeps, 1, 2**62)
    states, highest = scenarios[0].states, best is np.max
    value, moved, choice = target.astype(np.float64), np.inf, np.zeros(len(states), np.int64)
    settled = highest or has_one_solution(target, scenarios)
    sweeps, before = 0, np.inf
    while moved > tolerance:
        if sweeps == max_sweeps:
            raise SolverError(
                f"the value still moves by {moved:.1e} after {sweeps:,} sweeps: allow more with max_sweeps"
            )
        sweeps += 1
        if settled and sweeps % SWEEPS_BETWEEN_JUMPS == 0:
            # With replies, jumps can lead round in circles: one that did not bring the end nearer is the last.
            settled, before = highest or moved < before / 2, moved
            value = _jump(target, scenarios, value, highest=highest) if settled else value
        choice, worth = best_choices(scenarios, value, highest=highest)
        swept = np.minimum(worth, 1.0)
        moved = float(np.abs(swept - value[states]).max(initial=0.0))
        value[states] = swept
    return value, choice, sweeps


def _jump(target: np.ndarray, scenarios: Sequence[Backup], value: np.ndarray, *, highest: bool) -> np.ndarray:
    """The value of current best play.

    A highest probability is never below that of any play, so it stays a bound from below. For a lowest one this is a
    step of policy iteration, sound where the equations have one solution only.
    """
    states = scenarios[0].states
    chain = greedy_chain(scenarios, value, highest=highest)
    if isinstance(chain, csr_matrix) and len(states) <= DIRECT_STATES:
        jumped = chain_reachability(target, states, chain)
    else:
        jumped = follow(value, states, chain)
    return np.maximum(value, jumped) if highest else jumped
