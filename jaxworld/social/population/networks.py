"""Populations from networkx graphs, and the real social networks that networkx ships."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.population.arrays import canonical_order, make_population
from jaxworld.social.population.checks import STRONGEST_TIE
from jaxworld.social.population.communities import number_by_smallest_member
from jaxworld.social.population.measures import measure_graph
from jaxworld.social.population.optional import import_networkx
from jaxworld.social.population.report import BuiltPopulation, PopulationReport, counted, listed


@dataclasses.dataclass(frozen=True)
class NamedNetwork:
    """A graph that networkx ships: its generator, the node attribute that is known to divide it, a remark."""

    generator: str
    community: str | None
    remark: str


NAMED_NETWORKS: dict[str, NamedNetwork] = {
    "karate_club": NamedNetwork(
        "karate_club_graph", "club", "Zachary (1977): members of a karate club, communities are the two later clubs"
    ),
    "les_miserables": NamedNetwork(
        "les_miserables_graph", None, "Knuth (1993): characters of Les Miserables, ties weighted by shared chapters"
    ),
    "florentine_families": NamedNetwork(
        "florentine_families_graph", None, "Padgett and Ansell (1993): marriages among Renaissance Florentine families"
    ),
    "davis_southern_women": NamedNetwork(
        "davis_southern_women_graph",
        None,
        "Davis, Gardner and Gardner (1941): 18 women tied to 14 events; the events are personas here too",
    ),
}


def named_network(name: str, *, involvement: Any = 1.0) -> BuiltPopulation:
    """A real network by name, with its known communities where there are any.

    Raises:
        ConfigurationError: if the name is not one of ``NAMED_NETWORKS``.
        MissingExtraError: if networkx is not installed.
    """
    require(name in NAMED_NETWORKS, "name", name, f"use one of {', '.join(sorted(NAMED_NETWORKS))}")
    networkx, entry = import_networkx(f"the network {name!r}"), NAMED_NETWORKS[name]
    graph = getattr(networkx, entry.generator)()
    built = from_networkx(graph, community=entry.community, involvement=involvement)
    report = dataclasses.replace(
        built.report,
        parameters={"source": "networkx", "network": name, **built.report.parameters},
        notes=(entry.remark, *built.report.notes),
    )
    return BuiltPopulation(built.population, report)


def from_networkx(
    graph: Any,
    *,
    weight: str = "weight",
    community: str | Mapping[Any, Any] | None = None,
    involvement: Any = 1.0,
    vectors: Any = None,
) -> BuiltPopulation:
    """A population from any networkx graph.

    Weights become tie strengths: as they are when none exceeds 1, otherwise divided by the largest; then in
    thousandths, at least 1. An edge without a weight counts 1. In a directed graph an edge u -> v means that u
    follows v; every pair with an edge in either direction is tied, and its weight is the mean of both directions,
    an absent one counting 0. Of parallel edges the heaviest is kept.

    Args:
        graph: Graph, DiGraph, MultiGraph or MultiDiGraph; ``str(node)`` is the persona id.
        weight: edge attribute with the weights.
        community: node attribute, or mapping of nodes, with any hashable label; missing or None means no community.
        involvement: see :func:`make_population`; arrays in the order of ``graph.nodes``.
        vectors: profile vectors in the order of ``graph.nodes``.

    Raises:
        ConfigurationError: if the graph is empty, ids collide, or a weight is not a positive finite number.
    """
    nodes = list(graph.nodes)
    require(len(nodes) > 0, "graph", graph, "give a graph with at least one node")
    ids = [str(node) for node in nodes]
    index = {node: row for row, node in enumerate(nodes)}
    arcs, notes = _read_edges(graph, index, weight)
    ties, weights = _tie_weights(arcs, graph.is_directed())
    strengths, scale_notes = _weights_to_strengths(weights)
    order = canonical_order(ids)
    labels = _community_labels(graph, nodes, community, order)
    follows = np.asarray(sorted(arcs), np.int64).reshape(-1, 2) if graph.is_directed() else None
    population = make_population(
        ids,
        ties=ties,
        strengths=strengths,
        involvement=involvement,
        community=labels,
        follows=follows,
        vectors=vectors,
    )
    measures = measure_graph(len(ids), ties, strengths, labels) | {"num_follows": population.num_follows}
    parameters = {"weight": weight, "directed": bool(graph.is_directed())}
    parameters["community"] = community if isinstance(community, str) or community is None else "given"
    report = PopulationReport(tuple(ids[i] for i in order), parameters, measures, (*notes, *scale_notes))
    return BuiltPopulation(population, report)


def _read_edges(graph: Any, index: dict[Any, int], weight: str) -> tuple[dict[tuple[int, int], float], list[str]]:
    """Weights by (source, target), undirected edges as (lower, higher), and notes on what was left out."""
    arcs: dict[tuple[int, int], float] = {}
    loops: list[str] = []
    parallel = 0
    for source, target, value in graph.edges(data=weight, default=1.0):
        a, b = index[source], index[target]
        if a == b:
            loops.append(str(source))
            continue
        number = _weight(value, source, target)
        pair = (a, b) if graph.is_directed() or a < b else (b, a)
        parallel += pair in arcs
        arcs[pair] = max(arcs.get(pair, 0.0), number)
    notes = []
    if loops:
        notes.append(f"{counted(len(loops), 'self-loop')} ignored: nodes {listed(loops)}")
    if parallel:
        notes.append(f"{counted(parallel, 'parallel edge')} merged into the heaviest of their pair")
    return arcs, notes


def _weight(value: Any, source: Any, target: Any) -> float:
    field = f"weight of edge {source}-{target}"
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(field, value, "use a positive finite number") from error
    require(bool(np.isfinite(number)) and number > 0, field, value, "use a positive finite number")
    return number


def _tie_weights(arcs: dict[tuple[int, int], float], directed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Undirected ties ``int64[E, 2]`` and their weights ``float64[E]``."""
    pairs: dict[tuple[int, int], float] = {}
    for (a, b), value in arcs.items():
        pair = (a, b) if a < b else (b, a)
        pairs[pair] = pairs.get(pair, 0.0) + (value / 2 if directed else value)
    ties = np.asarray(list(pairs), np.int64).reshape(-1, 2)
    return ties, np.asarray(list(pairs.values()), np.float64)


