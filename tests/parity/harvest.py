"""Commons Harvest, replayed."""

import numpy as np

from jaxworld.grid.substrates.commons_harvest import FRESH, FRESH_ON_BARE, HarvestOwn
from tests.parity.replay import Replay
from tests.parity.trace import ATE
from tests.parity.worlds import world_of


class HarvestReplay(Replay):
    def __init__(self, trace, **options):
        super().__init__(trace, world_of(trace.variant, map=trace.layout), **options)

    def own(self, part):
        neighbours = part("neighbours")
        fresh = np.where(part("bare") == 1, FRESH_ON_BARE, FRESH)
        return HarvestOwn(
            live=part("site") == 1,
            density=np.where(neighbours < 0, fresh, np.minimum(neighbours, 3)).astype(np.uint8),
        )

    def site_words(self):
        # Words that would force growth, wherever nothing may grow, whatever the word.
        before = self.own(self.trace.before)
        barren = before.live | (before.density == 0) | (before.density >= FRESH)
        return np.where(barren, np.uint32(0), super().site_words())

    def own_pairs(self):
        made, _, events, seen, _ = self.ours
        theirs = self.own(self.trace.after)
        return {
            "apples": (made.own.live, theirs.live),
            "neighbour class": (made.own.density, theirs.density),
            "bare": (np.isin(made.own.density, (0, FRESH_ON_BARE)), self.trace.after("bare") == 1),
            "ate": (events["ate"], self.trace.who(ATE)),
            "READY_TO_SHOOT": (seen["READY_TO_SHOOT"], self.trace["step_observed_READY_TO_SHOOT"]),
        }

    def own_windows(self, seen):
        ids = self.world.object_observation_ids["TERRAIN"]
        return {"items": seen["APPLES"], "grass": seen["TERRAIN"] == ids["grass"]}
