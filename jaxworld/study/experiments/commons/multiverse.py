"""Finding: how fragile the claim is that noise helps a commons, over 1,890 populations of two types.

Seven aggressors by five conservatives, 1, 3 or 5 aggressors of 6, a limit on the catch of 0.05, 0.1 or 1 of capacity,
r of 0.2, 0.4 or 0.8, with and without collapse: all are points of one sweep, compiled once. Then six mixes of built-in
agents on average over random environments.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from jaxworld.commons import make_commons, make_quadratic
from jaxworld.commons.presets import NOISY_STOCK
from jaxworld.core.checks import number, whole
from jaxworld.core.errors import require
from jaxworld.study.experiments.commons.environments import RANGES, average_environments
from jaxworld.study.experiments.commons.fragility import LIVELY, Verdict, fragility_table, judge
from jaxworld.study.experiments.commons.levels import (
    CatchFigures,
    LevelsPolicy,
    LevelsReducer,
    LevelsWorld,
    by_level,
    make_levels_params,
)
from jaxworld.study.experiments.commons.noise import LEVELS, check_levels
from jaxworld.study.experiments.commons.populations import (
    AGGRESSORS,
    CONSERVATIVES,
    PLAYERS,
    TwoTypes,
    mix_two_types,
)
from jaxworld.study.experiments.finding import Finding, said
from jaxworld.study.sweep import Arm, SweepProgress, grid, sweep

CENTRAL = {"aggressor": "pulse.5", "conservative": "surplus", "aggressors": 3, "cap": 0.1, "regrowth": 0.4,
           "collapse": 0.05}  # fmt: skip
"""The population in the middle of the grid; it is the same one as in the earlier study."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class MultiverseSettings:
    """Sizes of the study. The full one has 1,000 worlds.

    Attributes:
        aggressors, conservatives: by name, see ``populations``.
        counts: aggressors of six players.
        caps: limits on the catch of a player and turn, in shares of capacity.
        rates: r.
        collapses: shares of capacity below which the commons is lost; 0 for never.
        levels: of the noise.
        turns: length of a run.
        worlds: seeds of each population, the same for all.
        environments: random environments of the averages; 0 for none.
        environment_worlds: seeds of each environment.
        seed: everything follows from it.
    """

    QUICK: ClassVar[Mapping[str, Any]] = {
        "worlds": 8, "environments": 40, "environment_worlds": 4, "levels": (0.0, 0.1, 0.2, 0.4, 0.7, 1.0),
    }  # fmt: skip

    aggressors: tuple[str, ...] = tuple(AGGRESSORS)
    conservatives: tuple[str, ...] = tuple(CONSERVATIVES)
    counts: tuple[int, ...] = (1, 3, 5)
    caps: tuple[float, ...] = (0.05, 0.1, 1.0)
    rates: tuple[float, ...] = (0.2, 0.4, 0.8)
    collapses: tuple[float, ...] = (0.05, 0.0)
    levels: tuple[float, ...] = LEVELS
    turns: int = 100
    worlds: int = 64
    environments: int = 400
    environment_worlds: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        for field, known in (("aggressors", AGGRESSORS), ("conservatives", CONSERVATIVES)):
            for name in getattr(self, field):
                require(name in known, field, name, f"use names from {', '.join(known)}")
        for field in ("aggressors", "conservatives", "counts", "caps", "rates", "collapses"):
            require(len(getattr(self, field)) > 0, field, (), "give at least one")
        for count in self.counts:
            whole("counts", count, 0, PLAYERS)
        for field, high in (("caps", 1e9), ("rates", 2.0), ("collapses", 1.0)):
            for value in getattr(self, field):
                number(field, value, 0.0, high)
        check_levels(self.levels)
        for field, low in (("turns", 1), ("worlds", 2), ("environments", 0), ("environment_worlds", 1)):
            whole(field, getattr(self, field), low, 2**20)
        require(self.environments != 1, "environments", 1, "use 0 for none, or at least 2")

    @property
    def axes(self) -> dict[str, tuple[Any, ...]]:
        """The design: what varies, and over what."""
        return {"aggressor": self.aggressors, "conservative": self.conservatives, "aggressors": self.counts,
                "cap": self.caps, "regrowth": self.rates, "collapse": self.collapses}  # fmt: skip


_PATHS = {"aggressor": "policy.aggressor", "conservative": "policy.conservative", "aggressors": "policy.aggressors",
          "cap": "world.harvest_cap", "regrowth": "world.regrowth", "collapse": "world.collapse_share"}  # fmt: skip


def run_multiverse(
    settings: MultiverseSettings,
    *,
    folder: Path | None = None,
    progress: Callable[[SweepProgress], None] | None = None,
) -> Finding:
    """Play every population and mix on the same seeds at every level."""
    place = None if folder is None else folder / "populations"
    axes = dict(settings.axes)
    numbered = {**axes, "aggressor": [list(AGGRESSORS).index(name) for name in settings.aggressors],
                "conservative": [list(CONSERVATIVES).index(name) for name in settings.conservatives]}  # fmt: skip
    rows = sweep(
        {"multiverse": make_arm(settings)}, grid({_PATHS[name]: list(values) for name, values in numbered.items()}),
        seeds=settings.worlds, seed=settings.seed, ticks=settings.turns, reducer=LevelsReducer(reducer=CatchFigures()),
        out=place, progress=progress,
    ).rows()  # fmt: skip
    points = [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]
    verdicts = _judged(settings, rows, len(points))
    place = None if folder is None else folder / "environments"
    averages = [] if settings.environments == 0 else average_environments(
        settings.levels, settings.environments, settings.environment_worlds, settings.seed, turns=settings.turns,
        folder=place, progress=progress,
    )  # fmt: skip
    table = fragility_table(verdicts)
    text = [*_text(settings, verdicts, table), *_central(settings, points, verdicts), *_averaged(settings, averages)]
    drawn = {"points": points, "verdicts": verdicts, "averages": averages}
    return Finding(settings, _tidy(settings, points, verdicts), table, text, drawn)


