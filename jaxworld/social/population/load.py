"""One string for any population, as the command line takes it."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Literal

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.population.activity import ActivityFormula
from jaxworld.social.population.csv_folder import from_csv_folder
from jaxworld.social.population.embedding import Embedder, attach_text_vectors, resolve_embedder
from jaxworld.social.population.follow_lists import OnSelfFollow
from jaxworld.social.population.gates import GATED_SIZE
from jaxworld.social.population.generate import attach_tastes, generate_population
from jaxworld.social.population.made_up_ties import MissingTies
from jaxworld.social.population.networks import NAMED_NETWORKS, named_network
from jaxworld.social.population.oasis_csv import from_oasis_csv
from jaxworld.social.population.persona_json import population_from_personas
from jaxworld.social.population.reddit_json import DEFAULT_TEXT, population_from_users
from jaxworld.social.population.report import BuiltPopulation
from jaxworld.social.population.text_file import read_json

GENERATED = ("generated", "clustered", "communities")


def population_names() -> tuple[str, ...]:
    """Every name :func:`load_population` knows, besides paths."""
    return (*GENERATED, *sorted(NAMED_NETWORKS))


def load_population(
    spec: str | Path,
    *,
    num_personas: int | None = None,
    seed: int = 0,
    taste_dimensions: int = 16,
    embed: Embedder | str | None = "hashing",
    cache: str | Path | None = None,
    activity: ActivityFormula | None = None,
    on_self_follow: OnSelfFollow = "report",
    missing_ties: MissingTies = "generated",
) -> BuiltPopulation:
    """Build the population a name or a path stands for.

    ``generated`` is :func:`generate_population` as it comes; ``communities`` plants communities; ``clustered`` also
    gathers tastes by community. The gates apply from :data:`GATED_SIZE` personas on. A path is a folder for
    :func:`from_csv_folder`, a ``.csv`` file for :func:`from_oasis_csv`, or a ``.json`` file: a list is read as by
    :func:`from_reddit_json`, an object as by :func:`from_persona_json`.

    Named networks and paths have a size of their own. Where personas have texts, their profile vectors embed them;
    otherwise the vectors are made up under the seed. The report says which.

    Args:
        spec: one of :func:`population_names`, or a path.
        num_personas: size of generated populations (default 1000).
        seed: seed of everything that is made up.
        taste_dimensions: D of made-up profile vectors, 0 for none.
        embed: what turns texts into vectors: ``"hashing"``, ``"minilm"``, a function from texts to ``float32[n, D]``,
            or None to make vectors up.
        cache: folder that keeps the vectors of ``"minilm"``.
        activity: what activity counts mean, see :func:`hourly_activity`; each source has a default.
        on_self_follow: ``"report"`` leaves out personas that follow themselves and says so, ``"refuse"`` raises.
        missing_ties: for JSON files without ties: ``"generated"`` or ``"none"``.

    Raises:
        ConfigurationError: if there is no such name or path (it lists the nearest names), or a file is malformed (it
            names file, row and field).
        MissingExtraError: if the embedder needs a package that is not installed.
    """
    resolve_embedder(embed, cache)
    name = str(spec)
    if name in GENERATED:
        return _generated(name, num_personas, seed, taste_dimensions)
    if name in NAMED_NETWORKS:
        built = named_network(name)
    else:
        built = _from_path(Path(spec), seed, activity, on_self_follow, missing_ties)
    size = built.population.num_personas
    if num_personas not in (None, size):
        built = built.with_notes(f"num_personas = {num_personas} not used: {name} has {size} personas")
    if built.texts and embed is not None and embed != "none":
        return attach_text_vectors(built, embed, cache=cache)
    return attach_tastes(built, dimensions=taste_dimensions, seed=seed) if taste_dimensions else built


def _generated(name: str, num_personas: int | None, seed: int, taste_dimensions: int) -> BuiltPopulation:
    size = 1000 if num_personas is None else num_personas
    gated = size >= GATED_SIZE
    if name == "generated":
        return generate_population(size, seed=seed, taste_dimensions=taste_dimensions, check_gates=gated)
    clusters: Literal["community", 0] = "community" if name == "clustered" else 0
    return generate_population(
        size,
        seed=seed,
        communities="planted",
        taste_clusters=clusters,
        taste_dimensions=taste_dimensions,
        check_gates=gated,
    )


def _from_path(
    path: Path, seed: int, activity: ActivityFormula | None, on_self_follow: OnSelfFollow, missing_ties: MissingTies
) -> BuiltPopulation:
    if path.is_dir():
        return from_csv_folder(path, on_self_follow=on_self_follow, activity=activity or "own_peak")
    if not path.is_file():
        raise _unknown(str(path))
    if path.suffix.lower() == ".csv":
        return from_oasis_csv(path, on_self_follow=on_self_follow, activity=activity or "global_peak")
    if path.suffix.lower() == ".json":
        content = read_json(path)
        if isinstance(content, list):
            return population_from_users(path.name, content, DEFAULT_TEXT, missing_ties, seed)
        return population_from_personas(path.name, content, on_self_follow, activity or "own_peak", missing_ties, seed)
    raise ConfigurationError("population", str(path), "give a folder, a .csv file or a .json file")


def _unknown(spec: str) -> ConfigurationError:
    if "/" in spec or "\\" in spec or spec.startswith(".") or spec.lower().endswith((".csv", ".json")):
        return ConfigurationError("population", spec, "there is no such folder or file")
    nearest = difflib.get_close_matches(spec, population_names(), n=3, cutoff=0.4) or population_names()
    return ConfigurationError("population", spec, f"use {', '.join(nearest)}, or the path of a folder or file")
