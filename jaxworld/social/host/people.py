"""From the population as arrays, however it was built or read, to the records of the same people."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.population import BuiltPopulation
from jaxworld.social.records.population import Community, Edge, Graph, Persona, Population
from jaxworld.social.vocabulary import TIE_UNIT

_PREFIX = "p-"


def population_records(built: BuiltPopulation, *, communities: bool = True) -> tuple[Population, dict[str, Any]]:
    """Records of a built population, and the settings of a ``WorldConfig`` that go with them.

    Ids get the prefix ``p-`` where they lack it, and numbers get leading zeros, so that the order stays the same. What
    a persona says about itself becomes its attribute ``about``. Involvement and profile vectors are no part of a
    population's record: they are in the settings, so ``WorldConfig(**settings, ...)`` has them.

    Args:
        built: from ``load_population`` or any other builder.
        communities: keep them; a record's communities cover everybody or nobody.

    Returns:
        ``(population, settings)`` with the entries ``involvement`` and, if there are vectors, ``profile_vectors``.

    Raises:
        ConfigurationError: if the population has what records cannot carry: communities that leave somebody out,
            follows made before the run, a rhythm for each persona, or padding.
    """
    arrays = built.population
    _refuse_what_is_lost(arrays, communities)
    ids = _persona_ids(built.report.persona_ids)
    texts = built.texts or ("",) * len(ids)
    personas = [
        Persona(persona_id=name, attributes={"about": text} if text.strip() else {})
        for name, text in zip(ids, texts, strict=True)
    ]
    settings: dict[str, Any] = {
        "involvement": tuple(zip(ids, map(float, np.asarray(arrays.involvement, np.float64)), strict=True))
    }
    if arrays.num_dimensions:
        rows = np.asarray(arrays.profile, np.float64)
        settings["profile_vectors"] = tuple((name, tuple(row)) for name, row in zip(ids, rows.tolist(), strict=True))
    groups = _communities(ids, np.asarray(arrays.community)) if communities else ()
    return Population(personas=tuple(personas), graph=_graph(ids, arrays), communities=groups), settings


def _refuse_what_is_lost(arrays: Any, communities: bool) -> None:
    require(bool(np.all(arrays.present)), "population", "padding", "use the population without padding")
    require(arrays.num_follows == 0, "population.follows", arrays.num_follows, "records start without follows")
    require(arrays.rhythm is None, "population.rhythm", "a rhythm each", "records have one rhythm for everybody")
    without = np.asarray(arrays.community) < 0
    if communities and without.any() and not without.all():
        raise ConfigurationError(
            "population.community", int(without.sum()), "some have none: give everybody one, or set communities=False"
        )


def _persona_ids(names: tuple[str, ...]) -> list[str]:
    digits = max(map(len, names)) if all(name.isascii() and name.isdigit() for name in names) else 0
    return [name if name.startswith(_PREFIX) else _PREFIX + name.zfill(digits) for name in names]


def _graph(ids: list[str], arrays: Any) -> Graph:
    source = np.repeat(np.arange(len(ids)), np.diff(np.asarray(arrays.row_offsets)))
    ends = zip(source.tolist(), np.asarray(arrays.neighbor).tolist(), strict=True)
    strengths = np.asarray(arrays.tie_strength).tolist()
    return Graph(
        edges=tuple(
            Edge(u=ids[u], v=ids[v], weight=strength / TIE_UNIT)
            for (u, v), strength in zip(ends, strengths, strict=True)
            if u < v
        )
    )


def _communities(ids: list[str], community: np.ndarray) -> tuple[Community, ...]:
    return tuple(
        Community(
            community_id=f"community-{number + 1:03d}",
            member_ids=tuple(ids[member] for member in np.flatnonzero(community == number)),
        )
        for number in range(int(community.max(initial=-1)) + 1)
    )
