"""Traces of the original, recorded by tests/parity/recorder."""

import dataclasses
import itertools
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).with_name("traces")
SOMEBODY = 127
"""A player in a window of a variant in which all others look alike."""
ZAP, ATE, TOOK_COIN, INTERACTION, COLLECTED, DESTROYED = range(6)


@dataclasses.dataclass(frozen=True)
class Trace:
    """T steps of A players: what the original kept before each, what it was told and drew, and what followed.

    Attributes:
        arrays: Everything that was recorded, by name.
    """

    arrays: dict

    @property
    def variant(self):
        return str(self.arrays["variant"])

    @property
    def layout(self):
        return str(self.arrays["layout"])

    @property
    def num_steps(self):
        return len(self["step_source"])

    @property
    def num_players(self):
        return self["step_action"].shape[1]

    def longest_run(self):
        """The trace of the most steps that follow one another without an edit or a new episode between them."""
        joined = self["step_source"][1:] == self["step_target"][:-1]
        bounds = [0, *(np.flatnonzero(~joined) + 1).tolist(), self.num_steps]
        start, stop = max(itertools.pairwise(bounds), key=lambda pair: pair[1] - pair[0])
        kept = {name: self._cut(name, start, stop) for name in self.arrays}
        return Trace(kept)

    def _cut(self, name, start, stop):
        values = self[name]
        if name.startswith("step_"):
            return values[start:stop]
        if name.startswith("window_"):
            steps = self["window_step"]
            chosen = values[(steps >= start) & (steps < stop)]
            return chosen - start if name == "window_step" else chosen
        if name == "event":
            chosen = values[(values[:, 0] >= start) & (values[:, 0] < stop)]
            return chosen - np.asarray([start, 0, 0, 0, 0, 0], values.dtype)
        return values

    def __getitem__(self, name):
        return self.arrays[name]

    def __contains__(self, name):
        return name in self.arrays

    def before(self, name):
        """Part of the states from which the steps start, [T, ...]."""
        return self.arrays[f"state_{name}"][self["step_source"]].astype(np.int32)

    def after(self, name):
        """The same of the states to which they lead."""
        return self.arrays[f"state_{name}"][self["step_target"]].astype(np.int32)

    def drawn(self, name):
        return self.arrays[f"step_draw_{name}"]

    def happened(self, kind):
        """Events of one kind, float32[n, 5]: step, who, whom or what, and two rewards."""
        events = self["event"]
        return np.delete(events[events[:, 1] == kind], 1, axis=1)

    def who(self, kind):
        """bool[T, A]: to whom an event of this kind happened at least once in a step."""
        made = np.zeros((self.num_steps, self.num_players), bool)
        events = self.happened(kind).astype(int)
        made[events[:, 0], events[:, 1]] = True
        return made


def load(path):
    """A trace from a file."""
    with np.load(path) as arrays:
        return Trace({name: arrays[name] for name in arrays.files})
