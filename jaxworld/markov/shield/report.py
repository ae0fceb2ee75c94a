"""What a shield does to a game, from its risks to what play with it comes to, budget by budget."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from jaxworld.core.checks import number, whole
from jaxworld.core.errors import require
from jaxworld.markov.catalogue import make_game
from jaxworld.markov.graph.build import build_graph
from jaxworld.markov.shield.allocate import ALLOCATORS, check_grid
from jaxworld.markov.shield.model import ShieldModel, build_shield
from jaxworld.markov.shield.simulate import WISHES, simulate_shield
from jaxworld.markov.shield.verify import Verification, product_states, verify_shield
from jaxworld.markov.shield.world import TransitionShield
from jaxworld.markov.solve.certificate import UNITS
from jaxworld.markov.solve.levels import level_policies, opponent_levels

SCENARIOS = ("robust", "levels")


@dataclasses.dataclass(frozen=True)
class ShieldSettings:
    """What to examine.

    Attributes:
        game: name of a game; size and options as in ``make_game``.
        player: who is shielded.
        label: what to avoid; the player's own ``unsafe`` if None.
        scenario: ``robust`` guards against every reply, ``levels`` against level-k play from ``level_floor`` on.
        max_level: highest level of the others.
        level_floor: lowest level guarded against.
        grid: steps of the budget grid.
        allocator: how slack is dealt out.
        budgets: at which to simulate; if there are none, five from the least that every start allows to 1, or six from
            0 to 1 with ``clamp``. All of the grid are verified anyway.
        clamp: raise a budget to the bound of a start that it is infeasible in, instead of refusing it.
        wish: what the shielded player wants in simulations.
        episodes, steps, seed: of the simulations.
    """

    game: str = "pursuit"
    size: int | None = None
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    player: int = 0
    label: str | None = None
    scenario: str = "robust"
    max_level: int = 2
    level_floor: int = 0
    grid: int = 20
    allocator: str = "proportional"
    budgets: tuple[float, ...] = ()
    clamp: bool = False
    wish: str = "riskiest"
    episodes: int = 4096
    steps: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        require(self.scenario in SCENARIOS, "scenario", self.scenario, f"use one of {', '.join(SCENARIOS)}")
        require(self.allocator in ALLOCATORS, "allocator", self.allocator, f"use one of {', '.join(ALLOCATORS)}")
        require(self.wish in WISHES, "wish", self.wish, f"use one of {', '.join(WISHES)}")
        check_grid(self.grid)
        whole("max_level", self.max_level, 0, 100)
        highest = self.max_level if self.scenario == "levels" else 0
        whole("level_floor", self.level_floor, 0, highest)
        for budget in self.budgets:
            number("budget", budget, 0.0, 1.0)
        for field in ("episodes", "steps"):
            whole(field, getattr(self, field), 1, 10**8)


@dataclasses.dataclass(frozen=True)
class ShieldReport:
    """What came out.

    Attributes:
        settings: as given.
        model: the shield.
        verification: of the settings' level floor.
        rows: one row a budget and level of the others: columns of one length.
        facts: JSON values about the whole.
    """

    settings: ShieldSettings
    model: ShieldModel
    verification: Verification
    rows: Mapping[str, np.ndarray]
    facts: Mapping[str, Any]


def run_shield(settings: ShieldSettings, progress: Callable[[str], None] | None = None) -> ShieldReport:
    """Build the graph, solve, verify the whole product, and simulate.

    Args:
        settings: what to examine.
        progress: told what is being done.

    Raises:
        ConfigurationError: for settings that cannot work, among them a budget below the bound of a starting state.
    """
    tell = progress or (lambda _: None)
    game, params = make_game(settings.game, settings.size, settings.options)
    tell("building the graph")
    graph = build_graph(game, params)
    tell(f"solving {graph.num_states:,} states")
    opponents = opponent_levels(graph, settings.player, level_policies(graph, settings.max_level))
    model = build_shield(
        graph,
        player=settings.player,
        label=settings.label,
        opponents=opponents if settings.scenario == "levels" else None,
        grid=settings.grid,
        allocator=settings.allocator,
    )
    shield = TransitionShield(game, model, level_floor=settings.level_floor)
    given = {"world": params, "level_floor": settings.level_floor, "clamp": settings.clamp}
    budgets = settings.budgets or default_budgets(model, settings.level_floor, settings.clamp)
    played = [shield.params(budget=budget, **given) for budget in budgets]
    tell("verifying the product")
    verified = verify_shield(model, settings.level_floor)
    rows: list[dict[str, Any]] = []
    for budget, each in zip(budgets, played, strict=True):
        tell(f"simulating budget {budget:g}")
        exact = exact_at_start(model, verified, settings.level_floor, budget)
        for level, others in enumerate(opponents):
            seen = simulate_shield(
                shield, each, others, wish=settings.wish, episodes=settings.episodes, steps=settings.steps,
                seed=settings.seed,
            )  # fmt: skip
            rows.append(
                {"budget": budget, **exact, "others_level": level, "simulated": seen.unsafe,
                 "half_width": seen.half_width, "ended": seen.ended}
            )  # fmt: skip
    columns = {name: np.asarray([row[name] for row in rows]) for name in rows[0]}
    return ShieldReport(settings, model, verified, columns, _facts(model, verified, settings.level_floor))


def default_budgets(model: ShieldModel, floor: int, clamp: bool) -> tuple[float, ...]:
    """Budgets between the least feasible one and 1, or between 0 and 1 where infeasible ones are clamped."""
    if clamp:
        return (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    least = min(1.0, float(np.ceil(model.least_budgets[floor] * 1e4) / 1e4))
    return tuple(dict.fromkeys(float(budget) for budget in np.round(np.linspace(least, 1.0, 5), 6)))


def exact_at_start(model: ShieldModel, verified: Verification, floor: int, budget: float) -> dict[str, float]:
    """What a first budget means: what it comes to if clamped, the worst policy's risk, the share of actions allowed.

    All are means over the starting states.
    """
    starts = np.flatnonzero(np.asarray(model.graph.initial) > 0)
    chance = np.asarray(model.graph.initial)[starts]
    level = _level(model, floor, budget)[starts]
    worst = np.where(model.target[starts], 1.0, np.nan_to_num(verified.worst[starts, level]))
    return {
        "granted": float(chance @ np.maximum(budget, model.bound[floor][starts] / UNITS)),
        "worst": float(chance @ worst),
        "allowed": float(chance @ model.masks(floor)[starts, level].mean(axis=1)),
    }


def allowed_share(model: ShieldModel, floor: int) -> tuple[np.ndarray, np.ndarray]:
    """Per grid level: mean share of actions allowed where it is feasible, and share of states in which it is."""
    states, levels = product_states(model, floor)
    allowed = model.masks(floor)[states, levels].mean(axis=1)
    count = np.bincount(levels, minlength=model.grid + 1)
    total = np.bincount(levels, allowed, minlength=model.grid + 1)
    undecided = max(len(model.floors[floor][0].states), 1)
    return np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0), count / undecided


def _level(model: ShieldModel, floor: int, budget: float) -> np.ndarray:
    """``int64[S]``: the grid level of a first budget, or that of the state's bound where it is higher."""
    step = UNITS // model.grid
    return np.maximum(int(budget * UNITS + 1e-6) // step, model.bound[floor] // step)


def _facts(model: ShieldModel, verified: Verification, floor: int) -> dict[str, Any]:
    undecided = model.floors[floor][0].states
    bound = model.bound[floor] / UNITS
    return {
        "states": len(model.target),
        "undecided": len(undecided),
        "label": model.label,
        "unsafe_states": int(model.target.sum()),
        "mean_risk": float(bound[undecided].mean()) if len(undecided) else 0.0,
        "start_risk": float(np.asarray(model.graph.initial) @ bound),
        "least_budget": float(model.least_budgets[floor]),
        "product_states": verified.product_states,
        "product_edges": verified.product_edges,
        "max_excess": verified.max_excess if verified.product_states else 0.0,
        "max_step_excess": verified.max_step_excess if verified.product_states else 0.0,
        "empty_masks": verified.empty_masks,
        "mean_allowed": verified.mean_allowed,
    }
