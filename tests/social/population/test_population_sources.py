"""Populations from files, from networkx graphs, and by name."""

import json
import sys
from pathlib import Path

import networkx
import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.social.population import (
    NAMED_NETWORKS,
    check_population,
    from_csv_folder,
    from_networkx,
    load_population,
    named_network,
)

DATA = Path(__file__).parents[4] / "shared" / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real inputs are not here")
HOURS = ",".join(f"h{hour:02d}" for hour in range(24))


def write_folder(folder, personas, follows):
    for name, text in (("personas.csv", personas), ("follows.csv", follows)):
        if text is not None:
            (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


PERSONAS = "persona,followers_total\n7,10\n5,20\n12,30\n"
FOLLOWS = "follower,followee\n5,7\n7,5\n12,5\n"


def row_of(population, follower):
    return population.neighbor[population.row_offsets[follower] : population.row_offsets[follower + 1]].tolist()


# CSV folders


def test_a_folder_becomes_a_population(tmp_path):
    built = from_csv_folder(write_folder(tmp_path, PERSONAS, FOLLOWS))
    population = built.population
    check_population(population)
    assert built.report.persona_ids == ("5", "7", "12")
    assert population.followers.tolist() == [20, 10, 30]
    assert population.follows.tolist() == [[0, 1], [1, 0], [2, 0]]
    assert row_of(population, 0) == [1, 2]
    assert population.tie_strength.tolist() == [1000, 500, 1000, 500]
    assert population.rhythm is None
    assert population.involvement.tolist() == [1.0, 1.0, 1.0]
    json.dumps(built.report.to_dict(), allow_nan=False)


def test_self_follows_and_duplicates_are_counted_and_reported(tmp_path):
    follows = FOLLOWS + "7,7\n12,5\n5,5\n12,5\n"
    folder = write_folder(tmp_path, PERSONAS, follows)
    report = from_csv_folder(folder).report
    measures = report.measures
    assert (measures["follows_read"], measures["num_follows"]) == (7, 3)
    assert (measures["self_follows"], measures["duplicate_follows"]) == (2, 2)
    assert "2 self-follows ignored: lines 5, 7" in report.notes
    assert "2 duplicate edges ignored: lines 6, 8" in report.notes
    with pytest.raises(ConfigurationError, match=r"follows\.csv:5, column followee"):
        from_csv_folder(folder, on_self_follow="refuse")


def test_hour_counts_become_rhythm_and_involvement(tmp_path):
    personas = f"persona,followers_total,{HOURS}\n0,1,{','.join(['0'] * 23)},4\n1,1,{','.join(['0'] * 24)}\n"
    personas += f"2,1,1,2,{','.join(['0'] * 22)}\n"
    built = from_csv_folder(write_folder(tmp_path, personas, "follower,followee\n"))
    rhythm = built.population.rhythm
    assert rhythm[0].tolist() == [0.0] * 23 + [1.0]
    assert not rhythm[1].any()
    assert rhythm[2, :3].tolist() == [0.5, 1.0, 0.0]
    np.testing.assert_allclose(built.population.involvement, [1 - np.exp(-4), 0.0, 1 - np.exp(-2)], rtol=1e-6)
    assert "1 persona without any activity, never active: 1" in built.report.notes
    assert built.population.num_ties == 0


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_byte_order_mark_and_line_endings_do_not_matter(tmp_path, ending):
    personas = b"\xef\xbb\xbf" + PERSONAS.replace("\n", ending).encode()
    built = from_csv_folder(write_folder(tmp_path, personas, FOLLOWS.rstrip("\n").replace("\n", ending)))
    assert built.population.num_follows == 3


@pytest.mark.parametrize(
    ("personas", "follows", "where"),
    [
        (None, FOLLOWS, "personas.csv"),
        (PERSONAS, None, "follows.csv"),
        ("", FOLLOWS, "personas.csv:1"),
        ("persona,followers_total\n", FOLLOWS, "personas.csv:2"),
        (PERSONAS, "", "follows.csv:1"),
        ("persona,fans\n7,1\n", FOLLOWS, "personas.csv:1, column followers_total"),
        ("persona,followers_total,mood\n7,1,3\n", FOLLOWS, "personas.csv:1, column mood"),
        ("persona,persona,followers_total\n7,7,1\n", FOLLOWS, "personas.csv:1"),
        ("persona,followers_total,h00\n7,1,3\n", FOLLOWS, "personas.csv:1, column h01"),
        (PERSONAS, "followee,followed\n5,7\n", "follows.csv:1, column follower"),
        ("persona,followers_total\n7,1\n5,x\n", FOLLOWS, "personas.csv:3, column followers_total"),
        ("persona,followers_total\n7,1\n-5,1\n", FOLLOWS, "personas.csv:3, column persona"),
        ("persona,followers_total\n7,1\n5,1.5\n", FOLLOWS, "personas.csv:3, column followers_total"),
        ("persona,followers_total\n7,nan\n", FOLLOWS, "personas.csv:2, column followers_total"),
        ("persona,followers_total\n7,\n", FOLLOWS, "personas.csv:2, column followers_total"),
        ("persona,followers_total\n7,3000000000\n", FOLLOWS, "personas.csv:2, column followers_total"),
        ("persona,followers_total\n7,1\n5,2,3\n", FOLLOWS, "personas.csv:3"),
        ("persona,followers_total\n7,1\n\n5,2\n", FOLLOWS, "personas.csv:3"),
        ("persona,followers_total\n7,1\n7,2\n", FOLLOWS, "personas.csv:3, column persona"),
        (PERSONAS, "follower,followee\n5,7\n5,99\n", "follows.csv:3, column followee"),
        (PERSONAS, "follower,followee\n98,7\n", "follows.csv:2, column follower"),
        (PERSONAS, "follower,followee\n5\n", "follows.csv:2"),
        (PERSONAS, 'follower,followee\n"5,7\n', "follows.csv:2"),
        (b"persona,followers_total\n7,\xff\n", FOLLOWS, "personas.csv"),
    ],
)
def test_malformed_folders_are_refused_at_file_line_and_column(tmp_path, personas, follows, where):
    with pytest.raises(ConfigurationError) as caught:
        from_csv_folder(write_folder(tmp_path, personas, follows))
    assert caught.value.field == where
    assert "\n" not in str(caught.value)
    assert caught.value.remedy


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="no such folder"):
        from_csv_folder(tmp_path / "nowhere")


