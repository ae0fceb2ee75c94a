"""Who does what in a trace: random players, and situations set up so that the rules meet one another."""

import numpy as np

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, FIRE = range(8)
BUSY = (0.04, 0.42, 0.05, 0.1, 0.1, 0.08, 0.08, 0.13)
EAGER = (0.02, 0.3, 0.05, 0.1, 0.1, 0.08, 0.08, 0.27)
PEACEFUL = (0.05, 0.45, 0.1, 0.12, 0.12, 0.08, 0.08)
ROWS_AND_COLUMNS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""One cell to the north, east, south and west."""

# What two players do who were brought together: cells between them, whether they face one another, and their actions.
SCENES = {
    "duel": (3, True, [(FIRE, FIRE), (FORWARD, BACKWARD), (STEP_LEFT, STEP_LEFT), (FIRE, FIRE)]),
    "quarrel": (1, True, [(FIRE, FIRE), (FIRE, TURN_LEFT), (FORWARD, FORWARD), (FIRE, FIRE)]),
    "contest": (2, True, [(FORWARD, FORWARD), (FORWARD, FORWARD), (BACKWARD, FORWARD)]),
    "chain": (1, False, [(FORWARD, FORWARD), (FORWARD, STEP_LEFT), (FORWARD, TURN_LEFT), (BACKWARD, BACKWARD)]),
    "escape": (2, False, [(FIRE, STEP_RIGHT), (FORWARD, FIRE), (NOOP, NOOP), (FIRE, FORWARD)]),
}


class Director:
    """Plays a trace: random actions, and every few steps full sites and two players brought together.

    Args:
        recording: Where the run is kept.
        seed: Of what is random here.
        weights: Probabilities of the actions.
        every: Steps from one scene to the next; 0 has one at the beginning only.
        stock: How many sites are filled every time.
        look_every: Steps between those in which the players' windows are kept.
    """

    def __init__(self, recording, seed, weights, *, every=8, stock=2, look_every=8):
        self._recording = recording
        self._random = np.random.default_rng(seed)
        self._weights = np.asarray(weights) / np.sum(weights)
        self._every, self._stock, self._look_every = every, stock, look_every

    def play(self, num_steps, *, every=None):
        """Plays on until the steps are done or the episode ends; returns the number of steps."""
        every = self._every if every is None else every
        scene = []
        for number in range(num_steps):
            # An edit lets a frame pass, which an episode about to end would count.
            due = number % every == 0 if every else number == 0
            if due and not np.any(self._recording.state.get("ends", 0) == 1):
                self._restock()
                scene = self._stage()
            actions = self._random.choice(len(self._weights), self._recording.original.num_players, p=self._weights)
            for player, action in scene.pop(0) if scene else ():
                actions[player] = action
            self._recording.step(actions, look=self._recording.num_steps % self._look_every == 3)
            if self._recording.original.ended:
                return number + 1
        return num_steps

    def _restock(self):
        recording, state = self._recording, self._recording.state
        taken = state["cell"][state["alive"] == 1]
        empty = np.flatnonzero((state["site"] == 0) & ~np.isin(recording.reader.site_cells, taken))
        chosen = self._random.permutation(empty)[: self._stock]
        kinds = self._random.integers(1, 1 + len(recording.live_states()), len(chosen))
        recording.edit(*(recording.fill(site, kind) for site, kind in zip(chosen, kinds, strict=True)))

    def _stage(self):
        """Brings two players together; returns who does what in the next steps."""
        state = self._recording.state
        mobile = np.flatnonzero((state["alive"] == 1) & (state["frozen"] == 0))
        gap, face, script = SCENES[self._random.choice(list(SCENES))]
        way = int(self._random.integers(4))
        lines = self._lines(way, int(self._random.integers(1, gap + 1)) if gap > 2 else gap)
        if len(mobile) < 2 or not lines:
            return []
        pair = self._random.permutation(mobile)[:2]
        first, second = lines[self._random.integers(len(lines))]
        self._recording.edit(
            self._recording.place(pair[0], first, way),
            self._recording.place(pair[1], second, (way + 2) % 4 if face else way),
        )
        # A variant without a beam walks where others fire.
        able = len(self._weights)
        return [
            [(who, action if action < able else FORWARD) for who, action in zip(pair, actions, strict=True)]
            for actions in script
        ]

    def _lines(self, way, gap):
        """Pairs of free cells `gap` apart along a way, with free cells between."""
        columns = self._recording.reader.columns
        layout = "".join(row.ljust(columns) for row in self._recording.original.layout.split("\n"))
        state = self._recording.state
        taken = set(state["cell"][state["alive"] == 1].tolist())
        free = {cell for cell, symbol in enumerate(layout) if symbol not in "# "} - taken
        ahead = ROWS_AND_COLUMNS[way][0] * columns + ROWS_AND_COLUMNS[way][1]
        return [
            (cell, cell + gap * ahead)
            for cell in sorted(free)
            if all(cell + k * ahead in free for k in range(1, gap + 1))
        ]
