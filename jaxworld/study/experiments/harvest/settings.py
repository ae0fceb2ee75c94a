"""What a search for harvesting policies is asked to do."""

from __future__ import annotations

import dataclasses

from jaxworld.commons import AGENT_TYPES
from jaxworld.core.checks import number, whole
from jaxworld.core.errors import require

TOGETHER, BALANCED = "together", "balanced"
PLAYING = tuple(kind for kind in AGENT_TYPES if kind not in ("rep_conditional", "pact_keeper"))
"""Built-in agents that need no pacts."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class HarvestSettings:
    """Sizes and budget.

    Attributes:
        others: whom the searched player meets: a kind of built-in agent on all other seats; ``balanced``, one each of
            pulse, racer, conservative, msy, tit_for_tat and further ones in that order; or ``together``, where all
            seats play the searched policy and the catch of all counts.
        players: N.
        regrowth, harvest_cap, noise: of the commons and of everybody's reading of its stock.
        turns: length of a run.
        strategy, population_size, sigma, learning_rate: see ``make_strategy``.
        generations, worlds, held_out_worlds: see ``SearchSettings``.
        seed: of the searches and their worlds.
    """

    others: tuple[str, ...] = (TOGETHER, *PLAYING, BALANCED)
    players: int = 6
    regrowth: float = 0.4
    harvest_cap: float = 0.05
    noise: float = 0.0
    turns: int = 100
    strategy: str = "openai_es"
    population_size: int = 32
    sigma: float = 0.1
    learning_rate: float = 0.05
    generations: int = 150
    worlds: int = 8
    held_out_worlds: int = 256
    seed: int = 0

    def __post_init__(self) -> None:
        known = (TOGETHER, BALANCED, *PLAYING)
        if isinstance(self.others, str):  # one name, as the command line gives it
            object.__setattr__(self, "others", (self.others,))
        require(
            len(self.others) > 0 and len(set(self.others)) == len(self.others), "others", self.others, "name each once"
        )
        for name in self.others:
            require(name in known, "others", name, f"use names from {', '.join(known)}")
        whole("players", self.players, 2, 1000)
        number("regrowth", self.regrowth, 0.01, 2.0)
        number("harvest_cap", self.harvest_cap, 1e-3, 1.0)
        number("noise", self.noise, 0.0, 10.0)
        whole("turns", self.turns, 1, 2**20)
