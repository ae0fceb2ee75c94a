"""``jaxworld sweep`` and ``sweep-merge`` from the command line."""

import json
import shutil

import pytest

from jaxworld.cli.main import main
from jaxworld.cli.values import parse_option, parse_values

WALK = [
    "sweep", "core/random_walk", "--option", "num_walkers=2", "--vary", "slip_threshold=0,2000000000", "--seeds", "3",
    "--ticks", "4", "--quiet",
]  # fmt: skip
BAD = {
    "unknown world": (["sweep", "core/random_wolk"], "core/random_walk"),
    "world without a family": (["sweep", "walk"], "family/variant"),
    "unknown option": ([*WALK, "--option", "num_walker=3"], "'num_walkers'"),
    "option without a value": ([*WALK, "--option", "ring"], "--option"),
    "option of a wrong kind": ([*WALK, "--option", "num_positions=many"], "num_positions"),
    "unknown parameter": ([*WALK, "--vary", "slip_treshold=1"], "'slip_threshold'"),
    "overlapping axes": ([*WALK, "--vary", "slip_threshold=7"], "overlapping"),
    "empty axis": ([*WALK[:4], "--vary", "slip_threshold=,"], "empty"),
    "values not finite": ([*WALK[:4], "--vary", "slip_threshold=nan"], "finite"),
    "range without points": ([*WALK[:4], "--vary", "slip_threshold=0:9"], "--points"),
    "points without a range": ([*WALK, "--points", "4"], "--points"),
    "malformed range": ([*WALK[:4], "--vary", "slip_threshold=0:9:0"], "LOW:HIGH"),
    "fraction of a whole number": ([*WALK[:4], "--vary", "slip_threshold=0.5"], "whole numbers"),
    "no seeds": ([*WALK, "--seeds", "0"], "seeds"),
    "no ticks": ([*WALK, "--ticks", "0"], "ticks"),
    "series that does not divide": ([*WALK, "--series", "3"], "divisor"),
    "unknown window": ([*WALK, "--series", "2", "--window", "median"], "window"),
    "shard outside": ([*WALK, "--shard", "3/3"], "shard"),
    "no chunk": ([*WALK, "--chunk", "0"], "chunk"),
    "no memory": ([*WALK, "--max-memory", "0"], "max_memory"),
    "endless memory": ([*WALK, "--max-memory", "inf"], "--max-memory"),
    "unknown measure": ([*WALK, "--measure", "reword:mean"], "'reward'"),
    "unknown statistic": ([*WALK, "--measure", "reward:median"], "statistic"),
    "average of nothing": ([*WALK, "--average"], "--measure"),
    "varied and fixed": ([*WALK, "--arm", "num_walkers=2,3"], "fixed and varied"),
    "half a launch": ([*WALK, "--coordinator", "127.0.0.1:1"], "JAXWORLD_NUM_PROCESSES"),
    "empty out": ([*WALK, "--out", ""], "out"),
    "nothing to merge": (["sweep-merge", "no/such/folder"], "no such folder"),
}


@pytest.mark.parametrize("case", BAD)
def test_is_refused_in_one_line(case, tmp_path, capsys, monkeypatch):
    for name in ("JAXWORLD_NUM_PROCESSES", "JAXWORLD_PROCESS_ID", "JOB_COMPLETION_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    arguments, expected = BAD[case]
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("jaxworld: error: "), captured.err
    assert len(captured.err.splitlines()) == 1 and expected in captured.err
    assert not list(tmp_path.rglob("*.parquet"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("cli") / "out"
    assert main([*WALK, "--arm", "num_positions=5,8", "--out", str(out)]) == 0
    return out


def test_leaves_a_table_a_figure_and_a_manifest(folder, capsys):
    assert {"manifest.json", "sweep.parquet", "sweep.png"} <= {path.name for path in folder.iterdir()}
    assert (folder / "sweep.png").read_bytes()[:4] == b"\x89PNG"
    assert main([*WALK, "--arm", "num_positions=5,8", "--out", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "Worlds: 0 computed, 12 found done" in out and "return_mean" in out and str(folder) in out


def test_parts_are_merged_to_the_same_table(folder, tmp_path, capsys):
    parts = [str(tmp_path / f"part{index}") for index in range(2)]
    for index, part in enumerate(parts):
        arguments = [*WALK, "--arm", "num_positions=5,8", "--out", part, "--shard", f"{index}/2", "--json"]
        assert main(arguments) == 0
        content = json.loads(capsys.readouterr().out)
        assert content["table"] is None and content["worlds"]["computed"] > 0
    assert main(["sweep-merge", *parts, "--out", str(tmp_path / "whole"), "--json"]) == 0
    table = json.loads(capsys.readouterr().out)["table"]
    assert (folder / "sweep.parquet").read_bytes() == (tmp_path / "whole" / "sweep.parquet").read_bytes()
    assert table == str(tmp_path / "whole" / "sweep.parquet")


def test_a_damaged_file_is_named(folder, tmp_path, capsys):
    broken = shutil.copytree(folder, tmp_path / "broken")
    victim = next(broken.glob("chunk-*.parquet"))
    victim.write_bytes(victim.read_bytes()[:-9])
    assert main(["sweep-merge", str(broken)]) == 2
    captured = capsys.readouterr()
    assert victim.name in captured.err and len(captured.err.splitlines()) == 1


def test_a_dry_run_prints_what_it_would_take(tmp_path, capsys):
    arguments = [*WALK[:4], "--vary", "slip_threshold=0:4000000000", "--points", "4", "--fill", "sobol"]
    assert main([*arguments, "--seeds", "2", "--ticks", "4", "--dry-run", "--out", str(tmp_path / "none")]) == 0
    out = capsys.readouterr().out
    assert "8 (32 world-ticks)" in out and "1 compilation(s)" in out and "Memory:" in out
    assert not (tmp_path / "none").exists()


def test_values_on_the_command_line():
    assert parse_values("1,2.5,true,x") == [1, 2.5, True, "x"]
    assert parse_option("feed,") == ("feed",) and parse_option("none") is None and parse_option("7") == 7
