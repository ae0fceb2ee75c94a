import json

import pytest

from jaxworld.cli.main import main
from jaxworld.study.tables import read_table


def test_a_shield_is_examined_and_written(tmp_path, capsys):
    words = ["shield", "pursuit", "--size", "2", "--clamp", "--budgets", "0.5,1", "--grid", "10", "--episodes", "64"]
    assert main([*words, "--steps", "20", "--max-level", "1", "--out", str(tmp_path), "--json", "--quiet"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["empty_masks"] == 0
    assert made["max_excess"] <= 1e-12
    assert [(row["budget"], row["others_level"]) for row in made["budgets"]] == [(0.5, 0), (0.5, 1), (1.0, 0), (1.0, 1)]
    for row in made["budgets"]:
        assert row["worst"] <= row["granted"] + 1e-12
        assert row["simulated"] <= row["granted"] + row["half_width"]
    columns, _ = read_table(tmp_path / "shield.parquet")
    assert list(columns["simulated"]) == [row["simulated"] for row in made["budgets"]]
    assert (tmp_path / "shield.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "NAME = 'nowhere'"),
        (["chicken", "--grid", "13"], "grid = 13"),
        (["chicken", "--budgets", "a"], "--budgets = 'a'"),
        (["chicken", "--budgets", "2"], "budget = 2.0"),
        (["chicken", "--label", "lost"], "label = 'lost'"),
        (["chicken", "--scenario", "kind"], "scenario = 'kind'"),
        (["chicken", "--level-floor", "1"], "level_floor = 1"),
    ],
)
def test_bad_input_is_one_line(words, said, tmp_path, capsys):
    assert main(["shield", *words, "--out", str(tmp_path / "out"), "--quiet"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
