"""Discounted values on a joint graph: of given play, and of the best play against it, with bounds."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy.sparse import identity
from scipy.sparse.linalg import spsolve

from jaxworld.core.checks import number, whole
from jaxworld.markov.graph.factored import AnyGraph
from jaxworld.markov.solve.backup import Backup, split_joint
from jaxworld.markov.solve.certificate import SolverError
from jaxworld.markov.solve.rows import Rows, check_player, check_policy, grouped_rows, player_rows

FOLLOWED_FROM, FOLLOWED_STEPS = 3000, 20
"""From so many states on, each sweep over all choices is followed by cheap ones over those that were best."""


@dataclasses.dataclass(frozen=True)
class Optimum:
    """Best discounted value of one player.

    Attributes:
        value: ``float64[S]``, the middle of the bounds.
        lower, upper: ``float64[S]``, rounded outward; the true value lies between them.
        action_value: ``float64[S, A_own]``, of each action with best play from then on.
        choice: ``int64[S]``, a best action.
    """

    value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    action_value: np.ndarray
    choice: np.ndarray


def check_discount(discount: float) -> float:
    """A discount from 0 up to, not including, 1.

    Raises:
        ConfigurationError: for anything else.
    """
    return number("discount", discount, 0.0, 1.0 - 2.0**-30)


def policy_value(
    graph: AnyGraph,
    joint_policy: np.ndarray,
    discount: float,
    *,
    tolerance: float = 1e-10,
    max_sweeps: int = 200_000,
) -> np.ndarray:
    """``float64[S, players]``: expected discounted rewards when all play ``joint_policy float64[S, A]``.

    The solution of the linear equations ``V = r + discount P V``. On a graph in stages swept for, to ``tolerance``.

    Raises:
        ConfigurationError: for a discount outside [0, 1) or a policy of another shape.
        SolverError: if the bounds are not within ``tolerance`` after ``max_sweeps``.
    """
    num_states, num_joint = graph.reward.shape[:2]
    policy = check_policy("joint_policy", joint_policy, (num_states, num_joint))
    discount = check_discount(discount)
    rewards = [np.einsum("sa,sa->s", policy, graph.reward_of(player)) for player in range(graph.num_players)]
    rows = grouped_rows(graph, np.arange(num_states), (1, num_joint), 0).mix_replies(policy)
    if not isinstance(rows, Rows):
        values = [_iterate(rows, reward[:, None], discount, tolerance, max_sweeps).value for reward in rewards]
        return np.stack(values, axis=1)
    system = (identity(num_states, format="csr") - discount * rows.matrix).tocsc()
    return np.stack([np.asarray(spsolve(system, column)) for column in rewards], axis=1)


def best_response(
    graph: AnyGraph,
    player: int,
    others: np.ndarray,
    discount: float,
    *,
    tolerance: float = 1e-10,
    max_sweeps: int = 200_000,
) -> Optimum:
    """The player's best value when the others draw from ``others float64[S, A_others]``, by value iteration.

    The bounds are those of MacQueen (1966): the smallest and largest change of a sweep, carried on for ever.

    Raises:
        ConfigurationError: for a player, policy or discount that does not fit.
        SolverError: if the bounds are not within ``tolerance`` after ``max_sweeps``.
    """
    rows = player_rows(graph, check_player(graph, player), np.arange(graph.num_states))
    policy = check_policy("others", others, (graph.num_states, rows.num_replies))
    paid = split_joint(graph.reward_of(player), graph.num_actions, player)
    reward = np.einsum("sab,sb->sa", paid, policy)
    rows = rows.mix_replies(policy)
    return _iterate(rows, reward, check_discount(discount), tolerance, max_sweeps)


def joint_optimum(
    graph: AnyGraph, player: int, discount: float, *, tolerance: float = 1e-10, max_sweeps: int = 200_000
) -> Optimum:
    """The best value for one player's rewards if all play for them; choices are joint actions. Errors as above."""
    rows = grouped_rows(graph, np.arange(graph.num_states), (graph.num_joint_actions,), 0)
    reward = graph.reward_of(check_player(graph, player))
    return _iterate(rows, reward, check_discount(discount), tolerance, max_sweeps)


def _iterate(rows: Backup, reward: np.ndarray, discount: float, tolerance: float, max_sweeps: int) -> Optimum:
    value, action_value = np.zeros(len(rows.states)), np.empty(reward.shape)
    for _ in range(whole("max_sweeps", max_sweeps, 1, 2**62)):
        for block, expected in zip(rows.blocks, rows.expected(value), strict=True):
            np.multiply(expected[:, :, 0], discount, out=action_value[block])
            action_value[block] += reward[block]
        swept = action_value.max(axis=1)
        change = swept - value
        value = swept
        if np.ptp(change) * discount / (1.0 - discount) <= tolerance:
            break
        if len(value) > FOLLOWED_FROM:
            value = _followed(rows, reward, action_value.argmax(axis=1), value, discount)
    else:
        raise SolverError(
            f"the bounds are not within {tolerance:g} after {max_sweeps:,} sweeps: allow more with max_sweeps"
        )
    # What a sweep can have lost to rounding, summed over all sweeps to come.
    slack = (np.abs(value).max() + np.abs(reward).max()) * 2.0**-48 / (1.0 - discount)
    carried = discount / (1.0 - discount)
    lower = np.nextafter(value + carried * change.min() - slack, -np.inf)
    upper = np.nextafter(value + carried * change.max() + slack, np.inf)
    middle = (lower + upper) / 2
    return Optimum(
        value=middle,
        lower=lower,
        upper=upper,
        action_value=action_value + (middle - value)[:, None],
        choice=action_value.argmax(axis=1),
    )


def _followed(rows: Backup, reward: np.ndarray, choice: np.ndarray, value: np.ndarray, discount: float) -> np.ndarray:
    """``value float64[S]`` after steps of the given choices: modified policy iteration (Puterman and Shin 1978)."""
    lanes = np.arange(len(choice))
    chain, paid = rows.pick(lanes, choice, np.zeros_like(choice)), reward[lanes, choice]
    for _ in range(FOLLOWED_STEPS):
        value = paid + discount * (chain @ value)
    return value
