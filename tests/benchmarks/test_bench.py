"""The table of all families: its arithmetic, its files, and the command's answer to a wrong name."""

import json

import pytest

from benchmarks import rows, table
from benchmarks.floors import Rates
from benchmarks.harness import Timing
from jaxworld.cli.main import main

ROWS = [
    rows.Row("a", "walking", "step", Timing(2e-6, 4e-6, 3), {"NumPy": Timing(8e-6, 8e-6, 3)}, floor_s=1e-6),
    rows.Row("b", "talking", "word", Timing(1.0, 1.0, 3), {"other": Timing(0.5, 0.25, 3)}, note="in whispers"),
]


def test_ratios_say_how_many_times_ours_the_others_take():
    walk, talk = ROWS
    assert walk.ratios("cpu_s") == {"NumPy": 2.0} and walk.ratios("wall_s") == {"NumPy": 4.0}
    assert (walk.times_floor("cpu_s"), talk.times_floor("cpu_s")) == (pytest.approx(4.0), None)
    assert talk.ratios("cpu_s") == {"other": 0.25}


def test_the_command_prints_every_row_and_writes_its_files(tmp_path, monkeypatch, capsys):
    given = []
    monkeypatch.setattr(table, "measure_rates", lambda *args, **kwargs: Rates(1.0, 1.0, 1.0, 1.0, 1.0))
    monkeypatch.setattr(table, "SUITES", {"a": lambda *args: given.append(args) or ROWS[:1], "b": lambda *_: ROWS[1:]})
    assert main(["bench", "--quick", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert all(text in printed for text in ("walking, per step", "4 µs", "NumPy", "in whispers", "bench.png"))
    content = json.loads((tmp_path / "bench.json").read_text())
    assert [row["ratios"] for row in content["rows"]] == [{"NumPy": 2.0}, {"other": 0.25}]
    assert content["quick"] and given[0][0].repeats == 1 and (tmp_path / "bench.png").stat().st_size > 10_000

    assert main(["bench", "b", "--out", str(tmp_path)]) == 0
    assert len(json.loads((tmp_path / "bench.json").read_text())["rows"]) == 1 == len(given)


def test_an_unknown_suite_is_refused_in_one_line(capsys):
    assert main(["bench", "moon"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "moon" in error and "social" in error


def test_random_words_are_measured_from_the_rates():
    row = table.core.random_words(rows.Effort(quick=True), Rates(1.0, 1.0, 2e6, 1e6, 1.0))
    assert (row.ours.cpu_s, row.peers["jax.random.bits"].cpu_s) == (0.5, 1.0)
    assert 0 < row.peers["NumPy Philox"].cpu_s < 1
