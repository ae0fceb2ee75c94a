"""The generated population that everything uses by default."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.pytree import replace
from jaxworld.social.population.arrays import canonical_order, make_population
from jaxworld.social.population.attributes import Attribute, AttributeTable, synthetic_attributes, tie_strengths
from jaxworld.social.population.communities import detect_communities
from jaxworld.social.population.gates import GateThresholds
from jaxworld.social.population.gates import check_gates as apply_gates
from jaxworld.social.population.graph import SMALLEST_GRAPH, GraphSettings, generated_ties
from jaxworld.social.population.host_random import named_generator
from jaxworld.social.population.measures import measure_graph
from jaxworld.social.population.planted import planted_communities, planted_ties
from jaxworld.social.population.report import BuiltPopulation, PopulationReport
from jaxworld.social.population.tastes import taste_vectors
from jaxworld.social.population.vectors import quantize_unit_vectors

DETECT_UP_TO = 5000
"""``communities="auto"`` looks for communities up to this many personas."""
SPREAD_INVOLVEMENT = (2.0, 2.0)
"""Parameters of the Beta distribution behind ``involvement="spread"``: mean 0.5, standard deviation 0.22."""

CommunityMode = Literal["auto", "detect", "planted", "none"]


def persona_names(num_personas: int) -> list[str]:
    """``p-000001``, ``p-000002``, ... with more digits where N needs them."""
    digits = max(6, len(str(num_personas)))
    return [f"p-{number:0{digits}d}" for number in range(1, num_personas + 1)]


def drawn_involvement(num_personas: int, involvement: Any, seed: int) -> np.ndarray:
    """Involvement ``float64[N]``: ``"spread"`` for Beta(2, 2), ``("beta", a, b)``, one number, or an array."""
    if isinstance(involvement, str) and involvement == "spread":
        involvement = ("beta", *SPREAD_INVOLVEMENT)
    if isinstance(involvement, str) or (isinstance(involvement, tuple) and involvement[:1] == ("beta",)):
        remedy = "use 'spread', ('beta', a, b) with a and b above 0, one number or one for each persona"
        usable = isinstance(involvement, tuple) and len(involvement) == 3 and min(involvement[1:]) > 0
        require(usable, "involvement", involvement, remedy)
        generator = named_generator(seed, "population/involvement")
        return np.asarray(generator.beta(float(involvement[1]), float(involvement[2]), num_personas))
    return np.broadcast_to(np.asarray(involvement, np.float64), (num_personas,))


def generate_population(
    num_personas: int,
    *,
    seed: int = 0,
    persona_ids: Sequence[str] | None = None,
    attributes: Sequence[Attribute] | None = None,
    homophily_strength: float = 0.3,
    ring_degree: int = 4,
    hub_attachment: int = 2,
    communities: CommunityMode = "auto",
    num_communities: int = 5,
    community_sizes: Sequence[int] | None = None,
    mixing: float = 0.1,
    taste_dimensions: int = 16,
    taste_clusters: int | Literal["community"] = 0,
    taste_spread: float = 0.5,
    involvement: Any = "spread",
    check_gates: bool = True,
    thresholds: GateThresholds | None = None,
) -> BuiltPopulation:
    """Make up a population: attributes, ties, communities, tastes, involvement.

    The result depends on the seed, the parameters, and the set of personas, not on the order in which they are given.
    There are no follows; ``followers`` is the degree.

    Args:
        num_personas: N, at least 3.
        seed: 0 to 2**64 - 1.
        persona_ids: N ids of your own (default ``p-000001``...).
        attributes: attributes of your own in the order of ``persona_ids``, the most relevant first; one named
            ``audience`` has its mixing checked. By default :func:`synthetic_attributes`.
        homophily_strength: like ``ring_degree`` and ``hub_attachment`` explained at :class:`GraphSettings`.
        ring_degree: even.
        hub_attachment: less than N.
        communities: ``"detect"`` them in the ties, ``"planted"`` (ties then keep to them), ``"none"``, or ``"auto"``:
            detect up to 5,000 personas, none beyond.
        num_communities: how many to plant.
        community_sizes: sizes to plant instead of equal ones.
        mixing: share of ties led across planted communities.
        taste_dimensions: D of the profile vectors, 0 for none.
        taste_clusters: number of taste clusters, 0 for none, ``"community"`` for one in each community.
        taste_spread: see :func:`taste_vectors`.
        involvement: ``"spread"`` (Beta(2, 2)), ``("beta", a, b)``, one number, or one for each of ``persona_ids``.
        check_gates: refuse graphs that fail ``thresholds``.
        thresholds: limits other than the usual.

    Raises:
        ConfigurationError: for unusable parameters, or a graph that fails a gate.
        MissingExtraError: if communities are to be detected without networkx.
    """
    parameters = {name: value for name, value in locals().items() if name not in ("persona_ids", "attributes")}
    ids, order = _ordered_ids(persona_ids, num_personas)
    table = _ordered_attributes(attributes, order, seed)
    planted = None
    if communities == "planted":
        planted = planted_communities(num_personas, num_communities=num_communities, sizes=community_sizes, seed=seed)
    settings = GraphSettings(homophily_strength, ring_degree, hub_attachment)
    ties = _ties(planted, table, settings, seed, mixing, num_personas)
    strengths = tie_strengths(table, ties)
    community, notes = _communities(communities, planted, num_personas, ties, strengths, seed)
    measures = measure_graph(num_personas, ties, strengths, community, table)
    if check_gates:
        apply_gates(measures, thresholds)
    clusters, by_community = _taste_groups(taste_clusters, community)
    population = make_population(
        ids,
        ties=ties,
        strengths=strengths,
        involvement=_ordered_involvement(involvement, order, seed),
        community=community,
        vectors=taste_vectors(num_personas, taste_dimensions, clusters, taste_spread, seed, by_community),
    )
    return BuiltPopulation(population, PopulationReport(tuple(ids), _plain(parameters), measures, notes))


def _ordered_ids(persona_ids: Sequence[str] | None, num: int) -> tuple[list[str], np.ndarray]:
    """Ids in canonical order and the permutation that brought them there."""
    require(num >= SMALLEST_GRAPH, "num_personas", num, "a generated graph needs at least 3 personas")
    ids = persona_names(num) if persona_ids is None else list(persona_ids)
    require(len(ids) == num, "persona_ids", len(ids), f"give as many as num_personas ({num})")
    order = canonical_order(ids)
    return [ids[i] for i in order], order


def _taste_groups(taste_clusters: int | str, community: np.ndarray) -> tuple[int, np.ndarray | None]:
    if isinstance(taste_clusters, str):
        known = taste_clusters == "community"
        require(known, "taste_clusters", taste_clusters, "use 'community', 0 for none, or the number of clusters")
        return 0, community
    return taste_clusters, None


def _ties(
    planted: np.ndarray | None, table: AttributeTable, settings: GraphSettings, seed: int, mixing: float, num: int
) -> np.ndarray:
    if planted is None:
        return generated_ties(num, table, settings, seed=seed)
    return planted_ties(planted, table, settings, seed=seed, mixing=mixing)


def _ordered_attributes(attributes: Sequence[Attribute] | None, order: np.ndarray, seed: int) -> AttributeTable:
    if attributes is None:
        return synthetic_attributes(len(order), seed=seed)
    for column in attributes:
        shape = column.values.shape
        require(shape == order.shape, f"attribute {column.name}", shape, f"give one value for each of {len(order)}")
    return tuple(column.take(order) for column in attributes)


def _ordered_involvement(involvement: Any, order: np.ndarray, seed: int) -> np.ndarray:
    given = isinstance(involvement, (np.ndarray, list)) and np.ndim(involvement) == 1
    if given:
        fits = np.shape(involvement) == order.shape
        require(fits, "involvement", np.shape(involvement), f"give one number, or {len(order)}")
        return np.asarray(np.asarray(involvement, np.float64)[order])
    return drawn_involvement(len(order), involvement, seed)


def _communities(
    mode: str, planted: np.ndarray | None, num: int, ties: np.ndarray, strengths: np.ndarray, seed: int
) -> tuple[np.ndarray, tuple[str, ...]]:
    if planted is not None:
        return planted, ()
    if mode == "none":
        return np.full(num, -1, np.int32), ()
    if mode == "auto" and num > DETECT_UP_TO:
        note = f"communities not looked for with more than {DETECT_UP_TO} personas (communities='detect' does)"
        return np.full(num, -1, np.int32), (note,)
    if mode not in ("auto", "detect"):
        raise ConfigurationError("communities", mode, "use 'auto', 'detect', 'planted' or 'none'")
    detected = detect_communities(num, ties, strengths, seed=seed)
    return detected.community, (detected.note,)


def _plain(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters as JSON values; long arrays by their mean."""
    plain = dict(parameters)
    if isinstance(plain["involvement"], (np.ndarray, list)):
        plain["involvement"] = {"given": len(plain["involvement"]), "mean": float(np.mean(plain["involvement"]))}
    if plain["thresholds"] is not None:
        plain["thresholds"] = vars(plain["thresholds"])
    if plain["community_sizes"] is not None:
        plain["community_sizes"] = [int(size) for size in plain["community_sizes"]]
    return plain


def attach_tastes(built: BuiltPopulation, *, dimensions: int = 16, clusters: int = 0, seed: int = 0) -> BuiltPopulation:
    """Give a population without profile vectors made-up ones, and say so in its report.

    Tastes gather by community where the population has communities and ``clusters`` is 0.
    """
    population = built.population
    community = np.asarray(population.community)
    by_community = community if clusters == 0 and (community >= 0).any() else None
    vectors = taste_vectors(population.num_personas, dimensions, clusters, 0.5, seed, by_community)
    kind = "gathered by community" if by_community is not None else f"{clusters} clusters" if clusters else "isotropic"
    note = f"profile vectors are made up: {dimensions} dimensions, {kind}, seed {seed}"
    attached = dataclasses.replace(built, population=replace(population, profile=quantize_unit_vectors(vectors)))
    return attached.with_notes(note)
