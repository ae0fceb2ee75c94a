"""Solvers on graphs in stages: the same answers as on the graphs they stand for."""

import functools

import numpy as np
import pytest

from jaxworld.markov.graph import build_factored
from jaxworld.markov.solve import chains, discounted, reachability, staged
from jaxworld.markov.solve.reachability import live_rows
from jaxworld.markov.solve.rows import player_rows
from tests.markov.games import SMALL, small_graph
from tests.markov.solved import disagreement


@functools.cache
def factored(name):
    return build_factored(SMALL[name]())


@pytest.mark.parametrize("name", ["ice_duel", "stag_hunt"])
def test_every_answer_is_that_of_the_graph(name, monkeypatch):
    """In blocks that do not divide the states, and with the steps that only large graphs take."""
    monkeypatch.setattr(staged, "STATES_AT_ONCE", 100)
    monkeypatch.setattr(discounted, "FOLLOWED_FROM", 10)
    for label in ("unsafe_0", "unsafe"):
        differences = disagreement(small_graph(name), factored(name), label)
        assert max(differences.values()) < 1e-12, differences


def test_certified_bounds_are_not_raised_by_a_sweep_of_the_graph():
    """Bounds found in stages, lifted by times to wait that are only counted, hold on the graph itself."""
    graph = small_graph("ice_duel")
    target = graph.labels["unsafe_0"]
    rows = live_rows(graph, target, 0)
    found, wanted = (reachability(made, "unsafe_0", "robust") for made in (factored("ice_duel"), graph))
    assert (rows.expect(found.upper).max(2).min(1) <= found.upper[rows.states] + 1e-15).all()
    assert (found.upper >= found.value).all()
    assert np.abs(found.upper - wanted.upper).max() < 1e-9


def test_rounding_up_never_falls_below_the_mean():
    """A bound from above by each stage, exact where nothing is at stake, drawn replies included."""
    made = factored("stag_hunt")
    rng = np.random.default_rng(0)
    values, policy = rng.random(made.num_states), rng.dirichlet(np.ones(5), made.num_states)
    policy[::2] = np.eye(5)[rng.integers(5, size=len(policy[::2]))]
    for rows in (player_rows(made, 1, np.arange(made.num_states)), player_rows(made, 1, np.arange(90, 0, -2))):
        for each in (rows, rows.mix_replies(policy)):
            mean, bound = each.expect(values), each.expect_up(values)
            assert (bound >= mean - 4e-16).all()  # the mean itself is rounded
            assert (bound - mean).max() < 1e-14
            same = np.full(made.num_states, 0.1)
            assert (each.expect_up(same) == 0.1).all()


def test_a_chain_is_what_its_choices_and_replies_lead_to():
    made = factored("stag_hunt")
    values = np.random.default_rng(1).random(made.num_states)
    policy = np.random.default_rng(2).dirichlet(np.ones(5), made.num_states)
    rows = player_rows(made, 0, np.flatnonzero(~made.terminal))
    mixed = rows.mix_replies(policy)
    for scenarios in ([rows], [mixed], [mixed, rows]):
        expected = np.concatenate([each.expect(values) for each in scenarios], axis=2)
        chain = chains.greedy_chain(scenarios, values, highest=False)
        np.testing.assert_allclose(chain @ values, expected.max(axis=2).min(axis=1), atol=1e-15)


def test_a_time_to_wait_is_counted_where_it_is_not_solved_for():
    graph, made = small_graph("ice_duel"), factored("ice_duel")
    states = np.flatnonzero(~graph.terminal)
    waiting = []
    for each in (graph, made):
        chain = chains.greedy_chain([player_rows(each, 0, states)], graph.labels["unsafe_0"] * 1.0, highest=False)
        waiting.append(chains.chain_waiting(states, chain, graph.num_states))
    assert waiting[0].max() > 1
    np.testing.assert_allclose(waiting[1], np.minimum(waiting[0], waiting[1].max()), rtol=0.05)
