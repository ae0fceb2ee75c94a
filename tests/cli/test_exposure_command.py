"""``jaxworld exposure`` on made-up results: what it prints, what it writes, what it leaves when something fails."""

import errno
import json
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest

from jaxworld.cli.main import main
from jaxworld.study.experiments.exposure import METRICS
from jaxworld.study.tables import read_table
from tests.cli.fake import fake_run

SMALL = ["exposure", "--personas", "8", "--worlds", "3", "--ticks", "4"]
RUN = "jaxworld.study.experiments.exposure.run_exposure"
FIGURE = "jaxworld.plot.exposure.write_exposure_figure"


@pytest.fixture(autouse=True)
def _made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RUN, fake_run)


def raiser(error: BaseException) -> Any:
    def fail(*args: Any, **keywords: Any) -> NoReturn:
        raise error

    return fail


def test_json_is_all_there_is_on_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--json", "--recommenders", "random", "twhin,reddit_hot", "--out", str(tmp_path)]) == 0

    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is no JSON")

    content = json.loads(capsys.readouterr().out, parse_constant=refuse)
    assert set(content) == {"recommenders", "settings", "timing"}
    assert list(content["recommenders"]) == ["random", "twhin", "reddit_hot"]
    assert set(content["recommenders"]["random"]) == set(METRICS)
    assert set(content["recommenders"]["random"]["gini"]) == {"mean", "low", "high"}
    assert set(content["recommenders"]["twhin"]["gini"]["difference_to_random"]) == {"mean", "low", "high"}
    assert content["settings"]["personas"] == 8 and content["settings"]["channels"] == ["feed"]
    assert content["timing"]["twhin"] == {"compile_s": 1.5, "run_s": 0.5}
    assert (tmp_path / "exposure.parquet").stat().st_size > 0


def test_undefined_numbers_are_null_in_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def undefined(*args: Any, **keywords: Any) -> Any:
        result = fake_run(*args, **keywords)
        result.summary["random"]["gini"]["low"] = np.float64("nan")
        return result

    monkeypatch.setattr(RUN, undefined)
    assert main([*SMALL, "--json", "--out", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["recommenders"]["random"]["gini"]["low"] is None


def test_tables_have_every_metric_recommender_and_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--out", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    words = captured.out.split()
    for metric in METRICS:
        assert words.count(metric) == 2  # in the table of means and in that of differences
    assert "0.3000 [0.2877, 0.3123]" in captured.out
    assert "+0.1375 [+0.0975, +0.1775]" in captured.out
    assert f"{tmp_path / 'exposure.png'}" in captured.out and f"{tmp_path / 'exposure.parquet'}" in captured.out
    assert "twhin: compiled in 1.5 s, ran in 0.5 s" in captured.out
    assert "random (1/4)" in captured.err and "world-ticks/s" in captured.err and "a made-up note" in captured.err


def test_quiet_says_nothing_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--quiet", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""


def test_one_recommender_has_no_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, "--recommenders", "twhin", "--out", str(tmp_path)]) == 0
    assert "Difference" not in capsys.readouterr().out


def test_files_hold_the_rows_with_settings_and_version(tmp_path: Path) -> None:
    assert main([*SMALL, "--quiet", "--budget", "2", "--out", str(tmp_path / "a" / "b")]) == 0
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == ["exposure.parquet", "exposure.png"]
    columns, metadata = read_table(tmp_path / "a" / "b" / "exposure.parquet")
    assert len(columns["gini"]) == 4 * 3 * 4
    assert set(columns["recommender"]) == {"random", "reddit_hot", "twitter", "twhin"}
    assert set(columns["budget"]) == {2} and set(columns["personas"]) == set(columns["population_size"]) == {8}
    assert json.loads(metadata["jaxworld.settings"])["worlds"] == 3


def test_failing_writer_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is complete when the figure fails; neither may appear."""

    def half(result: Any, path: Path) -> NoReturn:
        path.write_bytes(b"half a picture")
        raise RuntimeError("midway")

    monkeypatch.setattr(FIGURE, half)
    with pytest.raises(RuntimeError, match="midway"):
        main([*SMALL, "--quiet", "--out", str(tmp_path / "new" / "out")])
    assert list(tmp_path.iterdir()) == []


def test_failing_writer_keeps_earlier_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "exposure.parquet").write_text("earlier")
    monkeypatch.setattr(FIGURE, raiser(RuntimeError("midway")))
    with pytest.raises(RuntimeError, match="midway"):
        main([*SMALL, "--quiet", "--out", str(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["exposure.parquet"]
    assert (tmp_path / "exposure.parquet").read_text() == "earlier"


def test_full_disk_names_the_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(FIGURE, raiser(OSError(errno.ENOSPC, "No space left on device")))
    assert main([*SMALL, "--quiet", "--out", str(tmp_path / "out")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--out" in line and "the disk is full" in line
    assert list(tmp_path.iterdir()) == []


def test_write_that_really_fails_midway_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The system refuses files above a size, so that the table fits and the figure does not."""
    resource = pytest.importorskip("resource")
    allowed = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, allowed[1]))
    try:
        code = main([*SMALL, "--quiet", "--out", str(tmp_path / "out")])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, allowed)
    assert code == 2
    assert "--out" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_interruption_is_one_line_and_130(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(RUN, raiser(KeyboardInterrupt()))
    assert main([*SMALL, "--out", str(tmp_path / "out")]) == 130
    assert capsys.readouterr().err == "jaxworld: error: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_lack_of_memory_names_the_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(RUN, raiser(RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 9 bytes.")))
    assert main([*SMALL, "--out", str(tmp_path / "out")]) == 2
    assert "--chunk" in capsys.readouterr().err


def test_unwritable_folder_is_noticed_before_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RUN, raiser(AssertionError("the run was started")))
    (tmp_path / "file").touch()
    assert main([*SMALL, "--out", str(tmp_path / "file")]) == 2
