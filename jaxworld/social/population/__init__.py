"""Populations of social worlds: generated, taken from real networks, or read from files; all on the host."""

from jaxworld.social.population.activity import ActivityFormula, hourly_activity
from jaxworld.social.population.arrays import (
    SIMILARITY_SCALE,
    Population,
    canonical_order,
    make_population,
    pad_population,
)
from jaxworld.social.population.attributes import Attribute, similarity, synthetic_attributes, tie_strengths
from jaxworld.social.population.checks import check_population
from jaxworld.social.population.communities import AcceptanceRule, detect_communities
from jaxworld.social.population.csv_folder import from_csv_folder
from jaxworld.social.population.embedding import (
    EMBEDDERS,
    CachedEmbedder,
    Embedder,
    HashingEmbedder,
    SentenceEmbedder,
    attach_text_vectors,
)
from jaxworld.social.population.gates import GATED_SIZE, GateThresholds, check_gates
from jaxworld.social.population.generate import attach_tastes, generate_population
from jaxworld.social.population.graph import GraphSettings, generated_ties
from jaxworld.social.population.load import load_population, population_names
from jaxworld.social.population.measures import measure_graph
from jaxworld.social.population.networks import NAMED_NETWORKS, from_networkx, named_network
from jaxworld.social.population.oasis_csv import from_oasis_csv
from jaxworld.social.population.persona_json import from_persona_json
from jaxworld.social.population.planted import planted_communities, planted_ties
from jaxworld.social.population.reddit_json import from_reddit_json
from jaxworld.social.population.report import BuiltPopulation, PopulationReport
from jaxworld.social.population.tastes import taste_vectors
from jaxworld.social.population.vectors import quantize_unit_vectors

__all__ = [
    "EMBEDDERS",
    "GATED_SIZE",
    "NAMED_NETWORKS",
    "SIMILARITY_SCALE",
    "AcceptanceRule",
    "ActivityFormula",
    "Attribute",
    "BuiltPopulation",
    "CachedEmbedder",
    "Embedder",
    "GateThresholds",
    "GraphSettings",
    "HashingEmbedder",
    "Population",
    "PopulationReport",
    "SentenceEmbedder",
    "attach_tastes",
    "attach_text_vectors",
    "canonical_order",
    "check_gates",
    "check_population",
    "detect_communities",
    "from_csv_folder",
    "from_networkx",
    "from_oasis_csv",
    "from_persona_json",
    "from_reddit_json",
    "generate_population",
    "generated_ties",
    "hourly_activity",
    "load_population",
    "make_population",
    "measure_graph",
    "named_network",
    "pad_population",
    "planted_communities",
    "planted_ties",
    "population_names",
    "quantize_unit_vectors",
    "similarity",
    "synthetic_attributes",
    "taste_vectors",
    "tie_strengths",
]
