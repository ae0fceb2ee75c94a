"""What a search is asked to do, and what it reports while it does."""

from __future__ import annotations

import dataclasses

from jaxworld.core.errors import require

_RANGES = {
    "generations": (1, 10**7),
    "worlds": (1, 10**6),
    "held_out_worlds": (1, 10**6),
    "held_out_every": (0, 10**7),
    "checkpoint_every": (1, 10**7),
    "block": (1, 10**6),
    "seed": (0, 2**63 - 1),
    "held_out_seed": (0, 2**63 - 1),
}


@dataclasses.dataclass(frozen=True, kw_only=True)
class SearchSettings:
    """Budget and seeds of a search.

    Attributes:
        generations: how many; a finished search can be resumed with more.
        worlds: training worlds per candidate, the same for all candidates of a generation, fresh in each.
        held_out_worlds: worlds of the reported score; no search ever trains on them.
        held_out_every: also score the current solution on them every so many generations, for the learning curve; 0
            for the end only. Nothing is ever selected by this score.
        checkpoint_every: generations between checkpoints, if a folder is given.
        seed: of the strategy and the training worlds.
        held_out_seed: of the held-out worlds; searches that share it are scored on the same worlds.
        block: pairs of candidate and world that run at once on a device.
    """

    generations: int = 100
    worlds: int = 16
    held_out_worlds: int = 128
    held_out_every: int = 10
    checkpoint_every: int = 10
    seed: int = 0
    held_out_seed: int = 0
    block: int = 64

    def __post_init__(self) -> None:
        for field, (low, high) in _RANGES.items():
            value = getattr(self, field)
            whole = isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
            require(whole, field, value, f"use a whole number from {low} to {high:,}")


@dataclasses.dataclass(frozen=True)
class SearchProgress:
    """Where a search stands after a generation.

    Attributes:
        generation: generations done.
        generations: generations wanted.
        raw_best, raw_mean: raw fitness of this generation's candidates on their training worlds.
        num_invalid: candidates without a finite fitness.
        held_out: latest mean score of the solution on held-out worlds, NaN before the first.
        runs: runs of a world in this session so far.
        elapsed_s: seconds in this session so far.
        remaining_s: seconds left at this pace.
    """

    generation: int
    generations: int
    raw_best: float
    raw_mean: float
    num_invalid: int
    held_out: float
    runs: int
    elapsed_s: float
    remaining_s: float

    def __str__(self) -> str:
        invalid = f", {self.num_invalid} void" if self.num_invalid else ""
        pace = self.runs / self.elapsed_s if self.elapsed_s > 0 else 0.0
        minutes, seconds = divmod(round(self.remaining_s), 60)
        return (
            f"generation {self.generation}/{self.generations}: best {self.raw_best:.4g}, mean {self.raw_mean:.4g}"
            f"{invalid}; held out {self.held_out:.4g}; {pace:,.0f} runs/s, {minutes}:{seconds:02d} left"
        )
