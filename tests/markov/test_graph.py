"""Graphs: golden counts, promises, and independence of how they were built."""

import dataclasses
import itertools
import json
import os
import subprocess
import sys

import jax
import numpy as np
import pytest

from jaxworld.core.episodes import EpisodeCap
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.leaves import digest
from jaxworld.core.random_walk import RandomWalk
from jaxworld.markov import Pursuit, TableGame, chicken
from jaxworld.markov.graph import build_factored, build_graph, keys, memory
from jaxworld.markov.graph.build import make_expander
from tests.markov.games import SMALL, golden_graph, same_arrays, small_graph

COUNTS = {  # bits, states, terminals, unsafe for player 0, edges, widest row, levels
    "chicken": (5, 5, 0, 1, 20, 1, 2),
    "bertrand": (5, 5, 0, 1, 20, 1, 2),
    "inspection": (5, 5, 0, 1, 20, 1, 2),
    "congestion": (27, 65, 0, 14, 4_160, 1, 2),
    "public_goods": (13, 281, 0, 70, 1_124, 1, 13),
    "pursuit": (50, 625, 49, 25, 40_093, 4, 9),
    "ice_duel": (98, 1_972, 1_372, 872, 138_592, 12, 8),
    "gathering": (33, 6_532, 0, 154, 703_819, 8, 9),
    "stag_hunt": (36, 13_024, 3_952, 1_976, 853_416, 45, 2),
}
"""At the default sizes, the stag hunt on 3 x 3."""

LARGER = """
import jax, json, numpy as np
from jaxworld.markov import Gathering, IceDuel, StagHunt
from jaxworld.markov.graph import build_factored, build_graph, lump
from jaxworld.core.leaves import digest
from tests.markov.games import SMALL
from tests.markov.solved import disagreement
facts = {"devices": jax.device_count()}
facts["digests"] = {name: digest(build_graph(SMALL[name]()).arrays()) for name in ("pursuit", "tiny_stag_hunt")}
for game in (IceDuel(), Gathering(), StagHunt(3, 3)):
    graph = build_graph(game)
    graph.check()
    facts[game.name] = graph.facts()
stages = build_factored(StagHunt(3, 3))
stages.check()
facts["stages"] = stages.facts()
facts["before coming back"] = int(stages.edges_of_rows(0, 2).sum())
facts["disagreement"] = disagreement(graph, stages)
graph = build_graph(Gathering(removal=3))
player = np.repeat([0, 1, 2], [9, 4, 3])
part = np.concatenate([player, player, [3, 3, 3]])
for name, dropped in (("none", -1), ("timer", 2), ("facing", 1)):
    made = lump(graph, part != dropped)
    facts[name] = [made.num_classes, made.num_violating]
print(json.dumps(facts))
"""


