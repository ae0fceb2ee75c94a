"""The markov benchmark compares the same game with Storm, and does without peers that are not there."""

import numpy as np
import pytest

from benchmarks import markov
from benchmarks import markov_peers as peers
from benchmarks.floors import Rates
from benchmarks.rows import Effort
from jaxworld.markov import Pursuit
from jaxworld.markov.graph import build_graph

TICKS = 5


@pytest.mark.parametrize("num_pursuers", [1, 2])
def test_storm_explores_the_same_game_from_its_own_program(num_pursuers):
    """As many states and transitions, and in every state the same greatest chance of a collision within some ticks."""
    stormpy = pytest.importorskip("stormpy", reason="Storm is not installed")
    graph = build_graph(Pursuit(3, num_pursuers))
    model = peers.storm_build(3, num_pursuers)()
    assert peers.same_model(model, graph)
    assert not peers.same_model(model, build_graph(Pursuit(3, walls=(4,))))
    unsafe, joint = graph.labels["unsafe"], graph.num_joint_actions
    chance = unsafe.astype(float)
    for _ in range(TICKS):
        rows = np.add.reduceat(graph.probability * chance[graph.target], graph.row_offsets[:-1])
        chance = np.where(unsafe, 1.0, rows.reshape(-1, joint).max(axis=1))
    formula = stormpy.parse_properties(f'Pmax=? [F<={TICKS} "unsafe"]')[0]
    checked = stormpy.model_checking(model, formula).get_finite_value_vector()
    np.testing.assert_allclose(np.sort(np.asarray(checked)), np.sort(chance), rtol=0, atol=1e-12)


def test_rows_come_without_the_peers_that_are_missing(monkeypatch, capsys):
    assert peers.find("jaxworld.no_such_module") is None
    assert "not installed" in capsys.readouterr().err
    monkeypatch.setattr(peers, "find", lambda module: None)
    effort, rates = Effort(quick=True), Rates(1.0, 1.0, 1.0, 1.0, 1.0)
    built = markov.build(3, 1, effort, rates)
    solved = markov.value("pursuit 3 × 3", build_graph(Pursuit(3)), effort, rates)
    for row in (built, solved):
        assert row.family == "markov" and row.ours.wall_s > 0 and not row.peers
    assert "81 states" in built.note
    assert peers.pettingzoo_pursuit(5, 1, 1) is peers.masa_game("matrix.chicken", "ChickenMatrix", 1, 1) is None
