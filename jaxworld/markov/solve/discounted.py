"""Discounted values on a joint graph: of given play, and of the best play against it, with bounds."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy.sparse import identity
from scipy.sparse.linalg import spsolve

from jaxworld.core.checks import number, whole
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.solve.certificate import SolverError
from jaxworld.markov.solve.rows import Rows, check_player, check_policy, joint_matrix, player_rows, split_actions


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


def policy_value(graph: Graph, joint_policy: np.ndarray, discount: float) -> np.ndarray:
    """``float64[S, players]``: expected discounted rewards when all play ``joint_policy float64[S, A]``.

    The solution of the linear equations ``V = r + discount P V``.

    Raises:
        ConfigurationError: for a discount outside [0, 1) or a policy of another shape.
    """
    num_states, num_joint = graph.reward.shape[:2]
    policy = check_policy("joint_policy", joint_policy, (num_states, num_joint))
    everyone = Rows(np.arange(num_states), joint_matrix(graph), 1, num_joint)
    moves = everyone.mix_replies(policy).matrix
    reward = np.einsum("sa,sap->sp", policy, np.asarray(graph.reward, np.float64))
    system = (identity(num_states, format="csr") - check_discount(discount) * moves).tocsc()
    return np.stack([np.asarray(spsolve(system, column)) for column in reward.T], axis=1)


def best_response(
    graph: Graph,
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
    split = split_actions(graph.num_actions, check_player(graph, player))
    states = np.arange(len(graph.terminal))
    policy = check_policy("others", others, (len(states), split.shape[1]))
    rows = player_rows(graph, player, states).mix_replies(policy)
    paid = np.asarray(graph.reward, np.float64)[:, :, player][:, split]
    reward = np.einsum("sab,sb->sa", paid, policy)
    return _iterate(rows, reward, check_discount(discount), tolerance, max_sweeps)


def joint_optimum(
    graph: Graph, player: int, discount: float, *, tolerance: float = 1e-10, max_sweeps: int = 200_000
) -> Optimum:
    """The best value for one player's rewards if all play for them; choices are joint actions. Errors as above."""
    states = np.arange(len(graph.terminal))
    rows = Rows(states, joint_matrix(graph), graph.reward.shape[1], 1)
    reward = np.asarray(graph.reward, np.float64)[:, :, check_player(graph, player)]
    return _iterate(rows, reward, check_discount(discount), tolerance, max_sweeps)


def _iterate(rows: Rows, reward: np.ndarray, discount: float, tolerance: float, max_sweeps: int) -> Optimum:
    value = np.zeros(len(rows.states))
    for _ in range(whole("max_sweeps", max_sweeps, 1, 2**62)):
        action_value = reward + discount * rows.expect(value)[:, :, 0]
        swept = action_value.max(axis=1)
        change = swept - value
        value = swept
        if np.ptp(change) * discount / (1.0 - discount) <= tolerance:
            break
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
