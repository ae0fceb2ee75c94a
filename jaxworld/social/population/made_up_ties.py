"""Ties for people of whom a source says who they are but not whom they know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from jaxworld.core.errors import require
from jaxworld.social.population.arrays import canonical_order
from jaxworld.social.population.attributes import AttributeTable, tie_strengths
from jaxworld.social.population.checks import STRONGEST_TIE
from jaxworld.social.population.graph import SMALLEST_GRAPH, GraphSettings, generated_ties

MissingTies = Literal["generated", "none"]
"""What an importer does for a source without ties."""


def check_missing_ties(value: Any) -> None:
    """Refuse anything but the members of :data:`MissingTies`."""
    require(value in ("generated", "none"), "missing_ties", value, "use 'generated' or 'none'")


def made_up_ties(ids: Sequence[str], table: AttributeTable, how: MissingTies, seed: int) -> tuple[np.ndarray, Any, str]:
    """Ties ``int64[E, 2]`` between positions of ``ids``, their strengths, and a note that says what they are.

    Generated ties are those of :func:`generate_population`: a ring, preferential attachment, and rewiring towards
    those alike in the attributes, under the seed. Without attributes all ties have strength 500.
    """
    settings = GraphSettings()
    if how == "none" or len(ids) < max(SMALLEST_GRAPH, settings.hub_attachment + 1):
        return np.zeros((0, 2), np.int64), np.zeros(0, np.int64), "the source has no ties, and none were made up"
    order = canonical_order(ids)
    ordered = tuple(attribute.take(order) for attribute in table)
    ties = generated_ties(len(ids), ordered, settings, seed=seed)
    strengths: Any = tie_strengths(ordered, ties) if ordered else np.full(len(ties), STRONGEST_TIE // 2, np.int64)
    alike = f"by likeness in {', '.join(attribute.name for attribute in table)}" if table else "by chance"
    return order[ties], strengths, f"the source has no ties: {len(ties)} are made up {alike}, seed {seed}"
