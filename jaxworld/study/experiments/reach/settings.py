"""What a reach study is asked to do."""

from __future__ import annotations

import dataclasses
import math

from jaxworld.core.errors import require
from jaxworld.social.recommenders import get_recommender

REFERENCE = "random"
"""The recommender that gives nothing away; it is always evaluated."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReachSettings:
    """Sizes and budget of a reach study.

    Attributes:
        personas: people in each world.
        creators: how many of them post by the searched policy; the others are the default mix and the audience.
        ticks: length of a run, in hours.
        slots: stimuli shown to an awake persona in a tick.
        effort: effort a creator may spend at each turn; writing a post costs 1, see ``effort.COSTS``.
        recommenders: arms, by name.
        strategy, population_size, sigma, learning_rate: see ``make_strategy``.
        generations, worlds, held_out_worlds: see ``SearchSettings``.
        seed: of the population, the choice of creators and the searches.
    """

    personas: int = 200
    creators: int = 10
    ticks: int = 24
    slots: int = 3
    effort: float = 0.1
    recommenders: tuple[str, ...] = ("random", "reddit_hot", "twitter", "twhin")
    strategy: str = "openai_es"
    population_size: int = 16
    sigma: float = 0.5
    learning_rate: float = 0.2
    generations: int = 30
    worlds: int = 8
    held_out_worlds: int = 256
    seed: int = 0

    def __post_init__(self) -> None:
        require(2 <= self.personas < 2**20, "personas", self.personas, "use at least 2")
        few = 1 <= self.creators < self.personas
        require(few, "creators", self.creators, f"use 1 to {self.personas - 1}: somebody has to be the audience")
        require(self.ticks >= 1, "ticks", self.ticks, "use at least 1")
        require(self.slots >= 1, "slots", self.slots, "use at least 1")
        fits = math.isfinite(self.effort) and 0 < self.effort <= 1
        require(fits, "effort", self.effort, "use a number above 0 and at most 1")
        unique = len(self.recommenders) >= 1 and len(set(self.recommenders)) == len(self.recommenders)
        require(unique, "recommenders", self.recommenders, "name at least one, each once")
        for name in self.recommenders:
            get_recommender(name)
