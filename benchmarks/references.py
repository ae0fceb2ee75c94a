"""Two independent implementations of the rule to compare with: vectorised NumPy, and an event loop of personas.

Both work on one world and touch awake personas only. ``NumpyWorld`` is what a careful NumPy programmer writes.
``EventLoopWorld`` is how agent platforms work: dictionaries, one coroutine per persona and action, lists ranked by
key functions. Both keep the kernel's order of events and its tie-breaks, so the same decisions give the same lists;
each of them can be driven by decisions made elsewhere (``apply``, ``present``) or make its own (``tick``).
"""

from __future__ import annotations

import asyncio
import heapq
import math
import random
from collections.abc import Iterable

import numpy as np

from benchmarks.rule import SECONDS_PER_TICK, Case, Posts, content_vectors
from jaxworld.social.population import Population

POST, UP, DOWN = 0, 1, 2
Turn = tuple[int, int, int]
"""Persona, the post it reacts to, and one of ``POST``, ``UP``, ``DOWN``."""
_SECONDS_PER_DECADE = 45_000
_NETWORK = 2.0**28
_LIKE = 32.0
_OLDEST = 272
_RECENCY = [math.log((271.8 - age) / 100) for age in range(_OLDEST)]


def slot_weights(budget: int) -> np.ndarray:
    """Attention of the shown slots: from 1 down to one half."""
    return np.linspace(1.0, 0.5, budget) if budget > 1 else np.ones(1)


