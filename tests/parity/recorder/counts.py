"""Counts of what the original draws, for tests of frequencies; tests/parity/test_statistics.py says what they show."""

from pathlib import Path

import numpy as np

from tests.parity.recorder.layouts import CENTRE, CONFLICTS, CROSSING, HOME
from tests.parity.recorder.original import Original
from tests.parity.recorder.policies import FIRE, FORWARD, NOOP
from tests.parity.recorder.recording import Recording
from tests.parity.recorder.snapshot import Reader


def conflicts(*, repetitions=2000):
    """How often each player of a conflict got to where it wanted, of so many `repetitions`, by the conflict's name."""
    recording = Recording(Original("commons_harvest__open", CROSSING))
    counts = {}
    for name, players in CONFLICTS.items():
        wins = np.zeros(len(players), np.int64)
        for _ in range(repetitions):
            # Twice: the cell of one may be where another still stands.
            for _ in range(2):
                recording.original.edit(
                    *(recording.place(who, CENTRE + place, way) for who, (place, way, _) in enumerate(players))
                )
            recording.original.step([FORWARD] * len(players) + [NOOP] * (7 - len(players)))
            cells = recording.reader.state()["cell"][: len(players)]
            wins += cells == CENTRE + np.asarray([goal for _, _, goal in players])
        counts[name] = wins
    return {**counts, "repetitions": np.int64(repetitions)}


def regrowth(*, steps=8_000, every=30, seed=0):
    """Commons Harvest: eaten apples that could grow and that grew, by class of neighbours (0, 1, 2, 3 and more)."""
    recording = Recording(Original("commons_harvest__open", None))
    reader, random = recording.reader, np.random.default_rng(seed)
    could, grew = np.zeros(4, np.int64), np.zeros(4, np.int64)
    before = reader.state()
    for number in range(steps):
        if number % every == 0:
            # Apples come and go by chance, so that all classes occur.
            live = random.random(len(reader.site_names)) < random.choice([0.05, 0.15, 0.3])
            recording.original.edit(
                *(
                    f"set {name} {'apple' if there else 'appleWait'}"
                    for name, there, was in zip(reader.site_names, live, before["site"] == 1, strict=True)
                    if there != was
                )
            )
            before = reader.state()
        recording.original.step([NOOP] * 7)
        kind = np.minimum(before["neighbours"], 3)
        sprouted = reader.choices()["sprouted"] == 1
        could += np.bincount(kind[kind >= 0], minlength=4)
        grew += np.bincount(kind[sprouted], minlength=4)
        before = reader.state()
    return {"could": could, "grew": grew}


def coins(*, steps=20_000, every=1000):
    """Coins: empty sites that could grow a coin, and coins of each kind that grew."""
    original = Original("coins", None)
    could, grew = 0, np.zeros(2, np.int64)
    for number in range(steps):
        if number % every == 0:
            original.reset()
            reader = Reader(original)
            empty = (reader.state()["site"] == 0).sum()
        original.step([NOOP] * 2)
        could += empty
        sprouted = reader.choices()["sprouted"]
        grew += np.bincount(sprouted, minlength=3)[1:]
        empty -= (sprouted > 0).sum()
    return {"could": np.int64(could), "grew": grew}


def returns(*, repetitions=1200):
    """Commons Harvest: cells and orientations in which a removed player comes back; the others are on no point."""
    recording = Recording(Original("commons_harvest__open", HOME))
    reader = recording.reader
    floor = [cell for cell, symbol in enumerate(recording.original.layout.replace("\n", "")) if symbol in ".A"]
    for _ in range(2):
        recording.original.edit(*(recording.place(who, floor[2 * who], 0) for who in range(7)))
    cells, orientations = [], []
    for _ in range(repetitions):
        recording.original.edit(f"set {reader.player_names[0]} playerWait")
        while not reader.state()["alive"][0]:
            recording.original.step([NOOP] * 7)
        state = reader.state()
        cells.append(state["cell"][0])
        orientations.append(state["orientation"][0])
        recording.original.edit(recording.place(0, floor[0], 0))
    return {"cells": np.asarray(cells), "orientations": np.asarray(orientations)}


def starts(*, repetitions=120):
    """Commons Harvest: where and how players start; the first two on inside points."""
    original = Original("commons_harvest__open", HOME)
    states = []
    for _ in range(repetitions):
        original.reset()
        states.append(Reader(original).state())
    return {name: np.stack([state[name] for state in states]) for name in ("cell", "orientation")}


def lengths(*, repetitions=60):
    """Steps of episodes, by variant."""
    made = {}
    for variant in ("coins", "running_with_scissors_in_the_matrix__repeated"):
        original = Original(variant, None, endless=False)
        found = []
        for _ in range(repetitions):
            original.reset()
            steps = 0
            while not original.ended:
                original.step([NOOP] * original.num_players)
                steps += 1
            found.append(steps)
        made[variant] = np.asarray(found)
    return made


def regeneration(*, steps=8_000, seed=0):
    """The Matrix, arena: waiting resources whose delay is over, and how many of them came back."""
    recording = Recording(Original("prisoners_dilemma_in_the_matrix__arena", None))
    reader, random = recording.reader, np.random.default_rng(seed)
    could = grew = 0
    before = reader.state()
    early = 0
    for number in range(steps):
        if number % 40 == 0:
            gone = random.permutation(np.flatnonzero(before["site"] == 1))[:20]
            recording.original.edit(
                *(f"set {reader.site_names[site]} resource_class{before['site_class'][site]}_wait" for site in gone)
            )
            before = reader.state()
        recording.original.step([NOOP] * 8)
        after = reader.state()
        waits = before["site"] == 0
        due = waits & (before["site_frames"] >= 10)
        back = waits & (after["site"] > 0)
        could, grew, early = could + due.sum(), grew + (back & due).sum(), early + (back & ~due).sum()
        before = after
    return {"could": np.int64(could), "grew": np.int64(grew), "early": np.int64(early)}


def free_play(*, episodes=40, steps=200):
    """Commons Harvest, everybody at random: apples eaten and players zapped in an episode's first steps.

    The layout is the one in the package, so that our world can play the same.
    """
    layout = Path("jaxworld/grid/maps/layouts/commons_harvest_open.txt").read_text().rstrip("\n")
    original = Original("commons_harvest__open", layout)
    random = np.random.default_rng(0)
    apples, zaps = np.zeros(episodes, np.int64), np.zeros(episodes, np.int64)
    for episode in range(episodes):
        original.reset()
        for _ in range(steps):
            original.step(random.integers(0, FIRE + 1, 7))
            for name, _ in original.events():
                apples[episode] += name == "edible_consumed"
                zaps[episode] += name == "zap"
    return {"apples": apples, "zaps": zaps, "steps": np.int64(steps)}


COUNTS = {
    "conflicts": conflicts,
    "regrowth": regrowth,
    "coins": coins,
    "returns": returns,
    "starts": starts,
    "lengths": lengths,
    "regeneration": regeneration,
    "free_play": free_play,
}
