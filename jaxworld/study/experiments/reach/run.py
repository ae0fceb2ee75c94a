"""Running a reach study: a search under each recommender, then every policy under every recommender."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import CapacityError
from jaxworld.metrics.intervals import Interval, mean_interval, paired_difference
from jaxworld.social import SocialWorld, make_policy, make_social
from jaxworld.social.policies import PROBABILITY_UNIT
from jaxworld.study.experiments.reach.effort import COSTS, EffortCodec, even_split
from jaxworld.study.experiments.reach.reducer import ReachReducer, reach
from jaxworld.study.experiments.reach.settings import REFERENCE, ReachSettings
from jaxworld.study.search.array_policies import stack
from jaxworld.study.search.choose import make_strategy
from jaxworld.study.search.evaluate import Evaluator, RolloutObjective, held_out_seeds
from jaxworld.study.search.run import SearchResult, search
from jaxworld.study.search.settings import SearchProgress, SearchSettings

EVEN = "even split"


@dataclasses.dataclass(frozen=True)
class ReachResult:
    """What a reach study found.

    Attributes:
        settings: what was asked for.
        summary: for each recommender: ``split`` of the effort found, and intervals of ``even`` (reach of the even
            split), ``found`` (of the policy found here), ``gain`` (their paired difference), ``found_under_random``
            and ``gain_under_random`` (the same two policies under the random recommender), ``given`` (what of the
            gain is not there under random: the recommender's gift) and ``advantage`` (the policy's reach here above
            its reach under random). ``given_share`` is ``given / gain``, null where the gain's interval holds 0.
        rows: one row a policy, recommender and held-out world.
        policies: the candidates found, by recommender.
        matrix: ``float64[1 + R, S]``: mean reach of the even split and each found policy under each recommender.
        policy_names, recommender_names: the matrix's rows and columns.
        searches: by recommender.
    """

    settings: ReachSettings
    summary: dict[str, Any]
    rows: dict[str, np.ndarray]
    policies: dict[str, Any]
    matrix: np.ndarray
    policy_names: tuple[str, ...]
    recommender_names: tuple[str, ...]
    searches: dict[str, SearchResult]


def run_reach(
    settings: ReachSettings,
    *,
    progress: Callable[[str, SearchProgress], None] | None = None,
    folder: str | Path | None = None,
) -> ReachResult:
    """Search under each recommender, then compare all policies under all recommenders on the same held-out worlds.

    Args:
        settings: what to run.
        progress: called with the recommender and where its search stands.
        folder: keeps a checkpoint for each recommender.

    Raises:
        CapacityError: if a buffer of some held-out world was too small.
    """
    strategy = make_strategy(
        settings.strategy, settings.population_size, sigma=settings.sigma, learning_rate=settings.learning_rate
    )
    budget = SearchSettings(
        generations=settings.generations,
        worlds=settings.worlds,
        held_out_worlds=settings.held_out_worlds,
        held_out_every=max(1, settings.generations // 8),
        seed=settings.seed,
        held_out_seed=settings.seed,
    )
    names = tuple(dict.fromkeys((*settings.recommenders, REFERENCE)))
    objectives = {name: make_objective(settings, name) for name in names}
    searches: dict[str, SearchResult] = {}
    for name in settings.recommenders:
        told = None if progress is None else _tell(progress, name)
        place = None if folder is None else Path(folder) / name
        searches[name] = search(objectives[name], even_split(), strategy, budget, folder=place, progress=told)
    candidates = {EVEN: even_split(), **{name: found.candidate for name, found in searches.items()}}
    seeds = held_out_seeds(settings.seed, settings.held_out_worlds)
    # [policy, world] under each recommender; all pairs meet the same worlds.
    population = stack(list(candidates.values()))
    scores = {name: Evaluator(objectives[name]).scores(population, seeds).astype(np.float64) for name in names}
    if not all(np.isfinite(table).all() for table in scores.values()):
        raise CapacityError("a world had more posts than it could hold: use fewer personas, ticks or less effort")
    return ReachResult(
        settings=settings,
        summary={
            name: {"split": _split(candidates[name]), **_compare(scores, name, number + 1)}
            for number, name in enumerate(settings.recommenders)
        },
        rows=_rows(scores, tuple(candidates), seeds),
        policies={name: found.candidate for name, found in searches.items()},
        matrix=np.stack([scores[name].mean(axis=1) for name in names], axis=1),
        policy_names=tuple(candidates),
        recommender_names=names,
        searches=searches,
    )


def make_objective(settings: ReachSettings, recommender: str) -> RolloutObjective:
    """Reach of the creators' policy under one recommender."""
    world = _make_world(settings, recommender)
    params = world.default_params()
    chosen = np.random.default_rng(settings.seed).choice(settings.personas, settings.creators, replace=False)
    creator = np.zeros(settings.personas, bool)
    creator[chosen] = True
    codec = EffortCodec(
        policy=make_policy(world.config, params),
        creator=jnp.asarray(creator),
        effort=jnp.asarray(settings.effort, jnp.float32),
    )
    return RolloutObjective(
        world=world,
        num_steps=settings.ticks,
        score=reach,
        reducer=ReachReducer(creator=jnp.asarray(creator)),
        params=params,
        codec=codec,
    )


