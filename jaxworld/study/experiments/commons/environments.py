"""What noise does on average over environments that nobody chose: rates of regrowth, limits on the catch, tempers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxworld.commons import CommonsParams, Roster, RosterPolicy, get_arm
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.metrics.intervals import mean_interval
from jaxworld.study.experiments.commons.gates import NAMED_ARM
from jaxworld.study.experiments.commons.levels import (
    CatchFigures,
    LevelsPolicy,
    LevelsReducer,
    LevelsWorld,
    by_level,
    make_levels_params,
)
from jaxworld.study.experiments.finding import ends
from jaxworld.study.sweep import Arm, SweepProgress, cross, grid, random, sweep

MIXES: dict[str, Roster] = {
    "balanced": get_arm(NAMED_ARM).roster,
    "3 pulse, 3 conservative": Roster.of(pulse=3, conservative=3),
    "3 racer, 3 msy": Roster.of(racer=3, msy=3),
    "1 pulse, 5 msy": Roster.of(pulse=1, msy=5),
    "2 pulse, 2 racer, 2 bucket": Roster.of(pulse=2, racer=2, bucket=2),
    "no aggressors": Roster.of(conservative=2, msy=2, tit_for_tat=1, bucket=1),
}
RANGES = {
    "world.regrowth": (0.2, 0.8),
    "world.harvest_cap": (0.03, 0.12),
    "policy.pulse_threshold": (0.35, 0.65),
    "policy.racer_reserve": (0.15, 0.35),
    "policy.conservative_reserve": (0.35, 0.65),
}
"""Environments are uniform over these."""


@pytree_dataclass
class Tempers:
    """Number of the mix, ``int32[]``, and numbers of the agents' rules, ``float32[]`` each."""

    mix: Any
    pulse_threshold: Any
    racer_reserve: Any
    conservative_reserve: Any


def temper(policy: RosterPolicy, numbers: Tempers, params: CommonsParams) -> RosterPolicy:
    """The mix and tempers of a point of the sweep."""
    del params
    kinds = np.asarray([[policy.kinds.index(kind) for kind in roster] for roster in MIXES.values()], np.int32)
    coefficients = replace(
        policy.coefficients,
        pulse_threshold=numbers.pulse_threshold,
        racer_reserve=numbers.racer_reserve,
        conservative_reserve=numbers.conservative_reserve,
    )
    return replace(policy, kind=jnp.asarray(kinds)[numbers.mix], coefficients=coefficients)


def average_environments(
    levels: tuple[float, ...],
    environments: int,
    worlds: int,
    seed: int,
    *,
    turns: int,
    folder: Path | None = None,
    progress: Callable[[SweepProgress], None] | None = None,
) -> list[dict[str, Any]]:
    """Every mix in every environment at every level.

    Args:
        levels: of the noise.
        environments: how many are drawn, the same for all mixes.
        worlds: seeds in each, the same in all.
        seed: the environments and the worlds follow from it.
        turns: of a run.
        folder, progress: see ``sweep``.

    Returns:
        A row a mix: the best level of the average, changes of welfare and Gini with intervals over environments, and
        shares of environments that gain and that lose at 0.4.
    """
    arm = get_arm(NAMED_ARM)
    world = arm.world()
    numbers = Tempers(mix=np.int32(0), pulse_threshold=np.float32(0.5), racer_reserve=np.float32(0.25),
                      conservative_reserve=np.float32(0.5))  # fmt: skip
    params = make_levels_params(world, levels, policy=numbers)
    player = LevelsPolicy(policy=arm.policy(world).exchangeable(), tune=temper)
    design = cross(grid({"policy.mix": list(range(len(MIXES)))}), random(RANGES, environments, seed))
    rows = sweep(
        {"environments": Arm(LevelsWorld(world), params=params, policy=player)}, design, seeds=worlds, seed=seed,
        ticks=turns, reducer=LevelsReducer(reducer=CatchFigures()), out=folder, progress=progress,
    ).rows()  # fmt: skip
    figures = {
        name: by_level(rows, name).reshape(len(MIXES), environments, worlds, len(levels)).mean(axis=2)
        for name in ("welfare", "gini", "survival")
    }
    return [
        _row(name, levels, {figure: values[number] for figure, values in figures.items()})
        for number, name in enumerate(MIXES)
    ]


def _row(name: str, levels: tuple[float, ...], figures: Mapping[str, np.ndarray]) -> dict[str, Any]:
    some, full = levels.index(0.4), levels.index(1.0)
    welfare, gini = figures["welfare"], figures["gini"]
    moved = welfare[:, some] - welfare[:, 0]
    return {
        "mix": name,
        "best noise": levels[int(welfare.mean(axis=0).argmax())],
        "welfare, none": ends(mean_interval(welfare[:, 0])),
        "at 0.4": ends(mean_interval(moved)),
        "at 1": ends(mean_interval(welfare[:, full] - welfare[:, 0])),
        "Gini at 0.4": ends(mean_interval(gini[:, some] - gini[:, 0])),
        "environments that gain": float((moved > 0).mean()),
        "environments that lose": float((moved < 0).mean()),
        "curve": welfare.mean(axis=0).tolist(),
    }
