"""What an audit found."""

from __future__ import annotations

import dataclasses
from typing import Any

LISTED = 1_000
"""Findings kept; a broken trace can have one for every row, and the first ones say what is wrong."""


@dataclasses.dataclass(frozen=True)
class Finding:
    """One thing a trace says that does not follow from its turns, or cannot be.

    Attributes:
        tick: tick it belongs to.
        field: column or part of the trace that is wrong.
        persona: persona it concerns, or None.
        index: row within the tick (its ``sequence``), or None where a row is missing.
        found: what the trace says.
        expected: what it should say.
        rule: the rule in a few words.
    """

    tick: int
    field: str
    persona: str | None
    index: int | None
    found: Any
    expected: Any
    rule: str

    def __str__(self) -> str:
        where = f"tick {self.tick}" + ("" if self.index is None else f", row {self.index}")
        whom = "" if self.persona is None else f", persona {self.persona}"
        return f"{where}{whom}: {self.field} is {_short(self.found)}, expected {_short(self.expected)} ({self.rule})"


@dataclasses.dataclass
class Report:
    """Everything an audit says.

    Attributes:
        findings: the first :data:`LISTED` findings in the order of ticks.
        num_findings: all of them.
        num_ticks, num_rows: what was looked at.
    """

    findings: list[Finding] = dataclasses.field(default_factory=list)
    num_findings: int = 0
    num_ticks: int = 0
    num_rows: int = 0

    @property
    def clean(self) -> bool:
        """Nothing was found."""
        return self.num_findings == 0

    def add(self, finding: Finding) -> None:
        """Count a finding, and keep it if there is room."""
        self.num_findings += 1
        if len(self.findings) < LISTED:
            self.findings.append(finding)

    def to_dict(self) -> dict[str, Any]:
        """A JSON-able dictionary."""
        return {
            "clean": self.clean,
            "ticks": self.num_ticks,
            "rows": self.num_rows,
            "num_findings": self.num_findings,
            "findings": [dataclasses.asdict(finding) for finding in self.findings],
        }


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