def _weights_to_strengths(weights: np.ndarray) -> tuple[np.ndarray, list[str]]:
    largest = float(weights.max(initial=0.0))
    notes = [f"weights divided by the largest, {largest:g}"] if largest > 1 else []
    scaled = np.rint(weights / max(largest, 1.0) * STRONGEST_TIE)
    if (scaled < 1).any():
        notes.append(f"{counted(int((scaled < 1).sum()), 'tie')} below 1/1000 of the scale raised to it")
    return np.clip(scaled, 1, STRONGEST_TIE).astype(np.int64), notes


def _community_labels(graph: Any, nodes: list[Any], community: Any, order: np.ndarray) -> np.ndarray:
    """Codes ``int32[N]`` in the order of ``nodes``, numbered by smallest member in canonical order."""
    if community is None:
        return np.full(len(nodes), -1, np.int32)
    found = dict(graph.nodes(data=community)) if isinstance(community, str) else dict(community)
    codes: dict[Any, int] = {}
    labels = [found.get(node) for node in nodes]
    if isinstance(community, str) and all(label is None for label in labels):
        raise ConfigurationError("community", community, "name a node attribute that the graph has")
    raw = np.asarray([-1 if label is None else codes.setdefault(label, len(codes)) for label in labels], np.int64)
    numbered = np.empty(len(nodes), np.int32)
    numbered[order] = number_by_smallest_member(raw[order])
    return numbered
