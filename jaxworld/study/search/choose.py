"""Strategies by name, for settings and command lines."""

from __future__ import annotations

import optax

from jaxworld.study.search.evosax_strategy import from_evosax
from jaxworld.study.search.openai_es import OpenAIES
from jaxworld.study.search.strategies import Strategy

OWN = "openai_es"


def make_strategy(name: str, population_size: int, *, sigma: float = 0.3, learning_rate: float = 0.1) -> Strategy:
    """A strategy with sensible settings.

    Args:
        name: ``openai_es`` (ours), or the name of an evosax algorithm.
        population_size: number of candidates.
        sigma: first standard deviation of the search distribution, where the algorithm has one.
        learning_rate: of Adam on the mean, where there is one.

    Raises:
        ConfigurationError: for an unknown strategy or a population it cannot have.
        MissingExtraError: if evosax is needed and not installed.
    """
    if name == OWN:
        return OpenAIES(population_size, sigma, optax.adam(learning_rate))
    plain = from_evosax(name, population_size)
    options = {"optimizer": optax.adam(learning_rate)} if plain.accepts_option("optimizer") else {}
    if plain.accepts_option("std_schedule"):
        options["std_schedule"] = optax.constant_schedule(sigma)
    params = {"std_init": float(sigma)} if plain.has_parameter("std_init") else {}
    return from_evosax(name, population_size, params=params, **options)
