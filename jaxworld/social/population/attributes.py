"""Attribute tables of personas and how alike two personas are."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from jaxworld.core.errors import require
from jaxworld.social.population.checks import STRONGEST_TIE
from jaxworld.social.population.host_random import named_generator

AUDIENCE = "audience"
"""Name of the attribute whose mixing is gated (see ``gates``)."""


@dataclasses.dataclass(frozen=True, eq=False)
class Attribute:
    """One attribute of all personas.

    Attributes:
        name: its name.
        kind: ``"categorical"`` (two values match or they do not) or ``"ordinal"`` (nearer bands match better).
        values: ``float64[N]``, category codes or the midpoint of the persona's band.
        missing: ``bool[N]``, true where the persona does not carry the attribute; none by default.
        span: distance between the outermost band midpoints; by default that of the values present.
    """

    name: str
    kind: Literal["categorical", "ordinal"]
    values: Any
    missing: Any = None
    span: float | None = None

    def __post_init__(self) -> None:
        require(self.kind in ("categorical", "ordinal"), "kind", self.kind, "use 'categorical' or 'ordinal'")
        values = np.asarray(self.values, dtype=np.float64)
        require(values.ndim == 1, self.name, values.shape, "give one value for each persona")
        missing = np.zeros(values.shape, bool) if self.missing is None else np.asarray(self.missing, dtype=bool)
        require(missing.shape == values.shape, self.name, missing.shape, "mark each persona as missing or not")
        present = values[~missing]
        require(bool(np.isfinite(present).all()), self.name, "NaN or infinity", "mark unknown values as missing")
        span = self.span
        if span is None:
            span = float(present.max() - present.min()) if present.size else 0.0
        require(np.isfinite(span) and span >= 0, "span", span, "use a finite distance of at least 0")
        object.__setattr__(self, "values", np.where(missing, 0.0, values))
        object.__setattr__(self, "missing", missing)
        object.__setattr__(self, "span", float(span))

    def take(self, rows: np.ndarray) -> Attribute:
        """The attribute of some of the personas, or of all in another order; the span stays."""
        return dataclasses.replace(self, values=self.values[rows], missing=self.missing[rows])

    def match(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """How well pairs of personas match, ``float64`` in [0, 1], ignoring missing marks."""
        a, b = self.values[first], self.values[second]
        if self.kind == "categorical":
            return np.asarray(a == b, np.float64)
        return np.ones(a.shape) if self.span == 0 else np.clip(1.0 - np.abs(a - b) / self.span, 0.0, 1.0)


AttributeTable = Sequence[Attribute]
"""Attributes of the same personas, the most relevant first."""


def similarity(table: AttributeTable, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Likeness ``float64`` in [0, 1] of pairs of personas, evaluated for the given index pairs only.

    The weighted mean of the matches over the attributes both carry, with weight 1 / (rank + 1) for the attribute of
    that relevance rank; 0 where they share no attribute.
    """
    matched = np.zeros(first.shape)
    carried = np.zeros(first.shape)
    for rank, attribute in enumerate(table):
        weight = np.where(attribute.missing[first] | attribute.missing[second], 0.0, 1.0 / (rank + 1))
        matched += weight * attribute.match(first, second)
        carried += weight
    return np.asarray(np.divide(matched, carried, out=np.zeros(first.shape), where=carried > 0))


def tie_strengths(table: AttributeTable, ties: np.ndarray) -> np.ndarray:
    """Strengths ``int64[E]`` of ties ``[E, 2]``: similarity in thousandths, at least 1."""
    scaled = np.rint(similarity(table, ties[:, 0], ties[:, 1]) * STRONGEST_TIE)
    return np.asarray(np.clip(scaled, 1, STRONGEST_TIE), np.int64)


_AGE_MIDPOINTS = (21.0, 29.5, 39.5, 49.5, 59.5, 72.0)
_SHARES: tuple[tuple[str, tuple[float, ...]], ...] = (
    (AUDIENCE, (0.40, 0.30, 0.20, 0.10)),
    ("interest", (0.25, 0.20, 0.20, 0.15, 0.10, 0.10)),
    ("age_band", (0.14, 0.20, 0.20, 0.18, 0.15, 0.13)),
    ("region", (0.30, 0.25, 0.20, 0.15, 0.10)),
)


def synthetic_attributes(num_personas: int, *, seed: int = 0, missing_share: float = 0.05) -> tuple[Attribute, ...]:
    """Four made-up, mutually independent attributes: audience, interest, age band (ordinal), region.

    Args:
        num_personas: N.
        seed: each attribute has a random stream of its own under this seed.
        missing_share: chance that a persona lacks an attribute; everybody has an audience.
    """
    require(0 <= missing_share < 1, "missing_share", missing_share, "use a share from 0 to below 1")
    table = []
    for name, shares in _SHARES:
        generator = named_generator(seed, f"population/attribute/{name}")
        codes = np.searchsorted(np.cumsum(shares)[:-1], generator.random(num_personas), side="right")
        missing = generator.random(num_personas) < (0.0 if name == AUDIENCE else missing_share)
        if name == "age_band":
            span = _AGE_MIDPOINTS[-1] - _AGE_MIDPOINTS[0]
            table.append(Attribute(name, "ordinal", np.asarray(_AGE_MIDPOINTS)[codes], missing, span))
        else:
            table.append(Attribute(name, "categorical", codes, missing))
    return tuple(table)