class NumpyWorld:
    """One world on NumPy arrays."""

    def __init__(self, case: Case, people: Population, posts: Posts, seed: int = 0) -> None:
        self.case, self.now, self.count = case, 0, posts.tick.shape[0]
        self.random = np.random.default_rng(seed)
        self.posts = {name: _grown(getattr(posts, name), case.capacity) for name in ("tick", "author", "ups", "downs")}
        self.degree = np.append(people.degree, 0)  # the last entry is the study's
        self.vectors = content_vectors(people)
        self.network = _network(people) if case.recommender == "twitter" else None
        self.recency = np.asarray(_RECENCY, np.float32)
        self.edges = np.cumsum(slot_weights(case.budget))
        self.chances = np.cumsum([case.post, case.approve, case.dissents])
        self.awake = np.zeros(0, np.int64)
        self.shown = np.zeros((0, case.budget), np.int64)
        self.exposures = np.zeros(case.capacity, np.int64)

    def tick(self) -> None:
        """One tick with decisions of its own."""
        persona, subject, action = self._decide()
        self.apply(persona, subject, action)
        awake = np.flatnonzero(self.random.random(self.case.personas) < self.case.activation)
        self.present(awake, self.random.integers(0, 2**24, self.case.capacity))

    def apply(self, persona: np.ndarray, subject: np.ndarray, action: np.ndarray) -> None:
        """Count votes and publish; ``persona`` ascends."""
        size = self.case.capacity
        self.posts["ups"] += np.bincount(subject[action == UP], minlength=size)
        self.posts["downs"] += np.bincount(subject[action == DOWN], minlength=size)
        self.now += 1
        authors = persona[action == POST]
        new = slice(self.count, self.count + authors.shape[0])
        self.posts["author"][new], self.posts["tick"][new] = authors, self.now
        self.count = new.stop

    def present(self, awake: np.ndarray, tie: np.ndarray) -> np.ndarray:
        """Show posts ``int[awake, budget]``; ``tie[S]`` breaks ties of orders shared by all, the largest first."""
        self.awake = awake
        candidates = self.count - int((self.posts["tick"][: self.count] == self.now).sum())
        if self.case.recommender == "random":
            self.shown = self._sample(awake.shape[0], candidates)
        elif self.case.recommender == "twitter":
            self.shown = self._personal(candidates)[:, : self.case.budget]
        else:
            top = self.shared_window(candidates, tie)[: self.case.budget]
            self.shown = np.broadcast_to(top, (awake.shape[0], top.shape[0]))
        self.exposures += np.bincount(self.shown.ravel(), minlength=self.case.capacity)
        return self.shown

    def shared_window(self, candidates: int, tie: np.ndarray) -> np.ndarray:
        """The first posts of an order shared by all."""
        primary, secondary = self._shared_keys(candidates)
        size = min(self.case.window, candidates)
        kept = np.flatnonzero(primary >= np.partition(primary, candidates - size)[candidates - size])
        order = np.lexsort((kept, -tie[kept], -secondary[kept], -primary[kept]))
        return kept[order[:size]]

    def _shared_keys(self, candidates: int) -> tuple[np.ndarray, np.ndarray]:
        tick = self.posts["tick"][:candidates]
        if self.case.recommender == "twhin":
            return self.degree[self.posts["author"][:candidates]], tick
        if self.case.recommender == "chronological":
            return tick, tick
        net = self.posts["ups"][:candidates] - self.posts["downs"][:candidates]
        votes = np.sign(net) * np.log10(np.maximum(np.abs(net), 1))
        return np.round(votes + tick * (SECONDS_PER_TICK / _SECONDS_PER_DECADE), 7), tick

    def personal_scores(self, candidates: int) -> np.ndarray:
        """Similarity times recency ``[awake, candidates]``; ties of the persona first, by likes."""
        author, likes = self.posts["author"][:candidates], self.posts["ups"][:candidates]
        age = np.minimum(self.now - self.posts["tick"][:candidates], _OLDEST - 1)
        score = self.vectors[self.awake] @ self.vectors[author].T * self.recency[age]
        assert self.network is not None
        near = self.network[self.awake][:, author]
        return np.where(near, np.float32(_NETWORK) + np.float32(_LIKE) * likes.astype(np.float32), score)

    def _personal(self, candidates: int) -> np.ndarray:
        score = -self.personal_scores(candidates)
        size = min(self.case.window, candidates)
        kept = np.argpartition(score, size - 1, axis=1)[:, :size]
        order = np.argsort(np.take_along_axis(score, kept, axis=1), axis=1, kind="stable")
        return np.take_along_axis(kept, order, axis=1)

    def _sample(self, rows: int, candidates: int) -> np.ndarray:
        """Sparse Fisher-Yates over all rows at once."""
        size = min(self.case.budget, candidates)
        picks = np.zeros((rows, size), np.int64)
        target, displaced = np.zeros_like(picks), np.zeros_like(picks)
        for slot in range(size):
            target[:, slot] = self.random.integers(slot, candidates, rows)
            pick, own = target[:, slot].copy(), np.full(rows, slot)
            for earlier in range(slot):
                pick = np.where(target[:, slot] == target[:, earlier], displaced[:, earlier], pick)
                own = np.where(slot == target[:, earlier], displaced[:, earlier], own)
            picks[:, slot], displaced[:, slot] = pick, own
        return picks

    def _decide(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        rows, slots = self.shown.shape
        if rows == 0:
            nothing = np.zeros(0, np.int64)
            return nothing, nothing, nothing
        edges = self.edges[:slots]
        slot = np.searchsorted(edges, self.random.random(rows) * edges[-1], side="right")
        action = np.searchsorted(self.chances, self.random.random(rows), side="right")
        return self.awake, self.shown[np.arange(rows), slot], action


def _grown(column: np.ndarray, capacity: int) -> np.ndarray:
    return np.concatenate([column, np.zeros(capacity - column.shape[0], column.dtype)]).astype(np.int64)


def _network(people: Population) -> np.ndarray:
    """``bool[N, N + 1]``, the last column for the study."""
    size = people.degree.shape[0]
    network = np.zeros((size, size + 1), bool)
    network[np.repeat(np.arange(size), np.diff(people.row_offsets)), people.neighbor] = True
    return network


class EventLoopWorld:
    """One world of dictionaries and coroutines."""

    def __init__(self, case: Case, people: Population, posts: Posts, seed: int = 0) -> None:
        self.case, self.now = case, 0
        self.random = random.Random(seed)
        offsets, vectors = people.row_offsets, content_vectors(people).tolist()
        self.users = [
            {
                "degree": int(people.degree[number]),
                "profile": vectors[number],
                "network": set(people.neighbor[offsets[number] : offsets[number + 1]].tolist()),
                "shown": [],
            }
            for number in range(case.personas)
        ]
        self.study = {"degree": 0, "profile": vectors[-1]}
        columns = zip(posts.tick, posts.author, posts.ups, posts.downs, strict=True)
        self.posts = [
            {"id": number, "tick": int(tick), "author": int(author), "ups": int(ups), "downs": int(downs), "shown": 0}
            for number, (tick, author, ups, downs) in enumerate(columns)
        ]
        self.awake: list[int] = []
        self.weights = slot_weights(case.budget).tolist()

    @property
    def exposures(self) -> list[int]:
        """How often each post was shown."""
        return [post["shown"] for post in self.posts]

    async def tick(self) -> None:
        """One tick with decisions of its own."""
        turns = await asyncio.gather(*(self._decide(persona) for persona in self.awake))
        await self.apply(turn for turn in turns if turn is not None)
        awake = [number for number in range(len(self.users)) if self.random.random() < self.case.activation]
        await self.present(awake, None)

    async def apply(self, turns: Iterable[Turn]) -> None:
        """Carry out turns, one action at a time."""
        self.now += 1
        for persona, subject, action in turns:
            await (self._create_post(persona) if action == POST else self._vote(subject, action))

    async def present(self, awake: list[int], tie: list[int] | None) -> list[list[int]]:
        """Every awake persona refreshes; ``tie`` as in :meth:`NumpyWorld.present`, drawn if None."""
        self.awake = awake
        candidates = [post for post in self.posts if post["tick"] < self.now]
        ranked = None
        if self.case.recommender not in ("random", "twitter"):
            ranked = self._shared_window(candidates, tie)
        return list(await asyncio.gather(*(self._refresh(persona, candidates, ranked) for persona in awake)))

    def _shared_window(self, candidates: list[dict], tie: list[int] | None) -> list[dict]:
        """Ranked once a tick for all, as platforms do where nothing is personal."""
        keyed = []
        for post in candidates:
            word = self.random.getrandbits(24) if tie is None else tie[post["id"]]
            keyed.append(((*self._shared_key(post), word, -post["id"]), post))
        return [post for _, post in heapq.nlargest(self.case.window, keyed, key=lambda pair: pair[0])]

    def _shared_key(self, post: dict) -> tuple[float, ...]:
        if self.case.recommender == "twhin":
            return self._author(post)["degree"], post["tick"]
        if self.case.recommender == "chronological":
            return (post["tick"],)
        net = post["ups"] - post["downs"]
        votes = math.copysign(math.log10(max(abs(net), 1)), net)
        return (round(votes + post["tick"] * SECONDS_PER_TICK / _SECONDS_PER_DECADE, 7),)

    def _author(self, post: dict) -> dict:
        return self.study if post["author"] < 0 else self.users[post["author"]]

    async def _refresh(self, persona: int, candidates: list[dict], ranked: list[dict] | None) -> list[int]:
        user = self.users[persona]
        if self.case.recommender == "random":
            chosen = self.random.sample(candidates, min(self.case.budget, len(candidates)))
        else:
            window = self._personal_window(user, candidates) if ranked is None else ranked
            chosen = window[: self.case.budget]
        for post in chosen:
            post["shown"] += 1
        user["shown"] = [post["id"] for post in chosen]
        return user["shown"]

    def _personal_window(self, user: dict, candidates: list[dict]) -> list[dict]:
        def score(post: dict) -> float:
            if post["author"] in user["network"]:
                return _NETWORK + _LIKE * post["ups"]
            product = sum(a * b for a, b in zip(user["profile"], self._author(post)["profile"], strict=True))
            return product * _RECENCY[min(self.now - post["tick"], _OLDEST - 1)]

        return heapq.nlargest(self.case.window, candidates, key=score)

    async def _decide(self, persona: int) -> Turn | None:
        shown = self.users[persona]["shown"]
        if not shown:
            return None
        subject = self.random.choices(shown, self.weights[: len(shown)])[0]
        mark = self.random.random()
        for action, chance in ((POST, self.case.post), (UP, self.case.approve), (DOWN, self.case.dissents)):
            mark -= chance
            if mark < 0:
                return persona, subject, action
        return None

    async def _create_post(self, persona: int) -> None:
        self.posts.append(
            {"id": len(self.posts), "tick": self.now, "author": persona, "ups": 0, "downs": 0, "shown": 0}
        )

    async def _vote(self, subject: int, action: int) -> None:
        self.posts[subject]["ups" if action == UP else "downs"] += 1
