"""Communities laid down first, and a graph whose ties keep to them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from jaxworld.core.errors import require
from jaxworld.social.population.attributes import AttributeTable
from jaxworld.social.population.checks import as_integers
from jaxworld.social.population.communities import number_by_smallest_member
from jaxworld.social.population.graph import SMALLEST_GRAPH, GraphSettings, generated_ties, unique_ties
from jaxworld.social.population.host_random import named_generator


def planted_communities(
    num_personas: int, *, num_communities: int = 5, sizes: Sequence[int] | None = None, seed: int = 0
) -> np.ndarray:
    """Assign personas to communities at random.

    Args:
        num_personas: N.
        num_communities: how many, of equal size give or take one; not used with ``sizes``.
        sizes: sizes that add up to N.
        seed: seed of the assignment.

    Returns:
        ``int32[N]``, numbered by smallest member.

    Raises:
        ConfigurationError: if the sizes do not fit or there are more communities than personas.
    """
    if sizes is None:
        usable = 1 <= num_communities <= num_personas
        require(usable, "num_communities", num_communities, f"use a number from 1 to the {num_personas} personas")
        wanted = np.arange(num_personas) * num_communities // num_personas
    else:
        counts = as_integers("sizes", sizes)
        fits = counts.ndim == 1 and counts.size > 0 and bool((counts >= 1).all()) and int(counts.sum()) == num_personas
        require(fits, "sizes", list(sizes), f"use sizes of at least 1 that add up to the {num_personas} personas")
        wanted = np.repeat(np.arange(len(counts)), counts)
    return number_by_smallest_member(named_generator(seed, "population/planted").permutation(wanted))


def planted_ties(
    community: np.ndarray, table: AttributeTable, settings: GraphSettings, *, seed: int, mixing: float = 0.1
) -> np.ndarray:
    """A generated graph inside every community, then a share of the ties led across.

    Inside a community of three or more the graph is :func:`generated_ties` (with an attachment cut to what its size
    allows); two members share one tie. Of all these ties ``floor(mixing * E)`` are moved: the end with the higher
    degree is kept, the other becomes a persona of another community, drawn in proportion to the ties it had
    before, so that some become hubs known to all. Whoever has no tie then gets one to a random persona.

    Args:
        community: ``int32[N]`` without -1.
        table: attributes of the personas in canonical order.
        settings: parameters of the graph inside.
        seed: seed of the population.
        mixing: share of ties to lead across, 0 to 1.

    Returns:
        Ties ``int64[E, 2]`` as (lower, higher), sorted; everybody has at least one.
    """
    require(0 <= mixing <= 1, "mixing", mixing, "use a share from 0 to 1")
    num = len(community)
    require(num >= SMALLEST_GRAPH, "num_personas", num, "a generated graph needs at least 3 personas")
    require(settings.hub_attachment < num, "hub_attachment", settings.hub_attachment, f"use less than {num}")
    parts = []
    for number in range(int(community.max()) + 1):
        members = np.flatnonzero(community == number)
        parts.append(members[_inner_ties(members, table, settings, seed, f"population/community/{number}")])
    ties = unique_ties(np.concatenate(parts), num)
    generator = named_generator(seed, "population/mixing")
    return _tie_the_untied(_lead_across(ties, community, mixing, generator), num, generator)


def _inner_ties(
    members: np.ndarray, table: AttributeTable, settings: GraphSettings, seed: int, purpose: str
) -> np.ndarray:
    """Ties ``int64[E, 2]`` in positions within ``members``."""
    size = len(members)
    if size < SMALLEST_GRAPH:
        return np.asarray([[0, 1]], np.int64) if size == 2 else np.zeros((0, 2), np.int64)
    fitting = dataclasses.replace(settings, hub_attachment=min(settings.hub_attachment, size - 1))
    return generated_ties(size, [column.take(members) for column in table], fitting, seed=seed, purpose=purpose)


def _lead_across(ties: np.ndarray, community: np.ndarray, mixing: float, generator: np.random.Generator) -> np.ndarray:
    num, attempts = len(community), int(np.floor(mixing * len(ties) + 1e-9))
    if int(community.max()) == 0 or attempts == 0:
        return ties
    degree = np.bincount(ties.ravel(), minlength=num)
    keys, ends = set((ties[:, 0] * num + ties[:, 1]).tolist()), ties.ravel()
    for row in generator.permutation(len(ties))[:attempts].tolist():
        a, b = ties[row].tolist()
        kept, old = (a, b) if degree[a] >= degree[b] else (b, a)
        if degree[old] <= 1:
            continue
        for new in ends[generator.integers(0, len(ends), 32)].tolist():
            key = min(kept, new) * num + max(kept, new)
            if community[new] != community[kept] and key not in keys:
                keys.remove(a * num + b)
                keys.add(key)
                degree[old] -= 1
                degree[new] += 1
                break
    moved = np.sort(np.fromiter(keys, dtype=np.int64, count=len(keys)))
    return np.stack([moved // num, moved % num], axis=1)


def _tie_the_untied(ties: np.ndarray, num: int, generator: np.random.Generator) -> np.ndarray:
    untied = np.flatnonzero(np.bincount(ties.ravel(), minlength=num) == 0)
    if not len(untied):
        return ties
    other = (untied + generator.integers(1, num, len(untied))) % num
    return unique_ties(np.concatenate([ties, np.stack([untied, other], axis=1)]), num)
