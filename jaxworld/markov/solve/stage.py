"""The game in one state: payoffs of each joint action, what follows included, and its equilibria."""

from __future__ import annotations

import warnings

import numpy as np

from jaxworld.core.checks import whole
from jaxworld.core.errors import MissingExtraError, require
from jaxworld.markov.graph.factored import AnyGraph
from jaxworld.markov.solve.discounted import check_discount
from jaxworld.markov.solve.rows import grouped_rows


def stage_game(
    graph: AnyGraph, state: int, continuation: np.ndarray | None = None, discount: float = 0.0
) -> np.ndarray:
    """``float64[players, A_0, A_1, ...]``: each player's payoff of each joint action in one state.

    Args:
        graph: a joint graph.
        state: its number.
        continuation: values ``float64[S, players]`` of the successors; none counts as zero.
        discount: what they are discounted by.

    Raises:
        ConfigurationError: for a state that is not there, values of another shape, or a discount outside [0, 1).
    """
    num_states, num_joint, num_players = graph.reward.shape
    whole("state", state, 0, num_states - 1)
    payoff = np.asarray(graph.reward[state], np.float64)
    if continuation is not None:
        shape = num_states, num_players
        require(np.shape(continuation) == shape, "continuation", np.shape(continuation), f"use shape {shape}")
        rows = grouped_rows(graph, np.asarray([state]), (num_joint,), 0)
        ahead = [rows.expect(values)[0, :, 0] for values in np.asarray(continuation, np.float64).T]
        payoff = payoff + check_discount(discount) * np.stack(ahead, axis=1)
    return payoff.T.reshape(num_players, *graph.num_actions)


def equilibria(payoffs: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """All equilibria of a two-player game ``float64[2, m, n]`` by support enumeration (all, if it is not degenerate).

    Raises:
        ConfigurationError: for a game of other than two players.
        MissingExtraError: if nashpy is not installed.
    """
    require(payoffs.ndim == 3 and len(payoffs) == 2, "payoffs", payoffs.shape, "use a game of two players, (2, m, n)")
    try:
        import nashpy
    except ImportError as error:
        raise MissingExtraError("nashpy", "markov", "an equilibrium") from error
    with warnings.catch_warnings():  # that a game is degenerate is said in the docstring
        warnings.simplefilter("ignore", RuntimeWarning)
        found = list(nashpy.Game(payoffs[0], payoffs[1]).support_enumeration())
    return [(np.asarray(row, np.float64), np.asarray(column, np.float64)) for row, column in found]
