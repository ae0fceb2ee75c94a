"""Who lives in a world: personas with what is private to them, ties and communities."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from jaxworld.core.checks import number
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.records import fields
from jaxworld.social.records.canonical import canonical_hash
from jaxworld.social.records.fields import put
from jaxworld.social.records.record import FrozenDict, Record, freeze
from jaxworld.social.vocabulary import TIE_UNIT

_GRID_TOLERANCE = 1e-6


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Persona(Record):
    """One person; nothing of it but its id is ever shown to others.

    Attributes:
        persona_id: ``p-…``.
        conditioning: what its agent is told about it, any plain data.
        attributes: by name; a world that embeds texts makes its profile from them.
    """

    persona_id: str
    conditioning: Mapping[str, Any] = FrozenDict()
    attributes: Mapping[str, Any] = FrozenDict()

    def __post_init__(self) -> None:
        fields.persona("Persona.persona_id", self.persona_id)
        for name in ("conditioning", "attributes"):
            put(self, name, freeze(fields.mapping(f"Persona.{name}", getattr(self, name))))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Edge(Record):
    """A tie between two personas.

    Attributes:
        u, v: persona ids.
        weight: its strength, a positive multiple of 1/1,000 up to 1.
    """

    u: str
    v: str
    weight: float

    def __post_init__(self) -> None:
        fields.persona("Edge.u", self.u)
        fields.persona("Edge.v", self.v)
        require(self.u != self.v, "Edge.v", self.v, "nobody is tied to itself")
        put(self, "weight", number("Edge.weight", self.weight, 1 / TIE_UNIT, 1))
        steps = self.weight * TIE_UNIT
        require(
            abs(steps - round(steps)) < _GRID_TOLERANCE, "Edge.weight", self.weight, f"use a multiple of 1/{TIE_UNIT:,}"
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Graph(Record):
    """The ties of a population.

    Attributes:
        edges: each undirected tie once.
    """

    edges: tuple[Edge, ...] = ()

    def __post_init__(self) -> None:
        put(self, "edges", fields.items("Graph.edges", Edge, self.edges))
        fields.distinct("Graph.edges", [tuple(sorted((edge.u, edge.v))) for edge in self.edges], "a tie")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Community(Record):
    """A group of personas.

    Attributes:
        community_id: its name.
        member_ids: persona ids, at least one.
    """

    community_id: str
    member_ids: tuple[str, ...]

    def __post_init__(self) -> None:
        fields.text("Community.community_id", self.community_id)
        put(self, "member_ids", fields.strings("Community.member_ids", self.member_ids))
        require(len(self.member_ids) > 0, "Community.member_ids", self.member_ids, "name one member or more")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PopulationManifest(Record):
    """What a header says about a population.

    Attributes:
        population_hash: SHA-256 (hex) of the population's canonical text.
        persona_ids: sorted and distinct.
    """

    population_hash: str
    persona_ids: tuple[str, ...]

    def __post_init__(self) -> None:
        fields.text("PopulationManifest.population_hash", self.population_hash)
        ids = fields.strings("PopulationManifest.persona_ids", self.persona_ids)
        for entry in ids:
            fields.persona("PopulationManifest.persona_ids", entry)
        fields.distinct("PopulationManifest.persona_ids", ids, "a persona id")
        require(len(ids) > 0, "PopulationManifest.persona_ids", ids, "name one persona or more")
        put(self, "persona_ids", tuple(sorted(ids)))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Population(Record):
    """Everybody. The order in which anybody or anything is given leaves no trace: all is sorted here.

    Attributes:
        personas: at least one.
        graph: their ties.
        communities: a partition of the personas, or empty.
    """

    personas: tuple[Persona, ...]
    graph: Graph = Graph()
    communities: tuple[Community, ...] = ()

    def __post_init__(self) -> None:
        personas = fields.items("Population.personas", Persona, self.personas)
        require(len(personas) > 0, "Population.personas", personas, "give one persona or more")
        put(self, "personas", tuple(sorted(personas, key=lambda persona: persona.persona_id)))
        fields.distinct("Population.personas", self.persona_ids, "a persona id")
        known = set(self.persona_ids)
        graph = fields.one("Population.graph", Graph, self.graph)
        for edge in graph.edges:
            for end in (edge.u, edge.v):
                require(end in known, "Population.graph.edges", end, "there is no such persona")
        put(self, "graph", Graph(edges=tuple(sorted(map(_directed, graph.edges), key=lambda edge: (edge.u, edge.v)))))
        self._check_communities(known)

    def _check_communities(self, known: set[str]) -> None:
        communities = fields.items("Population.communities", Community, self.communities)
        ordered = [
            Community(community_id=entry.community_id, member_ids=tuple(sorted(entry.member_ids)))
            for entry in communities
        ]
        put(self, "communities", tuple(sorted(ordered, key=lambda entry: entry.community_id)))
        fields.distinct("Population.communities", [entry.community_id for entry in communities], "a community id")
        members = [member for entry in communities for member in entry.member_ids]
        fields.distinct("Population.communities.member_ids", members, "a member")
        for member in members:
            require(member in known, "Population.communities.member_ids", member, "there is no such persona")
        missing = sorted(known.difference(members)) if communities else []
        if missing:
            raise ConfigurationError("Population.communities", missing, "they have no community: give everybody one")

    @property
    def persona_ids(self) -> tuple[str, ...]:
        """All ids, sorted."""
        return tuple(persona.persona_id for persona in self.personas)

    @property
    def manifest(self) -> PopulationManifest:
        """What a header says about it."""
        return PopulationManifest(population_hash=canonical_hash(self), persona_ids=self.persona_ids)

    @classmethod
    def of_strangers(cls, persona_ids: Sequence[str]) -> Population:
        """Personas without attributes, ties or communities."""
        return cls(personas=tuple(Persona(persona_id=entry) for entry in persona_ids))


def _directed(edge: Edge) -> Edge:
    return edge if edge.u < edge.v else Edge(u=edge.v, v=edge.u, weight=edge.weight)
