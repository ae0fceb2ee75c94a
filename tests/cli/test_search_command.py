"""``jaxworld search``: a score, a policy that plays, a figure and a table; one line for anything that cannot work."""

import json

import numpy as np
import pytest

from jaxworld.cli.main import main
from jaxworld.study.search import load_policy
from jaxworld.study.tables import read_table

SMALL = ["search", "core/bandit", "--generations", "3", "--worlds", "2", "--held-out-worlds", "4", "--steps", "4"]
SMALL += ["--population", "4", "--quiet"]


def test_a_search_in_a_world_leaves_a_policy_a_figure_and_a_table(tmp_path, capsys):
    out = tmp_path / "found"
    assert main([*SMALL, "--set", "num_arms=2", "--json", "--out", str(out)]) == 0
    captured = capsys.readouterr()
    content = json.loads(captured.out)
    assert captured.err == ""
    assert content["score"]["low"] <= content["score"]["mean"] <= 4 and content["optimum"] == pytest.approx(3.6)
    assert {path.name for path in out.iterdir()} == {"policy.npz", "search.png", "search.parquet"}
    assert load_policy(out / "policy.npz").network.layer.weight.shape == (3, 2)
    columns, _ = read_table(out / "search.parquet")
    np.testing.assert_array_equal(columns["generation"], [1, 2, 3])
    assert {"raw_best", "raw_mean", "num_invalid", "worlds"} <= set(columns)
    assert main([*SMALL, "--out", str(out), "--seed", "1"]) == 0  # a finished search leaves the folder free
    assert "Score on 4 held-out worlds" in capsys.readouterr().out


def test_an_application_leaves_a_figure_a_table_and_a_summary(tmp_path, capsys):
    command = ["search", "--application", "reference", "--generations", "2", "--worlds", "2", "--held-out-worlds", "4"]
    command += ["--set", 'policies=["linear"]', "--set", "steps=4", "--set", "seeds=2", "--set", "population_size=4"]
    assert main([*command, "--out", str(tmp_path)]) == 0
    captured = capsys.readouterr()
    assert "share" in captured.out and "linear, cue on show: generation 2/2" in captured.err
    assert {path.name for path in tmp_path.iterdir()} == {"search.json", "search.png", "search.parquet"}
    content = json.loads((tmp_path / "search.json").read_text())
    assert content["settings"]["steps"] == 4 and content["summary"]["linear, cue on show"]["optimum"] == pytest.approx(
        3.6
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name one world, or one application"),
        (["core/bandit", "--application", "reach"], "name one world, or one application"),
        (["core/bandid"], "core/bandit"),
        (["core/bandit", "--set", "arms"], "write NAME=VALUE"),
        (["core/bandit", "--set", "arms=2"], "did you mean 'num_arms'"),
        (["core/bandit", "--policy", "transformer"], "use one of linear, mlp, recurrent"),
        (["core/bandit", "--generations", "0"], "generations = 0"),
        (["core/bandit", "--population", "3"], "population_size = 3"),
        (["core/bandit", "--sigma", "nan"], "--sigma"),
        (["--application", "rich"], "did you mean 'reach'"),
        (["--application", "reach", "--set", "creator=2"], "did you mean 'creators'"),
        (["--application", "reach", "--steps", "3"], "use --set steps="),
        (["social/feed"], "array policies act in floats"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(arguments, message, tmp_path, capsys):
    out = tmp_path / "none"
    assert main(["search", *arguments, "--out", str(out)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err and captured.err.count("\n") == 1 and captured.out == ""
    assert not out.exists()


def test_a_strangers_checkpoint_is_refused_and_kept(tmp_path, capsys):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "thesis.txt").write_text("mine")
    assert main([*SMALL, "--out", str(tmp_path)]) == 2
    assert "holds thesis.txt and no search" in capsys.readouterr().err
    assert (tmp_path / "checkpoints" / "thesis.txt").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoints"]
