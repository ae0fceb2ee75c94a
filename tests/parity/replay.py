"""Replays traces of the original in our worlds, one step at a time from the original's own states.

Every step of a trace is taken from the state that the original was in, with the actions it was given and the choices
it made in the place of random words, so that one wrong rule shows in the very step and in what it decides. Nothing
in what is compared is approximate except where rewards are fractions.
"""

import functools

import jax
import numpy as np
from jax import lax

from jaxworld.grid.avatars import Avatars
from jaxworld.grid.draws import NEVER
from jaxworld.grid.substrate import GridState
from tests.parity.trace import SOMEBODY, ZAP
from tests.parity.words import respawn_words, turn_words


class Replay:
    """A trace, our world for it, and what both make of every step. Substrates derive theirs.

    Args:
        trace: The trace.
        world: The world with the trace's layout, in local mode.
        params: Its parameters.
        follow: Whether our world goes on from its own states, given the original's first one. The steps of the trace
            must follow one another.
    """

    respawns = True
    approximate = ()
    """Names of what is compared to six digits; all else must be equal."""

    def __init__(self, trace, world, *, follow=False):
        self.trace = trace
        self.world = world
        self.params = world.default_params()
        self.follow = follow

    def own(self, part):
        """The world's own state before or after every step, from `part(name)`."""
        raise NotImplementedError

    def draws(self):
        """The original's choices in every step as random words, by name."""
        trace = self.trace
        words = {name: np.zeros((trace.num_steps, size), np.uint32) for name, size in self.world.step_draws().items()}
        words["move"] = trace.drawn("move").astype(np.uint32)
        words["end"][:] = NEVER
        words["sites"] = self.site_words()
        if self.respawns:
            returned = (trace.before("alive") == 0) & (trace.after("alive") == 1)
            moved = self.moved()
            words["respawn"] = respawn_words(moved, trace.after("cell"), returned, self.spawn_points())
            words["turn"] = turn_words(trace.after("orientation"))
        return words

    def site_words(self):
        """A word for every site: 0 where the original let something grow."""
        return np.where(self.trace.drawn("sprouted") > 0, np.uint32(0), NEVER)

    def spawn_points(self):
        columns = len(self.trace.layout.split("\n")[0])
        rows = self.trace.layout.split("\n")
        return np.asarray([r * columns + c for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == "S"])

    def moved(self):
        """Where the players that were there before a step stand when absent ones return; -1 for those."""
        return np.where(self.trace.before("alive") == 1, self.trace.after("cell"), -1)

    def states(self):
        """The original's states before every step, as ours."""
        trace = self.trace
        avatars = Avatars(
            cell=trace.before("cell"),
            orientation=trace.before("orientation"),
            absence=self.absence(trace.before),
            frozen=trace.before("freeze"),
            cooldown=np.maximum(trace.before("cooldown"), 0),
        )
        return GridState(
            avatars=avatars,
            own=self.own(trace.before),
            lit=np.zeros((trace.num_steps, len(self.world.beams), trace.num_players), np.uint32),
            steps=np.zeros(trace.num_steps, np.int32),
            ended=np.zeros(trace.num_steps, bool),
        )

    def absence(self, part):
        return np.where(part("alive") == 1, 0, part("frames") + 1).astype(np.int32)

    @functools.cached_property
    def ours(self):
        """(states, rewards, events, observations, grids of the whole map) after every step."""

        def step(state, action, draws):
            made, reward, events = self.world.advance(state, action, draws, self.params)
            return made, reward, events, self.world.observe(made, self.params), self.world.picture(made, self.params)

        def go_on(state, told):
            made = step(state, *told)
            return made[0], made

        states, told = self.states(), (self.trace["step_action"].astype(np.int32), self.draws())
        if self.follow:
            first = jax.tree.map(lambda values: values[0], states)
            return jax.device_get(jax.jit(lambda *start: lax.scan(go_on, *start)[1])(first, told))
        return jax.device_get(jax.jit(jax.vmap(step))(states, *told))

    def pairs(self):
        """What is compared, name to (ours, the original's)."""
        return self.body_pairs() | self.own_pairs() | self.window_pairs()

    def body_pairs(self):
        """Players' bodies, rewards and beams."""
        made, reward, events, _, picture = self.ours
        trace, body = self.trace, made.avatars
        alive = trace.after("alive") == 1
        pairs = {
            "alive": (body.absence == 0, alive),
            "absence": (body.absence, self.absence(trace.after)),
            "cell": (np.where(alive, body.cell, -1), np.where(alive, trace.after("cell"), -1)),
            "orientation": (np.where(alive, body.orientation, -1), np.where(alive, trace.after("orientation"), -1)),
            "frozen": (body.frozen, trace.after("freeze")),
            "reward": (reward, trace["step_reward"]),
        }
        if self.world.beams:
            cells = np.unpackbits(trace["step_beam_cells"], axis=1)[:, : self.world.board.num_cells]
            pairs["cooldown"] = body.cooldown, trace.after("cooldown")
            pairs["beams"] = picture["BEAMS"].reshape(trace.num_steps, -1) > 0, cells == 1
        if "zapped" in events:
            hits = np.zeros((trace.num_steps, trace.num_players, trace.num_players), bool)
            step, source, target = trace.happened(ZAP)[:, :3].astype(int).T
            hits[step, source, target] = True
            pairs["zapped"] = events["zapped"], hits
        return pairs

    def own_pairs(self):
        raise NotImplementedError

    def window_pairs(self):
        """What players see, cell by cell, in the steps in which the original's windows were kept."""
        seen, trace = self.ours[3], self.trace
        steps = trace["window_step"]
        ours = {
            "walls": seen["TERRAIN"] == 1,
            "avatars": seen["AVATARS"],
            "orientations": seen["AVATAR_ORIENTATIONS"],
            **self.own_windows(seen),
        }
        if self.world.beams:
            ours["beams"] = seen["BEAMS"]
        pairs = {f"window {name}": (grid[steps], trace[f"window_{name}"]) for name, grid in ours.items()}
        avatars, theirs = pairs["window avatars"]
        viewer = np.arange(1, trace.num_players + 1)[None, :, None, None]
        alike = (theirs == SOMEBODY) & (avatars > 0) & (avatars != viewer)
        return pairs | {"window avatars": (np.where(alike, SOMEBODY, avatars), theirs)}

    def own_windows(self, seen):
        """The substrate's own grids of windows by the recorder's names."""
        raise NotImplementedError

    def mismatches(self):
        """Name to the number of entries that differ, and where the first one is; nothing if all agree."""
        found = {}
        for name, (ours, theirs) in self.pairs().items():
            ours, theirs = np.asarray(ours), np.asarray(theirs)
            assert ours.shape == theirs.shape, (name, ours.shape, theirs.shape)
            if name in self.approximate:
                differs = ~np.isclose(ours, theirs, rtol=1e-6, atol=1e-6)
            else:
                differs = ours != theirs
            if differs.any():
                first = tuple(int(i) for i in np.argwhere(differs)[0])
                found[name] = (int(differs.sum()), first, ours[first].item(), theirs[first].item())
        return found
