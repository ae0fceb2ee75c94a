"""What a builder says about the population it made."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from jaxworld.social.population.arrays import Population


@dataclasses.dataclass(frozen=True)
class PopulationReport:
    """How a population was made, what it looks like, and everything that was left out.

    Attributes:
        persona_ids: ids in the order of the arrays' rows.
        parameters: what the builder was asked for; JSON values only.
        measures: what came out (see :func:`jaxworld.social.population.measures.measure_graph`); JSON values only.
        notes: one line for each thing that was ignored, merged, made up or skipped.
    """

    persona_ids: tuple[str, ...]
    parameters: Mapping[str, Any]
    measures: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """A JSON-able dictionary of all four fields."""
        return {
            "persona_ids": list(self.persona_ids),
            "parameters": dict(self.parameters),
            "measures": dict(self.measures),
            "notes": list(self.notes),
        }


@dataclasses.dataclass(frozen=True)
class BuiltPopulation:
    """A population and the report of its making.

    Attributes:
        population: the arrays.
        report: how they came about.
        texts: what each persona says about itself, in the order of the arrays' rows, ``""`` for nothing; no entries
            where the source has no texts. A world never sees them: :func:`attach_text_vectors` makes vectors of them.
    """

    population: Population
    report: PopulationReport
    texts: tuple[str, ...] = ()

    def with_notes(self, *notes: str) -> BuiltPopulation:
        """The same with further notes in the report."""
        report = dataclasses.replace(self.report, notes=(*self.report.notes, *notes))
        return dataclasses.replace(self, report=report)


def listed(values: Sequence[object], limit: int = 12) -> str:
    """The first few of some values for a note: ``3, 18, 40 and 7 more``."""
    shown = ", ".join(str(value) for value in values[:limit])
    return shown if len(values) <= limit else f"{shown} and {len(values) - limit} more"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """``1 edge``, ``3 edges``."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
