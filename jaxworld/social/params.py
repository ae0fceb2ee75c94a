"""Traced parameters of a social world: every leaf can be swept under ``vmap``."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from jaxworld.core.checks import number, numeric_array, whole
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
        text_vectors: ``float32[text_capacity, D]``, grid vectors of authored texts, None if there is no room for any.
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
    text_vectors: jax.Array | None
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


def _scaled(field: str, value: float, unit: int) -> Any:
    return np.int32(round(number(field, value, 0, 1) * unit))


def make_params(
    config: SocialConfig,
    population: Population,
    *,
    study_vectors: np.ndarray | None = None,
    text_vectors: np.ndarray | None = None,
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
        text_vectors: ``[text_capacity, D]`` grid vectors of authored texts; default: zeros, which resemble nothing.
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
    most, widest, most_told = config.max_budget, config.max_window, config.max_peers_told
    budget = whole("budget", most if budget is None else budget, 1, most, f"use from 1 to max_budget = {most}")
    window = max(budget, min(3 * budget, widest)) if window is None else window
    peers_told = min(2, config.max_peers_told) if peers_told is None else peers_told
    reach = number("launch_reach", launch_reach, 0, 1)
    votes = max(65_536, 4 * config.num_personas) if max_net_votes is None else max_net_votes
    horizon = whole("horizon", horizon, 1, OPEN_HORIZON)
    counts: dict[str, int] = {
        "budget": budget,
        "window": whole("window", window, budget, widest, f"use from budget = {budget} to max_window = {widest}"),
        "peers_told": whole("peers_told", peers_told, 0, most_told, f"use at most max_peers_told = {most_told}"),
        "launch_count": round(reach * int(np.asarray(population.present).sum())),
        "survey_every": whole("survey_every", survey_every, 1, OPEN_HORIZON),
        "horizon": horizon,
    }
    fractions: dict[str, Any] = {
        "activation_rate": np.float32(number("activation_rate", activation_rate, 0, 1)),
        "epsilon": np.float32(number("epsilon", epsilon, 0, 1)),
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
        "text_vectors": _text_vectors(config, text_vectors),
        "vote_table": vote_table(whole("max_net_votes", votes, 1, 2**24)),
        "rhythm": _rhythm(config, rhythm),
        "interventions": _interventions(config, interventions, intervention_effects or {}, horizon),
    }
    whole_numbers: dict[str, Any] = {name: np.int32(value) for name, value in counts.items()}
    return SocialParams(**tables, **whole_numbers, **fractions)


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
        # Padding rows must not move the study's own vectors.
        profile = np.asarray(population.profile, dtype=np.float64)[np.asarray(population.present)]
        rows = np.linspace(0, profile.shape[0] - 1, config.num_claims + 2, dtype=int)[1:-1]
        given = quantize_unit_vectors(np.concatenate([profile.mean(axis=0, keepdims=True), profile[rows]]))
    vectors = numeric_array("study_vectors", given).astype(np.float32)
    require(vectors.shape == shape, "study_vectors", vectors.shape, f"the shape must be {shape}")
    return vectors


def _text_vectors(config: SocialConfig, given: np.ndarray | None) -> np.ndarray | None:
    shape = (config.text_capacity, config.vector_dimensions)
    if given is None:
        return np.zeros(shape, np.float32) if config.text_capacity else None
    vectors = numeric_array("text_vectors", given).astype(np.float32)
    require(vectors.shape == shape, "text_vectors", vectors.shape, f"the shape must be {shape}: set text_capacity")
    return vectors if config.text_capacity else None


def _rhythm(config: SocialConfig, given: np.ndarray | None) -> np.ndarray:
    default = RHYTHMS[TickUnit[config.tick_unit.upper()]]
    curve = default if given is None else numeric_array("rhythm", given).astype(np.float32)
    require(
        curve.shape == default.shape,
        "rhythm",
        curve.shape,
        f"the {config.tick_unit} unit has {default.shape[0]} values",
    )
    require(bool((curve >= 0).all()), "rhythm", curve.tolist(), "use values of 0 or more")
    return curve


def _interventions(config: SocialConfig, rows: Any, effects: Any, horizon: int) -> Interventions:
    kinds = [kind.name.lower() for kind in InterventionKind]
    names = ("activation", "reach", "attention")
    require(
        isinstance(rows, tuple | list) and len(rows) == config.num_interventions,
        "interventions",
        rows,
        f"give num_interventions = {config.num_interventions} rows of (tick, kind) or (tick, kind, duration)",
    )
    schedule = np.full((config.num_interventions, 3), -1, dtype=np.int32)
    for index, row in enumerate(rows):
        field = f"interventions[{index}]"
        shaped = isinstance(row, tuple | list) and len(row) in (2, 3)
        require(shaped, field, row, "use (tick, kind) or (tick, kind, duration)")
        tick, kind, duration = (*row, 1) if len(row) == 2 else row
        require(kind in kinds, f"{field}.kind", kind, f"use one of {', '.join(kinds)}")
        tick = whole(f"{field}.tick", tick, 0, horizon - 1, f"use a tick below the horizon of {horizon}")
        # The end of an act is a tick too, and must not leave int32.
        duration = whole(f"{field}.duration", duration, 1, OPEN_HORIZON)
        schedule[index] = tick, duration, kinds.index(kind)
    return _with_effects(schedule, effects, kinds, names)


def _with_effects(schedule: np.ndarray, effects: Any, kinds: list[str], names: tuple[str, ...]) -> Interventions:
    table = np.zeros((len(kinds), len(names)), dtype=np.int32)
    require(isinstance(effects, dict), "intervention_effects", effects, "use {kind: {effect: number}}")
    for kind, values in effects.items():
        field = f"intervention_effects.{kind}"
        require(kind in kinds, "intervention_effects", kind, f"use one of {', '.join(kinds)}")
        require(isinstance(values, dict), field, values, "use {effect: number}")
        for name, value in values.items():
            require(name in names, field, name, f"use one of {', '.join(names)}")
            table[kinds.index(kind), names.index(name)] = round(number(f"{field}.{name}", value, -1, 1) * SHARE_UNIT)
    columns: dict[str, Any] = dict(zip(("tick", "duration", "kind", *names), (*schedule.T, *table.T), strict=True))
    return Interventions(**columns)
