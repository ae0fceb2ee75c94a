"""Rows of the table that every family contributes to: our time, the times of peers, the machine's floor."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness import Timing
from jaxworld.plot.figures import COLOURS, MARKERS, new_figure, tidy, write_figure


@dataclasses.dataclass(frozen=True)
class Row:
    """One piece of work, done by us and by others in the same run.

    Attributes:
        family: which family it belongs to.
        work: what is done.
        unit: what the times are for one of.
        ours: our time for one unit.
        peers: times of others for the same unit, by name.
        floor_s: CPU seconds that nothing on this machine undercuts, if known.
        note: what a reader has to know to read the row.
    """

    family: str
    work: str
    unit: str
    ours: Timing
    peers: Mapping[str, Timing]
    floor_s: float | None = None
    note: str = ""

    def ratios(self, kind: str) -> dict[str, float]:
        """How many times our time each peer takes; ``kind`` is ``cpu_s`` or ``wall_s``."""
        return {name: getattr(timing, kind) / getattr(self.ours, kind) for name, timing in self.peers.items()}

    def times_floor(self, kind: str) -> float | None:
        """How many times the floor we take."""
        return None if self.floor_s is None else getattr(self.ours, kind) / self.floor_s


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much work a family's rows may measure: ``quick`` for a look, else what the table shows."""

    quick: bool = False
    oasis: Path | None = None

    @property
    def repeats(self) -> int:
        """Timed calls of each; the median counts."""
        return 1 if self.quick else 3


def as_json(row: Row, kind: str) -> dict[str, Any]:
    """A row with its ratios."""
    return {**dataclasses.asdict(row), "ratios": row.ratios(kind), "times_floor": row.times_floor(kind)}


def text_table(rows: Sequence[Row], kind: str) -> str:
    """The whole table for a terminal: a line for us and one for each peer."""
    lines = [("family", "work", "who", "time", "× ours", "ours ÷ floor")]
    for row in rows:
        distance = row.times_floor(kind)
        what = f"{row.work}, per {row.unit}"
        lines.append((row.family, what, "jaxworld", _time(row.ours, kind), "1", _number(distance)))
        for name, ratio in row.ratios(kind).items():
            lines.append(("", "", name, _time(row.peers[name], kind), _number(ratio), ""))
    widths = [max(len(line[column]) for line in lines) for column in range(6)]
    rule = "  ".join("-" * width for width in widths)
    shown = [_line(line, widths) for line in lines]
    notes = dict.fromkeys(f"{row.family}, {row.work}: {row.note}" for row in rows if row.note)
    return "\n".join([shown[0], rule, *shown[1:], "", *notes]).rstrip()


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    left = [cell.ljust(width) for cell, width in zip(cells[:3], widths[:3], strict=True)]
    return "  ".join([*left, *(cell.rjust(width) for cell, width in zip(cells[3:], widths[3:], strict=True))]).rstrip()


def _time(timing: Timing, kind: str) -> str:
    seconds = getattr(timing, kind)
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-9:.3g} ns"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def write(rows: Sequence[Row], kind: str, facts: Mapping[str, Any], folder: Path) -> list[Path]:
    """Write ``bench.json`` and ``bench.png``; returns their paths."""
    paths = [folder / "bench.json", folder / "bench.png"]
    content = {**facts, "time": kind, "rows": [as_json(row, kind) for row in rows]}
    paths[0].write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    draw(rows, kind, paths[1])
    return paths


def draw(rows: Sequence[Row], kind: str, path: Path) -> None:
    """For each row how many times our time the peers take, and what part of it the floor is."""
    names = sorted({name for row in rows for name in row.peers})
    figure = new_figure(9.0, 1.6 + 0.34 * len(rows))
    panel = figure.subplots()
    for number, name in enumerate(names):
        places = [(row.ratios(kind)[name], at) for at, row in enumerate(rows) if name in row.peers]
        turn = number + number // len(COLOURS)  # no two names share both marker and colour
        style = {"marker": MARKERS[turn % len(MARKERS)], "color": COLOURS[number % len(COLOURS)]}
        panel.scatter(*zip(*places, strict=True), label=name, zorder=3, **style)
    floors = [(1 / row.times_floor(kind), at) for at, row in enumerate(rows) if row.floor_s]  # type: ignore[operator]
    if floors:
        panel.scatter(*zip(*floors, strict=True), label="floor", marker="|", s=140, color="black", zorder=3)
    panel.axvline(1.0, color="0.3", linewidth=1.2)
    panel.set_yticks(range(len(rows)), [f"{row.family}: {row.work}" for row in rows])
    panel.set(xscale="log", xlabel="times ours (right of the line: slower than jaxworld)")
    panel.invert_yaxis()
    figure.legend(fontsize="small", loc="outside lower center", ncols=4, frameon=False)
    tidy(panel, grid="x")
    write_figure(figure, path)
