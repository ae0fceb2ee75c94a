"""Learning through hidden step limits, and models of the world and the others from the same replay."""

import functools

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.core.pytree import replace
from jaxworld.markov.bits import pack_host
from jaxworld.markov.learn import (
    BOUNDARIES,
    collect_replay,
    fit_opponent_model,
    fit_value_network,
    fit_world_model,
    judge_opponent_model,
    judge_world_model,
    learn_values,
    td_fixed_point,
)
from tests.markov.solved import game, graph
from tests.oracles.markov_policies import rows_of

DISCOUNT = 0.99


@functools.cache
def replay(name, size=None, steps=300, cap=10):
    return collect_replay(game(name, size), max_steps=cap, num_steps=steps, num_worlds=128)


def uniform(made):
    return np.full(made.reward.shape[:2], 1 / made.num_joint_actions)


KNOWN = {
    ("pursuit", 10): (-8.22, -2.76, -9.97),
    ("pursuit", 25): (-8.22, -5.18, -9.27),
    ("chicken", 10): (150.0, 13.9, 150.0),
    ("chicken", 200): (150.0, 100.7, 150.0),
    ("chicken", 1): (150.0, 1.5, 150.0),
}


@pytest.mark.parametrize(("name", "cap"), KNOWN)
def test_the_fixed_points_of_right_and_wrong_targets(name, cap):
    made = graph(name)
    found = [
        float(made.initial @ td_fixed_point(made, uniform(made), DISCOUNT, cap, each)[:, 0]) for each in BOUNDARIES
    ]
    np.testing.assert_allclose(found, KNOWN[name, cap], atol=0.04)


def test_a_replay_holds_true_transitions_only():
    made, seen = graph("pursuit", 3), replay("pursuit", 3)
    rows, bits = rows_of(made), made.bits()
    state, successor = made.find(seen.bits(made.num_bits)[0]), made.find(seen.bits(made.num_bits)[1])
    assert (state >= 0).all() and (successor >= 0).all()
    assert (rows[state, seen.action[:, 0], seen.action[:, 1], successor] > 0).all()
    np.testing.assert_array_equal(seen.discount, np.where(made.terminal[successor], 0, 1))
    assert not made.terminal[state].any()
    assert not (seen.truncated & (seen.discount == 0)).any()
    assert seen.truncated.mean() > 0.01
    # Where an episode was cut, the next row starts afresh; its first state is no successor of the last one.
    rows_of_worlds = state.reshape(128, -1), successor.reshape(128, -1), seen.truncated.reshape(128, -1)
    restarts = made.initial[rows_of_worlds[0][:, 1:][rows_of_worlds[2][:, :-1]]]
    assert (restarts > 0).all()
    going = ~rows_of_worlds[2][:, :-1] & (seen.discount.reshape(128, -1)[:, :-1] > 0)
    assert (rows_of_worlds[1][:, :-1] == rows_of_worlds[0][:, 1:])[going].all()
    assert (pack_host(bits)[state] == seen.state).all()


def test_tables_learn_through_truncation_what_is_right():
    learned = learn_values(replay("chicken"), DISCOUNT)
    assert learned.at_start(graph("chicken")) == pytest.approx(150, abs=1.5)
    naive = replace(replay("chicken"), discount=replay("chicken").discount * ~replay("chicken").truncated)
    assert learn_values(naive, DISCOUNT).at_start(graph("chicken")) == pytest.approx(13.9, abs=0.5)
    pursuit = learn_values(replay("pursuit", steps=1000), DISCOUNT).at_start(graph("pursuit"))
    assert pursuit == pytest.approx(-8.2, abs=0.8)


def test_a_network_learns_through_truncation_what_is_right():
    made = fit_value_network(replay("chicken"), game("chicken").num_bits, DISCOUNT, hidden=16, steps=1200, batch=64)
    assert made.at_start(graph("chicken")) == pytest.approx(150, rel=0.1)
    # Right, as if cut were ended, and from the next start: -7.3, -5.1 and -8.4.
    small = graph("pursuit", 3)
    right, zeroed, restarted = (
        float(small.initial @ td_fixed_point(small, uniform(small), DISCOUNT, 10, each)[:, 0]) for each in BOUNDARIES
    )
    fitted = fit_value_network(
        replay("pursuit", 3), 18, DISCOUNT, hidden=32, steps=1000, batch=128, learning_rate=1e-2
    ).at_start(small)
    assert abs(fitted - right) < 0.5 < min(abs(fitted - zeroed), abs(fitted - restarted))


def test_models_of_the_world_and_of_the_others_come_near_the_exact_law():
    made, seen = graph("pursuit", 3), replay("pursuit", 3)
    untrained = judge_world_model(fit_world_model(seen, made, hidden=64, steps=1, batch=128), made)
    world = judge_world_model(fit_world_model(seen, made, hidden=64, steps=1000, batch=128), made)
    assert world.covered == 1.0
    assert world.mean_kl < 0.08 < 1.0 < untrained.mean_kl
    assert world.calibration < 0.15
    judged = world.kl[~np.isnan(world.kl)]
    assert len(judged) == (~made.terminal).sum() * 25
    assert (judged > -1e-6).all()
    others = np.full((made.num_states, 5), 0.2)
    fitted = fit_opponent_model(seen, made, 1, hidden=32, steps=600)
    model = judge_opponent_model(fitted, made, others)
    assert model.mean_kl < 0.01
    assert model.calibration < 0.1
    wrong = judge_opponent_model(fitted, made, np.eye(5)[np.zeros(made.num_states, int)])
    assert wrong.mean_kl > 1.0


def test_what_cannot_work_is_refused_by_name():
    made = graph("chicken")
    with pytest.raises(ConfigurationError, match="boundary = 'ignore'"):
        td_fixed_point(made, uniform(made), DISCOUNT, 10, "ignore")
    with pytest.raises(ConfigurationError, match="max_steps = 0"):
        td_fixed_point(made, uniform(made), DISCOUNT, 0)
    with pytest.raises(ConfigurationError, match="discount = 1"):
        learn_values(replay("chicken"), 1.0)
    with pytest.raises(ConfigurationError, match="player = 2"):
        fit_opponent_model(replay("chicken"), made, 2)
    with pytest.raises(ConfigurationError, match="max_steps = 0"):
        collect_replay(game("chicken"), max_steps=0, num_steps=1)
