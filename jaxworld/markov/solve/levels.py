"""Players who think k steps ahead of each other."""

from __future__ import annotations

import numpy as np

from jaxworld.core.checks import number, whole
from jaxworld.core.errors import require
from jaxworld.markov.graph.factored import AnyGraph
from jaxworld.markov.solve.discounted import best_response
from jaxworld.markov.solve.rows import check_player, product_policy


def uniform_policies(graph: AnyGraph) -> list[np.ndarray]:
    """Every player draws uniformly: ``float64[S, A_i]`` each."""
    return [np.full((len(graph.terminal), count), 1.0 / count) for count in graph.num_actions]


def others_policy(policies: list[np.ndarray], player: int) -> np.ndarray:
    """``float64[S, A_others]``: what all players but one do, drawn independently."""
    return product_policy([policy for other, policy in enumerate(policies) if other != player])


def level_policies(
    graph: AnyGraph, max_level: int = 2, *, temperature: float = 0.5, discount: float = 0.95
) -> list[list[np.ndarray]]:
    """Level-k play of every player: entry ``[k][i]`` is player i's ``float64[S, A_i]`` at level k.

    Level 0 draws uniformly. Level k draws from the softmax of the discounted value of its actions, if the others are of
    level k - 1 and it goes on with its best (Stahl and Wilson 1994; Nagel 1995).

    Raises:
        ConfigurationError: for a negative level, a temperature that is not positive, or a discount outside [0, 1).
    """
    whole("max_level", max_level, 0, 100)
    number("temperature", temperature, 0.0, 1e9)
    require(temperature > 0, "temperature", temperature, "use a number above 0")
    levels = [uniform_policies(graph)]
    for _ in range(max_level):
        below = levels[-1]
        responses = [
            best_response(graph, player, others_policy(below, player), discount).action_value
            for player in range(len(graph.num_actions))
        ]
        levels.append([_softmax(values / temperature) for values in responses])
    return levels


def opponent_levels(graph: AnyGraph, player: int, levels: list[list[np.ndarray]]) -> list[np.ndarray]:
    """What the others of ``player`` do at each level, all of them of the same: ``float64[S, A_others]`` each."""
    check_player(graph, player)
    return [others_policy(policies, player) for policies in levels]


def _softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
