"""The folder of a trace, the five questions about it, and its SQLite export."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.audit import audit_folder
from jaxworld.social.trace import (
    COLUMNS,
    EVENTS,
    TraceReader,
    TraceWriter,
    cascade,
    drops,
    export_sqlite,
    reach,
    seen_by,
    viewers_of,
)

RANKED = ("social_feed", "forum")


@pytest.fixture(scope="module")
def trace(rich_trace, tmp_path_factory):
    """The richest random trace, written and read."""
    return TraceReader(written(tmp_path_factory.mktemp("trace"), rich_trace))


@pytest.fixture(scope="module")
def rows(trace):
    """All of its rows."""
    return [row for _, tick in trace.ticks() for row in tick]


def written(folder, trace, ticks=None):
    writer = TraceWriter(folder, trace[0])
    for tick, rows in trace[1][writer.next_tick : ticks]:
        writer.append(tick, rows)
    return folder


def of(rows, event, **equals):
    return [row for row in rows if row["event"] == event and all(row[name] == value for name, value in equals.items())]


def test_what_is_read_is_what_was_written(trace, rich_trace):
    assert trace.header == rich_trace[0] and trace.num_ticks == len(rich_trace[1])
    for (_, given), (_, read) in zip(rich_trace[1], trace.ticks(), strict=True):
        assert len(given) == len(read)
        for one, other in zip(given, read, strict=True):
            assert {name: one.get(name) for name in other} == other
    assert audit_folder(trace.folder).clean


def test_rows_fill_the_columns_that_the_schema_names(rows):
    allowed = {event: {column.name for column in COLUMNS if event in column.events} for event in EVENTS}
    for row in rows:
        assert {name for name, value in row.items() if value is not None} <= allowed[row["event"]], row


def test_a_writer_goes_on_where_another_stopped(rich_trace, trace, tmp_path):
    written(tmp_path, rich_trace, 2)
    left = tmp_path / "ticks" / ".tick-000002.parquet.1234.tmp"
    left.write_bytes(b"half a file")
    assert TraceWriter(tmp_path, rich_trace[0]).next_tick == 2 and not left.exists()
    written(tmp_path, rich_trace)
    assert TraceReader(tmp_path).table().equals(trace.table())
    writer = TraceWriter(tmp_path, rich_trace[0])
    with pytest.raises(ConfigurationError, match=f"append tick {trace.num_ticks} next"):
        writer.append(0, [])


def test_what_cannot_be_a_trace_is_refused(rich_trace, tmp_path):
    written(tmp_path, rich_trace, 3)
    with pytest.raises(ConfigurationError, match="another run"):
        TraceWriter(tmp_path, {**rich_trace[0], "world_seed": 1})
    (tmp_path / "ticks" / "tick-000001.parquet").unlink()
    with pytest.raises(ConfigurationError, match=r"tick-000001.*missing"):
        TraceReader(tmp_path)


def test_what_a_persona_saw(trace, rows):
    tick, persona = max(Counter((row["tick"], row["persona_id"]) for row in of(rows, "exposure")).items(),
                        key=lambda item: item[1])[0]  # fmt: skip
    texts = {row["stimulus_id"]: row["text"] for row in of(rows, "stimulus")}
    expected = of(rows, "exposure", tick=tick, persona_id=persona)
    found = seen_by(trace, persona, tick).to_pylist()
    assert len(found) == len(expected)
    for row in expected:
        (match,) = [each for each in found if (each["channel"], each["rank"]) == (row["channel"], row["rank"])]
        assert match["text"] == texts[row["stimulus_id"]]
        assert all(match[name] == row[name] for name in ("stimulus_id", "attention", "likes", "ancestry", "reason"))


def test_who_saw_a_stimulus_and_how_far_it_reached(trace, rows):
    table = trace.table()
    for name in {row["stimulus_id"] for row in of(rows, "exposure")}:
        shown = of(rows, "exposure", stimulus_id=name)
        viewers = viewers_of(table, name).to_pylist()
        assert Counter(row["persona_id"] for row in viewers) == Counter(row["persona_id"] for row in shown)
        for each in reach(table, name).to_pylist():
            until = [row for row in shown if row["tick"] <= each["tick"]]
            assert each["personas"] == len({row["persona_id"] for row in until if row["attention"] > 0})
            assert each["exposures"] == sum(row["tick"] == each["tick"] for row in until)
            now = [row for row in until if row["tick"] == each["tick"]]
            assert each["noticed"] == sum(row["attention"] > 0 for row in now)


def test_what_was_dropped(trace, rows):
    assert drops(trace).num_rows == len(of(rows, "drop")) > 0
    one = of(rows, "drop")[0]
    chosen = {name: one[name] for name in ("persona_id", "channel", "tick")}
    assert drops(trace, **chosen).num_rows == len(of(rows, "drop", **chosen))


def test_cascade_holds_replies_shares_and_what_was_told(trace, rows):
    parents = Counter(row["in_reply_to"] for row in of(rows, "stimulus") if row["in_reply_to"])
    root = parents.most_common(1)[0][0]
    thread = {root}
    for row in of(rows, "stimulus"):
        thread |= {row["stimulus_id"]} if row["in_reply_to"] in thread else set()
    found = cascade(trace, root).to_pylist()
    assert {row["stimulus_id"] for row in found if row["event"] == "publication"} == thread
    told = [row for row in of(rows, "exposure", channel="wom") if row["stimulus_id"] in thread]
    assert sum(row["event"] == "told" for row in found) == len(told)
    shares = [row for action in ("repost", "quote") for row in of(rows, "turn", action=action, channel="social_feed")
              if row["stimulus_id"] in thread]  # fmt: skip
    assert sum(row["event"] == "share" for row in found) == len(shares)
    assert max(row["depth"] for row in found) >= 1
    with pytest.raises(ConfigurationError, match="no such stimulus"):
        cascade(trace, "st-nothing")


def test_sqlite_has_the_tables_of_oasis(trace, rows, tmp_path):
    path = tmp_path / "trace.db"
    export_sqlite(trace, path)
    with closing(sqlite3.connect(path)) as database:

        def all_of(query):
            return database.execute(query).fetchall()

        def columns(table):
            return [row[1] for row in all_of(f'PRAGMA table_info("{table}")')]

        assert columns("user") == [
            "user_id", "agent_id", "user_name", "name", "bio", "created_at", "num_followings", "num_followers",
        ]  # fmt: skip
        assert columns("post") == [
            "post_id", "user_id", "original_post_id", "content", "quote_content", "created_at", "num_likes",
            "num_dislikes", "num_shares", "num_reports",
        ]  # fmt: skip
        assert columns("trace") == ["user_id", "created_at", "action", "info"]
        people = len(trace.header["population"]["persona_ids"])
        assert all_of("SELECT COUNT(*), MAX(user_id) FROM user") == [(people + 1, people)]
        assert all_of("SELECT COUNT(*) FROM exposure") == [(len(of(rows, "exposure")),)]
        assert all_of("SELECT COUNT(*) FROM dropped") == [(len(of(rows, "drop")),)]
        # Counters and rows agree, and both are the engagement of the last views.
        for table, key in (("post", "like"), ("comment", "comment_like")):
            counted = f'(SELECT COUNT(*) FROM "{key}" AS other WHERE other.{table}_id = {table}.{table}_id)'
            assert all_of(f"SELECT COUNT(*) FROM {table} WHERE num_likes != {counted}") == [(0,)]
        kinds = Counter(row["kind"] for row in of(rows, "stimulus"))
        assert all_of("SELECT COUNT(*) FROM comment") == [(kinds["peer_reply"],)]
        own = kinds["concept"] + kinds["claim_post"] + kinds["peer_post"]
        assert all_of("SELECT COUNT(*) FROM post WHERE content != ''") == [(own,)]
        likes = all_of("SELECT num_likes FROM post JOIN stimulus USING (post_id) ORDER BY stimulus.rowid")
        last = trace.num_ticks - 1
        for (number,), row in zip(likes, [row for row in of(rows, "stimulus") if not row["in_reply_to"]], strict=True):
            shown = [each for each in of(rows, "exposure", tick=last, stimulus_id=row["stimulus_id"])
                     if each["channel"] in RANKED]  # fmt: skip
            assert all(number == each["likes"] + each["upvotes"] for each in shown)
        assert all_of("SELECT COUNT(*) FROM post WHERE original_post_id NOT IN (SELECT post_id FROM post)") == [(0,)]
    with pytest.raises(ConfigurationError, match="name a file"):
        export_sqlite(trace, tmp_path)


def test_the_documentation_names_every_event_and_column():
    text = (Path(__file__).resolve().parents[3] / "docs" / "social_trace.md").read_text()
    for event, meaning in EVENTS.items():
        assert f"| `{event}` | {meaning} |" in text
    for column in COLUMNS:
        assert f"| `{column.name}` | {column.type} |" in text and column.meaning in text
