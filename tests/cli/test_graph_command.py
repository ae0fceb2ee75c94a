"""``jaxworld graph``."""

import json

import pytest

from jaxworld.cli.main import main
from jaxworld.markov.graph import load_graph
from jaxworld.plot.markov_graph import draw_graph


def test_counts_as_json(capsys):
    assert main(["graph", "pursuit", "--size", "2", "--check", "--json", "--set", "slip=0.25"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["states"], facts["terminals"], facts["edges"]) == (16, 7, 610)
    assert facts["checked"] is True
    assert "files" not in facts


def test_a_graph_in_stages_has_the_same_counts(capsys):
    facts = []
    for more in ([], ["--factored"]):
        assert main(["graph", "pursuit", "--size", "2", "--check", "--json", *more]) == 0
        facts.append(json.loads(capsys.readouterr().out))
    plain, staged = facts
    assert staged.pop("links") == [plain["edges"], plain["states"]]
    assert {**staged, "bytes": 0} == {**plain, "bytes": 0}
    assert main(["graph", "pursuit", "--size", "2", "--factored"]) == 0
    assert f"{plain['edges']:,} + {plain['states']:,} links" in capsys.readouterr().out


def test_files_and_a_saved_graph(tmp_path, capsys):
    out = tmp_path / "graph"
    assert main(["graph", "chicken", "--save", "--prism", "--draw", "--out", str(out)]) == 0
    text = capsys.readouterr().out
    assert "5, 0 of them terminal" in text and "20 in 20 rows" in text
    names = {path.name for path in out.iterdir()}
    rewards = {f"chicken.player{player}.rew" for player in range(2)}
    assert names == {"graph.npz", "graph.png", "chicken.tra", "chicken.sta", "chicken.lab", *rewards}
    assert (out / "graph.png").read_bytes()[:4] == b"\x89PNG"
    assert main(["graph", str(out / "graph.npz"), "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["edges"] == 20
    graph = load_graph(out / "graph.npz")
    figure = draw_graph(graph)
    arrows = figure.axes[0].patches
    assert len(arrows) == graph.num_edges
    drawn = {text.get_text() for text in figure.axes[0].texts}
    assert drawn == {str(state) for state in range(graph.num_states)}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (["chess"], "NAME"),
        (["chicken", "--size", "3"], "size"),
        (["pursuit", "--size", "1"], "size"),
        (["pursuit", "--set", "slip=2"], "slip"),
        (["pursuit", "--set", "slip"], "--set"),
        (["pursuit", "--max-memory", "0"], "--max-memory"),
        (["pursuit", "--size", "9", "--set", "num_pursuers=3"], "max_memory"),
        (["chicken", "--chunk", "0"], "chunk"),
        (["none.npz", "--size", "3"], "--size"),
        (["none.npz", "--factored"], "--factored"),
        (["chicken", "--factored", "--save"], "--factored"),
        (["none.npz"], "none.npz"),
        (["chicken", "--out", "out/nothing"], "--out"),
    ],
)
def test_bad_input_is_one_line(arguments, field, capsys):
    assert main(["graph", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert field in captured.err
    assert not captured.out


def test_large_graphs_are_not_drawn(tmp_path, capsys):
    graph = ["graph", "public_goods", "--set", "payout_rate=0.1", "--draw", "--out", str(tmp_path / "out")]
    assert main(graph) == 2
    assert "draw at most" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
