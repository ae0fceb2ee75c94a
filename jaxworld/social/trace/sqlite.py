"""A trace as a SQLite database whose tables a user of OASIS recognises.

Tables and columns are those of OASIS (camel-ai/oasis, commit 46cdc8d): ``user``, ``post``, ``comment``, ``like``,
``dislike``, ``comment_like``, ``comment_dislike``, ``follow``, ``rec`` and ``trace``, with ticks as times. Beside them
stand ``exposure``, ``dropped``, ``intervention``, ``rejection`` and ``stimulus``, which OASIS has not: what was shown
and why, what was not, and the thread of every text.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from jaxworld.core.errors import require
from jaxworld.core.files import replacing
from jaxworld.social.trace.reader import TraceReader
from jaxworld.social.trace.sqlite_tables import OASIS_TABLES, OUR_TABLES

_OASIS_ACTIONS = {
    "ignore": "do_nothing", "post": "create_post", "comment": "create_comment", "reply": "create_comment",
    "like": "like_post", "upvote": "like_post", "downvote": "dislike_post", "quote": "quote_post",
    "buy": "purchase_product", "answer": "interview",
}  # fmt: skip
"""Names of actions in OASIS's trace; the others (repost, follow) are the same, or OASIS has none."""
_EXPOSURE: tuple[str, ...] = (
    "tick", "channel", "persona_id", "impression_id", "rank", "stimulus_id", "reason", "attention", "likes", "reposts",
    "replies", "upvotes", "downvotes", "tie_strength", "shared_community", "via_persona_id",
)  # fmt: skip
_OUR_EVENTS = {
    "exposure": ("exposure", _EXPOSURE),
    "drop": ("dropped", ("tick", "channel", "persona_id", "stimulus_id", "reason")),
    "rejection": ("rejection", ("tick", "channel", "persona_id", "action")),
}
"""Table and columns of events that OASIS does not record."""
STUDY_NAME = "study"


def export_sqlite(trace: TraceReader | str | Path, path: str | Path) -> None:
    """Write a trace as a SQLite database, whole or not at all; a file of that name is replaced.

    Raises:
        ConfigurationError: if there is no such trace, or ``path`` is a folder.
        MissingExtraError: if pyarrow is not installed.
    """
    reader = trace if isinstance(trace, TraceReader) else TraceReader(trace)
    target = Path(path)
    require(not target.is_dir(), "path", str(path), "this is a folder: name a file")
    with replacing(target) as temporary, closing(sqlite3.connect(temporary)) as database:
        database.executescript(OASIS_TABLES + OUR_TABLES)
        _Export(database, reader).write()
        database.commit()


