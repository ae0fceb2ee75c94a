"""Zero-sum matrix games, many at once, with bounds on both sides."""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxworld.core.checks import whole


@dataclasses.dataclass(frozen=True)
class MatrixGames:
    """Approximate solutions of B zero-sum games.

    Attributes:
        row, column: ``float64[B, m]`` and ``float64[B, n]``, mixed strategies.
        upper: ``float64[B]``, what ``row`` concedes at most; the value of the game is not above it.
        lower: ``float64[B]``, what ``column`` gets at least; the value is not below it.
    """

    row: np.ndarray
    column: np.ndarray
    upper: np.ndarray
    lower: np.ndarray


def solve_matrix_games(losses: np.ndarray, iterations: int = 500) -> MatrixGames:
    """Regret matching+ with alternating updates and linear averaging (Tammelin 2014), the row player minimising.

    The strategies converge; the two bounds hold whatever the number of iterations, since each is the exact best reply
    to a strategy.

    Args:
        losses: ``float64[B, m, n]``, what the row player loses to the column player.
        iterations: at least 1.

    Raises:
        ConfigurationError: for fewer iterations than 1.
    """
    whole("iterations", iterations, 1, 10**9)
    games, num_rows, num_columns = losses.shape
    regret_row, regret_column = np.zeros((games, num_rows)), np.zeros((games, num_columns))
    sum_row, sum_column = np.zeros_like(regret_row), np.zeros_like(regret_column)
    column = _matching(regret_column)
    for step in range(1, iterations + 1):
        row = _matching(regret_row)
        paid = np.einsum("bm,bmn->bn", row, losses)
        regret_column = np.maximum(regret_column + paid - (paid * column).sum(1, keepdims=True), 0)
        column = _matching(regret_column)
        cost = np.einsum("bmn,bn->bm", losses, column)
        regret_row = np.maximum(regret_row + (cost * row).sum(1, keepdims=True) - cost, 0)
        sum_row += step * row
        sum_column += step * column
    row, column = _normalised(sum_row), _normalised(sum_column)
    upper = np.einsum("bm,bmn->bn", row, losses).max(1)
    lower = np.einsum("bmn,bn->bm", losses, column).min(1)
    return MatrixGames(row=row, column=column, upper=upper, lower=lower)


def _matching(regret: np.ndarray) -> np.ndarray:
    total = regret.sum(1, keepdims=True)
    return np.where(total > 0, regret / np.where(total > 0, total, 1), 1.0 / regret.shape[1])


def _normalised(weights: np.ndarray) -> np.ndarray:
    return np.asarray(weights / weights.sum(1, keepdims=True))
