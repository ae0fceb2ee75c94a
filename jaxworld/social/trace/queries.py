"""The five usual questions about a trace, answered with pyarrow.

Each function takes a :class:`TraceReader` or the table of one (``reader.table()``, which is read once) and returns a
pyarrow table; ``.to_pylist()`` makes dictionaries of it, ``.to_pandas()`` a data frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jaxworld.core.errors import require
from jaxworld.social.trace.reader import TraceReader
from jaxworld.social.trace.schema import import_arrow

_VIEW = (
    "tick", "channel", "persona_id", "rank", "stimulus_id", "reason", "attention", "likes", "reposts", "replies",
    "upvotes", "downvotes", "ancestry", "tie_strength", "shared_community", "via_persona_id",
)  # fmt: skip
_SHARES = ("repost", "quote")


def seen_by(trace: Any, persona_id: str, tick: int) -> Any:
    """What a persona saw at a tick: one row a slot, with the text and everything its view said."""
    import_arrow()
    import pyarrow.compute as compute

    table = _table(trace)
    shown = _where(table, event="exposure", persona_id=persona_id, tick=tick).select(list(_VIEW))
    published = _where(table, event="stimulus")
    place = compute.index_in(shown.column("stimulus_id"), published.column("stimulus_id").combine_chunks())
    for name in ("author", "kind", "text"):
        shown = shown.append_column(name, published.column(name).take(place))
    return shown.sort_by(_by("channel", "rank"))


def viewers_of(trace: Any, stimulus_id: str) -> Any:
    """Who saw a stimulus: one row an exposure."""
    names = ["tick", "persona_id", "channel", "rank", "reason", "attention", "via_persona_id"]
    shown = _where(_table(trace), event="exposure", stimulus_id=stimulus_id).select(names)
    return shown.sort_by(_by("tick", "persona_id", "channel"))


def drops(
    trace: Any,
    *,
    persona_id: str | None = None,
    stimulus_id: str | None = None,
    channel: str | None = None,
    tick: int | None = None,
) -> Any:
    """What was ranked or told but not shown, in all or for one persona, stimulus, channel or tick."""
    given = {"persona_id": persona_id, "stimulus_id": stimulus_id, "channel": channel, "tick": tick}
    chosen = {name: value for name, value in given.items() if value is not None}
    dropped = _where(_table(trace), event="drop", **chosen)
    return dropped.select(["tick", "channel", "persona_id", "stimulus_id", "reason"])


def reach(trace: Any, stimulus_id: str) -> Any:
    """Reach over time: ``tick``, ``exposures``, ``noticed``, ``new_personas`` and ``personas`` reached so far.

    A persona is reached when it notices the stimulus on any channel.
    """
    arrow, _ = import_arrow()
    table = _table(trace)
    shown = _where(table, event="exposure", stimulus_id=stimulus_id)
    last = max(table.column("tick").to_pylist(), default=-1)
    exposures, noticed, new = ([0] * (last + 1) for _ in range(3))
    met: set[str] = set()
    columns = (shown.column(name).to_pylist() for name in ("tick", "persona_id", "attention"))
    for tick, persona, attention in sorted(zip(*columns, strict=True)):
        exposures[tick] += 1
        if attention > 0:
            noticed[tick] += 1
            new[tick] += persona not in met
            met.add(persona)
    total = [sum(new[: tick + 1]) for tick in range(last + 1)]
    names = ("tick", "exposures", "noticed", "new_personas", "personas")
    made = (list(range(last + 1)), exposures, noticed, new, total)
    return arrow.table({name: arrow.array(values, arrow.int64()) for name, values in zip(names, made, strict=True)})


def cascade(trace: Any, stimulus_id: str) -> Any:
    """How a stimulus spread: itself, replies to it, replies to these, what was shared of them, and who told whom.

    One row an event, ``tick``, ``event`` (``publication``, ``share`` or ``told``), ``depth`` in the thread,
    ``persona_id``, ``from_persona_id`` (author of what is replied to or shared, or the teller), ``stimulus_id`` and
    ``parent_id``.

    Raises:
        ConfigurationError: if the stimulus was never published.
    """
    arrow, _ = import_arrow()
    table = _table(trace)
    published = {row["stimulus_id"]: row for row in _where(table, event="stimulus").to_pylist()}
    require(stimulus_id in published, "stimulus_id", stimulus_id, "no such stimulus was published in this trace")
    depth = {stimulus_id: 0}
    for name, row in published.items():  # a parent comes before its replies
        if row["in_reply_to"] in depth and name != stimulus_id:
            depth[name] = depth[row["in_reply_to"]] + 1
    rows = []
    for name in depth:
        row = published[name]
        parent = row["in_reply_to"] if depth[name] else None
        rows.append((row["tick"], "publication", depth[name], row["author"], _author(published, parent), name, parent))
    refused = {(row["tick"] - 1, *_attempt(row)) for row in _where(table, event="rejection").to_pylist()}
    for turn in _where(table, event="turn").to_pylist():
        name = turn["stimulus_id"]
        if name in depth and turn["action"] in _SHARES and (turn["tick"], *_attempt(turn)) not in refused:
            author = published[name]["author"]
            rows.append((turn["tick"], "share", depth[name], turn["persona_id"], author, name, None))
    for told in _where(table, event="exposure", channel="wom").to_pylist():
        name = told["stimulus_id"]
        if name in depth:
            rows.append((told["tick"], "told", depth[name], told["persona_id"], told["via_persona_id"], name, None))
    rows.sort(key=lambda row: (row[0], row[2], row[5], row[1], row[3] or ""))
    names = ("tick", "event", "depth", "persona_id", "from_persona_id", "stimulus_id", "parent_id")
    types = (arrow.int64(), arrow.string(), arrow.int64(), *[arrow.string()] * 4)
    columns = list(zip(*rows, strict=True))
    return arrow.table({n: arrow.array(c, t) for n, c, t in zip(names, columns, types, strict=True)})


def _attempt(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["persona_id"], row["channel"], row["action"]


def _author(published: dict[str, Any], name: str | None) -> str | None:
    author: str | None = published[name]["author"] if name in published else None
    return author


def _table(trace: Any) -> Any:
    return trace.table() if isinstance(trace, TraceReader) else trace


def _where(table: Any, **equals: Any) -> Any:
    """Rows whose columns have these values."""
    import_arrow()
    import pyarrow.compute as compute

    chosen = None
    for name, value in equals.items():
        same = compute.field(name) == value
        chosen = same if chosen is None else chosen & same
    return table.filter(chosen)


def _by(*names: str) -> list[tuple[str, str]]:
    return [(name, "ascending") for name in names]