@pytest.fixture(scope="module")
def larger():
    """Facts of the larger graphs, from a process whose compiler optimises: the tests' own does not."""
    environment = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    command = [sys.executable, "-W", "ignore", "-c", LARGER]
    environment |= {"JAX_PLATFORMS": "cpu", "JAX_NUM_CPU_DEVICES": "8"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def _counts(facts):
    names = ("bits", "states", "terminals", "edges", "max_branching", "levels")
    found = [facts[name] for name in names]
    return (*found[:3], facts["labels"]["unsafe_0"], *found[3:])


@pytest.mark.parametrize("name", ["chicken", "bertrand", "inspection", "congestion", "public_goods", "pursuit"])
def test_golden_counts(name):
    graph = golden_graph(name)
    graph.check()
    assert _counts(graph.facts()) == COUNTS[name]


@pytest.mark.parametrize("name", ["ice_duel", "gathering", "stag_hunt"])
def test_golden_counts_of_larger_games(name, larger):
    assert _counts(larger[name]) == COUNTS[name]


def test_golden_counts_in_stages(larger):
    """Live rows of the 3 x 3 stag hunt have 349,292 edges before anything comes back; its terminal rows 25 each."""
    facts = larger["stages"]
    assert larger["before coming back"] == 349_292 + 25 * 3_952
    assert _counts(facts) == COUNTS["stag_hunt"]
    assert facts["links"][0] == facts["rows"]
    assert facts["bytes"] < larger["stag_hunt"]["bytes"] / 3


def test_solvers_agree_on_both_forms_of_the_larger_stag_hunt(larger):
    assert max(larger["disagreement"].values()) < 1e-12


def test_markov_test_has_teeth(larger):
    """The whole key of gathering is Markov; without its countdown or its directions it is not.

    Without directions the law is hidden wherever both players are there and one can come into the other's line in one
    move: all of the 396 keys of two players but those in opposite corners, 4 placements with 8 sets of apples.
    """
    assert larger["none"] == [7_020, 0]
    assert larger["timer"] == [6_232, 488]
    assert larger["facing"] == [780, 396 - 4 * 8]


@pytest.mark.parametrize("name", ["pursuit", "tiny_stag_hunt"])
def test_eight_devices_and_an_optimising_compiler_change_no_byte(larger, name):
    assert (larger["devices"], jax.device_count()) == (8, 2)
    assert larger["digests"][name] == digest(small_graph(name).arrays())


@pytest.mark.parametrize("name", ["pursuit", "tiny_stag_hunt"])
def test_chunks_change_no_byte(name):
    assert same_arrays(build_graph(SMALL[name](), chunk=7), small_graph(name))
    staged, again = (build_factored(SMALL[name](), chunk=chunk).stages for chunk in (None, 7))
    for links, same in zip(staged, again, strict=True):
        assert links.certain == same.certain
        assert links.target.tobytes() == same.target.tobytes()
        assert links.row_offsets().tobytes() == same.row_offsets().tobytes()
        assert links.probabilities().tobytes() == same.probabilities().tobytes()


def test_neither_device_nor_hash_changes_a_byte(monkeypatch):
    graph = small_graph("pursuit")
    # A hash that puts all keys into two buckets must change nothing but the time.
    monkeypatch.setattr(keys, "bucket", lambda words: words[:, 0].astype(np.uint64) % np.uint64(2))
    with jax.default_device(jax.devices()[1]):
        assert same_arrays(build_graph(SMALL["pursuit"]()), graph)


@pytest.mark.parametrize("name", ["stag_hunt", "gathering", "pursuit"])
def test_stages_multiply_to_the_graph(name):
    """With chance after, before and after, and before the players' moves alone."""
    graph, factored = small_graph(name), build_factored(SMALL[name]())
    factored.check()
    for array in ("state_words", "reward", "initial", "terminal", "level"):
        np.testing.assert_array_equal(getattr(factored, array), getattr(graph, array))
    np.testing.assert_array_equal(factored.edges_of_rows(), np.diff(graph.row_offsets))
    assert {**factored.facts(), "bytes": 0} == {**graph.facts(), "links": list(factored.num_links), "bytes": 0}
    values = np.random.default_rng(4).normal(size=(graph.num_states))
    wanted = np.add.reduceat(graph.probability * values[graph.target], graph.row_offsets[:-1])
    np.testing.assert_allclose(factored.expect(values).reshape(-1), wanted, atol=1e-12)


def test_broken_stages_are_found():
    factored = build_factored(SMALL["stag_hunt"]())
    first, *later = factored.stages
    lost = dataclasses.replace(first, target=np.full_like(first.target, first.num_columns))
    turned = dataclasses.replace(first, target=first.target[::-1].copy())
    thin = dataclasses.replace(later[0], probability=later[0].probability * 0.5)
    gone = dataclasses.replace(later[0], offsets=later[0].offsets[::-1].copy())
    for array, stages in (
        ("target", (lost, *later)),
        ("terminal", (turned, *later)),
        ("probability", (first, thin, *later[1:])),
        ("offsets", (first, gone, *later[1:])),
    ):
        with pytest.raises(ConfigurationError, match=array):
            dataclasses.replace(factored, stages=stages).check()
    with pytest.raises(ConfigurationError, match="state_words"):
        dataclasses.replace(factored, state_words=np.zeros_like(factored.state_words)).check()


def test_a_graph_that_fits_in_stages_only_says_so():
    game = SMALL["stag_hunt"]()
    enough = memory.factored_bytes(make_expander(game, None, None), game.state_bound())
    with pytest.raises(ConfigurationError, match=r"GiB.*--factored"):
        build_graph(game, max_memory=enough)
    build_factored(game, max_memory=enough)
    with pytest.raises(ConfigurationError, match=r"GiB.*larger max_memory"):
        build_factored(game, max_memory=enough - 1)


def test_states_are_numbered_by_level_and_words():
    graph = small_graph("pursuit")
    assert (np.diff(graph.level) >= 0).all()
    for level in range(graph.level.max() + 1):
        words = graph.state_words[graph.level == level]
        assert words.tolist() == sorted(words.tolist())
    live = ~np.repeat(graph.terminal, graph.num_joint_actions)
    states = np.repeat(np.arange(graph.num_states), graph.num_joint_actions)
    reached = [graph.level[graph.target[a:b]].max() for a, b in itertools.pairwise(graph.row_offsets)]
    assert (np.asarray(reached)[live] <= graph.level[states[live]] + 1).all()


def test_step_limits_and_bookkeeping_change_no_graph():
    game, graph = SMALL["open_pursuit"](), small_graph("open_pursuit")
    for cap in (1, 500):
        assert same_arrays(build_graph(EpisodeCap(game, cap)), graph)
    silent = Pursuit(2, num_pursuers=2, terminate_on_collision=False, bookkeeping=False)
    assert same_arrays(build_graph(silent), graph)


def test_tables_come_back_as_they_were_given():
    """A random stochastic game of three players with unequal actions: its graph is its own table."""
    rng = np.random.default_rng(7)
    shape = (4, 2, 3, 1)
    chances = rng.random((*shape, 4)) * (rng.random((*shape, 4)) < 0.6) + 1e-12
    chances[..., 1] += 1e-3
    chances /= chances.sum(axis=-1, keepdims=True)
    chances[0, 0, 0, 0] = [0, 1, 0, 0]
    payoffs = rng.normal(size=(*shape, 3))
    first = [0.25, 0.25, 0.5, 0.0]
    graph = build_graph(TableGame(chances, payoffs, initial=first, terminal=[0, 0, 0, 1], unsafe=[0, 0, 0, 1]))
    graph.check()
    number = graph.find(np.eye(4, dtype=bool))
    assert graph.initial[number] == pytest.approx(first, abs=1e-15)
    for state in range(3):
        for joint in range(6):
            row = np.zeros(4)
            target, probability = graph.row(number[state], joint)
            row[target] = probability
            actions = tuple(graph.actions_of(joint))
            assert row[number] == pytest.approx(chances[(state, *actions)], abs=1e-15)
            assert graph.reward[number[state], joint] == pytest.approx(payoffs[(state, *actions)], rel=1e-6)
            assert graph.joint_of(actions) == joint
    assert graph.labels["unsafe_2"].tolist() == graph.terminal.tolist()
    assert graph.find(np.zeros(4, bool)) == -1


def test_too_large_graphs_are_refused_with_a_number():
    with pytest.raises(ConfigurationError, match=r"max_memory.*GiB.*larger max_memory"):
        build_graph(Pursuit(9, num_pursuers=3))
    with pytest.raises(ConfigurationError, match="max_memory"):
        build_graph(SMALL["pursuit"](), max_memory=150_000)
    for field, bad in (("max_memory", -1), ("max_memory", 1.5), ("chunk", 0)):
        with pytest.raises(ConfigurationError, match=field):
            build_graph(chicken(), **{field: bad})
    with pytest.raises(ConfigurationError, match="game"):
        build_graph(RandomWalk())


@pytest.mark.parametrize(
    ("array", "change"),
    [
        ("probability", lambda array: array * 0.999),
        ("probability", lambda array: np.where(np.arange(array.size) == 3, -array, array)),
        ("target", lambda array: array + np.int32(array.max())),
        ("terminal", lambda array: ~array),
        ("initial", lambda array: array * 2),
        ("state_words", np.zeros_like),
        ("row_offsets", lambda array: array[::-1].copy()),
        ("reward", lambda array: array.astype(np.float32)),
        ("reward", lambda array: array + 1.0),
    ],
)
def test_broken_promises_are_found(array, change):
    graph = small_graph("pursuit")
    with pytest.raises(ConfigurationError, match="graph"):
        dataclasses.replace(graph, **{array: change(getattr(graph, array))}).check()
