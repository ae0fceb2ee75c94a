"""From records to the kernel's configuration and parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.social import population as people
from jaxworld.social.build import configure
from jaxworld.social.config import EPSILON_SEPARATOR, SocialConfig
from jaxworld.social.params import SocialParams, make_params
from jaxworld.social.recommenders.registry import get_recommender, recommender_names
from jaxworld.social.records.config import WorldConfig
from jaxworld.social.records.header import PartitionHeader
from jaxworld.social.records.kinds import Channel
from jaxworld.social.records.population import Population
from jaxworld.social.records.scenario import DEFAULT_LAUNCH_REACH, Scenario
from jaxworld.social.vocabulary import RHYTHMS, TIE_UNIT, TickUnit

_NAMES = {Channel.SOCIAL_FEED: "feed", Channel.FORUM: "forum", Channel.WOM: "wom"}
WINDOWS = 3
"""Budgets in a window by default."""


def channels_of(scenario: Scenario, config: WorldConfig) -> tuple[str, ...]:
    """The channels that are on, in the kernel's words and order."""
    chosen = scenario.channels if config.channels is None else config.channels
    return tuple(name for channel, name in _NAMES.items() if channel in chosen)


def ranks_by_vectors(scenario: Scenario, config: WorldConfig) -> bool:
    """The feed is on and its recommender compares vectors."""
    if "feed" not in channels_of(scenario, config):
        return False
    known = recommender_names()
    names = [name for name in config.feed_recsys_mode.split(EPSILON_SEPARATOR) if name in known]
    return any("vectors" in get_recommender(name).needs for name in names)


def population_arrays(population: Population, config: WorldConfig, profiles: np.ndarray | None) -> people.Population:
    """The people as arrays; ``profiles`` are real vectors ``[N, D]`` in the order of sorted ids."""
    ids = population.persona_ids
    index = {name: position for position, name in enumerate(ids)}
    involvement = np.full(len(ids), config.involvement_default)
    for name, value in config.involvement:
        require(name in index, "WorldConfig.involvement", name, "there is no such persona")
        involvement[index[name]] = value
    community = None
    if population.communities:
        community = np.zeros(len(ids), np.int64)
        for number, group in enumerate(population.communities):
            community[[index[name] for name in group.member_ids]] = number
    edges = population.graph.edges
    return people.make_population(
        ids,
        ties=[(index[edge.u], index[edge.v]) for edge in edges] if edges else None,
        strengths=[round(edge.weight * TIE_UNIT) for edge in edges] if edges else TIE_UNIT,
        involvement=involvement,
        community=community,
        vectors=profiles,
    )


def build_kernel(
    header: PartitionHeader,
    population: Population,
    config: WorldConfig,
    profiles: np.ndarray | None,
    study_vectors: np.ndarray | None,
) -> tuple[SocialConfig, SocialParams]:
    """Configuration and parameters of the kernel.

    Args:
        header, population, config: records.
        profiles: real vectors ``[N, D]``, None if nothing is ranked by vectors.
        study_vectors: grid vectors ``[1 + C, D]``, likewise.

    Raises:
        ConfigurationError: naming what does not fit, such as a recommender without the signal it ranks by.
    """
    scenario = header.scenario
    arrays = population_arrays(population, config, profiles)
    budget = min(scenario.exposure_budget, config.exposure_budget or scenario.exposure_budget)
    window = max(budget, config.candidate_window or WINDOWS * budget)
    num_claims = len(header.pack.brief.claims)
    capacity = max(config.stimulus_capacity, 1 + num_claims)
    acts = tuple((act.tick, act.kind.value) for act in scenario.interventions)
    made = configure(
        arrays,
        channels=channels_of(scenario, config),
        survey=True,
        tick_unit=scenario.tick_unit.value,
        feed_recommender=config.feed_recsys_mode,
        forum_preset=config.forum_preset,
        forum_recommender=config.forum_recsys_mode,
        num_claims=num_claims,
        max_budget=budget,
        max_window=window,
        stimulus_capacity=capacity,
        text_capacity=capacity if profiles is not None else 0,
        max_peers_told=max(config.wom_cap_per_tick, 1),
        num_interventions=len(acts),
    )
    reach = DEFAULT_LAUNCH_REACH if scenario.launch_reach is None else scenario.launch_reach
    params = make_params(
        made,
        arrays,
        study_vectors=study_vectors,
        rhythm=_constant_rhythm(config, scenario),
        activation_rate=config.activation_rate,
        window=window,
        last_slot_attention=config.last_slot_attention,
        attention_floor=config.attention_floor,
        sentiment_threshold=config.wom_sentiment_threshold,
        tie_threshold=config.wom_tie_threshold,
        peers_told=config.wom_cap_per_tick,
        launch_reach=reach,
        survey_every=scenario.survey_every,
        horizon=scenario.horizon_ticks,
        interventions=acts,
    )
    return made, params


def _constant_rhythm(config: WorldConfig, scenario: Scenario) -> Any:
    for unit, value in config.rhythm:
        if unit == scenario.tick_unit:
            return np.full(RHYTHMS[TickUnit[unit.name]].shape, value)
    return None
