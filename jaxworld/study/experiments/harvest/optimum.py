"""What a harvester who knows everything could get: closed forms, and dynamic programming over the stock.

All amounts are shares of capacity, all of it is float64 on the host. Growth is logistic and follows the harvest.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

_STOCKS, _REQUESTS = 801, 81


@dataclasses.dataclass(frozen=True)
class Rules:
    """``regrowth`` r, ``cap`` on the searched demand of a turn, ``collapse`` share, ``turns`` T."""

    regrowth: float
    cap: float
    collapse: float
    turns: int


def most_of_all(rules: Rules, stock: np.ndarray) -> np.ndarray:
    """Upper bound of what all players together can take from a first ``stock``: ``S + (T - 1) r / 4``.

    The catch is the first stock, plus what grows, less what is left. Growth is at most ``r / 4`` a turn, and what grows
    after the last harvest feeds nobody. One player without a limit reaches it from a stock of at least 1/2: it takes
    all above 1/2 at once, ``r / 4`` each turn, and everything in the last.
    """
    return np.asarray(stock, np.float64) + (rules.turns - 1) * rules.regrowth / 4


def best_response(
    rules: Rules, others: Callable[[np.ndarray], np.ndarray], *, stocks: int = _STOCKS, requests: int = _REQUESTS
) -> Callable[[np.ndarray], np.ndarray]:
    """The largest catch against others whose demand depends on the stock alone, by backward induction.

    Values between grid points are interpolated, so the result is close to the optimum and no strict bound.

    Args:
        rules: of the commons.
        others: demand of all others at each stock, ``float64[S]`` to ``float64[S]``.
        stocks, requests: points of the two grids.

    Returns:
        From a first stock, ``float64[...]``, to the catch of a player that knows the stock, the others and T.
    """
    stock = np.linspace(0.0, 1.0, stocks)
    request = np.linspace(0.0, rules.cap, requests)[:, None]
    demand = request + others(stock)[None, :]
    served = np.minimum(1.0, stock[None, :] / np.maximum(demand, 1e-30))
    catch, left = request * served, np.maximum(stock[None, :] - demand * served, 0.0)
    after = np.clip(left + rules.regrowth * left * (1.0 - left), 0.0, 1.0)
    lives = after >= rules.collapse
    value = np.zeros(stocks)
    for _ in range(rules.turns):
        value = (catch + np.where(lives, np.interp(after, stock, value), 0.0)).max(axis=0)
    return lambda first: np.interp(first, stock, value)
