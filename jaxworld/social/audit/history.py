"""What must be true at a tick, derived from the study and from the turns of earlier ticks alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from jaxworld.social.audit.facts import ACTIONS, CHANNEL_ORDER, COUNTS, FEED, FORUM, LANDS, RAISES, WOM, WRITES, Facts
from jaxworld.social.audit.moment import Moment, Row


@dataclasses.dataclass(frozen=True)
class Item:
    """A stimulus.

    Attributes:
        tick: when it was published.
        author: who wrote it, None for the study.
        kind, text: as published.
        parent: what it replies to.
        root: first stimulus of its thread.
        platform: the channel it lives on, None for study stimuli, which live on all.
        place: how many stimuli were published before it.
    """

    tick: int
    author: str | None
    kind: str
    text: str
    parent: str | None
    root: str
    platform: str | None
    place: int


@dataclasses.dataclass(frozen=True)
class Expected:
    """A publication that the turns of the last tick call for; ``key`` is its place in the order of publication."""

    key: tuple[int, ...]
    author: str
    kind: str
    parent: str | None
    text: str
    platform: str | None


class History:
    """The past of a world.

    Attributes:
        items: stimuli published so far, in order.
        counts: engagement as views of the present tick must show it, by stimulus, in the order of ``COUNTS``.
        followees: whom each persona follows.
        seen: what each persona was shown on a channel, by ``(channel, persona)``.
        expected: publications due at the present tick.
        rejected: turns of the last tick that must be rejected.
        strong: turns of the last tick that spark word of mouth.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.items: dict[str, Item] = {}
        self.counts: dict[str, list[int]] = {}
        self.followees = {persona: set(others) for persona, others in facts.follows.items()}
        self.seen: dict[tuple[str, str], set[str]] = {}
        self.expected: list[Expected] = []
        self.rejected: list[Row] = []
        self.strong: list[Row] = []
        self._replied: list[str] = []
        self._engaged: set[tuple[str, str, str]] = set()

    def enter(self, turns: Sequence[Row]) -> None:
        """Take in the turns of the tick before."""
        for subject in self._replied:
            self.counts[subject][COUNTS.index("replies")] += 1
        self._replied, self.expected, self.rejected, self.strong = [], [], [], []
        for turn in turns:
            exists = turn.get("stimulus_id") in self.items
            if self._lands(turn) and exists:
                self._take(turn)
            else:
                self.rejected.append(turn)
            if exists and self._sparks(turn):
                self.strong.append(turn)
        self.expected.sort(key=lambda due: due.key)

    def publish(self, tick: int, rows: Iterable[tuple[Row, Expected | None]]) -> None:
        """Take in the stimuli of a tick, each with the publication it was found to be, if any."""
        for row, due in rows:
            name = row.get("stimulus_id") or ""
            parent = row.get("in_reply_to") if due is None else due.parent
            self.items[name] = Item(
                tick=tick,
                author=row.get("author") if due is None else due.author,
                kind=row.get("kind") or "",
                text=row.get("text") or "",
                parent=parent,
                root=self.items[parent].root if parent in self.items else name,
                platform=None if due is None else due.platform,
                place=len(self.items),
            )
            self.counts[name] = [0] * len(COUNTS)

    def remember(self, moment: Moment) -> None:
        """Take note of what was shown."""
        for (channel, persona), rows in moment.shown.items():
            if channel in (FEED, FORUM):
                self.seen.setdefault((channel, persona), set()).update(row.get("stimulus_id") or "" for row in rows)

    @property
    def concept(self) -> str | None:
        """The first stimulus of all."""
        return next(iter(self.items), None)

    def ancestry(self, name: str) -> list[str]:
        """What a stimulus replies to, what that replies to, and so on to the root."""
        chain: list[str] = []
        parent = self.items[name].parent
        while parent is not None and parent in self.items and len(chain) <= len(self.items):
            chain.append(parent)
            parent = self.items[parent].parent
        return chain

    def in_network(self, viewer: str, author: str | None) -> bool:
        """Whether an author is tied to or followed by a persona."""
        return author is not None and (author in self.facts.ties[viewer] or author in self.followees[viewer])

    def _lands(self, turn: Row) -> bool:
        channel = turn.get("channel")
        return channel in self.facts.on and turn.get("action") in LANDS[str(channel)]

    def _sparks(self, turn: Row) -> bool:
        facts, channel = self.facts, turn.get("channel")
        if WOM not in facts.on or channel not in (FEED, FORUM, WOM):
            return False
        landed = self._lands(turn) and turn.get("action") != "ignore"
        threshold = round(facts.world["sentiment_threshold"] * 1_000_000)
        strong = round((turn.get("sentiment") or 0.0) * 1_000_000) >= threshold
        return strong and (landed or facts.world["word_of_mouth_from_rejected"])

    def _take(self, turn: Row) -> None:
        action, subject, persona = str(turn.get("action")), str(turn.get("stimulus_id")), str(turn.get("persona_id"))
        raised = RAISES.get(action)
        if raised is not None:
            mark = (raised, persona, subject)
            if not (self.facts.world["idempotent_engagement"] and mark in self._engaged):
                self.counts[subject][COUNTS.index(raised)] += 1
            self._engaged.add(mark)
        author = self.items[subject].author
        if action == "follow" and author is not None and author != persona:
            self.followees[persona].add(author)
        if action in WRITES:
            self.expected.append(self._publication(turn, action, subject, persona))

    def _publication(self, turn: Row, action: str, subject: str, persona: str) -> Expected:
        channel = str(turn.get("channel"))
        reply = WRITES[action] == "peer_reply"
        if reply:
            self._replied.append(subject)
        place = self.facts.position.get(persona, -1)
        order = (place, self.items[subject].place, ACTIONS.index(action), CHANNEL_ORDER.index(channel))
        home: Any = {FEED: FEED, FORUM: FORUM, WOM: self.items[subject].platform}[channel]
        text = turn.get("text") or ""
        return Expected(order, persona, WRITES[action], subject if reply else None, text, home)
