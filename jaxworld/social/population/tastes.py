"""Made-up profile vectors: what a persona likes to read."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.social.population.checks import check_community
from jaxworld.social.population.host_random import named_generator


def _unit_rows(rows: np.ndarray) -> np.ndarray:
    length = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
    return np.asarray(np.divide(rows, length, out=np.zeros_like(rows), where=length > 0))


def taste_vectors(
    num_personas: int,
    dimensions: int = 16,
    clusters: int = 0,
    spread: float = 0.5,
    seed: int = 0,
    community: Any = None,
) -> np.ndarray:
    """Unit vectors ``float64[N, D]``, isotropic or gathered in clusters.

    Args:
        num_personas: N.
        dimensions: D; 0 gives no vectors.
        clusters: how many random directions the personas gather around; 0 for none (each persona on its own).
        spread: expected length of the Gaussian noise added to the unit centroid before normalising.
        seed: centroids, membership and noise have streams of their own under this seed.
        community: ``int[N]``; when given, cluster = community and ``clusters`` is not used; personas with -1 are
            isotropic.

    Raises:
        ConfigurationError: for negative sizes or spread, or a community array of the wrong shape.
    """
    require(dimensions >= 0, "taste_dimensions", dimensions, "use a whole number of at least 0")
    require(clusters >= 0, "taste_clusters", clusters, "use 0 for none, or the number of clusters")
    require(np.isfinite(spread) and spread >= 0, "taste_spread", spread, "use a finite length of at least 0")
    noise = named_generator(seed, "population/tastes/noise").standard_normal((num_personas, dimensions))
    if community is not None:
        member = check_community(community, num_personas)
        clusters = int(member.max(initial=-1)) + 1
    elif clusters:
        member = named_generator(seed, "population/tastes/member").integers(0, clusters, num_personas).astype(np.int32)
    if not clusters or not dimensions:
        return _unit_rows(noise)
    centroids = _unit_rows(named_generator(seed, "population/tastes/centroid").standard_normal((clusters, dimensions)))
    near = centroids[member.clip(0)] + spread / np.sqrt(dimensions) * noise
    return _unit_rows(np.where((member >= 0)[:, None], near, noise))
