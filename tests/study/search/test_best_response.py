"""Best responses in repeated games: closed forms against brute force, and a search beside them."""

import itertools
import json

import numpy as np
import pytest

from jaxworld.cli.main import main
from jaxworld.core.errors import ConfigurationError
from jaxworld.markov.table_policy import make_table_policy
from jaxworld.study.experiments.best_response import BestResponseSettings
from jaxworld.study.experiments.best_response.exact import (
    best_in_graph,
    best_in_table,
    time_in_actions,
    value_in_graph,
)
from jaxworld.study.experiments.best_response.others import last_actions, others_tables
from jaxworld.study.tables import read_table
from tests.markov.games import small_graph

CHICKEN = np.asarray([[2.0, 1.0], [3.0, 0.0]])
TABLE = ((0.5, 0.5), (1, 0), (0.25, 0.75), (0, 1), (0.9, 0.1))


def by_hand(reply, choice, discount):
    """Value of a round and time in each action: ``reply [5, 2]``, states are the start and the four joint actions."""
    moves, paid, time = np.zeros((5, 5)), np.zeros(5), np.zeros((5, 2))
    for state, own in enumerate(choice):
        time[state, own] = 1
        for other, chance in enumerate(reply[state]):
            moves[state, 1 + 2 * own + other] += chance
            paid[state] += chance * CHICKEN[own, other]
    visits = np.linalg.solve((np.eye(5) - discount * moves).T, np.eye(5)[0] * (1 - discount))
    return visits @ paid, visits @ time


def in_order(graph, per_state):
    """Rows of the start and the joint actions as rows of the graph's states, and back by the same places."""
    last = last_actions(graph)
    place = np.where(last[:, 0] < 0, 0, 1 + 2 * last[:, 0] + last[:, 1])
    assert sorted(place) == list(range(5))
    return np.asarray(per_state)[place]


@pytest.mark.parametrize("name", ["table", "mirror", "mixed"])
def test_the_closed_form_is_the_best_of_all_policies(name):
    graph = small_graph("chicken")
    tables = others_tables(BestResponseSettings(table=TABLE, mixed=(0.3, 0.7)), graph, name)
    reply = {"table": TABLE, "mirror": np.eye(2)[[0, 0, 0, 1, 1]], "mixed": [(0.3, 0.7)] * 5}[name]
    np.testing.assert_allclose(tables[1], in_order(graph, reply))
    found = [by_hand(reply, choice, 0.8)[0] for choice in itertools.product((0, 1), repeat=5)]
    best = best_in_graph(graph, 0, tables, 0.8)
    assert best.value == pytest.approx(max(found), abs=1e-9)
    assert value_in_graph(graph, 0, tables, best.choice, 0.8) == pytest.approx(max(found), abs=1e-9)
    choice = np.asarray([0, 1, 1, 0, 1])
    value, time = by_hand(reply, choice, 0.8)
    assert value_in_graph(graph, 0, tables, in_order(graph, choice), 0.8) == pytest.approx(value)
    np.testing.assert_allclose(time_in_actions(graph, 0, tables, in_order(graph, choice), 0.8), time)


def test_the_table_of_several_players_is_averaged_over_the_others():
    generator = np.random.default_rng(0)
    payoffs = generator.normal(size=(2, 3, 4, 3))
    others = [generator.dirichlet(np.ones(count)) for count in (2, 3, 4)]
    means = [
        sum(others[0][a] * others[2][c] * payoffs[a, b, c, 1] for a in range(2) for c in range(4)) for b in range(3)
    ]
    assert best_in_table(payoffs, 1, others) == (pytest.approx(max(means)), int(np.argmax(means)))


