"""The header of a trace: who, what and under which rules, as plain JSON data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import jaxworld
from jaxworld.core.errors import require
from jaxworld.social.config import SocialConfig
from jaxworld.social.params import SocialParams
from jaxworld.social.population import Population
from jaxworld.social.trace.schema import FORMAT
from jaxworld.social.vocabulary import ATTENTION_UNIT, SENTIMENT_UNIT, SHARE_UNIT, TIE_UNIT, InterventionKind

_CONFIGURED = (
    "survey", "survey_gated", "tick_unit", "feed_recommender", "forum_preset", "forum_recommender", "fan",
    "network_first", "recency", "hide_own", "hide_seen", "idempotent_engagement", "word_of_mouth_from_rejected",
)  # fmt: skip
_WHOLE = ("budget", "window", "peers_told", "launch_count", "survey_every", "horizon")
_UNITS = {
    "last_slot_attention": ATTENTION_UNIT, "attention_floor": ATTENTION_UNIT, "sentiment_threshold": SENTIMENT_UNIT,
    "tie_threshold": TIE_UNIT,
}  # fmt: skip


def trace_header(
    config: SocialConfig,
    params: SocialParams,
    *,
    seed: int,
    persona_ids: Sequence[str] | None = None,
    concept: str = "concept",
    claims: Sequence[tuple[str, str]] | None = None,
    partition: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Everything an audit needs to know before it reads the first row.

    Args:
        config: the world's configuration.
        params: its parameters, of one world.
        seed: the world seed.
        persona_ids: ids of the present personas, in the order of the arrays; default ``p-000000`` and so on.
        concept: text of the concept.
        claims: ``(id, text)`` of the claims, in order; default ``claim-1`` and so on.
        partition: the partition header of a run with records, as plain data.

    Raises:
        ConfigurationError: if the numbers of ids or claims do not fit.
    """
    given = [(f"claim-{number + 1}", f"claim {number + 1}") for number in range(config.num_claims)]
    given = list(given if claims is None else claims)
    require(len(given) == config.num_claims, "claims", given, f"give the {config.num_claims} claims of the world")
    return {
        "format": FORMAT,
        "version": jaxworld.__version__,
        "world_seed": seed,
        "population": population_facts(params.population, persona_ids),
        "study": {"concept": concept, "claims": [{"id": name, "text": text} for name, text in given]},
        "world": world_facts(config, params),
        "partition": None if partition is None else dict(partition),
    }


def default_persona_ids(population: Population) -> list[str]:
    """Ids for personas that have none, in the order of the arrays."""
    return [f"p-{index:06d}" for index in range(int(np.asarray(population.present).sum()))]


def population_facts(population: Population, persona_ids: Sequence[str] | None = None) -> dict[str, Any]:
    """Ids, ties, communities and follows of those who are present.

    Raises:
        ConfigurationError: if there is not one id for each of them.
    """
    present = np.asarray(population.present)
    number = int(present.sum())
    ids = list(default_persona_ids(population) if persona_ids is None else persona_ids)
    require(len(ids) == number and bool(present[:number].all()), "persona_ids", len(ids), f"give {number} ids")
    source = np.repeat(np.arange(present.shape[0]), np.diff(np.asarray(population.row_offsets)))
    target, strength = np.asarray(population.neighbor), np.asarray(population.tie_strength)
    once = source < target
    edges = zip(source[once].tolist(), target[once].tolist(), strength[once].tolist(), strict=True)
    community = np.asarray(population.community)[:number]
    groups = [(int(name), np.flatnonzero(community == name).tolist()) for name in np.unique(community[community >= 0])]
    return {
        "persona_ids": ids,
        "edges": [{"u": ids[one], "v": ids[other], "weight": weight / TIE_UNIT} for one, other, weight in edges],
        "communities": [
            {"community_id": f"community-{name + 1}", "member_ids": [ids[member] for member in members]}
            for name, members in groups
        ],
        "follows": [[ids[one], ids[other]] for one, other in np.asarray(population.follows).tolist()],
    }


def world_facts(config: SocialConfig, params: SocialParams) -> dict[str, Any]:
    """Settings by name, in natural units: shares are numbers from 0 to 1."""
    facts: dict[str, Any] = {"channels": list(config.channels)}
    facts.update({name: getattr(config, name) for name in _CONFIGURED})
    facts.update({name: int(np.asarray(getattr(params, name))) for name in _WHOLE})
    facts.update({name: int(np.asarray(getattr(params, name))) / unit for name, unit in _UNITS.items()})
    facts["activation_rate"] = float(np.asarray(params.activation_rate))
    acts = params.interventions
    columns = (np.asarray(getattr(acts, name)).tolist() for name in ("tick", "kind", "duration"))
    facts["interventions"] = [
        {"tick": tick, "kind": InterventionKind(kind).name.lower(), "duration": duration}
        for tick, kind, duration in zip(*columns, strict=True)
        if tick >= 0
    ]
    facts["intervention_effects"] = {
        kind.name.lower(): {
            name: int(np.asarray(getattr(acts, name))[kind]) / SHARE_UNIT
            for name in ("activation", "reach", "attention")
        }
        for kind in InterventionKind
    }
    return facts
