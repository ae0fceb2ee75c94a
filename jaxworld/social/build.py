"""From names and numbers to a social world, and the presets in the registry."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.config import SocialConfig
from jaxworld.social.params import make_params
from jaxworld.social.population import GATED_SIZE, Population, generate_population, load_population
from jaxworld.social.population.report import BuiltPopulation
from jaxworld.social.world import SocialWorld

_DERIVED = {
    "num_personas",
    "num_ties",
    "num_follows",
    "vector_dimensions",
    "max_degree",
    "num_interventions",
}
CONFIG_OPTIONS = tuple(field.name for field in dataclasses.fields(SocialConfig) if field.name not in _DERIVED)
PARAM_OPTIONS = tuple(
    name for name in inspect.signature(make_params).parameters if name not in ("config", "population")
)

_EARLIER = {"tick_unit": "day", "word_of_mouth_from_rejected": True, "network_first": False, "recency": False}

PRESETS: dict[str, tuple[dict[str, Any], str]] = {
    "social/feed": ({"channels": ("feed",)}, "a feed under one recommender"),
    "social/forum": ({"channels": ("forum",)}, "a forum ranked by hot score for everybody"),
    "social/community_forum": (
        {"channels": ("forum",), "forum_preset": "community_scoped"},
        "a forum scoped to communities, by agreement and recency",
    ),
    "social/word_of_mouth": ({"channels": ("wom",)}, "peers telling peers, launched by the study"),
    "social/survey_room": ({"channels": (), "survey": True}, "survey waves alone"),
    "social/everything": (
        {"channels": ("feed", "forum", "wom"), "survey": True},
        "feed, forum, word of mouth and survey waves at once",
    ),
    "social/platform_survey_room": (
        {**_EARLIER, "channels": (), "survey": True, "survey_gated": True},
        "earlier single-platform semantics: awake personas answer every tick from 1 on",
    ),
    "social/platform_feed": (
        {**_EARLIER, "channels": ("feed", "wom")},
        "earlier single-platform semantics: a feed, word of mouth always on",
    ),
    "social/platform_reddit_global": (
        {**_EARLIER, "channels": ("forum", "wom")},
        "earlier single-platform semantics: a global forum, word of mouth always on",
    ),
    "social/platform_community_scoped": (
        {**_EARLIER, "channels": ("forum", "wom"), "forum_preset": "community_scoped"},
        "earlier single-platform semantics: a scoped forum, word of mouth always on",
    ),
}
"""Registered variants: configuration and one line of description."""


def make_social(
    *,
    population: Population | BuiltPopulation | str | Path | None = None,
    num_personas: int = 1000,
    seed: int = 0,
    **options: Any,
) -> SocialWorld:
    """A social world with its default parameters.

    Args:
        population: arrays, a built population, a name or path for ``load_population``, or None for a generated
            one of ``num_personas`` personas.
        num_personas: size of a generated population.
        seed: seed of a generated population (not of a run).
        **options: fields of ``SocialConfig`` and arguments of ``make_params``.

    Raises:
        ConfigurationError: naming the option.
    """
    people = resolve_population(population, num_personas, seed)
    known = CONFIG_OPTIONS + PARAM_OPTIONS
    for name in options:
        if name not in known:
            import difflib

            nearest = difflib.get_close_matches(name, known, n=1)
            raise ConfigurationError(
                name, options[name], f"unknown option{f', did you mean {nearest[0]!r}?' if nearest else ''}"
            )
    config = configure(people, **{name: options[name] for name in CONFIG_OPTIONS if name in options},
                       num_interventions=_length(options.get("interventions", ())))  # fmt: skip
    params = make_params(config, people, **{name: options[name] for name in PARAM_OPTIONS if name in options})
    return SocialWorld(config, params)


def _length(rows: Any) -> int:
    """Number of scheduled interventions; what is no sequence is refused with the parameters."""
    return len(rows) if isinstance(rows, tuple | list) else 0


def resolve_population(population: Any, num_personas: int, seed: int) -> Population:
    """Arrays from any of the ways to name a population."""
    if isinstance(population, Population):
        return population
    if isinstance(population, BuiltPopulation):
        return population.population
    if population is None:
        return default_population(num_personas, seed)
    if isinstance(population, str | Path):
        return load_population(population, num_personas=num_personas, seed=seed).population
    raise ConfigurationError("population", population, "give Population arrays, a built population, a name or a path")


def default_population(num_personas: int, seed: int, communities: Literal["none", "planted"] = "none") -> Population:
    """A generated population that needs no optional package; gates apply from :data:`GATED_SIZE` personas on."""
    gated = isinstance(num_personas, int) and num_personas >= GATED_SIZE
    return generate_population(num_personas, seed=seed, communities=communities, check_gates=gated).population


def configure(population: Population, **options: Any) -> SocialConfig:
    """A configuration with the sizes of ``population`` and any other field of ``SocialConfig``."""
    num_personas = int(population.identity.shape[0])
    degree = np.diff(np.asarray(population.row_offsets))
    budget = options.get("max_budget", 3)
    num_follows = int(population.follows.shape[0])
    out_degree = int(np.bincount(population.follows[:, 0]).max()) if num_follows else 0
    sizes: Mapping[str, Any] = {
        "num_personas": num_personas,
        "num_ties": int(population.neighbor.shape[0]),
        "num_follows": num_follows,
        "vector_dimensions": int(population.profile.shape[1]),
        "max_degree": int(degree.max(initial=0)),
    }
    defaults = {
        "max_window": 3 * budget if isinstance(budget, int) else budget,
        "max_followees": 16 + out_degree,
        "max_publications": _room(num_personas, options.get("stimulus_capacity", 1024)),
        "max_follows": _room(num_personas, 2**24),
    }
    require(
        options.get("max_followees", defaults["max_followees"]) >= out_degree,
        "max_followees",
        options.get("max_followees"),
        f"the population has a persona with {out_degree} follows",
    )
    return SocialConfig(**{**sizes, **defaults, **options})


def _room(num_personas: int, capacity: int) -> int:
    """Rare turns of one tick: enough for a sixteenth of the personas, at least 64."""
    return min(max(64, num_personas // 16), num_personas * 4, capacity)


def make_preset(name: str) -> Any:
    """The factory behind a registered name; options override the preset."""
    preset, _ = PRESETS[name]

    def factory(*, population: Any = None, num_personas: int = 1000, seed: int = 0, **options: Any) -> SocialWorld:
        if population is None and {**preset, **options}.get("forum_preset") == "community_scoped":
            population = default_population(num_personas, seed, communities="planted")
        return make_social(population=population, num_personas=num_personas, seed=seed, **{**preset, **options})

    return factory