def _make_world(settings: ReachSettings, recommender: str) -> SocialWorld:
    """A feed with room for all the audience is expected to write, and for a text of every creator at every tick."""
    options: dict[str, Any] = {
        "num_personas": settings.personas,
        "seed": settings.seed,
        "channels": ("feed",),
        "feed_recommender": recommender,
        "max_budget": settings.slots,
    }
    probe = make_social(**options)
    traits = make_policy(probe.config, probe.default_params()).traits
    per_tick = float((np.asarray(traits.post, np.float64) + np.asarray(traits.reply)).sum()) / PROBABILITY_UNIT
    expected = settings.ticks * per_tick
    room = probe.config.num_study + expected + 8 * np.sqrt(expected) + settings.ticks * settings.creators + 16
    return make_social(**options, stimulus_capacity=int(-(-room // 64) * 64))


def _compare(scores: Mapping[str, np.ndarray], name: str, found: int) -> dict[str, Any]:
    """Figures of one recommender; row 0 is the even split, row ``found`` the policy found here."""
    here, there = scores[name], scores[REFERENCE]
    gain, gain_there = here[found] - here[0], there[found] - there[0]
    bands = {
        "even": mean_interval(here[0]),
        "found": mean_interval(here[found]),
        "gain": paired_difference(here[found], here[0]),
        "found_under_random": mean_interval(there[found]),
        "gain_under_random": paired_difference(there[found], there[0]),
        "given": paired_difference(gain, gain_there),
        "advantage": paired_difference(here[found], there[found]),
    }
    certain = float(bands["gain"].low) > 0
    share = float(bands["given"].mean / bands["gain"].mean) if certain else None
    return {**{part: _plain(band) for part, band in bands.items()}, "given_share": share}


def _plain(band: Interval) -> dict[str, float]:
    return {end: float(getattr(band, end)) for end in ("mean", "low", "high")}


def _split(candidate: dict[str, Any]) -> dict[str, float]:
    weights = np.exp(np.asarray(candidate["split"], np.float64))
    return dict(zip(COSTS, (weights / weights.sum()).tolist(), strict=True))


def _rows(scores: Mapping[str, np.ndarray], policies: tuple[str, ...], seeds: np.ndarray) -> dict[str, np.ndarray]:
    each = len(policies) * len(seeds)
    return {
        "recommender": np.repeat(list(scores), each),
        "policy": np.tile(np.repeat(list(policies), len(seeds)), len(scores)),
        "world": np.tile(np.arange(len(seeds), dtype=np.int32), len(scores) * len(policies)),
        "seed_of_world": np.tile(seeds, len(scores) * len(policies)),
        "reach": np.concatenate([table.reshape(-1) for table in scores.values()]),
    }


def _tell(progress: Callable[[str, SearchProgress], None], name: str) -> Callable[[SearchProgress], None]:
    return lambda event: progress(name, event)
