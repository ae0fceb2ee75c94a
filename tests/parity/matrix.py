"""The Matrix, replayed."""

import numpy as np

from jaxworld.grid.draws import NEVER
from jaxworld.grid.substrates.matrix_law import MatrixOwn
from tests.parity.replay import Replay
from tests.parity.trace import COLLECTED, DESTROYED, INTERACTION
from tests.parity.worlds import world_of


class MatrixReplay(Replay):
    # Sums of fractions: the original divides before it multiplies, in float64.
    approximate = ("reward",)

    def __init__(self, trace, **options):
        roles = [str(role) for role in trace["roles"]]
        world = world_of(trace.variant, map=trace.layout, roles=None if roles[0] == "default" else roles)
        super().__init__(trace, world, **options)
        self._meetings = trace.happened(INTERACTION)

    def own(self, part):
        return MatrixOwn(
            inventory=part("inventory"),
            ready=part("ready") == 1,
            capped=(part("marker") == 1) & (part("alive") == 1),
            countdown=part("countdown"),
            pair=part("pair"),
            as_row=part("as_row") == 1,
            kinds=part("site_class").astype(np.uint8),
            waiting=np.where(part("site") > 0, 0, part("site_frames") + 1).astype(np.int32),
            health=part("health"),
        )

    def site_words(self):
        # Words that would force a resource back, wherever it is or waits too shortly, whatever the word.
        due = self.own(self.trace.before).waiting > np.asarray(self.params.regrowth_delay)
        return np.where(due, super().site_words(), np.uint32(0))

    def draws(self):
        words = super().draws()
        words["beam"] = self.trace.drawn("beam").astype(np.uint32)
        words["tie"] = self._tie_words()
        return words

    def _tie_words(self):
        """The coin that the original tossed for a tie, seen in what it did: a row player that wins loses all at once.

        Where rounding broke the tie before a coin was tossed, the word stands for the rounding.
        """
        words = np.zeros((self.trace.num_steps, self.trace.num_players), np.uint32)
        step, row = self._meetings[:, :2].astype(int).T
        kept = (self.trace.after("inventory")[step, row] != 1).any(-1)
        words[step, row] = np.where(kept, NEVER, np.uint32(0))
        return words

    def own_pairs(self):
        made, _, events, seen, _ = self.ours
        trace, theirs = self.trace, self.own(self.trace.after)
        alive = trace.after("alive") == 1
        pairs = {
            name: (getattr(made.own, name), getattr(theirs, name))
            for name in ("inventory", "ready", "countdown", "kinds", "waiting", "health", "pair", "as_row")
        }
        marker = np.where(alive, np.maximum(trace.after("marker") - 1, 0), 0)
        result = self._painted("INTERACTION_RESULT")
        pairs |= {
            "capped": (made.own.capped & alive, theirs.capped),
            "result": (np.where(self._on_edge() & (marker == result - 1), marker, result), marker),
            "ended": (made.ended, trace["step_ended"]),
            "partner": (events["partner"], self._partners()),
            "destroyed": (events["destroyed"], self._counts(DESTROYED)),
            "collected": (events["collected"], self._collected()),
        }
        for name in ("INVENTORY", "READY_TO_SHOOT", "INTERACTION_INVENTORIES"):
            pairs[name] = seen[name], trace[f"step_observed_{name}"]
        return pairs

    def _painted(self, layer):
        """Categories in avatars' own cells, 0 for absent ones."""
        made, picture = self.ours[0], self.ours[4]
        cells = picture[layer].reshape(self.trace.num_steps, -1)
        return np.where(made.avatars.absence == 0, np.take_along_axis(cells, made.avatars.cell, axis=1), 0)

    def _partners(self):
        made = np.full((self.trace.num_steps, self.trace.num_players), -1)
        step, row, column = self._meetings[:, :3].astype(int).T
        made[step, row], made[step, column] = column, row
        return made

    def _counts(self, kind):
        made = np.zeros((self.trace.num_steps, self.trace.num_players), np.int32)
        step, who = self.trace.happened(kind)[:, :2].astype(int).T
        np.add.at(made, (step, who), 1)
        return made

    def _collected(self):
        made = np.zeros((self.trace.num_steps, self.trace.num_players), np.int32)
        step, who, kind = self.trace.happened(COLLECTED)[:, :3].astype(int).T
        made[step, who] = kind
        return made

    def own_windows(self, seen):
        result = seen["INTERACTION_RESULT"].astype(np.int32)
        markers = np.where(result > 0, result + 1, seen["AVATAR_STATES"] == 2)
        theirs = np.zeros_like(markers)
        theirs[self.trace["window_step"]] = self.trace["window_markers"]
        step = np.arange(len(markers))[:, None, None, None]
        # Player 0 is nobody; it stands for no edge.
        on_edge = np.pad(self._on_edge(), ((0, 0), (1, 0)))[step, seen["AVATARS"]]
        rounded = on_edge & (result > 0) & (theirs == markers - 1)
        return {"items": seen["RESOURCES"], "markers": np.where(rounded, theirs, markers)}

    def _on_edge(self):
        """Whose payoff is the very edge of two colours, bool[T, A].

        The original divides before it multiplies, and what it gets may lie below the edge by a rounding error.
        """
        own, partner = np.moveaxis(self.trace.after("pair"), 2, 0).astype(float)
        row, column = self.world.game.payoffs
        as_row = self.trace.after("as_row")[..., None, None] == 1
        table = np.where(as_row, row, column.T)
        payoff = np.einsum("tai,taij,taj->ta", own, table, partner)
        size = own.sum(-1) * partner.sum(-1)
        edges = np.asarray(self.world.game.edges)
        return (np.round(payoff * 10)[..., None] == np.round(edges * 10) * size[..., None]).any(-1)
