"""The commons in plain Python floats (64 bits), one player at a time: slow, obvious, and independent of the kernel."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any


@dataclasses.dataclass
class Rules:
    """Parameters of a world."""

    capacity: float = 100.0
    regrowth: float = 0.4
    harvest_cap: float = 0.05
    before_harvest: bool = False
    seat_order: bool = False
    collapse_share: float = 0.05
    absorbing: bool = True
    living_cost: float = 0.0
    seneca: dict[str, float] | None = None


SENECA = {
    "capital_scale": 5.0,
    "search_share": 0.05,
    "investment": 0.2,
    "depreciation": 0.01,
    "pollution_wear": 0.05,
    "damage_steepness": 4.0,
    "damage_scale": 60.0,
    "emission": 0.1,
    "abatement": 0.01,
    "regrowth_damage": 1.0,
}


@dataclasses.dataclass
class World:
    """State of a world."""

    stock: float
    wealth: list[float]
    capital: float = 1.0
    pollution: float = 0.0
    turn: int = 0
    alive: bool = True
    collapse_turn: int = -1
    active: list[bool] = dataclasses.field(default_factory=list)
    harvest: list[float] = dataclasses.field(default_factory=list)
    sustainable: float = 0.0

    def __post_init__(self) -> None:
        self.active = self.active or [True] * len(self.wealth)
        self.harvest = self.harvest or [0.0] * len(self.wealth)


def damage(pollution: float, rules: dict[str, float]) -> float:
    power = rules["damage_steepness"]
    return pollution**power / (pollution**power + rules["damage_scale"] ** power)


def share_out(demand: Sequence[float], stock: float, seat_order: bool) -> list[float]:
    """Proportional, or first come first served."""
    if seat_order:
        left, given = stock, []
        for wanted in demand:
            given.append(min(wanted, left))
            left -= given[-1]
        return given
    total = sum(demand)
    return [wanted * min(1.0, stock / total) if total > 0 else 0.0 for wanted in demand]


def sustainable(stock: float, rate: float, rules: Rules) -> float:
    """By bisection: the catch after which the stock comes back to where it was."""
    if rules.before_harvest:
        return min(rate * stock * (1 - stock / rules.capacity), stock)
    low, high = 0.0, stock
    for _ in range(80):
        catch = (low + high) / 2
        left = stock - catch
        if left + rate * left * (1 - left / rules.capacity) >= stock:
            low = catch
        else:
            high = catch
    return low


def play(world: World, requests: Sequence[float], rules: Rules) -> World:
    """One turn."""
    if not world.alive or not any(world.active):
        return world
    size = len(world.wealth)
    limit = min(rules.harvest_cap, 1.0) * rules.capacity
    demand = []
    for player in range(size):
        request = 0.0 if math.isnan(requests[player]) else requests[player]
        demand.append(min(max(request, 0.0), limit) if world.active[player] else 0.0)
    rate, mine = rules.regrowth, rules.seneca
    if mine is not None:
        found = world.stock / (world.stock + mine["search_share"] * rules.capacity)
        demand = [wanted * (1 + world.capital / mine["capital_scale"]) * found for wanted in demand]
        rate *= 1 - mine["regrowth_damage"] * damage(world.pollution, mine)
    made = dataclasses.replace(world, harvest=share_out(demand, world.stock, rules.seat_order), turn=world.turn + 1)
    made.sustainable = sustainable(world.stock, rate, rules)
    costs = [rules.living_cost if active else 0.0 for active in world.active]
    made.wealth = [had + got - cost for had, got, cost in zip(world.wealth, made.harvest, costs, strict=True)]
    left = world.stock - sum(made.harvest)
    left = 0.0 if left < 1e-6 * rules.capacity else left
    base = world.stock if rules.before_harvest else left
    grown = left + rate * base * (1 - base / rules.capacity)
    made.stock = min(max(grown, 0.0), rules.capacity)
    if mine is not None:
        total = sum(made.harvest)
        wear = mine["depreciation"] + mine["pollution_wear"] * damage(world.pollution, mine)
        made.capital = max(world.capital + mine["investment"] * total - wear * world.capital, 0.0)
        polluted = world.pollution + mine["emission"] * total - mine["abatement"] * world.pollution
        made.pollution = max(polluted, 0.0)
    if made.stock < rules.collapse_share * rules.capacity:
        made.collapse_turn = world.turn if world.collapse_turn < 0 else world.collapse_turn
        made.alive = not rules.absorbing
    if rules.living_cost > 0:
        made.active = [was and has >= 0 for was, has in zip(world.active, made.wealth, strict=True)]
    return made


def agent(name: str, seen: dict[str, Any]) -> float:
    """What a built-in agent asks for, in units of the resource, before the cap.

    ``seen`` has ``stock`` (a number), ``others`` (last harvests of the others), ``turn``, ``capacity``, ``cap``,
    ``players`` and ``rate`` (0.3 where none is shown).
    """
    capacity, cap, players, stock = seen["capacity"], seen["cap"], seen["players"], seen["stock"]
    fair = seen["rate"] * capacity / (4 * players)
    others = seen["others"]
    copied = fair / 2 if seen["turn"] == 0 else sum(others) / len(others)
    level = min(max(math.floor(3 * stock / capacity), 0), 2)
    wanted = {
        "greedy": cap,
        "pulse": cap if stock >= 0.5 * capacity else 0.0,
        "racer": stock - 0.25 * capacity,
        "conservative": (stock - 0.5 * capacity) / players,
        "msy": seen["rate"] * stock * (1 - stock / capacity) / players,
        "constant": 0.8 * fair,
        "tit_for_tat": copied,
        "free_rider": 1.2 * copied + 0.1 * fair,
        "bucket": (0.0, 0.8, 1.5)[level] * fair,
        "rep_conditional": fair,
        "pact_keeper": copied,
    }[name]
    return min(max(wanted, 0.0), cap)


def efficiency(total: float, turns: int, sustainable_catch: float) -> float:
    """Piatti et al. (2024)."""
    possible = turns * sustainable_catch
    return 1 - max(0.0, possible - total) / possible
