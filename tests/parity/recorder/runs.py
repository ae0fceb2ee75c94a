"""Which runs of the original are kept as traces."""

import dataclasses

from tests.parity.recorder.layouts import ARENA_2, MEADOW_2, MEADOW_3, ORCHARD, coins_layout
from tests.parity.recorder.original import Original
from tests.parity.recorder.policies import BUSY, EAGER, PEACEFUL, Director
from tests.parity.recorder.recording import Recording


@dataclasses.dataclass(frozen=True)
class Run:
    """A run to record.

    Attributes:
        variant: The name in Melting Pot.
        layout: In our legend; None for the original's own.
        staged: Steps with scenes every `every` steps.
        undisturbed: Steps after them; nothing is edited but before the first.
        weights: Probabilities of the actions of players outside scenes.
        seed: Of the original and of the players.
        constants: Of the sites' rules, in the place of the original's, so that a short trace shows more of them.
    """

    variant: str
    layout: str | None
    staged: int
    undisturbed: int
    weights: tuple = BUSY
    every: int = 8
    seed: int = 1
    constants: dict = dataclasses.field(default_factory=dict)

    def record(self):
        """The trace; an episode that ends is followed by the next."""
        recording = Recording(Original(self.variant, self.layout, seed=self.seed, constants=self.constants))
        director = Director(recording, self.seed, self.weights, every=self.every)
        for length, every in ((self.staged, self.every), (self.undisturbed, 0)):
            while length > 0:
                length -= director.play(length, every=every)
                if recording.original.ended:
                    recording.reset()
        return recording.trace()


_COINS = {"regrowRate": 0.02}
_APPLES = {"regrowthProbabilities": [0.0, 0.02, 0.04, 0.1]}
_RESOURCES = {"regenerationRate": 0.4}
_SCISSORS = "running_with_scissors_in_the_matrix__"
_BACH = "bach_or_stravinsky_in_the_matrix__"
_DILEMMA = "prisoners_dilemma_in_the_matrix__"

TRACES = {
    "coins": Run("coins", coins_layout(10, 11), 160, 80, PEACEFUL, constants=_COINS),
    "commons_harvest_open": Run("commons_harvest__open", ORCHARD, 160, 80, constants=_APPLES),
    "commons_harvest_closed": Run("commons_harvest__closed", ORCHARD, 120, 120, constants=_APPLES),
    "prisoners_dilemma_arena": Run(f"{_DILEMMA}arena", ARENA_2, 120, 140, EAGER, every=3, constants=_RESOURCES),
    "running_with_scissors_repeated": Run(f"{_SCISSORS}repeated", MEADOW_3, 240, 160),
    "bach_or_stravinsky_repeated": Run(f"{_BACH}repeated", MEADOW_2, 240, 160),
    "running_with_scissors_one_shot": Run(f"{_SCISSORS}one_shot", MEADOW_3, 160, 80),
}
"""Short ones, kept in the repository."""

CROWDS = {
    "coins": Run("coins", coins_layout(13, 10), 1800, 200, PEACEFUL, every=5, seed=12, constants=_COINS),
    "commons_harvest_open": Run("commons_harvest__open", ORCHARD, 1800, 200, EAGER, 5, 9, _APPLES),
    "commons_harvest_closed": Run("commons_harvest__closed", ORCHARD, 1800, 200, EAGER, 5, 9, _APPLES),
    "prisoners_dilemma_arena": Run(f"{_DILEMMA}arena", ARENA_2, 1800, 200, EAGER, 3, 1, _RESOURCES),
    "bach_or_stravinsky_arena": Run(f"{_BACH}arena", ARENA_2, 1800, 200, EAGER, 3, 8, _RESOURCES),
    "running_with_scissors_repeated": Run(f"{_SCISSORS}repeated", MEADOW_3, 1800, 200, EAGER, 4, 10, _RESOURCES),
    "bach_or_stravinsky_repeated": Run(f"{_BACH}repeated", MEADOW_2, 1800, 200, EAGER, 4, 11, _RESOURCES),
    "running_with_scissors_one_shot": Run(f"{_SCISSORS}one_shot", MEADOW_3, 1200, 200, EAGER, 4, 12),
}
"""Long ones on layouts so small that all rules meet one another."""


def on_its_own_map(variant):
    """A run on the original's own map with the original's own numbers."""
    return Run(variant, None, 400, 200, PEACEFUL if variant == "coins" else BUSY, every=6)
