"""What an exposure study is asked to do."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from typing import Any, get_args

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.config import CHANNELS, FORUM_RECOMMENDERS
from jaxworld.social.population import ActivityFormula
from jaxworld.social.population.embedding import resolve_embedder
from jaxworld.social.recommenders import get_recommender
from jaxworld.social.vocabulary import TickUnit

_MOST = {
    "personas": 2**24 - 1,
    "worlds": 10**7,
    "ticks": 10**6,
    "budget": 1000,
    "window": 10**5,
    "chunk": 10**7,
    "capacity": 2**24 - 1,
    "seed": 2**63 - 1,
}
"""Whole-number settings and the most each may be."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ExposureSettings:
    """Arms, worlds and sizes of an exposure study.

    Attributes:
        personas: size of a generated population.
        worlds: seeded worlds per recommender; the same seeds for all.
        ticks: ticks simulated after tick 0.
        budget: exposures per persona, channel and tick.
        window: ranked candidates per persona; what is ranked but not shown counts as dropped. Default three budgets.
        recommenders: arms, by name, or ``a+b`` for a mixture.
        channels: any of ``feed``, ``forum``, ``wom``; the recommender is the feed's, or the forum's without a feed.
        tick_unit: ``hour``, ``day`` or ``week``.
        population: a name or path for ``load_population``.
        embed: what turns the texts of a population's file into vectors: ``hashing``, ``minilm``, or ``none``.
        activity: what activity counts of a population's file mean; default: what its format means by them.
        seed: seed of the population and of all worlds.
        chunk: worlds run at once; default: what memory allows.
        max_memory: GiB the run may hold; default: a share of what is free.
        capacity: stimuli a world can hold; default: what the personas are expected to write, with room to spare.
    """

    personas: int = 1000
    worlds: int = 256
    ticks: int = 48
    budget: int = 3
    window: int | None = None
    recommenders: tuple[str, ...] = ("random", "reddit_hot", "twitter", "twhin")
    channels: tuple[str, ...] = ("feed",)
    tick_unit: str = "hour"
    population: str = "generated"
    embed: str = "hashing"
    activity: str | None = None
    seed: int = 0
    chunk: int | None = None
    max_memory: float | None = None
    capacity: int | None = None

    def __post_init__(self) -> None:
        for field, most in _MOST.items():
            if getattr(self, field) is not None:
                _require_count(field, getattr(self, field), 0 if field == "seed" else 1, most)
        require(
            self.window is None or self.window >= self.budget,
            "window",
            self.window,
            f"the candidate window must hold at least the budget of {self.budget}",
        )
        require(
            self.max_memory is None or (math.isfinite(self.max_memory) and self.max_memory > 0),
            "max_memory",
            self.max_memory,
            "use a positive number of GiB",
        )
        units = tuple(unit.name.lower() for unit in TickUnit)
        require(self.tick_unit in units, "tick_unit", self.tick_unit, f"use one of {', '.join(units)}")
        resolve_embedder(self.embed)
        formulas = get_args(ActivityFormula)
        known = self.activity is None or self.activity in formulas
        require(known, "activity", self.activity, f"use one of {', '.join(formulas)}")
        self._check_channels()
        self._check_recommenders()

    def _check_channels(self) -> None:
        for channel in self.channels:
            require(channel in CHANNELS, "channels", channel, f"use any of {', '.join(CHANNELS)}")
        require(len(set(self.channels)) == len(self.channels), "channels", self.channels, "name each channel once")
        require(
            "feed" in self.channels or "forum" in self.channels,
            "channels",
            self.channels,
            "a recommender needs a feed or a forum to rank",
        )

    def _check_recommenders(self) -> None:
        require(len(self.recommenders) > 0, "recommenders", self.recommenders, "name at least one")
        require(
            len(set(self.recommenders)) == len(self.recommenders),
            "recommenders",
            self.recommenders,
            "name each recommender once",
        )
        for name in self.recommenders:
            parts = name.split("+")
            require(len(parts) <= 2, "recommenders", name, "mix two recommenders at most")
            for part in parts:
                get_recommender(part)
            if "feed" not in self.channels and name not in FORUM_RECOMMENDERS:
                raise ConfigurationError(
                    "recommenders", name, f"a forum without a feed ranks by {' or '.join(FORUM_RECOMMENDERS)}"
                )

    def world_options(self, recommender: str) -> dict[str, Any]:
        """Options of ``make_social`` for one arm."""
        ranked_by = "feed_recommender" if "feed" in self.channels else "forum_recommender"
        return {
            "channels": tuple(channel for channel in CHANNELS if channel in self.channels),
            "tick_unit": self.tick_unit,
            ranked_by: recommender,
            "max_budget": self.budget,
            "max_window": 3 * self.budget if self.window is None else self.window,
        }

    def world_seeds(self) -> np.ndarray:
        """``uint64[worlds]``: the first 8 bytes of SHA-256 of ``"exposure:seed:index"``, the same for every arm."""
        digests = [
            hashlib.sha256(f"exposure:{self.seed}:{index}".encode()).digest()[:8] for index in range(self.worlds)
        ]
        return np.array([int.from_bytes(digest, "big") for digest in digests], dtype=np.uint64)


def _require_count(field: str, value: object, low: int, most: int) -> None:
    require(
        isinstance(value, int) and not isinstance(value, bool) and low <= value <= most,
        field,
        value,
        f"use a whole number from {low} to {most:,}",
    )
