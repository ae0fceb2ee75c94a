"""What a tie graph looks like: components, clustering, hubs, mixing, modularity."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxworld.social.population.attributes import Attribute, AttributeTable
from jaxworld.social.population.host_random import named_generator

CLUSTERING_EXACT_UP_TO = 20_000
"""With more personas than this, clustering is estimated from a sample."""
CLUSTERING_SAMPLE = 10_000
"""Personas in that sample; the standard error of the mean is then below 0.5 / sqrt(10,000) = 0.005."""


def _adjacency(num: int, ties: np.ndarray) -> Any:
    from scipy import sparse

    rows = np.concatenate([ties[:, 0], ties[:, 1]])
    columns = np.concatenate([ties[:, 1], ties[:, 0]])
    return sparse.csr_matrix((np.ones(len(rows), np.int64), (rows, columns)), shape=(num, num))


def largest_component_share(num: int, ties: np.ndarray) -> float:
    """Share of the personas in the largest connected component."""
    from scipy.sparse.csgraph import connected_components

    _, labels = connected_components(_adjacency(num, ties), directed=False)
    return float(np.bincount(labels).max() / num)


def mean_clustering(num: int, ties: np.ndarray) -> float:
    """Mean over personas of the share of their pairs of neighbours that are tied (0 with fewer than two).

    Watts and Strogatz, Nature 393 (1998). Exact up to ``CLUSTERING_EXACT_UP_TO`` personas, beyond that the mean over
    a fixed random sample of ``CLUSTERING_SAMPLE`` of them.
    """
    adjacency = _adjacency(num, ties)
    rows = np.arange(num)
    if num > CLUSTERING_EXACT_UP_TO:
        rows = np.sort(named_generator(0, "measure/clustering").choice(num, CLUSTERING_SAMPLE, replace=False))
    own = adjacency[rows]
    closed = np.asarray((own @ adjacency).multiply(own).sum(axis=1)).ravel()
    degree = np.diff(adjacency.indptr)[rows]
    pairs = degree * (degree - 1)
    return float(np.divide(closed, pairs, out=np.zeros(len(rows)), where=pairs > 0).mean())


def hub_ratio(num: int, ties: np.ndarray) -> float:
    """Largest degree over mean degree (0 without ties)."""
    degree = np.bincount(ties.ravel(), minlength=num)
    return float(degree.max() / degree.mean()) if len(ties) else 0.0


def assortativity(ties: np.ndarray, attribute: Attribute) -> float | None:
    """Newman's assortativity of an attribute over the ties between personas that carry it, or None if undefined.

    Newman, "Mixing patterns in networks", Phys. Rev. E 67 (2003): the coefficient for discrete types when the
    attribute is categorical, the correlation of the values at both ends when it is ordinal.
    """
    known = ~(attribute.missing[ties[:, 0]] | attribute.missing[ties[:, 1]])
    a, b = attribute.values[ties[known, 0]], attribute.values[ties[known, 1]]
    if not a.size:
        return None
    first, second = np.concatenate([a, b]), np.concatenate([b, a])
    if attribute.kind == "ordinal":
        spread = first.var()
        return float(((first - first.mean()) * (second - second.mean())).mean() / spread) if spread > 0 else None
    _, codes = np.unique(first, return_inverse=True)
    share = np.bincount(codes) / len(codes)
    by_chance = float((share * share).sum())
    if by_chance >= 1.0:
        return None
    return float(((first == second).mean() - by_chance) / (1.0 - by_chance))


def modularity(num: int, ties: np.ndarray, strengths: np.ndarray, community: np.ndarray) -> float | None:
    """Weighted modularity at resolution 1; personas without a community count as communities of one.

    Newman, "Analysis of weighted networks", Phys. Rev. E 70 (2004). None without ties.
    """
    total = float(strengths.sum())
    if total == 0:
        return None
    alone = np.arange(num) + int(community.max(initial=-1)) + 1
    label = np.where(community >= 0, community, alone)
    inside = float(strengths[label[ties[:, 0]] == label[ties[:, 1]]].sum())
    strength = np.bincount(ties.ravel(), weights=np.repeat(strengths, 2), minlength=num)
    by_community = np.bincount(label, weights=strength)
    return inside / total - float((by_community**2).sum()) / (2 * total) ** 2


def measure_graph(
    num: int,
    ties: np.ndarray,
    strengths: np.ndarray,
    community: np.ndarray | None = None,
    table: AttributeTable = (),
) -> dict[str, Any]:
    """All measures of a population's graph, as JSON values.

    Args:
        num: N.
        ties: ``int64[E, 2]``, each tie once.
        strengths: ``int64[E]`` thousandths.
        community: ``int32[N]``, -1 for none.
        table: attributes whose assortativity is wanted.
    """
    degree = np.bincount(ties.ravel(), minlength=num)
    label = np.full(num, -1) if community is None else np.asarray(community)
    sizes = np.bincount(label[label >= 0]) if (label >= 0).any() else np.zeros(0, int)
    return {
        "num_personas": num,
        "num_ties": len(ties),
        "mean_degree": float(degree.mean()),
        "min_degree": int(degree.min()),
        "max_degree": int(degree.max()),
        "hub_ratio": hub_ratio(num, ties),
        "clustering": mean_clustering(num, ties),
        "clustering_sampled": num > CLUSTERING_EXACT_UP_TO,
        "largest_component_share": largest_component_share(num, ties),
        "mean_strength": float(strengths.mean()) if len(strengths) else None,
        "assortativity": {attribute.name: assortativity(ties, attribute) for attribute in table},
        "num_communities": len(sizes),
        "community_sizes": sizes.tolist(),
        "modularity": modularity(num, ties, strengths, label) if len(sizes) else None,
    }
