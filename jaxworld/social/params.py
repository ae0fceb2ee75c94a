"""Traced parameters of a social world: every leaf can be swept under ``vmap``."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.social.config import SocialConfig
from jaxworld.social.hot_score import vote_table
from jaxworld.social.population import Population
from jaxworld.social.vocabulary import (
    ATTENTION_UNIT,
    RHYTHMS,
    SENTIMENT_UNIT,
    SHARE_UNIT,
    TIE_UNIT,
    InterventionKind,
    TickUnit,
)

OPEN_HORIZON = 2**30
"""Default horizon: longer than any run."""


@pytree_dataclass
class Interventions:
    """Scheduled acts and what each kind does while it lasts; effects of several add up. All effects default to 0.

    Attributes:
        tick: ``int32[I]``, first tick of each scheduled act; -1 for an unused row.
        duration: ``int32[I]``, ticks it lasts.
        kind: ``int32[I]``, an ``InterventionKind``.
        activation: ``int32[3]`` by kind, added to every activation probability, in 1/10,000.
        reach: ``int32[3]`` by kind, extra share of awake personas who get the concept in their first slot, in 1/10,000.
        attention: ``int32[3]`` by kind, added to the attention of study stimuli that are noticed, in 1/10,000.
    """

    tick: jax.Array
    duration: jax.Array
    kind: jax.Array
    activation: jax.Array
    reach: jax.Array
    attention: jax.Array


@pytree_dataclass
class SocialParams:
    """Parameters of one world.

    Attributes:
        population: the people; shared by all worlds of a study (leave it out of ``vmap``'s axes).
        tie_source: ``int32[M]``, the persona each tie entry belongs to.
        study_vectors: ``float32[1 + C, D]``, grid vectors of the concept and the claims.
        vote_table: ``int32[V + 1]``, see ``hot_score``.
        rhythm: ``float32[P]``, share awake at each tick of the unit's period.
        activation_rate: ``float32[]`` in [0, 1], thins activation; lower rates keep subsets.
        budget: ``int32[]``, exposures per persona, channel and tick, at most ``max_budget``.
        window: ``int32[]``, ranked candidates, from ``budget`` to ``max_window``.
        last_slot_attention: ``int32[]`` in 1/10,000.
        attention_floor: ``int32[]`` in 1/10,000: anything less is not noticed.
        epsilon: ``float32[]`` in [0, 1], share of slots a mixture takes from its second recommender.
        sentiment_threshold: ``int32[]`` in 1e-6, reaction strength that sparks word of mouth (inclusive).
        tie_threshold: ``int32[]`` in 1/1,000, tie strength word of mouth needs (inclusive).
        peers_told: ``int32[]``, peers a teller tells in a tick, at most ``max_peers_told``.
        launch_count: ``int32[]``, personas told by the study at tick 0 where word of mouth is the only channel.
        survey_every: ``int32[]``, ticks between survey waves.
        horizon: ``int32[]``, ticks of the study; the last tick has a wave and ends the world.
        interventions: the schedule.
    """

    population: Population
    tie_source: jax.Array
    study_vectors: jax.Array
    vote_table: jax.Array
    rhythm: jax.Array
    activation_rate: jax.Array
    budget: jax.Array
    window: jax.Array
    last_slot_attention: jax.Array
    attention_floor: jax.Array
    epsilon: jax.Array
    sentiment_threshold: jax.Array
    tie_threshold: jax.Array
    peers_told: jax.Array
    launch_count: jax.Array
    survey_every: jax.Array
    horizon: jax.Array
    interventions: Interventions


def _scaled(field: str, value: float, unit: int, high: float = 1.0) -> Any:
    require(bool(np.isfinite(value)) and 0 <= value <= high, field, value, f"use a number from 0 to {high:g}")
    return np.int32(round(value * unit))


def _count(field: str, value: int, low: int, high: int, remedy: str) -> Any:
    require(int(value) == value and low <= value <= high, field, value, remedy)
    return np.int32(value)


def make_params(
    config: SocialConfig,
    population: Population,
    *,
    study_vectors: np.ndarray | None = None,
    rhythm: np.ndarray | None = None,
    activation_rate: float = 1.0,
    budget: int | None = None,
    window: int | None = None,
    last_slot_attention: float = 0.5,
    attention_floor: float = 0.0,
    epsilon: float = 0.1,
    sentiment_threshold: float = 0.6,
    tie_threshold: float = 0.3,
    peers_told: int | None = None,
    launch_reach: float = 0.10,
    survey_every: int = 1,
    horizon: int = OPEN_HORIZON,
    interventions: tuple[tuple[int, str], ...] = (),
    intervention_effects: dict[str, dict[str, float]] | None = None,
    max_net_votes: int | None = None,
) -> SocialParams:
    """Build and check the parameters of a world.

    Args:
        config: static configuration; ``population`` must have its sizes.
        population: people, as NumPy or JAX arrays.
        study_vectors: ``[1 + C, D]`` grid vectors of concept and claims; default: the concept points at the mean
            profile, the claims at fixed personas' profiles.
        rhythm: share awake per tick of the period; default: the unit's own curve.
        activation_rate: share of activations kept, 0 to 1.
        budget: default and maximum ``config.max_budget``.
        window: default three budgets, at most ``config.max_window``.
        last_slot_attention: attention of the last of several shown stimuli, 0 to 1.
        attention_floor: attention below which nothing is noticed, 0 to 1.
        epsilon: for mixtures, 0 to 1.
        sentiment_threshold: 0 to 1. tie_threshold: 0 to 1. peers_told: default 2.
        launch_reach: share of present personas launched at tick 0 (word of mouth alone), 0 to 1.
        survey_every: ticks between waves. horizon: ticks of the study.
        interventions: ``(tick, kind)`` or ``(tick, kind, duration)`` rows, as many as ``config.num_interventions``.
        intervention_effects: per kind, any of ``activation``, ``reach``, ``attention`` in -1..1.
        max_net_votes: size of the vote table; default 65,536 or four votes a persona.

    Raises:
        ConfigurationError: naming the field.
    """
    _check_population(config, population)
    budget = config.max_budget if budget is None else budget
    window = max(budget, min(3 * budget, config.max_window)) if window is None else window
    peers_told = min(2, config.max_peers_told) if peers_told is None else peers_told
    require(bool(np.isfinite(epsilon)) and 0 <= epsilon <= 1, "epsilon", epsilon, "use a number from 0 to 1")
    require(
        bool(np.isfinite(activation_rate)) and 0 <= activation_rate <= 1,
        "activation_rate",
        activation_rate,
        "use a number from 0 to 1",
    )
    present = int(np.asarray(population.present).sum())
    require(0 <= launch_reach <= 1, "launch_reach", launch_reach, "use a share from 0 to 1")
    votes = max(65_536, 4 * config.num_personas) if max_net_votes is None else max_net_votes
    counts: dict[str, Any] = {
        "budget": _count("budget", budget, 1, config.max_budget, f"use from 1 to max_budget = {config.max_budget}"),
        "window": _count(
            "window",
            window,
            budget,
            config.max_window,
            f"use from budget = {budget} to max_window = {config.max_window}",
        ),
        "peers_told": _count(
            "peers_told",
            peers_told,
            0,
            config.max_peers_told,
            f"use at most max_peers_told = {config.max_peers_told}",
        ),
        "launch_count": np.int32(round(launch_reach * present)),
        "survey_every": _count("survey_every", survey_every, 1, 2**30, "use 1 or more ticks"),
        "horizon": _count("horizon", horizon, 1, OPEN_HORIZON, "use from 1 tick to 2**30"),
    }
    fractions: dict[str, Any] = {
        "activation_rate": np.float32(activation_rate),
        "epsilon": np.float32(epsilon),
        "last_slot_attention": _scaled("last_slot_attention", last_slot_attention, ATTENTION_UNIT),
        "attention_floor": _scaled("attention_floor", attention_floor, ATTENTION_UNIT),
        "sentiment_threshold": _scaled("sentiment_threshold", sentiment_threshold, SENTIMENT_UNIT),
        "tie_threshold": _scaled("tie_threshold", tie_threshold, TIE_UNIT),
    }
    tables: dict[str, Any] = {
        "population": population,
        "tie_source": np.repeat(
            np.arange(config.num_personas, dtype=np.int32), np.diff(np.asarray(population.row_offsets))
        ),
        "study_vectors": _study_vectors(config, population, study_vectors),
        "vote_table": vote_table(int(_count("max_net_votes", votes, 1, 2**24, "use from 1 to 16,777,216"))),
        "rhythm": _rhythm(config, rhythm),
        "interventions": _interventions(config, interventions, intervention_effects or {}, horizon),
    }
    return SocialParams(**tables, **counts, **fractions)


def _check_population(config: SocialConfig, population: Population) -> None:
    actual = {
        "num_personas": population.identity.shape[0],
        "num_ties": population.neighbor.shape[0],
        "num_follows": population.follows.shape[0],
        "vector_dimensions": population.profile.shape[1],
    }
    for field, value in actual.items():
        require(getattr(config, field) == value, field, getattr(config, field), f"the population has {value}")
    involvement = np.asarray(population.involvement)
    require(
        bool(np.isfinite(involvement).all() and (involvement >= 0).all()),
        "involvement",
        involvement[~(np.isfinite(involvement) & (involvement >= 0))][:1].tolist(),
        "every persona needs a finite number of 0 or more",
    )


def _study_vectors(config: SocialConfig, population: Population, given: np.ndarray | None) -> np.ndarray:
    from jaxworld.social.population import quantize_unit_vectors

    shape = (config.num_study, config.vector_dimensions)
    if given is None:
        profile = np.asarray(population.profile, dtype=np.float64)
        rows = np.linspace(0, profile.shape[0] - 1, config.num_claims + 2, dtype=int)[1:-1]
        given = quantize_unit_vectors(np.concatenate([profile.mean(axis=0, keepdims=True), profile[rows]]))
    given = np.asarray(given, dtype=np.float32)
    require(given.shape == shape, "study_vectors", given.shape, f"the shape must be {shape}")
    require(bool(np.isfinite(given).all()), "study_vectors", "NaN or infinity", "use finite grid vectors")
    return given


def _rhythm(config: SocialConfig, given: np.ndarray | None) -> np.ndarray:
    default = RHYTHMS[TickUnit[config.tick_unit.upper()]]
    curve = default if given is None else np.asarray(given, dtype=np.float32)
    require(
        curve.shape == default.shape,
        "rhythm",
        curve.shape,
        f"the {config.tick_unit} unit has {default.shape[0]} values",
    )
    require(
        bool(np.isfinite(curve).all() and (curve >= 0).all()),
        "rhythm",
        curve.tolist(),
        "use finite values of 0 or more",
    )
    return curve


def _interventions(
    config: SocialConfig, rows: tuple[Any, ...], effects: dict[str, dict[str, float]], horizon: int
) -> Interventions:
    kinds = [kind.name.lower() for kind in InterventionKind]
    require(
        len(rows) == config.num_interventions,
        "interventions",
        rows,
        f"the configuration has num_interventions = {config.num_interventions}",
    )
    schedule = np.full((config.num_interventions, 3), -1, dtype=np.int32)
    for index, row in enumerate(rows):
        tick, kind, duration = (*row, 1) if len(row) == 2 else row
        require(kind in kinds, f"interventions[{index}].kind", kind, f"use one of {', '.join(kinds)}")
        require(0 <= tick < horizon, f"interventions[{index}].tick", tick, f"use a tick below the horizon of {horizon}")
        require(duration >= 1, f"interventions[{index}].duration", duration, "use 1 tick or more")
        schedule[index] = tick, duration, kinds.index(kind)
    table = np.zeros((len(kinds), 3), dtype=np.int32)
    names = ("activation", "reach", "attention")
    for kind, values in effects.items():
        require(kind in kinds, "intervention_effects", kind, f"use one of {', '.join(kinds)}")
        for name, value in values.items():
            require(name in names, f"intervention_effects.{kind}", name, f"use one of {', '.join(names)}")
            require(-1 <= value <= 1, f"intervention_effects.{kind}.{name}", value, "use a number from -1 to 1")
            table[kinds.index(kind), names.index(name)] = round(value * SHARE_UNIT)
    columns: dict[str, Any] = dict(zip(("tick", "duration", "kind", *names), (*schedule.T, *table.T), strict=True))
    return Interventions(**columns)
