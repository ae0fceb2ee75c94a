"""Whatever is wrong with the input: one line on stderr, exit code 2, no traceback, and nothing left behind."""

from pathlib import Path

import pytest

from jaxworld.cli.main import main

SMALL = ["exposure", "--personas", "8", "--worlds", "2", "--ticks", "2", "--quiet"]
BAD = {
    "unknown recommender": (["--recommenders", "redit_hot"], "'reddit_hot'"),
    "duplicate recommender": (["--recommenders", "random,random"], "recommenders"),
    "no recommender": (["--recommenders", ","], "recommenders"),
    "unknown channel": (["--channels", "radio"], "channels"),
    "unknown tick unit": (["--tick-unit", "minute"], "tick_unit"),
    "no personas": (["--personas", "0"], "personas"),
    "negative personas": (["--personas", "-5"], "personas"),
    "no worlds": (["--worlds", "0"], "worlds"),
    "negative worlds": (["--worlds", "-1"], "worlds"),
    "no ticks": (["--ticks", "0"], "ticks"),
    "no budget": (["--budget", "0"], "budget"),
    "budget above window": (["--budget", "5", "--window", "3"], "window"),
    "no chunk": (["--chunk", "0"], "chunk"),
    "negative memory": (["--max-memory", "-1"], "max_memory"),
    "memory is no number": (["--max-memory", "nan"], "--max-memory"),
    "endless memory": (["--max-memory", "inf"], "--max-memory"),
    "huge seed": (["--seed", str(2**64)], "seed"),
    "no capacity": (["--capacity", "0"], "capacity"),
    "negative seed": (["--seed", "-1"], "seed"),
    "personas in words": (["--personas", "many"], "--personas"),
    "missing value": (["--worlds"], "--worlds"),
    "unknown option": (["--speed", "9"], "--speed"),
    "abbreviated option": (["--person", "9"], "--person"),
    "no such folder": (["--population", "no/such/folder"], "population"),
    "no such file": (["--population", "people.json"], "population"),
    "unknown embedder": (["--embed", "bert"], "hashing"),
    "unknown activity": (["--activity", "loudest"], "hourly_peak"),
    "misspelt population": (["--population", "karate_klub"], "karate_club"),
    "empty --out": (["--out", ""], "--out"),
}


def refused(argv: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run, check the form of the refusal, and return its line."""
    assert main(argv) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("jaxworld: error: ")
    return lines[0]


@pytest.mark.parametrize("case", BAD)
def test_is_refused_in_one_line(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, expected = BAD[case]
    out = tmp_path / "deep" / "out"
    assert expected in refused([*SMALL, "--out", str(out), *arguments], capsys)
    assert not out.parent.exists()


@pytest.mark.parametrize("argv", [["exposur"], ["--speed"], ["list", "--speed"], ["list", "more"]])
def test_unknown_words_are_refused(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert argv[-1] in refused(argv, capsys)


def test_malformed_folder_names_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "personas.csv").write_text("persona,followers_total\n0,3\n1,many\n")
    (tmp_path / "follows.csv").write_text("follower,followee\n")
    line = refused([*SMALL, "--population", str(tmp_path), "--out", str(tmp_path / "out")], capsys)
    assert "personas.csv:3" in line
    assert not (tmp_path / "out").exists()


def test_malformed_file_names_file_row_and_field(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "people.json").write_text('{"format": "jaxworld.personas/1", "personas": [{"id": "a", "mood": 3}]}')
    argv = [*SMALL, "--population", str(tmp_path / "people.json"), "--out", str(tmp_path / "out")]
    assert "people.json, personas[0], field mood" in refused(argv, capsys)


def test_recommender_that_needs_a_graph_names_the_remedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "personas.csv").write_text("persona,followers_total\n0,3\n1,4\n2,0\n")
    (tmp_path / "follows.csv").write_text("follower,followee\n")
    argv = [*SMALL, "--population", str(tmp_path), "--recommenders", "twhin", "--out", str(tmp_path / "out")]
    line = refused(argv, capsys)
    assert "twhin" in line and "ties or follows" in line


def test_out_below_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("mine")
    line = refused([*SMALL, "--out", str(tmp_path / "file" / "below")], capsys)
    assert "--out" in line and "choose a folder" in line
    assert (tmp_path / "file").read_text() == "mine"


def test_out_where_a_result_is_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "exposure.png").mkdir()
    assert "exposure.png" in refused([*SMALL, "--out", str(tmp_path)], capsys)


def test_missing_package_is_noticed_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    line = refused([*SMALL, "--out", str(tmp_path / "out")], capsys)
    assert "pip install 'jaxworld[study]'" in line
    assert not (tmp_path / "out").exists()
