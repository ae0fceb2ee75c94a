"""One string for any population, as the command line takes it."""

from __future__ import annotations

import dataclasses
import difflib
from pathlib import Path
from typing import Literal

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.population.csv_folder import from_csv_folder
from jaxworld.social.population.gates import GATED_SIZE
from jaxworld.social.population.generate import attach_tastes, generate_population
from jaxworld.social.population.networks import NAMED_NETWORKS, named_network
from jaxworld.social.population.report import BuiltPopulation

GENERATED = ("generated", "clustered", "communities")


def population_names() -> tuple[str, ...]:
    """Every name :func:`load_population` knows, besides paths of folders."""
    return (*GENERATED, *sorted(NAMED_NETWORKS))


def load_population(
    spec: str, *, num_personas: int | None = None, seed: int = 0, taste_dimensions: int = 16
) -> BuiltPopulation:
    """Build the population a name or a path stands for.

    ``generated`` is :func:`generate_population` as it comes; ``communities`` plants communities; ``clustered`` also
    gathers tastes by community. The gates apply from :data:`GATED_SIZE` personas on. Named networks and folders have
    a size of their own, and made-up profile vectors under the seed; the report says so.

    Args:
        spec: one of :func:`population_names`, or the path of a folder for :func:`from_csv_folder`.
        num_personas: size of generated populations (default 1000).
        seed: seed of everything that is made up.
        taste_dimensions: D of the profile vectors, 0 for none.

    Raises:
        ConfigurationError: if there is no such name or folder; it lists the nearest names.
    """
    if spec in GENERATED:
        size = 1000 if num_personas is None else num_personas
        gated = size >= GATED_SIZE
        if spec == "generated":
            return generate_population(size, seed=seed, taste_dimensions=taste_dimensions, check_gates=gated)
        clusters: Literal["community", 0] = "community" if spec == "clustered" else 0
        return generate_population(
            size,
            seed=seed,
            communities="planted",
            taste_clusters=clusters,
            taste_dimensions=taste_dimensions,
            check_gates=gated,
        )
    if spec in NAMED_NETWORKS:
        built = named_network(spec)
    elif Path(spec).is_dir():
        built = from_csv_folder(spec)
    else:
        raise _unknown(spec)
    size = built.population.num_personas
    if num_personas not in (None, size):
        note = f"num_personas = {num_personas} not used: {spec} has {size} personas"
        built = dataclasses.replace(built, report=dataclasses.replace(built.report, notes=(*built.report.notes, note)))
    return attach_tastes(built, dimensions=taste_dimensions, seed=seed) if taste_dimensions else built


def _unknown(spec: str) -> ConfigurationError:
    if "/" in spec or "\\" in spec or spec.startswith("."):
        return ConfigurationError("population", spec, "there is no such folder")
    nearest = difflib.get_close_matches(spec, population_names(), n=3, cutoff=0.4) or population_names()
    return ConfigurationError("population", spec, f"use {', '.join(nearest)}, or the path of a folder")
