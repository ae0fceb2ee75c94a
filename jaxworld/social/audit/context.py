"""What a view says about a stimulus: counts, ancestry and the viewer's relation to the author or teller."""

from __future__ import annotations

from typing import Any

from jaxworld.social.audit.facts import COUNTS, SURVEY, WOM
from jaxworld.social.audit.history import History
from jaxworld.social.audit.moment import Moment, Row

_RELATIONS = ("tie_strength", "shared_community", "via_persona_id")


def check_contexts(moment: Moment, history: History) -> None:
    """Check every exposure's context; surveys and what the study launches are bare."""
    ancestry: dict[str, list[str]] = {}
    for (channel, persona), rows in moment.shown.items():
        for row in rows:
            name = row.get("stimulus_id") or ""
            if name not in history.items:
                moment.flag(row, "stimulus_id", name, "a published stimulus", "shown after it was published")
            elif channel == SURVEY or (row.get("reason") == "launch" and moment.tick == 0):
                _check_bare(moment, row)
            elif persona in history.facts.position:
                if name not in ancestry:
                    ancestry[name] = history.ancestry(name)
                _check_counts(moment, row, history.counts[name], ancestry[name])
                _check_relation(moment, history, row, channel, persona, history.items[name].author)


def _check_counts(moment: Moment, row: Row, counts: list[int], ancestry: list[str]) -> None:
    for field, expected in zip(COUNTS, counts, strict=True):
        if row.get(field) != expected:
            moment.flag(row, field, row.get(field), expected, "engagement of earlier ticks")
    if row.get("ancestry") != ancestry:
        moment.flag(row, "ancestry", row.get("ancestry"), ancestry, "the chain of replies")


def _check_bare(moment: Moment, row: Row) -> None:
    for field in COUNTS:
        if row.get(field) != 0:
            moment.flag(row, field, row.get(field), 0, "a bare view")
    bare: dict[str, Any] = {**dict.fromkeys(_RELATIONS), "ancestry": []}
    for field, value in bare.items():
        if row.get(field) != value:
            moment.flag(row, field, row.get(field), value, "a bare view")


def _check_relation(moment: Moment, history: History, row: Row, channel: str, persona: str, author: str | None) -> None:
    facts, via = history.facts, row.get("via_persona_id")
    if channel != WOM and via is not None:
        moment.flag(row, "via_persona_id", via, None, "only word of mouth has a teller")
    if channel == WOM and (via is None or via == persona):
        moment.flag(row, "via_persona_id", via, "somebody else", "word of mouth has a teller")
        return
    other = via if channel == WOM else author
    expected: tuple[Any, Any] = (None, None)
    if other is not None and other != persona and other in facts.position:
        expected = facts.tie(persona, other) / 1_000, facts.shared_community(persona, other)
    for field, value, rule in zip(
        ("tie_strength", "shared_community"), expected, ("ties of the population", "communities"), strict=True
    ):
        if row.get(field) != value:
            moment.flag(row, field, row.get(field), value, rule)
