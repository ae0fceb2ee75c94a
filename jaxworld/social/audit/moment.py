"""The rows of one tick, sorted by what they are, and the way to say that one of them is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jaxworld.social.audit.report import Finding, Report

Row = Mapping[str, Any]
"""One row of a trace: plain values by column; a column that is missing is as good as None."""

EVENTS = ("rate", "stimulus", "intervention", "rejection", "exposure", "drop", "agent_failure", "turn")


class Moment:
    """One tick of a trace.

    Attributes:
        tick: its number.
        rows: all rows.
        stimuli, interventions, rejections, failures, turns: rows of that kind, in order.
        shown: exposures by ``(channel, persona)``, in the order of the trace.
        dropped: drops by ``(channel, persona)``.
        sorted_scores: scores of ranked candidates, best first, for the check of orders.
    """

    def __init__(self, tick: int, rows: Sequence[Row], report: Report) -> None:
        self.tick, self.rows, self._report = tick, rows, report
        self._index = {id(row): index for index, row in enumerate(rows)}
        kinds: dict[str, list[Row]] = {name: [] for name in EVENTS}
        for row in rows:
            kinds.setdefault(row.get("event") or "", []).append(row)
        self.stimuli, self.interventions = kinds["stimulus"], kinds["intervention"]
        self.rejections, self.failures, self.turns = kinds["rejection"], kinds["agent_failure"], kinds["turn"]
        self.shown = _by_person(kinds["exposure"])
        self.dropped = _by_person(kinds["drop"])
        self.sorted_scores: dict[tuple[str, str | None, str], list[tuple[float, ...]]] = {}

    def flag(
        self, row: Row | None, field: str, found: Any, expected: Any, rule: str, persona: str | None = None
    ) -> None:
        """Report what is wrong with a row, or that one is missing."""
        index = None if row is None else self._index[id(row)]
        if row is not None and persona is None:
            persona = row.get("persona_id") or row.get("author")
        self._report.add(Finding(self.tick, field, persona, index, found, expected, rule))

    def heard(self, channel: str) -> dict[str, list[Row]]:
        """Rows shown or dropped on a channel, by persona; shown ones first."""
        made: dict[str, list[Row]] = {}
        for table in (self.shown, self.dropped):
            for (name, persona), rows in table.items():
                if name == channel:
                    made.setdefault(persona, []).extend(rows)
        return made

    def personas_on(self, channel: str) -> set[str]:
        """Who was shown something on a channel."""
        return {persona for name, persona in self.shown if name == channel}


def _by_person(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    table: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        table.setdefault((row.get("channel") or "", row.get("persona_id") or ""), []).append(row)
    return table
