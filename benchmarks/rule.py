"""The rule that every implementation runs, and the people and posts it starts from.

A tick: personas react to what they were shown at the last one (write a post, vote up, vote down, or let it pass);
votes count and posts are published; some personas wake up; each of them gets a ranked window of posts, of which the
first few are shown. Posts can be ranked from the tick after their own on.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxworld.core.pytree import replace
from jaxworld.social.population import Population, generate_population, quantize_unit_vectors

RECOMMENDERS = ("random", "reddit_hot", "twhin", "twitter", "chronological")
SECONDS_PER_TICK = 3600
AGE_OF_POSTS = 100
"""Posts that exist at the start were published up to this many ticks ago."""
_TASTE_DIMENSIONS = 16


@dataclasses.dataclass(frozen=True)
class Case:
    """One cell of the benchmark.

    Attributes:
        recommender: one of :data:`RECOMMENDERS`.
        personas: N.
        posts: posts at the start.
        ticks: ticks timed in one go.
        activation: chance to be awake; post, approve, dissent: chances of an awake persona, at most one happens.
        window: ranked posts; budget: posts shown.
    """

    recommender: str
    personas: int
    posts: int
    ticks: int = 10
    activation: float = 0.1
    post: float = 0.3
    approve: float = 0.4
    dissent: float = 0.1
    window: int = 50
    budget: int = 5

    @property
    def on_forum(self) -> bool:
        """Votes down exist on the forum only; the feed has the recommenders the forum lacks."""
        return self.recommender in ("random", "reddit_hot")

    @property
    def dissents(self) -> float:
        """Chance to vote down where that exists."""
        return self.dissent if self.on_forum else 0.0

    @property
    def posts_per_tick(self) -> float:
        """Expected number of new posts."""
        return self.personas * self.activation * self.post

    @property
    def publications(self) -> int:
        """Room for the new posts of one tick: six standard deviations above their mean."""
        return int(min(self.posts_per_tick + 6 * self.posts_per_tick**0.5 + 8, self.personas))

    @property
    def capacity(self) -> int:
        """S: room for the posts at the start, the new ones and eight standard deviations."""
        new = self.posts_per_tick * self.ticks
        return int(-(-(1 + self.posts + new + 8 * new**0.5 + self.publications) // 64) * 64)


def make_people(case: Case, seed: int = 0) -> Population:
    """A generated population with equal involvement; taste vectors only where similarity ranks."""
    built = generate_population(
        case.personas,
        seed=seed,
        communities="none",
        taste_dimensions=_TASTE_DIMENSIONS if case.recommender == "twitter" else 0,
        check_gates=case.personas >= 100,
    )
    return replace(built.population, involvement=np.full(case.personas, case.activation, np.float32))


def content_vectors(people: Population) -> np.ndarray:
    """``float32[N + 1, D]``: posts point where their author does, those of the study (the last row) at the mean."""
    profile = np.asarray(people.profile, np.float32)
    if profile.shape[1] == 0:
        return np.zeros((profile.shape[0] + 1, 0), np.float32)
    mean = quantize_unit_vectors(profile.mean(axis=0, keepdims=True, dtype=np.float64))
    return np.concatenate([profile, mean]).astype(np.float32)


@dataclasses.dataclass(frozen=True)
class Posts:
    """Posts at the start, ``int32[P]`` each: one by the study (author -1) without a vote, then the oldest first."""

    tick: np.ndarray
    author: np.ndarray
    ups: np.ndarray
    downs: np.ndarray


def make_posts(case: Case, seed: int = 0) -> Posts:
    """Posts of random authors and ages with a few votes each."""
    random, size = np.random.default_rng(seed), case.posts
    columns = {
        "tick": np.sort(random.integers(-AGE_OF_POSTS, 0, size)),
        "author": random.integers(0, case.personas, size),
        "ups": random.integers(0, 20, size),
        "downs": random.integers(0, 5, size) * case.on_forum,
    }
    first = {"tick": 0, "author": -1, "ups": 0, "downs": 0}
    return Posts(**{name: np.append(first[name], column).astype(np.int32) for name, column in columns.items()})
