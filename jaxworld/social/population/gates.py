"""What a generated graph must look like before a study may use it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from jaxworld.core.errors import require
from jaxworld.social.population.attributes import AUDIENCE

GATED_SIZE = 100
"""Below this many personas a generated graph need not look like a large social network: defaults skip the gates."""

_ESCAPE = "or pass check_gates=False"


@dataclasses.dataclass(frozen=True)
class GateThresholds:
    """Limits for the measures of a graph.

    Attributes:
        min_largest_component: least share of personas in the largest connected component.
        min_clustering: least mean clustering.
        min_hub_ratio: least ratio of largest to mean degree.
        max_audience_assortativity: the audience assortativity must stay below this, where there are two audiences.
    """

    min_largest_component: float = 0.98
    min_clustering: float = 0.05
    min_hub_ratio: float = 1.8
    max_audience_assortativity: float = 0.9


def check_component(measures: Mapping[str, Any], thresholds: GateThresholds) -> None:
    """Refuse a graph in pieces."""
    _at_least(measures, "largest_component_share", thresholds.min_largest_component, "raise hub_attachment")


def check_clustering(measures: Mapping[str, Any], thresholds: GateThresholds) -> None:
    """Refuse a graph without closed triangles."""
    _at_least(measures, "clustering", thresholds.min_clustering, "raise ring_degree, lower homophily_strength")


def check_hubs(measures: Mapping[str, Any], thresholds: GateThresholds) -> None:
    """Refuse a graph in which nobody stands out."""
    _at_least(
        measures,
        "hub_ratio",
        thresholds.min_hub_ratio,
        "lower ring_degree, use more personas or fewer planted communities",
    )


def check_audience_mixing(measures: Mapping[str, Any], thresholds: GateThresholds) -> None:
    """Refuse a graph whose audiences hardly meet; nothing to check with fewer than two audiences."""
    value, limit = measures["assortativity"].get(AUDIENCE), thresholds.max_audience_assortativity
    if value is not None:
        remedy = f"must be below {limit}: lower homophily_strength, {_ESCAPE}"
        require(value < limit, "audience assortativity", round(value, 4), remedy)


def check_gates(measures: Mapping[str, Any], thresholds: GateThresholds | None = None) -> None:
    """Apply all gates to the result of :func:`jaxworld.social.population.measures.measure_graph`.

    Raises:
        ConfigurationError: with the measured value, the threshold and what to change.
    """
    limits = thresholds or GateThresholds()
    for gate in (check_component, check_clustering, check_hubs, check_audience_mixing):
        gate(measures, limits)


def _at_least(measures: Mapping[str, Any], name: str, limit: float, remedy: str) -> None:
    value = measures[name]
    require(value >= limit, name, round(value, 4), f"must be at least {limit}: {remedy}, {_ESCAPE}")
