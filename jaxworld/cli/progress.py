"""Progress of a run on stderr: a bar in a terminal, a line now and then elsewhere, or nothing."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
import types
from collections.abc import Callable, Iterator
from typing import Protocol

from jaxworld.core.errors import MissingExtraError
from jaxworld.study.sweep import SweepProgress

SECONDS_BETWEEN_LINES = 10.0
_PHASES = {"population": "building the population", "compiling": "compiling", "running": "running"}


class ProgressEvent(Protocol):
    """What a study reports while it runs."""

    @property
    def recommender(self) -> str: ...
    @property
    def arm(self) -> int: ...
    @property
    def num_arms(self) -> int: ...
    @property
    def done_world_ticks(self) -> int: ...
    @property
    def total_world_ticks(self) -> int: ...
    @property
    def phase(self) -> str: ...
    @property
    def elapsed_s(self) -> float: ...


class Reporter(Protocol):
    """Takes the events of a run."""

    def __call__(self, event: ProgressEvent) -> None: ...


class Pace:
    """World-ticks per second and the seconds left, from the time spent running; compiling does not count."""

    def __init__(self) -> None:
        self._busy_s = 0.0
        self._last_s = 0.0
        self._done = 0
        self._total = 0

    def update(self, event: ProgressEvent) -> None:
        """Take in one event."""
        if event.done_world_ticks > self._done:
            self._busy_s += event.elapsed_s - self._last_s
        self._last_s = event.elapsed_s
        self._done, self._total = event.done_world_ticks, event.total_world_ticks

    @property
    def rate(self) -> float:
        """World-ticks per second so far, 0 while nothing is known."""
        return self._done / self._busy_s if self._busy_s > 0 else 0.0

    def __str__(self) -> str:
        if self.rate == 0:
            return ""
        left = round((self._total - self._done) / self.rate)
        minutes, seconds = divmod(left, 60)
        hours, minutes = divmod(minutes, 60)
        clock = f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
        return f"{self.rate:,.0f} world-ticks/s, {clock} left"


def describe(event: ProgressEvent) -> str:
    """What is going on, in a few words."""
    phase = _PHASES.get(event.phase, event.phase)
    return phase if event.phase == "population" else f"{event.recommender} ({event.arm + 1}/{event.num_arms}) {phase}"


@contextlib.contextmanager
def progress_reporter(*, bar: bool, quiet: bool) -> Iterator[Reporter | None]:
    """Something to hand a study as ``progress``: a bar if wanted and stderr is a terminal, else lines, else None."""
    if quiet:
        yield None
    elif bar and sys.stderr.isatty():
        with _bar() as reporter:
            yield reporter
    else:
        yield LineReporter()


def of_a_sweep(reporter: Reporter | None) -> Callable[[SweepProgress], None] | None:
    """A reporter for a sweep; reporters call what is compared a recommender."""
    if reporter is None:
        return None

    def report(event: SweepProgress) -> None:
        reporter(types.SimpleNamespace(recommender=event.arm_name, **dataclasses.asdict(event)))

    return report


class LineReporter:
    """One line on stderr when an arm or a phase begins, and every ten seconds in between."""

    def __init__(self) -> None:
        self._pace = Pace()
        self._shown: tuple[int, str] | None = None
        self._next_s = 0.0

    def __call__(self, event: ProgressEvent) -> None:
        self._pace.update(event)
        current = (event.arm, event.phase)
        if current == self._shown and event.elapsed_s < self._next_s:
            return
        self._shown, self._next_s = current, event.elapsed_s + SECONDS_BETWEEN_LINES
        done = f"{event.done_world_ticks:,} of {event.total_world_ticks:,} world-ticks"
        parts = [f"jaxworld: {describe(event)}", done, str(self._pace)]
        print(", ".join(part for part in parts if part), file=sys.stderr, flush=True)


@contextlib.contextmanager
def _bar() -> Iterator[Reporter]:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn
    except ImportError as error:
        raise MissingExtraError("rich", "study", "the progress bar") from error
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[pace]}"),
    )
    pace = Pace()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None, pace="")

        def report(event: ProgressEvent) -> None:
            pace.update(event)
            progress.update(
                task,
                description=describe(event),
                completed=event.done_world_ticks,
                total=event.total_world_ticks or None,
                pace=str(pace),
            )

        yield report
