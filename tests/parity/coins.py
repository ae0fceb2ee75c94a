"""Coins, replayed."""

import numpy as np

from jaxworld.grid.draws import NEVER
from jaxworld.grid.substrates.coins import COLOURS, CoinsOwn
from tests.parity.replay import Replay
from tests.parity.trace import TOOK_COIN
from tests.parity.worlds import world_of


class CoinsReplay(Replay):
    respawns = False

    def __init__(self, trace, **options):
        world = world_of(trace.variant)
        super().__init__(trace, world, **options)
        ours = {cell: site for site, cell in enumerate(world.sites.cells)}
        # The original has sites on the cells of its map only; ours are those of the largest map.
        self._places = np.asarray([ours[cell] for cell in trace["site_cells"].tolist()])

    def _sites(self, values, nothing, dtype):
        made = np.full((self.trace.num_steps, self.world.sites.size), nothing, dtype)
        made[:, self._places] = values
        return made

    def own(self, part):
        steps = self.trace.num_steps
        rows = [row.strip() for row in self.trace.layout.split("\n") if row.strip()]
        colours = [COLOURS.index(str(name).removeprefix("coin_")) + 1 for name in self.trace["live_states"]]
        return CoinsOwn(
            size=np.tile(np.asarray([len(rows) - 2, len(rows[0]) - 2], np.int32), (steps, 1)),
            colours=np.tile(np.asarray(colours, np.uint8), (steps, 1)),
            coins=self._sites(part("site"), 0, np.uint8),
            mismatched=np.zeros((steps, 2), bool),
        )

    def site_words(self):
        # The lowest bit of a word below the threshold is the colour. Sites out of play or with a coin must not care.
        drawn = self.trace.drawn("sprouted").astype(np.uint32)
        idle = np.where(self.trace.before("site") > 0, np.uint32(0), NEVER)
        return self._sites(np.where(drawn > 0, drawn - 1, idle), 0, np.uint32)

    def own_pairs(self):
        made, _, events, seen, _ = self.ours
        name = "MISMATCHED_COIN_COLLECTED_BY_PARTNER"
        return {
            "coins": (made.own.coins, self.own(self.trace.after).coins),
            "took_coin": (events["took_coin"], self.trace.who(TOOK_COIN)),
            name: (seen[name], self.trace[f"step_observed_{name}"]),
        }

    def own_windows(self, seen):
        return {"items": seen["COINS"]}
