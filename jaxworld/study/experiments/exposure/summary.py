"""From integer counts to the figures of an exposure study, in float64 on the host."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.metrics import host, mean_interval, paired_difference
from jaxworld.study.experiments.exposure.settings import ExposureSettings
from jaxworld.study.memory import GIB, memory_budget

METRICS = {
    "gini": "Gini coefficient of exposures over stimuli",
    "top_1_percent_share": "share of exposures on the top 1 % of stimuli",
    "top_1_share": "share of exposures on the most shown stimulus",
    "effective_number": "effective number of stimuli (inverse Herfindahl)",
    "coverage": "share of stimuli shown at least once",
    "mean_reach": "mean share of personas that a stimulus reached",
    "drops_per_persona_tick": "drops per persona and tick",
}
"""Names and meanings. All but the last are of the whole run up to a tick; drops are of the tick alone."""

BASELINE, PER_TICK = "random", "drops_per_persona_tick"
_MEASURED_AT_ONCE = 2**22
"""Entries whose exact sums are taken at once: some 300 MB of scratch."""
_ROW_BYTES, _WORLD_BYTES = 260, 120
"""Host memory of a row of the table and of a world's summary, concatenation included."""
GRID = np.linspace(0.0, 1.0, 101)


@dataclasses.dataclass(frozen=True)
class ExposureResult:
    """What an exposure study found.

    Attributes:
        settings: what was asked.
        rows: tidy columns, one row a recommender x world x tick; empty if a sink took them.
        summary: per recommender and metric ``mean``, ``low``, ``high`` (95 % over worlds) at the last tick (drops: mean
            over ticks), and ``difference_to_random`` paired over worlds.
        lorenz: per recommender ``(share of stimuli, mean, low, high)`` share of exposures at the last tick.
        curves: per recommender and metric ``(tick, mean, low, high)``.
        timing: per recommender ``compile_s`` and ``run_s``.
        population_report: how the population was made.
        notes: anything a reader should know.
    """

    settings: ExposureSettings
    rows: dict[str, np.ndarray]
    summary: dict[str, dict[str, dict[str, Any]]]
    lorenz: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]
    curves: dict[str, dict[str, tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]]
    timing: dict[str, dict[str, float]]
    population_report: dict[str, Any]
    notes: tuple[str, ...]