class _Export:
    """One export: gives out OASIS's integer ids and writes its tables tick by tick."""

    def __init__(self, database: sqlite3.Connection, reader: TraceReader) -> None:
        self._database, self._reader = database, reader
        people = reader.header["population"]
        self._user = {persona: index for index, persona in enumerate(people["persona_ids"])}
        self._study = len(self._user)
        self._follows: set[tuple[int, int]] = set()
        self._row: dict[str, Mapping[str, Any]] = {}
        self._home: dict[str, tuple[str, int]] = {}
        self._likes: Counter[tuple[str, int]] = Counter()
        self._dislikes: Counter[tuple[str, int]] = Counter()
        self._shares: Counter[int] = Counter()
        self._once = bool(reader.header["world"]["idempotent_engagement"])
        self._engaged: set[tuple[str, int, str]] = set()

    def write(self) -> None:
        """Write everything."""
        self._write_users()
        before: list[dict[str, Any]] = []
        for tick, rows in self._reader.ticks():
            refused = Counter(_attempt(row) for row in rows if row["event"] == "rejection")
            landed = []
            for turn in (row for row in before if row["event"] == "turn"):
                if refused[_attempt(turn)]:
                    refused[_attempt(turn)] -= 1
                else:
                    landed.append(turn)
            for row in rows:
                if row["event"] == "stimulus":
                    self._publish(tick, row, landed)
            for turn in landed:
                self._act(tick, turn)
            self._write_events(tick, rows)
            before = rows
        self._write_candidates(before)
        self._write_totals()

    def _insert(self, table: str, names: Sequence[str], values: Sequence[Any]) -> int:
        marks = ", ".join("?" * len(names))
        cursor = self._database.execute(f'INSERT INTO "{table}" ({", ".join(names)}) VALUES ({marks})', tuple(values))
        return int(cursor.lastrowid or 0)

    def _write_users(self) -> None:
        for persona, user in [*self._user.items(), (STUDY_NAME, self._study)]:
            names = ("user_id", "agent_id", "user_name", "name", "bio", "created_at")
            self._insert("user", names, (user, user, persona, persona, "", 0))
            self._trace(user, 0, "sign_up", {"name": persona, "user_name": persona, "bio": ""})
        for follower, followee in self._reader.header["population"]["follows"]:
            self._follow(0, self._user[follower], self._user[followee])

    def _follow(self, tick: int, follower: int, followee: int) -> None:
        if follower != followee and (follower, followee) not in self._follows:
            self._follows.add((follower, followee))
            self._insert("follow", ("follower_id", "followee_id", "created_at"), (follower, followee, tick))

    def _trace(self, user: int, tick: int, action: str, info: Mapping[str, Any]) -> None:
        text = json.dumps(info, sort_keys=True, ensure_ascii=False)
        self._insert("trace", ("user_id", "created_at", "action", "info"), (user, tick, action, text))

    def _publish(self, tick: int, row: Mapping[str, Any], landed: list[dict[str, Any]]) -> None:
        """A post, a quote or a comment; OASIS's comments are flat and belong to the thread's first post."""
        name, text, parent = row["stimulus_id"], row["text"], row["in_reply_to"]
        user = self._study if row["author"] is None else self._user[row["author"]]
        turn = _written_by(landed, row)
        if parent is not None:
            post = self._first_post(parent)
            number = self._insert("comment", ("post_id", "user_id", "content", "created_at"), (post, user, text, tick))
            self._home[name] = ("comment", number)
        else:
            quoted = turn["stimulus_id"] if turn is not None and turn["action"] == "quote" else None
            original = None if quoted is None else self._first_post(quoted)
            content, quote = (text, None) if quoted is None else (self._row[quoted]["text"], text)
            names = ("user_id", "original_post_id", "content", "quote_content", "created_at")
            self._home[name] = "post", self._insert("post", names, (user, original, content, quote, tick))
        table, number = self._home[name]
        if turn is not None:
            turn["wrote"] = number
        elif row["author"] is None:
            self._trace(user, tick, "create_post", {"content": text, "post_id": number})
        self._row[name] = row
        columns = ("stimulus_id", "author", "kind", "text", "claim_id", "in_reply_to")
        values = (tick, *(row[key] for key in columns), number)
        self._insert("stimulus", ("tick", *columns, f"{table}_id"), values)

    def _first_post(self, name: str) -> int:
        while self._home[name][0] == "comment":
            name = self._row[name]["in_reply_to"]
        return self._home[name][1]

    def _act(self, tick: int, turn: Mapping[str, Any]) -> None:
        """What a landed turn does, dated with the tick at which it takes effect."""
        user, action = self._user[turn["persona_id"]], turn["action"]
        table, number = self._home[turn["stimulus_id"]]
        info: dict[str, Any] = {"channel": turn["channel"], "impression_id": turn["impression_id"]}
        if turn["text"] is not None:
            info["content"] = turn["text"]
        oasis = _OASIS_ACTIONS.get(action, action)
        if action in ("like", "upvote", "downvote"):
            oasis = oasis if table == "post" else oasis.replace("post", "comment")
            info |= {f"{table}_id": number, **self._vote(tick, turn, user)}
        elif action in ("repost", "quote"):
            named = "reposted_id" if action == "repost" else "quoted_id"
            info |= {named: number, "new_post_id": self._share(tick, turn, user)}
        elif "wrote" in turn:
            info |= (
                {"post_id": turn["wrote"]} if action == "post" else {"comment_id": turn["wrote"], "reply_to": number}
            )
        elif action == "follow" and self._row[turn["stimulus_id"]]["author"] is not None:
            info["followee_id"] = self._user[self._row[turn["stimulus_id"]]["author"]]
            self._follow(tick, user, info["followee_id"])
        else:
            info[f"{table}_id"] = number
        self._trace(user, tick, oasis, info)

    def _vote(self, tick: int, turn: Mapping[str, Any], user: int) -> dict[str, int]:
        """A like or a dislike, of a post or a comment."""
        if not self._counts(turn["action"], user, turn["stimulus_id"]):
            return {}
        table, number = self._home[turn["stimulus_id"]]
        kind = "dislike" if turn["action"] == "downvote" else "like"
        name = kind if table == "post" else f"comment_{kind}"
        (self._dislikes if kind == "dislike" else self._likes)[table, number] += 1
        return {f"{name}_id": self._insert(name, ("user_id", f"{table}_id", "created_at"), (user, number, tick))}

    def _share(self, tick: int, turn: Mapping[str, Any], user: int) -> int | None:
        """A repost makes a row of its own, a quote has one already; both are shares of the thread's first post."""
        made: int | None = turn.get("wrote")
        if self._counts("share", user, turn["stimulus_id"]):
            original = self._first_post(turn["stimulus_id"])
            self._shares[original] += 1
            if turn["action"] == "repost":
                names = ("user_id", "original_post_id", "content", "created_at")
                made = self._insert("post", names, (user, original, "", tick))
        return made

    def _counts(self, action: str, user: int, subject: str) -> bool:
        """Whether an engagement counts; where it is idempotent, a repeated one is in OASIS's trace only."""
        mark = action, user, subject
        repeated = mark in self._engaged
        self._engaged.add(mark)
        return not (self._once and repeated)

    def _write_events(self, tick: int, rows: list[dict[str, Any]]) -> None:
        shown: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            if row["event"] in _OUR_EVENTS:
                table, names = _OUR_EVENTS[row["event"]]
                user = self._user.get(row["persona_id"] or "")
                self._insert(table, ("user_id", *names), (user, *(row[name] for name in names)))
            elif row["event"] == "intervention":
                self._insert("intervention", ("tick", "kind"), (tick, row["kind"]))
            if row["event"] == "exposure":
                shown.setdefault(row["impression_id"], []).append(row)
        for name, slots in shown.items():
            posts = [dict(zip(("kind", "id"), self._home[row["stimulus_id"]], strict=True)) for row in slots]
            info = {"channel": slots[0]["channel"], "impression_id": name, "posts": posts}
            self._trace(self._user[slots[0]["persona_id"]], tick, "refresh", info)

    def _write_candidates(self, rows: list[dict[str, Any]]) -> None:
        """What the feed and the forum ranked for each user at the last tick."""
        ranked = {
            (self._user[row["persona_id"]], self._home[row["stimulus_id"]][1])
            for row in rows
            if row["event"] in ("exposure", "drop") and row["channel"] in ("social_feed", "forum")
            and self._home[row["stimulus_id"]][0] == "post"
        }  # fmt: skip
        self._database.executemany("INSERT INTO rec VALUES (?, ?)", sorted(ranked))

    def _write_totals(self) -> None:
        for (table, number), count in self._likes.items():
            self._database.execute(f"UPDATE {table} SET num_likes = ? WHERE {table}_id = ?", (count, number))
        for (table, number), count in self._dislikes.items():
            self._database.execute(f"UPDATE {table} SET num_dislikes = ? WHERE {table}_id = ?", (count, number))
        for number, count in self._shares.items():
            self._database.execute("UPDATE post SET num_shares = ? WHERE post_id = ?", (count, number))
        following, followed = Counter(pair[0] for pair in self._follows), Counter(pair[1] for pair in self._follows)
        for user in range(self._study + 1):
            self._database.execute(
                "UPDATE user SET num_followings = ?, num_followers = ? WHERE user_id = ?",
                (following[user], followed[user], user),
            )


def _attempt(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["persona_id"], row["channel"], row["action"]


def _written_by(landed: list[dict[str, Any]], row: Mapping[str, Any]) -> dict[str, Any] | None:
    """The landed turn that published a stimulus; each accounts for one."""
    for turn in landed:
        reply = turn["action"] in ("comment", "reply")
        writes = "wrote" not in turn and (reply or turn["action"] in ("post", "quote"))
        same = (turn["persona_id"], turn["text"]) == (row["author"], row["text"])
        if writes and same and row["in_reply_to"] == (turn["stimulus_id"] if reply else None):
            return turn
    return None