def make_arm(settings: MultiverseSettings) -> Arm:
    """The one arm of all populations."""
    world = make_commons(PLAYERS, observability=NOISY_STOCK)
    numbers = TwoTypes(aggressor=np.int32(0), conservative=np.int32(0), aggressors=np.int32(0))
    params = make_levels_params(world, settings.levels, policy=numbers)
    players = LevelsPolicy(policy=make_quadratic(world, np.zeros(4)), tune=mix_two_types)
    return Arm(LevelsWorld(world), params=params, policy=players)


def _judged(settings: MultiverseSettings, rows: Mapping[str, np.ndarray], populations: int) -> list[Verdict]:
    """The verdict of each population; the rows come point by point."""
    size = settings.worlds
    verdicts = []
    for place in range(populations):
        mine = slice(place * size, (place + 1) * size)
        chosen = {name: values[mine] for name, values in rows.items() if name.endswith("]")}
        figures = (by_level(chosen, name) for name in ("welfare", "gini", "survival"))
        verdicts.append(judge(settings.levels, *figures))
    return verdicts


def _tidy(settings: MultiverseSettings, points: list[dict[str, Any]], verdicts: list[Verdict]) -> dict[str, np.ndarray]:
    """One row a population and level."""
    size = len(settings.levels)
    made = {name: np.repeat(np.asarray([point[name] for point in points]), size) for name in points[0]}
    made["noise"] = np.tile(np.asarray(settings.levels), len(points))
    for name in ("welfare", "gini", "survival", "gain", "low", "high"):
        column = {"low": "gain_low", "high": "gain_high"}.get(name, name)
        made[column] = np.concatenate([getattr(verdict, name) for verdict in verdicts])
    for name in verdicts[0].outcomes:
        made[f"outcome_{name}"] = np.repeat(np.asarray([verdict.outcomes[name] for verdict in verdicts]), size)
    return made


def _text(settings: MultiverseSettings, verdicts: list[Verdict], table: list[dict[str, Any]]) -> list[str]:
    whole_claim = sum(verdict.outcomes["everything"] for verdict in verdicts)
    lively = sum(verdict.lively for verdict in verdicts)
    return [
        f"{len(verdicts):,} populations, {settings.worlds} seeds each at {len(settings.levels)} levels of noise, "
        f"growth after the harvest. Significant: a paired 95 % interval beyond 0. Livelier: welfare without noise of "
        f"at least {LIVELY}; {lively:,} are.",
        f"Aggressors: {', '.join(settings.aggressors)} (max always asks for all it may; pulse from a stock on; racer "
        f"for all above a reserve). Conservatives: {', '.join(settings.conservatives)} (1/n of the surplus over half "
        "the capacity, of the growth, of 0.8 of the largest yield, of that yield above half the capacity, of a share "
        "that rests there; they know r). Which seven and five is a choice, and the rates are of these.",
        "'Earlier': figures of an earlier study of the same rules, with another seven and five that are not on record "
        "in full, and 1,000 seeds. The populations are not the same, so the columns need not agree; with fewer seeds "
        "fewer gains are significant.",
        f"The whole claim holds in {whole_claim:,} of {len(verdicts):,} populations. It is no property of the commons, "
        "and a population chosen because it shows the pattern says nothing about the others.",
    ]


def _central(settings: MultiverseSettings, points: list[dict[str, Any]], verdicts: list[Verdict]) -> list[str]:
    if CENTRAL not in points:
        return []
    verdict = verdicts[points.index(CENTRAL)]
    some, full = settings.levels.index(0.4), settings.levels.index(1.0)
    return [
        "The middle of the grid, 3 pulse and 3 conservative players, cap 0.1, r 0.4: best at "
        f"{settings.levels[verdict.best]:g} (gain {verdict.gain[verdict.best]:+.4f}); welfare "
        f"{verdict.welfare[0]:.3f} without noise, {verdict.welfare[some]:.3f} at 0.4, {verdict.welfare[full]:.3f} at "
        f"1, where {verdict.survival[full]:.0%} of the commons live. Earlier, with 10,000 seeds: best at 0.1 "
        "(+0.0254), 0.887, 0.824, 0.311, 12 %."
    ]


def _averaged(settings: MultiverseSettings, averages: list[dict[str, Any]]) -> list[str]:
    if not averages:
        return []
    ranges = ", ".join(f"{path.split('.')[1]} {low:g} to {high:g}" for path, (low, high) in RANGES.items())
    text = [
        f"On average over {settings.environments} random environments ({ranges}), {settings.environment_worlds} seeds "
        "each, intervals over environments:"
    ]
    for row in averages:
        text.append(
            f"  {row['mix']}: best noise {row['best noise']:g}; welfare {said(row['welfare, none'])}, at 0.4 "
            f"{said(row['at 0.4'])}, at 1 {said(row['at 1'])}; Gini at 0.4 {said(row['Gini at 0.4'])}; "
            f"{row['environments that gain']:.0%} of environments gain at 0.4, "
            f"{row['environments that lose']:.0%} lose."
        )
    none = sum(row["best noise"] == 0 for row in averages)
    text.append(
        f"No noise is best in {none} of {len(averages)} mixes. Earlier, with 10,000 environments and other mixes: in "
        "six of six, welfare at 0.4 lower by 0.04 to 0.17, Gini lower with aggressors and higher without."
    )
    return text