def measure(counts: Any, people: int) -> dict[str, np.ndarray]:
    """Metrics and plain counts ``[W, T]`` of an ``ExposureTick`` with leaves ``[W, T, ...]`` on the host.

    Worlds are taken a few at a time, since exact sums need several copies of what they sum.
    """
    num_worlds, num_ticks, size = counts.exposures.shape
    step = max(1, _MEASURED_AT_ONCE // max(num_ticks * size, 1))
    parts = [_measure(some_worlds(counts, slice(first, first + step)), people) for first in range(0, num_worlds, step)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _measure(counts: Any, people: int) -> dict[str, np.ndarray]:
    exposures, candidates = counts.exposures, counts.candidates
    mask = np.arange(exposures.shape[-1]) < candidates[..., None]
    viewers = np.where(mask, counts.reach, 0).sum(axis=-1, dtype=np.int64)
    return {
        "gini": host.gini(exposures, mask=mask),
        "top_1_percent_share": host.top_share(exposures, mask=mask, fraction=0.01),
        "top_1_share": host.top_share(exposures, mask=mask, count=1),
        "effective_number": host.effective_number(exposures, mask=mask),
        "coverage": host.coverage(exposures, mask=mask),
        "mean_reach": viewers / (np.maximum(candidates, 1) * float(people)),
        "drops_per_persona_tick": counts.drops / float(people),
        "exposures": exposures.sum(axis=-1, dtype=np.int64),
        "stimuli": candidates,
        "active": counts.active,
    }


def some_worlds(counts: Any, part: slice) -> Any:
    """Some worlds of a dataclass of NumPy arrays."""
    return dataclasses.replace(
        counts, **{field.name: getattr(counts, field.name)[part] for field in dataclasses.fields(counts)}
    )


def tidy_rows(
    name: str, measured: dict[str, np.ndarray], seeds: np.ndarray, first_world: int, ticks_before: int, size: int
) -> dict[str, np.ndarray]:
    """One row a world x tick of one recommender."""
    num_worlds, num_ticks = measured["gini"].shape
    rows = num_worlds * num_ticks
    return {
        "recommender": np.full(rows, name, dtype=object),
        "world": np.repeat(np.arange(first_world, first_world + num_worlds, dtype=np.int32), num_ticks),
        "seed": np.repeat(seeds, num_ticks),
        "tick": np.tile(np.arange(ticks_before + 1, ticks_before + num_ticks + 1, dtype=np.int32), num_worlds),
        "population_size": np.full(rows, size, dtype=np.int32),
        **{column: values.reshape(-1) for column, values in measured.items()},
    }


class RowCollector:
    """Keeps the rows of a study in memory, if nobody else takes them.

    Raises:
        ConfigurationError: if they would take more memory than the run may use.
    """

    def __init__(self, settings: ExposureSettings, *, keep: bool) -> None:
        self._parts: list[dict[str, np.ndarray]] = []
        rows = settings.worlds * settings.ticks * len(settings.recommenders)
        kept = (rows * _ROW_BYTES if keep else 0) + settings.worlds * len(settings.recommenders) * _WORLD_BYTES
        budget = memory_budget(settings.max_memory)
        require(
            kept <= budget,
            "worlds",
            settings.worlds,
            f"results need {kept / GIB:.1f} GiB on the host, {budget / GIB:.1f} GiB may be used: run fewer at a time",
        )

    def add(self, rows: dict[str, np.ndarray]) -> None:
        """Take a part of the table."""
        self._parts.append(rows)

    def columns(self) -> dict[str, np.ndarray]:
        """The whole table; empty if the rows went elsewhere."""
        if not self._parts:
            return {}
        return {name: np.concatenate([part[name] for part in self._parts]) for name in self._parts[0]}


class _Moments:
    """Mean and interval of many rows, added in their order, so that chunks leave no trace in the last bits."""

    def __init__(self, width: int) -> None:
        self._count = 0
        self._origin = np.zeros(width)
        self._sums = np.zeros((2, width))

    def add(self, rows: np.ndarray) -> None:
        """Take rows ``[n, width]``."""
        if self._count == 0:
            self._origin = rows[0].astype(np.float64)
        shifted = rows - self._origin
        for sums, values in zip(self._sums, (shifted, shifted**2), strict=True):
            # A cumulative sum adds row by row; a plain sum would pair them up by how many there are.
            sums[:] = np.cumsum(np.concatenate([sums[None], values]), axis=0)[-1]
        self._count += len(rows)

    def interval(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean and the ends of its 95 % interval, ``[width]`` each."""
        from scipy.special import stdtrit

        count = self._count
        mean = self._sums[0] / count
        if count < 2:
            return (self._origin + mean,) * 3
        variance = np.maximum(self._sums[1] - count * mean**2, 0) / (count - 1)
        half = float(stdtrit(count - 1, 0.975)) * np.sqrt(variance / count)
        centre = self._origin + mean
        return centre, centre - half, centre + half


class ArmSummary:
    """One recommender's figures, gathered chunk by chunk."""

    def __init__(self, settings: ExposureSettings) -> None:
        self._num_ticks = settings.ticks
        self._finals = {metric: np.zeros(settings.worlds) for metric in METRICS}
        self._curves = {metric: [_Moments(1) for _ in range(settings.ticks)] for metric in METRICS}
        self._lorenz = _Moments(GRID.shape[0])

    def add(self, measured: dict[str, np.ndarray], first_world: int, ticks_before: int) -> None:
        """Take metrics ``[W, T]`` of a chunk."""
        num_worlds, num_ticks = measured["gini"].shape
        worlds = slice(first_world, first_world + num_worlds)
        for metric in METRICS:
            values = measured[metric]
            if metric == PER_TICK:
                # Tick by tick, so that it does not matter how ticks were cut into calls.
                for tick in range(num_ticks):
                    self._finals[metric][worlds] += values[:, tick]
                if ticks_before + num_ticks == self._num_ticks:
                    self._finals[metric][worlds] /= self._num_ticks
            else:
                self._finals[metric][worlds] = values[:, -1]
            for tick in range(num_ticks):
                self._curves[metric][ticks_before + tick].add(values[:, tick : tick + 1])

    def add_lorenz(self, exposures: np.ndarray, candidates: np.ndarray) -> None:
        """Take Lorenz curves of the last tick: ``int32[W, S]`` and ``int32[W]``."""
        self._lorenz.add(lorenz_on_grid(exposures, candidates))

    def finals(self) -> dict[str, np.ndarray]:
        """Each metric of each world at the last tick (drops: mean over ticks), ``float64[W]``."""
        return self._finals

    def lorenz_band(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """``(share of stimuli, mean, low, high)``."""
        return (GRID, *self._lorenz.interval())

    def curves(self) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Per metric ``(tick, mean, low, high)``."""
        ticks = np.arange(1, self._num_ticks + 1)
        made = {}
        for metric, moments in self._curves.items():
            bands = np.array([moment.interval() for moment in moments])[:, :, 0]
            made[metric] = (ticks, bands[:, 0], bands[:, 1], bands[:, 2])
        return made


def lorenz_on_grid(exposures: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Lorenz curves ``float64[W, 101]`` of ``int32[W, S]`` on an even grid of stimulus shares."""
    curves = np.empty((exposures.shape[0], GRID.shape[0]))
    for world, (row, count) in enumerate(zip(exposures, candidates, strict=True)):
        share, held = host.lorenz_curve(row[:count])
        curves[world] = np.interp(GRID, share, held)
    return curves


def summarise(arms: dict[str, ArmSummary]) -> dict[str, dict[str, dict[str, Any]]]:
    """Means with 95 % intervals over worlds, and paired differences to random where it was run."""
    finals = {name: arm.finals() for name, arm in arms.items()}
    summary: dict[str, dict[str, dict[str, Any]]] = {}
    for name, metrics in finals.items():
        summary[name] = {}
        for metric, values in metrics.items():
            entry: dict[str, Any] = _interval(mean_interval(values))
            if BASELINE in finals and name != BASELINE:
                entry["difference_to_random"] = _interval(paired_difference(values, finals[BASELINE][metric]))
            summary[name][metric] = entry
    return summary


def _interval(interval: Any) -> dict[str, float]:
    return {"mean": float(interval.mean), "low": float(interval.low), "high": float(interval.high)}
