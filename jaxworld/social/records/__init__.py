"""Records of a social world: immutable, typed, checked when made, equal if their canonical text is."""

from jaxworld.social.records.arrays import DeltaArrays, collect
from jaxworld.social.records.canonical import canonical_hash, canonical_json
from jaxworld.social.records.config import Embedder, WorldConfig
from jaxworld.social.records.convert import from_records, to_records
from jaxworld.social.records.delta import WorldDelta
from jaxworld.social.records.exposure import (
    DroppedExposure,
    Exposure,
    ExposureDropped,
    Impression,
    Presentation,
    View,
)
from jaxworld.social.records.header import Brief, Claim, Pack, PartitionHeader, Product
from jaxworld.social.records.identity import (
    derived_id,
    impression_id,
    published_stimulus_id,
    study_stimulus_id,
    world_id,
    world_seed,
)
from jaxworld.social.records.kinds import (
    ActionKind,
    BeliefDim,
    Channel,
    DegradationRung,
    DropReason,
    ExposureReason,
    InterventionKind,
    StimulusKind,
    TickUnit,
)
from jaxworld.social.records.lazy import LazySequence
from jaxworld.social.records.ledger import Ledger
from jaxworld.social.records.population import Community, Edge, Graph, Persona, Population, PopulationManifest
from jaxworld.social.records.record import FrozenDict, Record
from jaxworld.social.records.scenario import Intervention, Scenario, Variant
from jaxworld.social.records.stimulus import Stimulus, StimulusContext
from jaxworld.social.records.turn import BeliefChange, Reaction, Rejection, Turn

__all__ = [
    "ActionKind",
    "BeliefChange",
    "BeliefDim",
    "Brief",
    "Channel",
    "Claim",
    "Community",
    "DegradationRung",
    "DeltaArrays",
    "DropReason",
    "DroppedExposure",
    "Edge",
    "Embedder",
    "Exposure",
    "ExposureDropped",
    "ExposureReason",
    "FrozenDict",
    "Graph",
    "Impression",
    "Intervention",
    "InterventionKind",
    "LazySequence",
    "Ledger",
    "Pack",
    "PartitionHeader",
    "Persona",
    "Population",
    "PopulationManifest",
    "Presentation",
    "Product",
    "Reaction",
    "Record",
    "Rejection",
    "Scenario",
    "Stimulus",
    "StimulusContext",
    "StimulusKind",
    "TickUnit",
    "Turn",
    "Variant",
    "View",
    "WorldConfig",
    "WorldDelta",
    "canonical_hash",
    "canonical_json",
    "collect",
    "derived_id",
    "from_records",
    "impression_id",
    "published_stimulus_id",
    "study_stimulus_id",
    "to_records",
    "world_id",
    "world_seed",
]
