"""What the best response is worth, without simulating anything: from the payoff table, or from the exact graph.

All values are means of what a round pays, round t weighed by ``discount**t``: payoffs of the table in its own unit.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy.sparse import identity
from scipy.sparse.linalg import spsolve

from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.solve import Rows, best_response, others_policy, policy_value, product_policy
from jaxworld.markov.solve.rows import joint_matrix


@dataclasses.dataclass(frozen=True)
class Response:
    """``value``: of a round; ``choice``: ``int64[S]``, the action taken in each state."""

    value: float
    choice: np.ndarray


def best_in_table(payoffs: np.ndarray, player: int, others: list[np.ndarray]) -> tuple[float, int]:
    """Mean payoff and number of the best action against others who draw from ``float64[A_i]``, whatever happened.

    Args:
        payoffs: ``float64[*num_actions, players]``.
        player: who responds; its own entry of ``others`` is not looked at.
        others: one distribution for each player.
    """
    mean = payoffs[..., player]
    for other in reversed(range(payoffs.shape[-1])):
        if other != player:
            mean = np.moveaxis(mean, other, -1) @ others[other]
    return float(mean.max()), int(mean.argmax())


def best_in_graph(graph: Graph, player: int, policies: list[np.ndarray], discount: float) -> Response:
    """The best of all policies that see the state, by value iteration with bounds, for a game that goes on for ever."""
    found = best_response(graph, player, others_policy(policies, player), discount)
    return Response(value=float(graph.initial @ found.value) * (1.0 - discount), choice=found.choice)


def value_in_graph(graph: Graph, player: int, policies: list[np.ndarray], choice: np.ndarray, discount: float) -> float:
    """What a policy that takes ``choice int64[S]`` is worth, by linear equations."""
    values = policy_value(graph, joint_policy(graph, player, policies, choice), discount)
    return float(graph.initial @ values[:, player]) * (1.0 - discount)


def time_in_actions(
    graph: Graph, player: int, policies: list[np.ndarray], choice: np.ndarray, discount: float
) -> np.ndarray:
    """``float64[A_own]``: in which share of rounds each action is taken."""
    everyone = Rows(np.arange(graph.num_states), joint_matrix(graph), 1, graph.num_joint_actions)
    moves = everyone.mix_replies(joint_policy(graph, player, policies, choice)).matrix
    system = (identity(graph.num_states, format="csr") - discount * moves.T).tocsc()
    share = np.asarray(spsolve(system, (1.0 - discount) * np.asarray(graph.initial)))
    return np.bincount(choice, share, graph.num_actions[player])


def joint_policy(graph: Graph, player: int, policies: list[np.ndarray], choice: np.ndarray) -> np.ndarray:
    """``float64[S, joint actions]``: the player takes ``choice``, the others draw."""
    everybody = list(policies)
    everybody[player] = np.eye(graph.num_actions[player])[choice]
    return product_policy(everybody)