def test_a_search_beside_the_closed_form(tmp_path, capsys):
    words = ["search", "--application", "best_response", "--game", "chicken", "--generations", "4", "--worlds", "4"]
    sets = ["steps=30", "discount=0.7", "population_size=8", "policy=linear", 'opponents=["mixed","random"]']
    words += ["--held-out-worlds", "64", *itertools.chain.from_iterable(("--set", each) for each in sets)]
    assert main([*words, "--json", "--quiet", "--out", str(tmp_path)]) == 0
    summary = json.loads(capsys.readouterr().out)["summary"]
    assert list(summary) == ["mixed", "random"]
    # Against one who swerves two times in three: 2 for going straight, 5/3 for swerving.
    assert summary["mixed"]["best"] == pytest.approx(2.0)
    assert (summary["mixed"]["computed"], summary["random"]["computed"]) == ("payoff table", "exact graph")
    columns, _ = read_table(tmp_path / "search.parquet")
    assert (columns["seed_of_world"] >= 2**63).all()
    for name, figures in summary.items():
        found = figures["found"]
        assert found["mean"] == pytest.approx(columns["round_mean"][columns["others"] == name].mean())
        assert figures["gap"]["mean"] == pytest.approx(figures["best"] - found["mean"])
        assert figures["gap_exact"] == pytest.approx(figures["best"] - figures["found_exact"], abs=1e-9)
        # Simulated and exact values of one policy agree.
        assert abs(found["mean"] - figures["found_exact"]) < 1.5 * (found["high"] - found["low"])
        assert sum(figures["plays"].values()) == pytest.approx(1)
    assert summary["mixed"]["found_exact"] == pytest.approx(2.0)
    assert summary["random"]["gap_exact"] < 0.2
    assert (tmp_path / "search.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"game": "pursuit"}, "^game = 'pursuit'"),
        ({"payoffs": [[[1, 1]]]}, "^payoffs"),
        ({"game": "matrix"}, "^payoffs = None"),
        ({"options": "gain"}, "^options"),
        ({"options": (1,)}, "^options"),
        ({"opponents": "table"}, "^opponents = 'table': say what"),
        ({"opponents": ("uniform", "uniform")}, "^opponents"),
        ({"opponents": 3}, "^opponents = 3"),
        ({"opponents": ("tit_for_tat",)}, "^opponents = 'tit_for_tat': use names from uniform"),
        ({"mixed": 0.5}, "^mixed"),
        ({"discount": 1.0}, "^discount"),
        ({"steps": 0}, "^steps"),
        ({"policy": "recurrent"}, "^policy"),
    ],
)
def test_settings_that_cannot_work_are_named(change, match):
    with pytest.raises(ConfigurationError, match=match):
        BestResponseSettings(**change)


@pytest.mark.parametrize(
    ("name", "change", "match"),
    [
        ("mixed", {"mixed": (0.5, 0.6)}, "^mixed"),
        ("mixed", {"mixed": (1.0,)}, "^mixed"),
        ("table", {"table": TABLE[:4]}, "^table .* give 5 rows"),
        ("table", {"table": ((0.5, 0.5), (1,))}, "^table"),
    ],
)
def test_others_that_do_not_fit_the_game_are_named(name, change, match):
    with pytest.raises(ConfigurationError, match=match):
        others_tables(BestResponseSettings(**change), small_graph("chicken"), name)


def test_a_table_policy_needs_one_table_a_player():
    graph, half = small_graph("chicken"), np.full((5, 2), 0.5)
    for tables, match in (([half], "^policies = '1 tables'"), ([half, half[:4]], r"^policies\[1\]")):
        with pytest.raises(ConfigurationError, match=match):
            make_table_policy(graph, tables)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--application", "best_response", "--game", "chess"], "game = 'chess'"),
        (["--application", "best_response", "--set", "player=2"], "player = 2"),
        (["--application", "best_response", "--set", "size=3"], "size = 3"),
        (["--application", "best_response", "--set", 'options={"gian": 3}', "--game", "inspection"], "'gain'"),
        (["--application", "reach", "--game", "chicken"], "game = 'chicken': no such setting"),
        (["core/bandit", "--game", "chicken"], "--game"),
    ],
)
def test_bad_input_is_one_line(words, said, tmp_path, capsys):
    assert main(["search", *words, "--quiet", "--out", str(tmp_path / "none")]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1
    assert not (tmp_path / "none").exists()
