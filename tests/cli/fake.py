"""A run of the exposure study that costs nothing: made-up but consistent results in the real types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from jaxworld.study.experiments.exposure import METRICS, ExposureProgress, ExposureResult, ExposureSettings

SIZES = {"effective_number": 40.0, "mean_reach": 12.0, "drops_per_persona_tick": 2.0}


def fake_run(
    settings: ExposureSettings,
    *,
    progress: Callable[[ExposureProgress], None] | None = None,
    sink: Callable[[dict[str, np.ndarray]], None] | None = None,
) -> ExposureResult:
    """What ``run_exposure`` would return, with numbers that grow with the recommender's place and over ticks."""
    names, total = settings.recommenders, settings.worlds * settings.ticks
    for arm, name in enumerate(names):
        if progress is not None:
            for phase, done in (("compiling", 0), ("running", total // 2), ("running", total)):
                elapsed = 1.0 + 2.0 * arm + done / total
                progress(
                    ExposureProgress(name, arm, len(names), arm * total + done, len(names) * total, phase, elapsed)
                )
    levels = {name: 0.3 + 0.55 * place / max(len(names), 2) for place, name in enumerate(names)}
    rows = _rows(settings, levels)
    if sink is not None:
        sink(rows)
    return ExposureResult(
        settings=settings,
        rows={} if sink else rows,
        summary={name: _summary(name, levels) for name in names},
        lorenz={name: _lorenz(level) for name, level in levels.items()},
        curves={
            name: {metric: _curve(settings, metric, level) for metric in METRICS} for name, level in levels.items()
        },
        timing={name: {"compile_s": 1.5, "run_s": 0.5} for name in names},
        population_report={"persona_ids": [str(number) for number in range(settings.personas)]},
        notes=("a made-up note",),
    )


def _rows(settings: ExposureSettings, levels: dict[str, float]) -> dict[str, np.ndarray]:
    each = settings.worlds * settings.ticks
    size = each * len(levels)
    world = np.tile(np.repeat(np.arange(settings.worlds, dtype=np.int32), settings.ticks), len(levels))
    level = np.repeat(list(levels.values()), each)
    rows = {
        "recommender": np.repeat(list(levels), each),
        "world": world,
        "seed": np.uint64(2**63) + world.astype(np.uint64),
        "tick": np.tile(np.arange(settings.ticks, dtype=np.int32), settings.worlds * len(levels)),
        **{metric: level * SIZES.get(metric, 1.0) for metric in METRICS},
        "population_size": np.full(size, settings.personas, np.int32),
        **{name: np.arange(size, dtype=np.int32) for name in ("exposures", "stimuli", "active")},
    }
    rows["gini"] = np.where(rows["tick"] == 0, np.nan, rows["gini"])
    return rows


def _interval(mean: float, half: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - half, "high": mean + half}


def _summary(name: str, levels: dict[str, float]) -> dict[str, Any]:
    level = levels[name]
    summary: dict[str, Any] = {metric: dict(_interval(level * SIZES.get(metric, 1.0), 0.0123)) for metric in METRICS}
    if name != "random" and "random" in levels:
        for metric, value in summary.items():
            value["difference_to_random"] = _interval((level - levels["random"]) * SIZES.get(metric, 1.0), 0.04)
    return summary


def _lorenz(level: float) -> tuple[np.ndarray, ...]:
    share = np.linspace(0, 1, 101)
    mean = share ** ((1 + level) / (1 - level))
    return share, mean, mean * (1 - 0.1 * (1 - share)), np.minimum(mean * (1 + 0.1 * (1 - share)), 1)


def _curve(settings: ExposureSettings, metric: str, level: float) -> tuple[np.ndarray, ...]:
    ticks = np.arange(settings.ticks)
    mean = level * SIZES.get(metric, 1.0) * (1 - 0.8 * np.exp(-ticks / 8))
    mean[0] = np.nan
    return ticks, mean, mean - 0.02, mean + 0.02
