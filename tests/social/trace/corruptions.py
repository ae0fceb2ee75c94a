"""Ways to falsify a trace; each changes one thing and says where an audit must point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Rows = list[dict[str, Any]]
Ticks = list[tuple[int, Rows]]
Pointed = tuple[int, str, str | None, int | None]
"""Tick, field, persona and row."""
Corruption = Callable[[dict[str, Any], Ticks, np.random.Generator], Pointed]
"""Raises LookupError or StopIteration where a trace has nothing to falsify in this way."""


def pick(ticks: Ticks, rng: np.random.Generator, fits: Callable[[dict[str, Any]], Any]) -> tuple[int, Rows, int]:
    """A random row that fits: its tick, the rows of that tick, and its place among them."""
    found = [(tick, rows, at) for tick, rows in ticks for at, row in enumerate(rows) if fits(row)]
    if not found:
        raise LookupError("no row to falsify")
    return found[rng.integers(len(found))]


def remove(rows: Rows, at: int) -> None:
    """Take a row out and number the rest anew, so that nothing but its absence tells."""
    del rows[at]
    renumber(rows)


def renumber(rows: Rows) -> None:
    for sequence, row in enumerate(rows):
        row["sequence"] = sequence


def change(field: str, value: Any, **fits: Any) -> Corruption:
    """Give a field of a random fitting row another value, or what a function makes of the row."""

    def corrupt(header: dict[str, Any], ticks: Ticks, rng: np.random.Generator) -> Pointed:
        def suits(row: dict[str, Any]) -> bool:
            return all(want(row) if callable(want) else row.get(name) == want for name, want in fits.items())

        tick, rows, at = pick(ticks, rng, suits)
        row = rows[at]
        row[field] = value(row, header, ticks) if callable(value) else value
        return tick, field, row.get("persona_id") or row.get("author"), at

    return corrupt


def _stranger(row: dict[str, Any], header: dict[str, Any], ticks: Ticks) -> str:
    """Somebody without a tie to the viewer."""
    ends = {(edge["u"], edge["v"]) for edge in header["population"]["edges"]}
    return next(
        other
        for other in header["population"]["persona_ids"]
        if other != row["persona_id"]
        and (other, row["persona_id"]) not in ends
        and (row["persona_id"], other) not in ends
    )


def _of_this_tick(row: dict[str, Any], header: dict[str, Any], ticks: Ticks) -> str:
    return next(each["stimulus_id"] for each in ticks[row["tick"]][1] if each["event"] == "stimulus")


def _shown_beside(row: dict[str, Any], header: dict[str, Any], ticks: Ticks) -> str:
    seat = row["channel"], row["persona_id"]
    rows = ticks[row["tick"]][1]
    shown = (each for each in rows if each["event"] == "exposure" and (each["channel"], each["persona_id"]) == seat)
    return next(shown)["stimulus_id"]


def _unseen(row: dict[str, Any], header: dict[str, Any], ticks: Ticks) -> str:
    rows = ticks[row["tick"]][1]
    shown = {each["stimulus_id"] for each in rows if each.get("impression_id") == row["impression_id"]}
    return next(
        each["stimulus_id"]
        for _, earlier in ticks[: row["tick"] + 1]
        for each in earlier
        if each["event"] == "stimulus" and each["stimulus_id"] not in shown
    )


def _other_parent(row: dict[str, Any], header: dict[str, Any], ticks: Ticks) -> str:
    return next(
        each["stimulus_id"]
        for each in ticks[0][1]
        if each["event"] == "stimulus" and each["stimulus_id"] != row["in_reply_to"]
    )


def drop_removed(header: dict[str, Any], ticks: Ticks, rng: np.random.Generator) -> Pointed:
    tick, rows, at = pick(ticks, rng, lambda row: row["event"] == "drop" and row["channel"] != "wom")
    channel, persona = rows[at]["channel"], rows[at]["persona_id"]
    remove(rows, at)
    last = max(
        place
        for place, row in enumerate(rows)
        if row.get("persona_id") == persona and row.get("channel") == channel and row["event"] in ("exposure", "drop")
    )
    return tick, "drop", persona, last


def rejection_removed(header: dict[str, Any], ticks: Ticks, rng: np.random.Generator) -> Pointed:
    tick, rows, at = pick(ticks, rng, lambda row: row["event"] == "rejection" and row["channel"] != "survey_room")
    persona = rows[at]["persona_id"]
    remove(rows, at)
    return tick, "action", persona, None


def intervention_repeated(header: dict[str, Any], ticks: Ticks, rng: np.random.Generator) -> Pointed:
    tick, rows, at = pick(ticks, rng, lambda row: row["event"] == "intervention")
    rows.insert(at, dict(rows[at]))
    renumber(rows)
    return tick, "intervention", None, at + 1


def intervention_removed(header: dict[str, Any], ticks: Ticks, rng: np.random.Generator) -> Pointed:
    tick, rows, at = pick(ticks, rng, lambda row: row["event"] == "intervention")
    remove(rows, at)
    return tick, "intervention", None, None


def budget_exceeded(header: dict[str, Any], ticks: Ticks, rng: np.random.Generator) -> Pointed:
    """A drop becomes one more exposure."""
    tick, rows, at = pick(ticks, rng, lambda row: row["event"] == "drop" and row["channel"] == "social_feed")
    seat = rows[at]["channel"], rows[at]["persona_id"]
    shown = [row for row in rows if row["event"] == "exposure" and (row["channel"], row["persona_id"]) == seat]
    extra = {**shown[-1], "stimulus_id": rows[at]["stimulus_id"], "rank": len(shown)}
    del rows[at]
    rows.append(extra)
    renumber(rows)
    return tick, "rank", seat[1], len(rows) - 1


def stimulus_invented(header: dict[str, Any], ticks: Ticks, rng: np.random.Generator) -> Pointed:
    """A text by somebody who wrote nothing."""
    tick = int(rng.integers(1, len(ticks)))
    wrote = {turn["persona_id"] for turn in ticks[tick - 1][1] if turn["event"] == "turn" and turn["text"]}
    author = next(persona for persona in header["population"]["persona_ids"] if persona not in wrote)
    rows = ticks[tick][1]
    row = {
        "event": "stimulus", "tick": tick, "sequence": len(rows), "stimulus_id": "st-" + "0" * 26, "author": author,
        "kind": "peer_post", "text": "nobody wrote this",
    }  # fmt: skip
    rows.append(row)
    return tick, "stimulus_id", author, len(rows) - 1


def respondent_left_out(header: dict[str, Any], ticks: Ticks, rng: np.random.Generator) -> Pointed:
    tick, rows, at = pick(ticks, rng, lambda row: row["event"] == "exposure" and row["channel"] == "survey_room")
    persona = rows[at]["persona_id"]
    remove(rows, at)
    return tick, "channel", persona, None


def told_silently(header: dict[str, Any], ticks: Ticks, rng: np.random.Generator) -> Pointed:
    """Somebody is told what nobody close reacted to."""
    tick, rows, at = pick(
        ticks, rng, lambda row: row["event"] == "exposure" and row["channel"] == "wom" and row["tick"] > 0
    )
    turns = {turn["stimulus_id"] for turn in ticks[tick - 1][1] if turn["event"] == "turn"}
    other = next(
        row["stimulus_id"]
        for _, earlier in ticks[:tick]
        for row in earlier
        if row["event"] == "stimulus" and row["stimulus_id"] not in turns
    )
    rows[at]["stimulus_id"] = other
    return tick, "stimulus_id", rows[at]["persona_id"], at


def tick_lost(header: dict[str, Any], ticks: Ticks, rng: np.random.Generator) -> Pointed:
    tick = int(rng.integers(1, len(ticks) - 1))
    del ticks[tick]
    return tick + 1, "tick", None, None


def ranking_exchanged(header: dict[str, Any], ticks: Ticks, rng: np.random.Generator) -> Pointed:
    """The first stimulus of a hot forum changes places with an older one that nobody engaged with and was dropped."""
    published = {row["stimulus_id"]: tick for tick, rows in ticks for row in rows if row["event"] == "stimulus"}

    def older(row: dict[str, Any]) -> list[dict[str, Any]]:
        seat = ("drop", row.get("channel"), row.get("persona_id"))
        return [
            each
            for each in ticks[row["tick"]][1]
            if (each["event"], each.get("channel"), each.get("persona_id")) == seat
            and published[each["stimulus_id"]] < published[row["stimulus_id"]]
        ]

    def fits(row: dict[str, Any]) -> bool:
        return row["event"] == "exposure" and row["reason"] == "forum" and row["rank"] == 0 and bool(older(row))

    tick, rows, at = pick(ticks, rng, fits)
    drop = older(rows[at])[0]
    rows[at]["stimulus_id"], drop["stimulus_id"] = drop["stimulus_id"], rows[at]["stimulus_id"]
    return tick, "stimulus_id", rows[at]["persona_id"], at


def _ranked(row: dict[str, Any]) -> bool:
    return row.get("channel") in ("social_feed", "forum")


CORRUPTIONS: dict[str, Corruption] = {
    "a like too many": change(
        "likes", lambda row, *_: row["likes"] + 1, event="exposure", channel=lambda r: _ranked(r)
    ),
    "replies forgotten": change("replies", 0, event="exposure", replies=lambda row: row.get("replies")),
    "thread cut": change("ancestry", [], event="exposure", ancestry=lambda row: row.get("ancestry")),
    "tie made stronger": change(
        "tie_strength", lambda row, *_: row["tie_strength"] / 2 + 0.5001, event="exposure", reason="network"
    ),
    "community denied": change(
        "shared_community",
        lambda row, *_: not row["shared_community"],
        event="exposure",
        shared_community=lambda row: row.get("shared_community") is not None,
    ),
    "another teller": change(
        "via_persona_id", _stranger, event="exposure", via_persona_id=lambda row: row.get("via_persona_id")
    ),
    "attention invented": change("attention", 0.1234, event="exposure", channel=lambda row: _ranked(row)),
    "a stranger called network": change(
        "reason", "network", event="exposure", reason="interest", channel="social_feed"
    ),
    "shown in its own tick": change(
        "stimulus_id",
        _of_this_tick,
        event="exposure",
        channel=lambda row: _ranked(row),
        tick=lambda row: row["tick"] in (2, 3, 4, 5) and row["has_news"],
    ),
    "shown and dropped": change("stimulus_id", _shown_beside, event="drop", channel=lambda row: _ranked(row)),
    "another parent": change("in_reply_to", _other_parent, event="stimulus", kind="peer_reply"),
    "another author": change("author", "p-999999", event="stimulus", kind="peer_post"),
    "a signal in the survey room": change("likes", 1, event="exposure", channel="survey_room"),
    "a malformed id": change("impression_id", "im-8" + "0" * 25, event="exposure", channel=lambda row: _ranked(row)),
    "ranks swapped": change("rank", 3, event="exposure", rank=0),
    "a turn about something unseen": change("stimulus_id", _unseen, event="turn", action="like"),
    "another reason to drop": change("reason", "asleep", event="drop", channel=lambda row: _ranked(row)),
    "a drop removed": drop_removed,
    "a rejection removed": rejection_removed,
    "an intervention repeated": intervention_repeated,
    "an intervention removed": intervention_removed,
    "the budget exceeded": budget_exceeded,
    "a stimulus invented": stimulus_invented,
    "a respondent left out": respondent_left_out,
    "told about something else": told_silently,
    "a ranking exchanged": ranking_exchanged,
    "a tick lost": tick_lost,
}