@needs_data
def test_the_real_cascade_is_read_in_full():
    built = from_csv_folder(DATA / "cascade")
    population, measures = built.population, built.report.measures
    check_population(population)
    assert (population.num_personas, population.num_follows) == (111, 85)
    assert (measures["self_follows"], measures["duplicate_follows"]) == (0, 0)
    assert built.report.persona_ids[32] == "32"
    assert int((population.follows[:, 1] == 32).sum()) == 73
    assert population.rhythm.shape == (111, 24)
    assert set(population.rhythm.max(axis=1).tolist()) == {1.0}
    assert (population.involvement > 0.6).all()


@needs_data
def test_the_real_follow_graph_is_read_in_full():
    built = from_csv_folder(DATA / "follow_graph")
    measures = built.report.measures
    assert built.population.num_personas == 196
    assert measures["follows_read"] == 1279
    assert measures["self_follows"] == 10
    assert measures["num_follows"] + measures["self_follows"] + measures["duplicate_follows"] == 1279
    assert built.population.num_follows == measures["num_follows"]
    assert any(note.startswith("10 self-follows ignored") for note in built.report.notes)
    assert built.population.rhythm is None


# Networkx graphs


def test_karate_club_comes_with_its_two_clubs():
    built = named_network("karate_club")
    population = built.population
    check_population(population)
    assert (population.num_personas, population.num_ties) == (34, 78)
    assert np.bincount(population.community).tolist() == [17, 17]
    assert population.community[0] == 0 and population.community[33] == 1
    assert population.tie_strength.max() == 1000
    assert population.followers.tolist() == population.degree.tolist()


