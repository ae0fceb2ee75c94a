"""Four known stage games as tables, with the numbers of MASA-Safe-RL (github.com/sacktock/MASA-Safe-RL, Apache-2.0)."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxworld.core import checks
from jaxworld.markov.matrix import MatrixGame


def chicken(bookkeeping: bool = True) -> MatrixGame:
    """Two drivers: swerve (0) or go straight (1); both straight is a crash."""
    payoffs = [[(2, 2), (1, 3)], [(3, 1), (0, 0)]]
    names = ("swerve", "straight")
    return _pair("chicken", payoffs, (1, 1), "crash", names, bookkeeping)


def bertrand(bookkeeping: bool = True) -> MatrixGame:
    """Two sellers: a high (0) or a low price (1); both low is a price war."""
    payoffs = [[(5, 5), (0, 8)], [(8, 0), (0, 0)]]
    return _pair("bertrand", payoffs, (1, 1), "price_war", ("high", "low"), bookkeeping)


def inspection(
    gain: float = 5.0,
    fine: float = 10.0,
    cost: float = 2.0,
    harm: float = 4.0,
    reward: float = 3.0,
    bookkeeping: bool = True,
) -> MatrixGame:
    """An inspector looks (1) or not (0), an inspectee violates (1) or complies (0).

    Args:
        gain: what an undetected violation brings the inspectee.
        fine: what a detected one costs it.
        cost: what looking costs the inspector.
        harm: what an undetected violation costs the inspector.
        reward: what detecting one brings the inspector, before the cost of looking.
        bookkeeping: keep a private record in the state.

    Raises:
        ConfigurationError: for numbers that are not finite.
    """
    numbers = {"gain": gain, "fine": fine, "cost": cost, "harm": harm, "reward": reward}
    gain, fine, cost, harm, reward = (checks.number(field, value, -1e6, 1e6) for field, value in numbers.items())
    payoffs = [[(0, 0), (-harm, gain)], [(-cost, 0), (reward - cost, -fine)]]
    return _pair("inspection", payoffs, (0, 1), "undetected", None, bookkeeping)


def congestion(
    num_players: int = 6,
    base: float = 1.0,
    slope: float = 1.0,
    jam_load: int = 5,
    jam_cost: float = 5.0,
    bookkeeping: bool = True,
) -> MatrixGame:
    """Drivers choose road A (0) or B (1); a road costs ``base + slope * load``, and more when it is jammed.

    Args:
        num_players: 2 to 12.
        base: cost of an empty road.
        slope: cost of each driver on it.
        jam_load: drivers from which a road is jammed.
        jam_cost: what a jam costs every driver on the road.
        bookkeeping: keep a private record in the state.

    Raises:
        ConfigurationError: for a number outside its range.
    """
    players = checks.whole("num_players", num_players, 2, 12)
    jam = checks.whole("jam_load", jam_load, 1, 13)
    base, slope = checks.number("base", base, -1e6, 1e6), checks.number("slope", slope, -1e6, 1e6)
    jam_cost = checks.number("jam_cost", jam_cost, -1e6, 1e6)
    choices = np.indices((2,) * players)
    load = np.stack([(choices == road).sum(axis=0) for road in range(2)])
    own = np.where(choices == 0, load[0], load[1])
    payoffs = -(base + slope * own) - jam_cost * (own >= jam)
    return MatrixGame(
        np.moveaxis(payoffs, 0, -1),
        unsafe=(load >= jam).any(axis=0),
        flag="jam",
        title="congestion",
        action_names=("road_a", "road_b"),
        show_loads=True,
        bookkeeping=bookkeeping,
    )


def _pair(
    title: str,
    payoffs: Any,
    marked: tuple[int, int],
    flag: str,
    names: tuple[str, str] | None,
    bookkeeping: bool,
) -> MatrixGame:
    """Two players with two actions, one joint action marked unsafe."""
    unsafe = np.zeros((2, 2), bool)
    unsafe[marked] = True
    return MatrixGame(payoffs, unsafe, flag=flag, title=title, action_names=names, bookkeeping=bookkeeping)
