"""Small social worlds for the tests: compiled once each, fed with turns written by hand, read back as NumPy."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import jax
import numpy as np

from jaxworld.core.leaves import first_difference
from jaxworld.core.random import tick_key, world_key
from jaxworld.social import Action, Channel, Population, SocialWorld, TurnBatch, make_params, make_social
from jaxworld.social.build import PARAM_OPTIONS
from jaxworld.social.population import make_population

FEED, FORUM, WOM, SURVEY = Channel.SOCIAL_FEED, Channel.FORUM, Channel.WORD_OF_MOUTH, Channel.SURVEY_ROOM
NUM_ROWS = 64
SEED = 4021
ALWAYS = (1.0,) * 24
"""An hourly rhythm in which everybody is awake."""
ACTS = ((0, "launch"), (0, "teaser"), (0, "promotion"))

SMALL: dict[str, Any] = {
    "tick_unit": "hour", "rhythm": ALWAYS, "max_window": 6, "stimulus_capacity": 64, "max_publications": 16,
}  # fmt: skip
EVERYTHING: dict[str, Any] = {
    **SMALL, "channels": ("feed", "forum", "wom"), "survey": True, "interventions": ACTS,
}  # fmt: skip


def four_people(**changes: Any) -> Population:
    """Ties 1-2 of .8, 3-4 of .6 and 2-3 of .2; communities {1, 2} and {3, 4}. Personas count from 0 in arrays."""
    given: dict[str, Any] = {
        "ties": [(0, 1), (2, 3), (1, 2)], "strengths": [800, 600, 200], "community": [0, 0, 1, 1],
    }  # fmt: skip
    return make_population([f"p-{number:06d}" for number in range(1, 5)], **{**given, **changes})


@functools.cache
def people(name: str) -> Population:
    """Populations by name."""
    if name == "four":
        return four_people()
    if name == "four with tastes":
        tastes = [(1, 0), (0, 1), (0.9, np.sqrt(1 - 0.9**2)), (0.1, np.sqrt(1 - 0.1**2))]
        return four_people(vectors=np.asarray(tastes))
    if name == "four strangers":
        return four_people(ties=None, strengths=1000)
    if name == "twelve":
        return twelve_people(np.arange(12))
    assert name == "many"
    return make_population([f"person {number}" for number in range(2048)])


def twelve_people(arrival: np.ndarray) -> Population:
    """Twelve personas in a ring with a hub, three communities, tastes and follows, arriving in the given order."""
    rng = np.random.default_rng(8)
    ties = np.asarray(sorted({tuple(sorted((i, (i + 1) % 12))) for i in range(12)} | {(0, k) for k in range(2, 7)}))
    strengths = rng.integers(250, 1001, len(ties))
    vectors = rng.normal(size=(12, 8))
    position = np.argsort(arrival)
    return make_population(
        [f"p-{number:02d}" for number in arrival],
        ties=position[ties],
        strengths=strengths,
        community=arrival % 3,
        involvement=np.linspace(0.5, 1.5, 12)[arrival],
        follows=position[np.asarray([(1, 8), (4, 0), (9, 2)])],
        vectors=vectors[arrival],
    )


class Driver:
    """One world and its compiled laws."""

    def __init__(self, population: str | Population, options: dict[str, Any]) -> None:
        self.population = people(population) if isinstance(population, str) else population
        self.options = options
        self.world: SocialWorld = make_social(population=self.population, **options)
        self.reset, self.step = (jax.jit(law) for law in (self.world.reset, self.world.step))

    def params(self, population: Population | None = None, **changes: Any) -> Any:
        """Parameters with some arguments of ``make_params`` changed."""
        given = {name: value for name, value in {**self.options, **changes}.items() if name in PARAM_OPTIONS}
        return make_params(self.world.config, population or self.population, **given)


_drivers: dict[str, Driver] = {}


def driver(population: str = "four", **options: Any) -> Driver:
    """A driver that all tests share."""
    name = repr((population, sorted(options.items())))
    if name not in _drivers:
        _drivers[name] = Driver(population, options)
    return _drivers[name]


def everything() -> Driver:
    """All channels and the survey room: random feed, hot forum; acts without effect at tick 0."""
    return driver(**EVERYTHING)


def hot_and_scoped() -> Driver:
    """A hot feed and a community-scoped forum."""
    return driver(**SMALL, channels=("feed", "forum"), feed_recommender="reddit_hot", forum_preset="community_scoped")


def interest() -> Driver:
    """A feed that ranks network first, then by taste; tastes with cosines of 1, 0, .9 and .1 to the first persona's."""
    return driver("four with tastes", **SMALL, channels=("feed",), feed_recommender="twitter")


def centrality() -> Driver:
    """A feed ranked by the author's degree and a random forum."""
    return driver(**SMALL, channels=("feed", "forum"), feed_recommender="twhin", forum_recommender="random")


def chronological() -> Driver:
    """A feed of news, word of mouth that passes on anything, nothing shown twice, repeats count once."""
    return driver(
        **SMALL, channels=("feed", "wom"), feed_recommender="chronological", hide_own=True, hide_seen=True,
        idempotent_engagement=True, word_of_mouth_from_rejected=True,
    )  # fmt: skip


