"""Graphs as files and for other libraries."""

import io
import zipfile

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.markov.graph import export, load_graph, save_graph, to_networkx, to_scipy, write_prism
from tests.markov.games import same_arrays, small_graph


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "graph.npz"
    save_graph(small_graph("pursuit"), path)
    return path


def test_saved_graphs_come_back(saved):
    graph, loaded = small_graph("pursuit"), load_graph(saved)
    assert same_arrays(loaded, graph)
    assert loaded.facts() == graph.facts()
    assert [path.name for path in saved.parent.iterdir()] == ["graph.npz"]


def _rewritten(path, change):
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    change(arrays)
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[:-100]),
        lambda path: path.write_bytes(path.read_bytes()[:3000] + b"\xff\xee" + path.read_bytes()[3002:]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_text("not a graph"),
        lambda path: _rewritten(path, lambda arrays: arrays.pop("target")),
        lambda path: _rewritten(path, lambda arrays: arrays.update(probability=arrays["probability"] * 0.9)),
        lambda path: _rewritten(path, lambda arrays: arrays.update(target=np.asarray([None, {}], object))),
        lambda path: _rewritten(path, lambda arrays: arrays.update(header=np.frombuffer(b"{}", np.uint8))),
        lambda path: _rewritten(path, lambda arrays: arrays.update(header=np.frombuffer(b"[1", np.uint8))),
        lambda path: np.savez(path, something=np.zeros(3)),
    ],
)
def test_damaged_files_are_refused_in_one_line(saved, damage):
    damage(saved)
    with pytest.raises(ConfigurationError) as refused:
        load_graph(saved)
    assert "\n" not in str(refused.value)


def test_a_missing_file_is_no_damage(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_graph(tmp_path / "none.npz")


def test_files_hold_no_pickles(saved):
    with zipfile.ZipFile(saved) as archive:
        for name in archive.namelist():
            array = np.lib.format.read_array(io.BytesIO(archive.read(name)), allow_pickle=False)
            assert array.dtype != object


def test_prism_files_say_the_same(tmp_path):
    graph = small_graph("pursuit")
    paths = {path.name: path.read_text().splitlines() for path in write_prism(graph, tmp_path)}
    lines = paths["pursuit.tra"]
    assert lines[0] == f"{graph.num_states} {graph.num_states * graph.num_joint_actions} {graph.num_edges}"
    table = np.asarray([line.split() for line in lines[1:]], np.float64)
    rows = (table[:, 0] * graph.num_joint_actions + table[:, 1]).astype(int)
    np.testing.assert_array_equal(np.bincount(rows), np.diff(graph.row_offsets))
    np.testing.assert_array_equal(table[:, 2], graph.target)
    np.testing.assert_array_equal(table[:, 3], graph.probability)
    paid = np.asarray([line.split()[3] for line in paths["pursuit.player1.rew"][1:]], np.float64)
    np.testing.assert_array_equal(paid, graph.reward[:, :, 1].reshape(-1)[rows])
    names = dict(part.split("=") for part in paths["pursuit.lab"][0].split())
    held = {int(line.split(":")[0]): line.split(":")[1].split() for line in paths["pursuit.lab"][1:]}
    collision = next(number for number, name in names.items() if name == '"collision"')
    assert [state for state in held if collision in held[state]] == np.flatnonzero(graph.labels["collision"]).tolist()
    assert len(paths["pursuit.sta"]) == graph.num_states + 1


def test_matrices_and_networks():
    graph = small_graph("pursuit")
    matrix = to_scipy(graph)
    assert matrix.shape == (graph.num_states * graph.num_joint_actions, graph.num_states)
    np.testing.assert_allclose(matrix.sum(axis=1), 1, atol=1e-12)
    net = to_networkx(graph)
    assert (net.number_of_nodes(), net.number_of_edges()) == (graph.num_states, graph.num_edges)
    assert sum(data["initial"] for _, data in net.nodes(data=True)) == pytest.approx(1)
    state, joint = 0, 7
    target, probability = graph.row(state, joint)
    edges = {end: data["probability"] for _, end, data in net.out_edges(state, data=True) if data["joint"] == joint}
    assert edges == dict(zip(target.tolist(), probability.tolist(), strict=True))


def test_large_networks_are_refused(monkeypatch):
    monkeypatch.setattr(export, "MAX_NETWORKX_EDGES", 10)
    with pytest.raises(ConfigurationError, match="to_scipy"):
        to_networkx(small_graph("pursuit"))
