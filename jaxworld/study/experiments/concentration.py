"""Finding: how unequally recommenders spread exposure, by budget and by size of the population."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from jaxworld.core.checks import whole
from jaxworld.core.errors import require
from jaxworld.social import get_recommender, make_social
from jaxworld.study.experiments.finding import Finding, ends, said
from jaxworld.study.sweep import Arm, SweepProgress, SweepResult, difference_table, points, summarise, sweep

BASELINE = "random"
FIGURES = ("gini", "top_1_share", "coverage")


@dataclasses.dataclass(frozen=True, kw_only=True)
class ConcentrationSettings:
    """Sizes of the study.

    Attributes:
        recommenders: arms, by name; ``random`` is what the others are compared with.
        personas: sizes of the population.
        budgets: stimuli shown to a persona in a tick.
        ticks: hours of a world.
        worlds: seeded worlds in each cell of recommender, size and budget.
        seed: of populations and worlds.
    """

    QUICK: ClassVar[Mapping[str, Any]] = {"personas": (100,), "budgets": (1, 4), "ticks": 24, "worlds": 16}

    recommenders: tuple[str, ...] = ("random", "reddit_hot", "twitter", "twhin")
    personas: tuple[int, ...] = (100, 200, 400)
    budgets: tuple[int, ...] = (1, 2, 4, 8)
    ticks: int = 48
    worlds: int = 64
    seed: int = 0

    def __post_init__(self) -> None:
        require(BASELINE in self.recommenders, "recommenders", self.recommenders, f"name {BASELINE} among them")
        for name in self.recommenders:
            get_recommender(name)
        for field in ("recommenders", "personas", "budgets"):
            values = getattr(self, field)
            require(len(values) > 0 and len(set(values)) == len(values), field, values, "name each once")
        for size in self.personas:
            whole("personas", size, 10, 2**17)
        for budget in self.budgets:
            whole("budgets", budget, 1, 64)
        for field in ("ticks", "worlds"):
            whole(field, getattr(self, field), 1, 2**20)
        whole("seed", self.seed, 0, 2**62)


def run_concentration(
    settings: ConcentrationSettings,
    *,
    folder: Path | None = None,
    progress: Callable[[SweepProgress], None] | None = None,
) -> Finding:
    """Run all recommenders at all sizes and budgets on the same seeds.

    Raises:
        CapacityError: if a world needs more room than it has.
    """
    arms = {
        f"{name}, {size} personas": partial(_make_arm, settings, name, size)
        for size in settings.personas
        for name in settings.recommenders
    }
    design = points([{"budget": budget, "window": 3 * budget} for budget in settings.budgets])
    result = sweep(
        arms, design, seeds=settings.worlds, seed=settings.seed, ticks=settings.ticks, out=folder, progress=progress
    )
    return _found(settings, result)


def _make_arm(settings: ConcentrationSettings, name: str, size: int) -> Arm:
    """A feed with room for some three times what the default personas are expected to write."""
    largest = max(settings.budgets)
    written = 0.05 * size * settings.ticks
    capacity = int(-(-(64 + written) // 64) * 64)
    world = make_social(
        num_personas=size, seed=settings.seed, channels=("feed",), feed_recommender=name,
        max_budget=largest, max_window=3 * largest, stimulus_capacity=capacity,
    )  # fmt: skip
    return Arm(world, labels={"recommender": name, "personas": size})


def _found(settings: ConcentrationSettings, result: SweepResult) -> Finding:
    rows = result.rows()
    summary = summarise(rows, FIGURES)
    differences = [_difference(rows, size) for size in settings.personas]
    table = []
    for row, arm in enumerate(summary.keys["arm"].tolist()):
        point = int(summary.keys["point"][row])
        against = next(cells for cells in differences if (arm, point) in cells)[arm, point]
        cell: dict[str, Any] = {
            "recommender": str(summary.keys["recommender"][row]),
            "personas": int(summary.keys["personas"][row]),
            "budget": int(summary.keys["budget"][row]),
        }
        cell |= {name: ends(summary.figures[name], row) for name in FIGURES}
        table.append(cell | {"gini_above_random": against})
    return Finding(settings, rows, table, _text(settings, table, summary.worlds), {})


def _difference(rows: Mapping[str, np.ndarray], size: int) -> dict[tuple[str, int], dict[str, float]]:
    """Gini above random in the same worlds, by arm and point, of one size."""
    mine = {name: values[rows["personas"] == size] for name, values in rows.items()}
    made = difference_table(mine, "gini", arm=f"{BASELINE}, {size} personas")
    cells = zip(made.keys["arm"].tolist(), made.keys["point"].tolist(), strict=True)
    return {cell: ends(made.difference, row) for row, cell in enumerate(cells)}


def _text(settings: ConcentrationSettings, table: list[dict[str, Any]], worlds: int) -> list[str]:
    total = worlds * len(table)
    text = [
        f"{total:,} worlds, {worlds} in each of {len(table)} cells, {settings.ticks} hourly ticks; intervals are 95 % "
        "over worlds, differences are paired by seed."
    ]
    least, most = min(settings.budgets), max(settings.budgets)
    for name in settings.recommenders:
        if name == BASELINE:
            continue
        mine = [cell for cell in table if cell["recommender"] == name]
        above = [cell for cell in mine if cell["gini_above_random"]["low"] > 0]
        below = [cell for cell in mine if cell["gini_above_random"]["high"] < 0]
        by_budget = {
            budget: np.mean([cell["gini"]["mean"] for cell in mine if cell["budget"] == budget])
            for budget in (least, most)
        }
        by_size = {size: np.mean([cell["gini"]["mean"] for cell in mine if cell["personas"] == size])
                   for size in (min(settings.personas), max(settings.personas))}  # fmt: skip
        text.append(
            f"{name} concentrates exposure more than random in {len(above)} of {len(mine)} cells and less in "
            f"{len(below)}. Its mean Gini goes from {by_budget[least]:.3f} at a budget of {least} to "
            f"{by_budget[most]:.3f} at {most}, and from {by_size[min(settings.personas)]:.3f} with "
            f"{min(settings.personas)} personas to {by_size[max(settings.personas)]:.3f} with {max(settings.personas)}."
        )
    widest = max(table, key=lambda cell: cell["gini_above_random"]["mean"])
    text.append(
        f"The largest difference: {widest['recommender']} with {widest['personas']} personas and a budget of "
        f"{widest['budget']}, Gini {said(widest['gini'])}, {said(widest['gini_above_random'])} above random."
    )
    text.append(
        "It does not show what real recommenders do: personas follow simple rules, each size is one generated "
        "population, and the intervals cover the chance of runs in that population, not the choice of it. Stimuli that "
        "come late have had little time to be seen, which alone makes exposure unequal under every recommender."
    )
    return text
