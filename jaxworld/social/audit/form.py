"""The form of rows: ids, numbers, who may carry what; nothing here needs to know the past."""

from __future__ import annotations

import re
from collections import Counter

from jaxworld.social.audit.facts import ACTIONS, CHANNEL_ORDER, COUNTS, NEEDS_TEXT, SURVEY, Facts
from jaxworld.social.audit.moment import EVENTS, Moment, Row

ID = re.compile(r"[0-7][0-9a-hjkmnp-tv-z]{25}")
"""26 letters of Crockford's base 32; the first holds three bits."""
STUDY_KINDS, PEER_KINDS = ("concept", "claim_post"), ("peer_post", "peer_reply")
_ID_COLUMNS = (("stimulus_id", "st-"), ("impression_id", "im-"), ("in_reply_to", "st-"), ("reaction_id", "rc-"))


class Form:
    """Checks of form over all ticks; remembers the ids that were given out."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self._stimuli: set[str] = set()
        self._impressions: dict[str, tuple[str, str, int]] = {}
        self._reactions: set[str] = set()

    def check(self, moment: Moment) -> None:
        """Check every row of a tick."""
        for index, row in enumerate(moment.rows):
            self._row(moment, index, row)
        for row in moment.stimuli:
            self._stimulus(moment, row)
        for (channel, _), rows in moment.shown.items():
            self._impression(moment, channel, rows)
        for rows in moment.dropped.values():
            _each_once(moment, rows, "dropped once for each persona, channel and stimulus")
        for key in moment.shown.keys() & moment.dropped.keys():
            there = {row.get("stimulus_id") for row in moment.shown[key]}
            for row in moment.dropped[key]:
                if row.get("stimulus_id") in there:
                    moment.flag(row, "stimulus_id", row.get("stimulus_id"), "shown or dropped, not both", "drops")
        self._turns(moment)

    def _row(self, moment: Moment, index: int, row: Row) -> None:
        if row.get("tick") != moment.tick:
            moment.flag(row, "tick", row.get("tick"), moment.tick, "rows are dated with the tick of their file")
        if row.get("sequence") != index:
            moment.flag(row, "sequence", row.get("sequence"), index, "rows of a tick are numbered from 0")
        if row.get("event") not in EVENTS:
            moment.flag(row, "event", row.get("event"), f"one of {', '.join(EVENTS)}", "known events")
        for column, prefix in _ID_COLUMNS:
            value = row.get(column)
            if value is not None and not (value.startswith(prefix) and ID.fullmatch(value, len(prefix))):
                moment.flag(row, column, value, f"{prefix} and 26 letters of base 32", "well-formed ids")
        for column in ("persona_id", "via_persona_id", "author"):
            value = row.get(column)
            if value is not None and value not in self.facts.position:
                moment.flag(row, column, value, "a persona of the population", "known personas")
        channel = row.get("channel")
        if channel is not None and channel not in CHANNEL_ORDER:
            moment.flag(row, "channel", channel, f"one of {', '.join(CHANNEL_ORDER)}", "known channels")
        attention = row.get("attention")
        if attention is not None and not 0 <= attention <= 1:
            moment.flag(row, "attention", attention, "0 to 1", "attention is a share")
        for column in COUNTS:
            value = row.get(column)
            if value is not None and value < 0:
                moment.flag(row, column, value, "0 or more", "counts")

    def _stimulus(self, moment: Moment, row: Row) -> None:
        name, kind, author, parent = (row.get(key) for key in ("stimulus_id", "kind", "author", "in_reply_to"))
        if name is None or name in self._stimuli:
            moment.flag(row, "stimulus_id", name, "an id of its own", "unique ids")
        self._stimuli.add(name or "")
        if kind not in STUDY_KINDS + PEER_KINDS:
            moment.flag(row, "kind", kind, f"one of {', '.join(STUDY_KINDS + PEER_KINDS)}", "known kinds")
        if (author is None) != (kind in STUDY_KINDS):
            moment.flag(row, "author", author, "none for the study's, a persona for others", "authorship")
        if (parent is not None) != (kind == "peer_reply") or parent == name:
            moment.flag(row, "in_reply_to", parent, "what a reply replies to, nothing else", "replies")
        if not row.get("text"):
            moment.flag(row, "text", row.get("text"), "some text", "stimuli have a text")
        if (kind == "claim_post") != bool(row.get("claim_id")):
            moment.flag(row, "claim_id", row.get("claim_id"), "the claim of a claim post", "claim posts name a claim")

    def _impression(self, moment: Moment, channel: str, rows: list[Row]) -> None:
        _each_once(moment, rows, "shown once in an impression")
        name = rows[0].get("impression_id")
        key = (channel, rows[0].get("persona_id") or "", moment.tick)
        if name is None or self._impressions.setdefault(name, key) != key:
            moment.flag(rows[0], "impression_id", name, "an id of its own", "unique ids")
        for rank, row in enumerate(rows):
            if row.get("rank") != rank:
                moment.flag(row, "rank", row.get("rank"), rank, "ranks count from 0")
            if row.get("impression_id") != name:
                moment.flag(row, "impression_id", row.get("impression_id"), name, "one impression a persona, channel")
        if channel == SURVEY and len(rows) != 1:
            moment.flag(rows[1], "rank", len(rows), 1, "the survey room shows one stimulus")

    def _turns(self, moment: Moment) -> None:
        answered = {(row.get("channel"), row.get("persona_id")) for row in moment.turns}
        for row in moment.failures:
            seat = row.get("channel"), row.get("persona_id")
            shown = moment.shown.get((seat[0] or "", seat[1] or ""), [])
            issued = shown[0].get("impression_id") if shown else None
            if issued is None or row.get("impression_id") != issued:
                moment.flag(row, "impression_id", row.get("impression_id"), issued, "failures are about an impression")
            if seat in answered:
                moment.flag(row, "event", "agent_failure", "turn", "an impression brings a turn or a failure")
        for row in moment.turns:
            self._turn(moment, row, moment.shown.get((row.get("channel") or "", row.get("persona_id") or ""), []))

    def _turn(self, moment: Moment, row: Row, shown: list[Row]) -> None:
        action, subject = row.get("action"), row.get("stimulus_id")
        if action not in ACTIONS:
            moment.flag(row, "action", action, "a known action", "actions")
        issued = shown[0].get("impression_id") if shown else None
        if not shown or row.get("impression_id") != issued:
            moment.flag(row, "impression_id", row.get("impression_id"), issued, "turns answer an impression")
        about = [each for each in shown if each.get("stimulus_id") == subject]
        if not about:
            moment.flag(row, "stimulus_id", subject, "a stimulus that was shown", "turns are about what was shown")
        elif action != "ignore" and not about[0].get("attention"):
            moment.flag(row, "stimulus_id", subject, "a stimulus that was noticed", "only ignoring needs no notice")
        if action in NEEDS_TEXT and not row.get("text"):
            moment.flag(row, "text", row.get("text"), "some text", "this action needs a text")
        if action == "ignore" and row.get("text"):
            moment.flag(row, "text", row.get("text"), None, "ignoring carries no text")
        reaction = row.get("reaction_id")
        if reaction is not None and reaction in self._reactions:
            moment.flag(row, "reaction_id", reaction, "an id of its own", "unique ids")
        self._reactions.add(reaction or "")


def _each_once(moment: Moment, rows: list[Row], rule: str) -> None:
    seen = Counter(row.get("stimulus_id") for row in rows)
    if len(seen) == len(rows):
        return
    met: set[str | None] = set()
    for row in rows:
        name = row.get("stimulus_id")
        if name in met:
            moment.flag(row, "stimulus_id", name, "once", rule)
        met.add(name)
