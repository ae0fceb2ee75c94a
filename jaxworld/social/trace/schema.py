"""What a trace consists of: one row an event, the same columns for all of them.

A trace is a folder: ``header.json`` and one Parquet file a tick. The file of tick t holds what the world did at t and
the turns that were taken about it.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from jaxworld.core.errors import MissingExtraError

FORMAT = "jaxworld.social.trace/1"
HEADER, FOLDER = "header.json", "ticks"

EVENTS = {
    "rate": "the tick was entered with another activation rate than the configuration's",
    "stimulus": "a text was published",
    "intervention": "a scheduled act of the study started",
    "rejection": "a turn of the last tick did not land and changed nothing",
    "exposure": "a stimulus was shown to a persona, in one slot of an impression",
    "drop": "a stimulus was ranked for or told to a persona but not shown",
    "agent_failure": "no usable turn came back for an impression",
    "turn": "a persona reacted to an impression of this tick",
}
"""Kinds of rows, in the order in which they stand in a tick."""


@dataclasses.dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        name: its name.
        type: its type in Parquet.
        events: events that fill it; elsewhere it is null.
        meaning: what it says.
    """

    name: str
    type: str
    events: tuple[str, ...]
    meaning: str


_ALL = tuple(EVENTS)
_SHOWN = ("exposure", "drop", "rejection", "turn", "agent_failure")

COLUMNS = (
    Column("tick", "int32", _ALL, "tick of the event, that of the file"),
    Column("sequence", "int32", _ALL, "place of the row within the tick, from 0"),
    Column("event", "string", _ALL, "what happened"),
    Column("channel", "string", _SHOWN, "survey_room, social_feed, forum or wom"),
    Column("persona_id", "string", _SHOWN, "who is shown, told or reacts"),
    Column("impression_id", "string", ("exposure", "turn", "agent_failure"), "what the persona is shown on a channel"),
    Column("rank", "int32", ("exposure",), "slot within the impression, from 0"),
    Column(
        "stimulus_id", "string", ("stimulus", *_SHOWN[:4]),
        "what is published, shown, dropped, or the subject of the turn",
    ),
    Column("reason", "string", ("exposure", "drop"), "why"),
    Column("attention", "float64", ("exposure",), "0 to 1; 0 is shown but not noticed"),
    Column("likes", "int64", ("exposure",), "likes visible in the view"),
    Column("reposts", "int64", ("exposure",), "reposts and quotes visible in the view"),
    Column("replies", "int64", ("exposure",), "replies visible in the view"),
    Column("upvotes", "int64", ("exposure",), "upvotes visible in the view"),
    Column("downvotes", "int64", ("exposure",), "downvotes visible in the view"),
    Column("ancestry", "list<string>", ("exposure",), "what it replies to, nearest first, up to the root"),
    Column("tie_strength", "float64", ("exposure",), "tie to the author, or to the teller"),
    Column("shared_community", "bool", ("exposure",), "whether viewer and author (teller) share a community"),
    Column("via_persona_id", "string", ("exposure",), "who told it"),
    Column("author", "string", ("stimulus",), "who wrote it; null for the study"),
    Column("kind", "string", ("stimulus", "intervention"), "kind of stimulus, or of intervention"),
    Column("text", "string", ("stimulus", "turn", "agent_failure"), "the text, the words of the reaction, what failed"),
    Column("claim_id", "string", ("stimulus",), "the claim a claim post is about"),
    Column("in_reply_to", "string", ("stimulus",), "the stimulus a reply answers"),
    Column("action", "string", ("rejection", "turn"), "what the persona attempts"),
    Column("sentiment", "float64", ("turn",), "strength of the reaction, 0 to 1"),
    Column("reaction_id", "string", ("turn",), "id of the reaction, where it has one"),
    Column("details", "string", ("turn",), "the whole reaction as canonical JSON: belief change, intent and the rest"),
    Column("activation_rate", "float64", ("rate",), "share of activations kept"),
)  # fmt: skip
"""Columns of every tick file."""

NAMES = tuple(column.name for column in COLUMNS)


def arrow_schema() -> Any:
    """The columns as a pyarrow schema."""
    arrow, _ = import_arrow()
    types = {
        "int32": arrow.int32(), "int64": arrow.int64(), "float64": arrow.float64(), "bool": arrow.bool_(),
        "string": arrow.string(), "list<string>": arrow.list_(arrow.string()),
    }  # fmt: skip
    return arrow.schema([(column.name, types[column.type]) for column in COLUMNS])


def tick_file(tick: int) -> str:
    """Name of a tick's file."""
    return f"tick-{tick:06d}.parquet"


def import_arrow() -> tuple[Any, Any]:
    """Pyarrow and its Parquet module.

    Raises:
        MissingExtraError: if pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "study", "a trace") from error
    return pyarrow, pyarrow.parquet