def strangers() -> Driver:
    """Word of mouth alone, among personas without ties; the study launches."""
    return driver("four strangers", **SMALL, channels=("wom",), launch_reach=0.5)


def mixed() -> Driver:
    """2,048 personas, a feed that mixes random and hot, and a random forum; acts at tick 0 without effect."""
    return driver(
        "many", **SMALL, channels=("feed", "forum"), feed_recommender="random+reddit_hot", epsilon=0.0,
        forum_recommender="random", interventions=ACTS,
    )  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Turn:
    """A turn in words; sentiment is a fraction."""

    persona: int
    action: Action
    subject: int = 0
    channel: Channel = FEED
    sentiment: float = 0.0
    text: int = -1
    vector: int = -1


def turn_batch(turns: Any, num_rows: int = NUM_ROWS) -> TurnBatch:
    """Rows of a batch, padded with rows that are not valid."""
    turns = list(turns)
    assert len(turns) <= num_rows
    valid = np.arange(num_rows) < len(turns)
    rows = turns + [Turn(0, Action.IGNORE)] * (num_rows - len(turns))

    def column(name: str) -> np.ndarray:
        return np.asarray([int(getattr(row, name)) for row in rows], np.int32)

    names = ("persona", "channel", "subject", "action", "vector", "text")
    sentiment = np.asarray([round(row.sentiment * 1_000_000) for row in rows], np.int32)
    return TurnBatch(valid=valid, sentiment=sentiment, **{name: column(name) for name in names})


def permuted(batch: TurnBatch, order: np.ndarray) -> TurnBatch:
    """The same rows in another order."""
    return jax.tree.map(lambda column: column[order], batch)


def random_turns(rng: np.random.Generator, num_personas: int, num_stimuli: int, number: int = 40) -> list[Turn]:
    """Turns of every kind about anything that exists, some of them strong, some of them not afforded."""
    return [
        Turn(
            persona=int(rng.integers(num_personas)),
            action=Action(int(rng.integers(len(Action)))),
            subject=int(rng.integers(num_stimuli)),
            channel=Channel(int(rng.integers(len(Channel)))),
            sentiment=float(rng.choice([0.0, 0.5, 0.6, 1.0])),
            text=int(rng.integers(100)),
        )
        for _ in range(number)
    ]


class Run:
    """A world being run; ``state``, ``seen`` (the observation) and ``info`` are NumPy trees of the last tick."""

    def __init__(self, made: Driver, seed: int = SEED, **changes: Any) -> None:
        self.driver, self.key, self.tick = made, world_key(seed), 0
        self.params = made.params(**changes)
        self._take(made.reset(tick_key(self.key, 0), self.params))

    def step(self, *turns: Turn) -> Run:
        """Enter the next tick with these turns."""
        return self.step_batch(turn_batch(turns))

    def step_batch(self, batch: TurnBatch) -> Run:
        self.tick += 1
        self._take(self.driver.step(tick_key(self.key, self.tick), self.state, batch, self.params))
        return self

    def _take(self, made: Any) -> None:
        self.state, self.timestep = jax.device_get(made)
        self.seen, self.info = self.timestep.observation, self.timestep.info

    def window(self, channel: str) -> np.ndarray:
        """``[N, K]``: what was shown, then what was dropped, in rank order."""
        shown, rest = getattr(self.seen, channel).stimulus, getattr(self.info, channel).stimulus
        padded = np.pad(shown, ((0, 0), (0, rest.shape[1] - shown.shape[1])), constant_values=-1)
        return np.where(rest >= 0, rest, padded)

    def drops(self, channel: str) -> list[tuple[int, int, int]]:
        """Sorted (persona, stimulus, reason)."""
        drops = getattr(self.info, channel)
        if drops is None:
            return []
        persona = drops.persona
        if persona is None:
            persona = np.broadcast_to(np.arange(drops.stimulus.shape[0])[:, None], drops.stimulus.shape)
        at = drops.stimulus >= 0
        columns = (persona[at].tolist(), drops.stimulus[at].tolist(), drops.reason[at].tolist())
        return sorted(zip(*columns, strict=True))

    def told(self) -> list[tuple[int, int, int, int]]:
        """Sorted (recipient, stimulus, teller, tie) of word of mouth."""
        view = self.seen.word_of_mouth
        at = view.stimulus >= 0
        recipient = np.broadcast_to(np.arange(at.shape[0])[:, None], at.shape)
        columns = (recipient[at], view.stimulus[at], view.via[at], view.tie[at])
        return sorted(zip(*(column.tolist() for column in columns), strict=True))


def assert_same(one: Any, other: Any) -> None:
    """Two trees are equal bit for bit; the first leaf that differs is named."""
    assert first_difference(one, other) is None, first_difference(one, other)


def top_share(stimulus: np.ndarray) -> float:
    """Share of all exposures that the most exposed stimulus has."""
    counts = np.bincount(stimulus[stimulus >= 0])
    return counts.max() / counts.sum()
