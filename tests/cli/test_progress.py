"""Progress: the pace leaves compiling out, lines come seldom, and a terminal gets a bar."""

import io

import pytest

from jaxworld.cli.progress import LineReporter, Pace, progress_reporter
from jaxworld.study.experiments.exposure import ExposureProgress


def event(done: int, elapsed_s: float, phase: str = "running", arm: int = 0) -> ExposureProgress:
    return ExposureProgress("twhin", arm, 2, done, 1000, phase, elapsed_s)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_pace_does_not_count_compiling() -> None:
    pace = Pace()
    for step in (event(0, 0.0, "compiling"), event(0, 60.0), event(100, 61.0), event(100, 90.0, "compiling", 1)):
        pace.update(step)
    assert pace.rate == 100
    pace.update(event(100, 120.0, arm=1))
    pace.update(event(400, 121.0, arm=1))
    assert pace.rate == 200
    assert str(pace) == "200 world-ticks/s, 0:03 left"


def test_pace_is_silent_while_nothing_is_known() -> None:
    pace = Pace()
    assert str(pace) == ""
    pace.update(event(0, 5.0, "compiling"))
    assert str(pace) == ""


def test_lines_come_at_changes_and_seldom_between(capsys: pytest.CaptureFixture[str]) -> None:
    report = LineReporter()
    for second in range(25):
        report(event(second * 10, float(second)))
    report(event(240, 25.0, "compiling", arm=1))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4  # at 0, 10 and 20 seconds, and at the change
    assert lines[-1].startswith("jaxworld: twhin (2/2) compiling")


def test_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    with progress_reporter(bar=True, quiet=False) as report:
        assert report is not None
        report(event(0, 1.0, "compiling"))
        report(event(250, 2.0))
    assert "25%" in terminal.getvalue() and "250 world-ticks/s" in terminal.getvalue()


def test_quiet_reports_nothing() -> None:
    with progress_reporter(bar=True, quiet=True) as report:
        assert report is None
