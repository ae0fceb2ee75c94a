"""The generated tie graph: a ring for closed triangles, preferential attachment for hubs."""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxworld.core.errors import require
from jaxworld.social.population.attributes import AttributeTable
from jaxworld.social.population.host_random import named_generator
from jaxworld.social.population.rewiring import rewire_by_similarity

SMALLEST_GRAPH = 3


@dataclasses.dataclass(frozen=True)
class GraphSettings:
    """Parameters of the generated graph.

    Attributes:
        homophily_strength: share of ties that one rewiring attempt is made for, 0 to 1.
        ring_degree: even number of ring neighbours; falls to 2 where N is at most ``ring_degree + 1``.
        hub_attachment: ties each newcomer of the preferential-attachment layer makes, less than N.
    """

    homophily_strength: float = 0.3
    ring_degree: int = 4
    hub_attachment: int = 2

    def __post_init__(self) -> None:
        strength = self.homophily_strength
        require(0 <= strength <= 1, "homophily_strength", strength, "use a share from 0 to 1")
        even = int(self.ring_degree) == self.ring_degree and self.ring_degree >= 2 and self.ring_degree % 2 == 0
        require(even, "ring_degree", self.ring_degree, "use an even number of at least 2")
        whole = int(self.hub_attachment) == self.hub_attachment and self.hub_attachment >= 1
        require(whole, "hub_attachment", self.hub_attachment, "use a whole number of at least 1")


def ring_lattice(num: int, ring_degree: int) -> np.ndarray:
    """Ties ``int64[E, 2]`` of a ring on which each node knows ``ring_degree / 2`` others on either side."""
    if num <= ring_degree + 1:
        ring_degree = 2
    node = np.arange(num, dtype=np.int64)
    return np.concatenate([np.stack([node, (node + step) % num], 1) for step in range(1, ring_degree // 2 + 1)])


def preferential_attachment(num: int, attachment: int, generator: np.random.Generator) -> np.ndarray:
    """Ties ``int64[E, 2]`` of the Barabasi-Albert model (Science 286, 1999), grown from a star.

    Each newcomer ties itself to ``attachment`` different nodes drawn in proportion to their degree, by drawing from
    a list that holds every node as often as it has ties.
    """
    ends = [0] * attachment + list(range(1, attachment + 1))
    pairs = [(0, leaf) for leaf in range(1, attachment + 1)]
    draws = iter(generator.random(2 * attachment * num).tolist())
    for newcomer in range(attachment + 1, num):
        chosen: list[int] = []
        size = len(ends)
        while len(chosen) < attachment:
            draw = next(draws, None)
            if draw is None:  # early hubs are drawn often: rarely the first batch is not enough
                draws = iter(generator.random(num).tolist())
                continue
            node = ends[int(draw * size)]
            if node not in chosen:
                chosen.append(node)
        pairs.extend((node, newcomer) for node in chosen)
        ends.extend(chosen)
        ends.extend([newcomer] * attachment)
    return np.asarray(pairs, dtype=np.int64).reshape(-1, 2)


def unique_ties(pairs: np.ndarray, num: int) -> np.ndarray:
    """Each undirected tie once as (lower, higher), sorted."""
    sides = np.sort(pairs, axis=1)
    keys = np.unique(sides[:, 0] * num + sides[:, 1])
    return np.stack([keys // num, keys % num], axis=1)


def two_layer_ties(num: int, settings: GraphSettings, *, seed: int, purpose: str = "population") -> np.ndarray:
    """Ring united with preferential attachment, both laid over one seeded permutation of the personas.

    Args:
        num: N, at least 3.
        settings: ring degree and attachment are used.
        seed: seed of the population.
        purpose: prefix of the random streams' names.

    Returns:
        Ties ``int64[E, 2]`` as (lower, higher), sorted; everybody has at least one.

    Raises:
        ConfigurationError: if N is below 3 or not above the attachment.
    """
    require(num >= SMALLEST_GRAPH, "num_personas", num, "a generated graph needs at least 3 personas")
    attachment = settings.hub_attachment
    require(attachment < num, "hub_attachment", attachment, f"use less than the {num} personas")
    place = named_generator(seed, f"{purpose}/permutation").permutation(num)
    hubs = preferential_attachment(num, attachment, named_generator(seed, f"{purpose}/attachment"))
    return unique_ties(place[np.concatenate([ring_lattice(num, settings.ring_degree), hubs])], num)


def generated_ties(
    num: int, table: AttributeTable, settings: GraphSettings, *, seed: int, purpose: str = "population"
) -> np.ndarray:
    """The two layers, then rewiring towards similar personas; personas must come in canonical order.

    Returns:
        Ties ``int64[E, 2]`` as (lower, higher), sorted; as many as before rewiring, everybody has at least one.
    """
    ties = two_layer_ties(num, settings, seed=seed, purpose=purpose)
    generator = named_generator(seed, f"{purpose}/homophily")
    return rewire_by_similarity(ties, num, table, settings.homophily_strength, generator)
