"""Communities found in a tie graph, accepted only when they are substantial."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from jaxworld.social.population.host_random import named_seed
from jaxworld.social.population.measures import modularity
from jaxworld.social.population.optional import import_networkx

RESOLUTIONS = (0.5, 0.75, 1.0, 1.25, 1.5)


@dataclasses.dataclass(frozen=True)
class AcceptanceRule:
    """Which partitions count: well separated, a handful, none tiny."""

    min_modularity: float = 0.4
    min_communities: int = 4
    max_communities: int = 8
    min_share: float = 0.05

    def accepts(self, sizes: np.ndarray, score: float | None) -> bool:
        """Whether a partition with these community sizes and this modularity counts."""
        few = self.min_communities <= len(sizes) <= self.max_communities
        return (
            few and score is not None and score >= self.min_modularity and sizes.min() >= self.min_share * sizes.sum()
        )


@dataclasses.dataclass(frozen=True, eq=False)
class DetectedCommunities:
    """Outcome of the search.

    Attributes:
        community: ``int32[N]``, numbered by smallest member; all -1 when no partition qualified.
        sweep: for every resolution its modularity, number of communities, smallest share, and whether it qualified.
        note: one line for the report.
    """

    community: Any
    sweep: tuple[dict[str, Any], ...]
    note: str


def number_by_smallest_member(labels: np.ndarray) -> np.ndarray:
    """Renumber labels ``[N]`` 0, 1, ... in order of first appearance as ``int32[N]``; -1 stays -1."""
    used, first = np.unique(labels, return_index=True)
    first = first[used >= 0]
    used = used[used >= 0]
    number = np.empty(len(used), np.int32)
    number[np.argsort(first)] = np.arange(len(used), dtype=np.int32)
    if not len(used):
        return np.full(len(labels), -1, np.int32)
    return np.where(labels >= 0, number[np.searchsorted(used, labels).clip(0, len(used) - 1)], -1).astype(np.int32)


def detect_communities(
    num: int,
    ties: np.ndarray,
    strengths: np.ndarray,
    *,
    seed: int = 0,
    rule: AcceptanceRule | None = None,
    resolutions: tuple[float, ...] = RESOLUTIONS,
) -> DetectedCommunities:
    """Louvain communities (Blondel et al., J. Stat. Mech. 2008) over a sweep of resolutions.

    Of the partitions that the rule accepts, the one with the highest weighted modularity at resolution 1 is kept
    (the lower resolution if equal).

    Args:
        num: N.
        ties: ``int64[E, 2]``, each tie once.
        strengths: ``int64[E]`` thousandths, the weights.
        seed: the search visits personas in a random order under this seed.
        rule: what a partition must fulfil.
        resolutions: resolutions to try.

    Raises:
        MissingExtraError: if networkx is not installed.
    """
    networkx = import_networkx("community detection (communities='none' does without)")
    rule = rule or AcceptanceRule()
    graph = networkx.Graph()
    graph.add_nodes_from(range(num))
    graph.add_weighted_edges_from(zip(ties[:, 0].tolist(), ties[:, 1].tolist(), strengths.tolist(), strict=True))
    search_seed = named_seed(seed, "population/communities") % 2**63
    best: tuple[float, np.ndarray] | None = None
    sweep = []
    for resolution in resolutions:
        parts = networkx.community.louvain_communities(graph, resolution=resolution, seed=search_seed)
        labels = np.full(num, -1, np.int64)
        for number, part in enumerate(parts):
            labels[list(part)] = number
        sizes, score = np.bincount(labels), modularity(num, ties, strengths, labels)
        qualifies = rule.accepts(sizes, score)
        sweep.append({"resolution": resolution, "modularity": score, "num_communities": len(sizes)})
        sweep[-1] |= {"smallest_share": float(sizes.min() / num), "qualifies": bool(qualifies)}
        if qualifies and score is not None and (best is None or score > best[0]):
            best = (score, labels)
    if best is None:
        return DetectedCommunities(np.full(num, -1, np.int32), tuple(sweep), f"no communities: {_requirement(rule)}")
    community = number_by_smallest_member(best[1])
    note = f"{community.max() + 1} communities detected, modularity {best[0]:.3f}"
    return DetectedCommunities(community, tuple(sweep), note)


def _requirement(rule: AcceptanceRule) -> str:
    return (
        f"no partition had modularity of at least {rule.min_modularity} with {rule.min_communities} to "
        f"{rule.max_communities} communities of at least {rule.min_share:.0%} of the personas each"
    )