@pytest.mark.parametrize("name", sorted(NAMED_NETWORKS))
def test_named_networks_load(name):
    built = load_population(name, num_personas=1000, seed=1)
    check_population(built.population)
    assert built.population.num_ties > 0
    assert built.population.num_dimensions == 16
    assert any("not used" in note for note in built.report.notes)
    assert any("made up" in note for note in built.report.notes)
    json.dumps(built.report.to_dict(), allow_nan=False)


def test_weights_become_strengths():
    graph = networkx.Graph()
    graph.add_edge("a", "b", weight=0.8)
    graph.add_edge("b", "c", weight=0.0001)
    built = from_networkx(graph)
    assert built.population.tie_strength.tolist() == [800, 800, 1, 1]
    assert any("raised" in note for note in built.report.notes)
    graph.add_edge("a", "c", weight=4.0)
    assert from_networkx(graph).population.tie_strength.tolist() == [200, 1000, 200, 1, 1000, 1]


def test_directed_graphs_give_follows_and_symmetric_ties():
    graph = networkx.DiGraph([("b", "a"), ("a", "b"), ("c", "a")])
    population = from_networkx(graph).population
    check_population(population)
    assert population.follows.tolist() == [[0, 1], [1, 0], [2, 0]]
    assert population.followers.tolist() == [2, 1, 0]
    assert population.tie_strength.tolist() == [1000, 500, 1000, 500]


def test_a_directed_tie_weighs_the_mean_of_both_directions():
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from([("a", "b", 0.8), ("b", "a", 0.2), ("a", "c", 0.6)])
    built = from_networkx(graph)
    assert built.population.tie_strength.tolist() == [500, 300, 500, 300]
    assert built.report.notes == ()


def test_self_loops_and_parallel_edges_are_reported():
    graph = networkx.MultiGraph([(0, 1, {"weight": 0.5}), (1, 0, {"weight": 0.7}), (1, 1, {}), (1, 2, {})])
    built = from_networkx(graph, community={0: "x", 2: "y"})
    assert built.population.num_ties == 2
    assert built.population.tie_strength.tolist() == [700, 700, 1000, 1000]
    assert built.population.community.tolist() == [0, -1, 1]
    assert "1 self-loop ignored: nodes 1" in built.report.notes
    assert "1 parallel edge merged into the heaviest of their pair" in built.report.notes


@pytest.mark.parametrize("weight", [float("nan"), -1.0, 0.0, "strong", None])
def test_unusable_weights_name_their_edge(weight):
    graph = networkx.Graph()
    graph.add_edge("a", "b", weight=weight)
    with pytest.raises(ConfigurationError, match="weight of edge a-b"):
        from_networkx(graph)


def test_colliding_ids_unknown_attributes_and_empty_graphs_are_refused():
    with pytest.raises(ConfigurationError, match="persona_ids"):
        from_networkx(networkx.Graph([(1, "1")]))
    with pytest.raises(ConfigurationError, match="community"):
        from_networkx(networkx.path_graph(3), community="team")
    with pytest.raises(ConfigurationError, match="graph"):
        from_networkx(networkx.Graph())


# By name


def test_generated_names_differ_in_communities_and_tastes():
    plain, planted, clustered = (
        load_population(name, num_personas=100, seed=3).population for name in ("generated", "communities", "clustered")
    )
    assert np.bincount(planted.community).tolist() == [20] * 5
    np.testing.assert_array_equal(planted.neighbor, clustered.neighbor)
    assert not np.array_equal(plain.neighbor, planted.neighbor)
    assert not np.array_equal(planted.profile, clustered.profile)


def test_a_folder_is_loaded_by_its_path(tmp_path):
    built = load_population(str(write_folder(tmp_path, PERSONAS, FOLLOWS)), taste_dimensions=0)
    assert built.population.num_personas == 3
    assert built.population.num_dimensions == 0


def test_unknown_names_list_the_nearest():
    with pytest.raises(ConfigurationError, match="karate_club"):
        load_population("karate-clib")
    with pytest.raises(ConfigurationError, match="generated"):
        load_population("zzzz")
    with pytest.raises(ConfigurationError, match="no such folder"):
        load_population("./data/nowhere")


def test_named_networks_without_networkx_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingExtraError, match=r"jaxworld\[graph\]"):
        named_network("karate_club")
