"""One run of the original as arrays: states, what was chosen and drawn between them, and what followed."""

import numpy as np

from tests.parity.recorder.snapshot import Reader

EVENTS = ("zap", "edible_consumed", "coin_consumed", "interaction", "collected_resource", "destroyed_resource")


class Recording:
    """Collects a trace.

    States are rows; step k leads from row `source[k]` to row `target[k]`. Edits between steps make further rows, so
    that what is compared is always a step of the untouched rules.
    """

    def __init__(self, original):
        self.original = original
        self._rows, self._steps, self._events, self._windows = [], [], [], []
        self.reset()

    def reset(self):
        """Starts an episode."""
        self.original.reset()
        self.reader = Reader(self.original)
        self._memory = {}
        if self.original.has("INVENTORY"):
            shape = self.original.each("INTERACTION_INVENTORIES").shape
            # Everybody's last interaction, which the original keeps in what it has scheduled.
            self._memory = {"pair": np.zeros(shape, np.int16), "as_row": np.zeros(shape[0], np.int16)}
        self._enter()

    def _enter(self):
        self._rows.append({**self.reader.state(), **{name: part.copy() for name, part in self._memory.items()}})

    def _remember(self, events):
        """Keeps the inventories and roles of interactions that have begun."""
        for kind, row, column, *_ in events:
            if kind == EVENTS.index("interaction"):
                told = self.original.each("INTERACTION_INVENTORIES")
                self._memory["pair"][[row, column]] = told[[row, column]]
                self._memory["as_row"][[row, column]] = 1, 0

    @property
    def num_steps(self):
        return len(self._steps)

    @property
    def state(self):
        return self._rows[-1]

    def edit(self, *commands):
        """Changes the state between two steps."""
        if commands:
            self.original.edit(*commands)
            self._enter()

    def place(self, player, cell, orientation):
        """The command that moves a player; the cell must be free."""
        row, column = divmod(int(cell), self.reader.columns)
        return f"tp {self.reader.player_names[player]} {column} {row} {'NESW'[orientation]}"

    def fill(self, site, kind=1):
        """The command that puts something on a site: the kind-th of what it can hold."""
        name = self.reader.site_names[site]
        states = self.original.objects[self.original.row_of[name]][3]
        return f"set {name} {[state for state in states if 'ait' not in state][kind - 1]}"

    def step(self, actions, look=False):
        """One step of the rules; with `look` the players' windows are kept too."""
        source = len(self._rows) - 1
        self.original.step(actions)
        events = [_event(event) for event in self.original.events()]
        self._remember(events)
        self._enter()
        step = {
            "source": np.int16(source),
            "target": np.int16(len(self._rows) - 1),
            "action": np.asarray(actions, np.int8),
            "reward": self.original.each("REWARD").astype(np.float32),
            "ended": np.bool_(self.original.ended),
            "beam_cells": np.packbits(self.reader.beams()),
        }
        step |= {f"draw_{name}": value for name, value in self.reader.choices().items()}
        step |= {f"observed_{name}": value for name, value in self.reader.observation().items()}
        number = len(self._steps)
        self._steps.append(step)
        self._events += [[number, *event] for event in events]
        if look:
            self._windows.append({"step": np.int16(number), **self.reader.windows()})

    def trace(self):
        """The arrays of the trace by name."""
        trace = {
            "variant": np.array(self.original.variant),
            "layout": np.array(self.original.layout),
            "roles": np.array(self.original.roles),
            "site_cells": self.reader.site_cells,
            "live_states": np.array(self.live_states()),
            "event": np.asarray(self._events, np.float32).reshape(-1, 6),
        }
        trace |= {f"state_{name}": value for name, value in _stack(self._rows).items()}
        trace |= {f"step_{name}": value for name, value in _stack(self._steps).items()}
        trace |= {f"window_{name}": value for name, value in _stack(self._windows).items()}
        return {name: _narrow(value) for name, value in trace.items()}

    def live_states(self):
        states = self.original.objects[self.original.row_of[self.reader.site_names[0]]][3]
        return [state for state in states if "ait" not in state]


def _event(event):
    """(kind, who, whom or class, reward, reward) with players counted from 0; what a kind has not is -1."""
    name, values = event
    kind = EVENTS.index(name)
    if name == "zap":
        return kind, values["source"] - 1, values["target"] - 1, 0, 0
    if name == "interaction":
        pair = int(values["row_player_idx"]) - 1, int(values["col_player_idx"]) - 1
        return kind, *pair, values["row_reward"], values["col_reward"]
    return kind, values["player_index"] - 1, values.get("class", -1), 0, 0


def _stack(rows):
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]} if rows else {}


def _narrow(values):
    """Integers in one byte each where they fit: traces live in the repository."""
    if values.dtype != np.int16 or np.abs(values).max(initial=0) > 127:
        return values
    return values.astype(np.int8)
