"""What identifies a world: the pack, the people, the scenario and the replicate."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from jaxworld.core.checks import whole
from jaxworld.core.errors import require
from jaxworld.social.records import fields, identity
from jaxworld.social.records.canonical import canonical_hash
from jaxworld.social.records.fields import put
from jaxworld.social.records.population import PopulationManifest
from jaxworld.social.records.record import FrozenDict, Record, freeze
from jaxworld.social.records.scenario import Scenario

CONTRACT_VERSION = "1"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Product(Record):
    """What the study is about.

    Attributes:
        description: the text of the concept.
        name: for people.
    """

    description: str
    name: str = ""

    def __post_init__(self) -> None:
        fields.text("Product.description", self.description)
        require(isinstance(self.name, str), "Product.name", self.name, "use a string")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Record):
    """What the study says about it.

    Attributes:
        id: names the claim.
        text: of the claim post.
    """

    id: str
    text: str

    def __post_init__(self) -> None:
        fields.text("Claim.id", self.id)
        fields.text("Claim.text", self.text)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Brief(Record):
    """The product and the claims, in the order in which they are published.

    Attributes:
        product: what the concept describes.
        claims: one claim post each.
    """

    product: Product
    claims: tuple[Claim, ...] = ()

    def __post_init__(self) -> None:
        fields.one("Brief.product", Product, self.product)
        put(self, "claims", fields.items("Brief.claims", Claim, self.claims))
        fields.distinct("Brief.claims", [claim.id for claim in self.claims], "a claim id")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Pack(Record):
    """What a study is made of.

    Attributes:
        brief: product and claims.
        ontology: any plain data; a world does not read it.
    """

    brief: Brief
    ontology: Mapping[str, Any] = FrozenDict()

    def __post_init__(self) -> None:
        fields.one("Pack.brief", Brief, self.brief)
        put(self, "ontology", freeze(fields.mapping("Pack.ontology", self.ontology)))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class PartitionHeader(Record):
    """Head of the record of one world.

    Attributes:
        contract_version: of these records.
        config: any plain data about the run; a world does not read it.
        pack: what the study publishes.
        population: who takes part.
        scenario: the arm.
        replicate_seed: number of the replicate.
    """

    contract_version: str = CONTRACT_VERSION
    config: Mapping[str, Any] = FrozenDict()
    pack: Pack
    population: PopulationManifest
    scenario: Scenario
    replicate_seed: int

    def __post_init__(self) -> None:
        fields.text("PartitionHeader.contract_version", self.contract_version)
        put(self, "config", freeze(fields.mapping("PartitionHeader.config", self.config)))
        fields.one("PartitionHeader.pack", Pack, self.pack)
        fields.one("PartitionHeader.population", PopulationManifest, self.population)
        fields.one("PartitionHeader.scenario", Scenario, self.scenario)
        put(self, "replicate_seed", whole("PartitionHeader.replicate_seed", self.replicate_seed, 0, 2**64 - 1))

    @property
    def world_id(self) -> str:
        """Differs between any two scenarios, replicates or populations."""
        return identity.world_id(canonical_hash(self.scenario), self.replicate_seed, self.population.population_hash)

    @property
    def world_seed(self) -> int:
        """Shared by worlds of one variant and replicate, so that they share all draws."""
        return identity.world_seed(self.replicate_seed, self.scenario.variant.variant_id)
