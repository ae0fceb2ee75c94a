"""Running the reference search: each kind of policy on each world, several seeds, held-out worlds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.core.registry import make
from jaxworld.metrics.intervals import mean_interval
from jaxworld.study.experiments.reference.settings import ReferenceSettings
from jaxworld.study.search.array_policies import make_array_policy
from jaxworld.study.search.choose import make_strategy
from jaxworld.study.search.evaluate import world_objective
from jaxworld.study.search.run import SearchResult, search
from jaxworld.study.search.settings import SearchProgress, SearchSettings

LAGS = {"cue on show": 0, "cue of last tick": 1}


@dataclasses.dataclass(frozen=True)
class ReferenceResult:
    """What the searches found.

    Attributes:
        settings: what was asked for.
        summary: for each arm (``policy, world``): ``optimum``, ``score`` and ``share`` of the optimum, with 95 %
            intervals over independent searches.
        rows: one row an arm, search and held-out world.
        policies: what the first search of each arm found.
        searches: every search, by arm.
    """

    settings: ReferenceSettings
    summary: dict[str, Any]
    rows: dict[str, np.ndarray]
    policies: dict[str, Any]
    searches: dict[str, list[SearchResult]]


def run_reference(
    settings: ReferenceSettings,
    *,
    progress: Callable[[str, SearchProgress], None] | None = None,
    folder: str | Path | None = None,
) -> ReferenceResult:
    """Search on the bandit worlds and compare with the closed form.

    The optimum without memory is what a policy without any can reach on the world whose cue counts a tick later.
    """
    strategy = make_strategy(
        settings.strategy, settings.population_size, sigma=settings.sigma, learning_rate=settings.learning_rate
    )
    searches: dict[str, list[SearchResult]] = {}
    summary: dict[str, Any] = {}
    for title, lag in LAGS.items():
        world = make("core/bandit", lag=lag)
        objective = world_objective(world, settings.steps)
        for kind in settings.policies:
            arm = f"{kind}, {title}"
            optimum = world.optimal_return(settings.steps, memory=kind == "recurrent")
            searches[arm] = [
                search(
                    objective,
                    make_array_policy(kind, world, seed=settings.seed + number, hidden=(settings.hidden,)),
                    strategy,
                    _search_settings(settings, number),
                    folder=None if folder is None else Path(folder) / f"{kind}-lag{lag}-{number}",
                    progress=None if progress is None else lambda event, arm=arm: progress(arm, event),  # type: ignore[misc]
                )
                for number in range(settings.seeds)
            ]
            scores = np.array([float(found.score.mean) for found in searches[arm]])
            summary[arm] = {"optimum": optimum, "score": _band(scores), "share": _band(scores / optimum)}
    return ReferenceResult(
        settings, summary, _rows(searches), {arm: found[0].policy for arm, found in searches.items()}, searches
    )


def _search_settings(settings: ReferenceSettings, number: int) -> SearchSettings:
    return SearchSettings(
        generations=settings.generations,
        worlds=settings.worlds,
        held_out_worlds=settings.held_out_worlds,
        held_out_every=max(1, settings.generations // 12),
        seed=settings.seed + number,
        held_out_seed=settings.seed + number,  # worlds of their own, so that the interval holds their luck too
    )


def _band(values: np.ndarray) -> dict[str, float]:
    mean, low, high = mean_interval(values)
    return {"mean": float(mean), "low": float(low), "high": float(high)}


def _rows(searches: dict[str, list[SearchResult]]) -> dict[str, np.ndarray]:
    parts = [(arm, number, found) for arm, several in searches.items() for number, found in enumerate(several)]
    sizes = [len(found.held_out[0]) for _, _, found in parts]
    return {
        "arm": np.repeat([arm for arm, _, _ in parts], sizes),
        "search": np.repeat(np.array([number for _, number, _ in parts], np.int32), sizes),
        "seed_of_world": np.concatenate([found.held_out[1] for _, _, found in parts]),
        "score": np.concatenate([found.held_out[0] for _, _, found in parts]),
    }
