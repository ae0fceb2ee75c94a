"""What follows from the turn log: publications, replies, rejections and the strength of reactions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from jaxworld.social.audit.facts import SURVEY
from jaxworld.social.audit.history import Expected, History
from jaxworld.social.audit.moment import Moment, Row


def check_publications(moment: Moment, history: History) -> None:
    """Compare the stimuli of a tick with those the turns of the last one call for, and take them in."""
    if moment.tick == 0:
        _check_study(moment, history)
        history.publish(0, [(row, None) for row in moment.stimuli])
        return
    due = list(history.expected)
    pairs: list[tuple[Row, Expected | None]] = []
    last: tuple[int, ...] = ()
    for row in moment.stimuli:
        match = next((each for each in due if _same(row, each)), None)
        if match is None:
            field, rule = _nearest(row, due), "texts come from the landed turns of the last tick"
            moment.flag(row, field, row.get(field), "what a landed turn wrote", rule)
        else:
            due.remove(match)
            if match.key < last:
                moment.flag(row, "sequence", match.key, "order of persona, subject, action", "order of publication")
            last = match.key
        pairs.append((row, match))
    for each in due:
        moment.flag(None, "stimulus_id", None, each.text, "what a landed turn wrote is published", each.author)
    for row, _ in pairs:
        parent = row.get("in_reply_to")
        if parent is not None and parent not in history.items:
            moment.flag(row, "in_reply_to", parent, "a stimulus published earlier", "replies")
    history.publish(moment.tick, pairs)


def _check_study(moment: Moment, history: History) -> None:
    study = history.facts.study
    for row, (kind, claim, text) in zip(moment.stimuli, study, strict=False):
        for field, value in (("kind", kind), ("claim_id", claim), ("text", text), ("author", None)):
            if row.get(field) != value:
                moment.flag(row, field, row.get(field), value, "the study publishes its concept, then its claims")
    if len(moment.stimuli) != len(study):
        moment.flag(None, "stimulus_id", len(moment.stimuli), len(study), "all of the study is published at tick 0")


def _same(row: Row, due: Expected) -> bool:
    return (row.get("author"), row.get("kind"), row.get("in_reply_to"), row.get("text")) == (
        due.author, due.kind, due.parent, due.text,
    )  # fmt: skip


def _nearest(row: Row, due: Sequence[Expected]) -> str:
    """The one column in which a stimulus differs from something due, else its id."""
    for each in due:
        values = {"author": each.author, "kind": each.kind, "in_reply_to": each.parent, "text": each.text}
        different = [field for field, value in values.items() if row.get(field) != value]
        if len(different) == 1:
            return different[0]
    return "stimulus_id"


def check_rejections(moment: Moment, history: History) -> None:
    """Rejected is what does not land, and nothing else.

    Answers from the survey room reach the study, not the world; whether their rejection is on record is free.
    """
    due = Counter(_attempt(turn) for turn in history.rejected)
    subjects = {(_attempt(turn), turn.get("stimulus_id")) for turn in history.rejected}
    for row in moment.rejections:
        attempt, subject = _attempt(row), row.get("stimulus_id")
        if subject is not None and due[attempt] and (attempt, subject) not in subjects:
            moment.flag(row, "stimulus_id", subject, "the subject of the turn", "rejections")
        if due[attempt] == 0:
            moment.flag(row, "action", row.get("action"), "a turn of the last tick that does not land", "rejections")
        due[attempt] -= 1
    for attempt, missing in due.items():
        if missing > 0 and attempt[1] != SURVEY:
            moment.flag(None, "action", None, attempt[2], "what does not land is recorded as rejected", attempt[0])


def _attempt(row: Row) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in ("persona_id", "channel", "action"))


def check_sentiments(moment: Moment) -> None:
    """Strength of a reaction: the largest belief change, or the distance of the mean intent from the middle."""
    for row in moment.turns:
        details = row.get("details")
        try:
            reaction = json.loads(details) if details else {}
        except ValueError:
            moment.flag(row, "details", details, "JSON", "reactions are recorded whole")
            continue
        change, intent = reaction.get("belief_change") or {}, reaction.get("intent")
        if not change and intent is None:
            continue
        moves = [abs(value) for part in change.values() for value in part.values()]
        if intent is not None:
            mean = sum(score * share for score, share in enumerate(intent, start=1))
            moves.append(abs(mean - 3) / 2)
        expected = max(moves, default=0.0)
        if abs((row.get("sentiment") or 0.0) - expected) > 1e-6:
            moment.flag(row, "sentiment", row.get("sentiment"), expected, "strength of a reaction")
