"""What the reference search is asked to do."""

from __future__ import annotations

import dataclasses

from jaxworld.core.errors import require


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReferenceSettings:
    """Sizes and budget of the reference search.

    Attributes:
        policies: kinds of array policy to compare, on the world that needs memory and on the one that does not.
        seeds: independent searches for each.
        steps: length of a run.
        strategy, population_size, sigma, learning_rate: see ``make_strategy``.
        generations, worlds, held_out_worlds: see ``SearchSettings``.
        hidden: width of hidden layers.
        seed: of the first search.
    """

    policies: tuple[str, ...] = ("linear", "recurrent")
    seeds: int = 3
    steps: int = 20
    strategy: str = "openai_es"
    population_size: int = 64
    sigma: float = 0.3
    learning_rate: float = 0.1
    generations: int = 60
    worlds: int = 16
    held_out_worlds: int = 256
    hidden: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        require(self.seeds >= 2, "seeds", self.seeds, "an interval over searches needs at least 2")
        require(self.steps >= 2, "steps", self.steps, "use at least 2")
        require(len(self.policies) >= 1, "policies", self.policies, "name at least one")
