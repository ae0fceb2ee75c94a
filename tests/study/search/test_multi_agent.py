"""Rosters, best responses and payoff tables on two-player tables whose answers are known."""

import jax.numpy as jnp
import numpy as np
import optax
import pytest

from jaxworld.core.contract import check_world
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.policy import RandomPolicy
from jaxworld.core.random import world_key
from jaxworld.core.rollout import Trajectory, rollout
from jaxworld.study.search import OpenAIES, SearchSettings, make_array_policy
from jaxworld.study.search.multi_agent import (
    Fixed,
    SeatedPolicies,
    best_response,
    grow_population,
    payoff_table,
    roster_objective,
)
from tests.study.search.matrix_game import ROCK_PAPER_SCISSORS as GAME
from tests.study.search.matrix_game import Always, MatrixGame

STEPS = 4
STRATEGY = OpenAIES(32, 0.3, optax.adam(0.2))
BUDGET = SearchSettings(generations=8, worlds=1, held_out_worlds=2, held_out_every=0, block=8)


def test_the_table_world_keeps_the_contract():
    assert check_world(GAME, eager=False, thorough=False).num_traces == 1


def test_each_seat_is_played_by_its_own_policy():
    policy = SeatedPolicies(seats=(1, 0), policies=(Fixed(policy=Always(2)), Fixed(policy=Always(1))))
    run = rollout(GAME, policy, world_key(0), STEPS, reducer=Trajectory())
    np.testing.assert_array_equal(run.outputs.action, [[1, 2]] * STEPS)
    np.testing.assert_array_equal(run.outputs.reward, [[-1, 1]] * STEPS)


def test_equal_random_policies_at_two_seats_draw_differently():
    random = Fixed(policy=RandomPolicy(GAME))
    run = rollout(GAME, SeatedPolicies(seats=(0, 1), policies=(random, random)), world_key(0), 40, reducer=Trajectory())
    agree = (np.asarray(run.outputs.action)[:, 0] == np.asarray(run.outputs.action)[:, 1]).mean()
    assert 0.1 < agree < 0.6


def test_the_payoff_table_is_the_game():
    table = payoff_table(GAME, STEPS, [Always(0), Always(1), Always(2)], worlds=2, block=4)
    np.testing.assert_array_equal(table.mean, STEPS * np.array(GAME.config.row))
    np.testing.assert_array_equal(table.low, table.high)
    assert table.exploitability(0) == STEPS


def test_the_payoff_table_averages_over_seats_that_differ():
    """The row player earns 3 for action 0 whatever happens, the column player 1."""
    unequal = MatrixGame(((3, 3), (0, 0)), ((1, 0), (1, 0)))
    table = payoff_table(unequal, 1, [Always(0), Always(1)], worlds=1, block=2)
    np.testing.assert_array_equal(table.mean, [[2, 2], [0, 0]])


def test_the_best_response_to_a_fixed_roster_is_the_known_one():
    found = best_response(GAME, STEPS, [Always(0)], make_array_policy("linear", GAME), STRATEGY, BUDGET)
    assert found.score.mean == STEPS  # paper, at every step, in either seat
    mixed = roster_objective(GAME, STEPS, [Always(0), Always(1)])
    assert mixed.seatings == ((0, 1), (1, 0), (0, 2), (2, 0))


def test_a_population_grows_by_best_responses():
    grown = grow_population(GAME, STEPS, [Always(0)], make_array_policy("linear", GAME), STRATEGY, BUDGET, rounds=2)
    assert len(grown.policies) == 3 and grown.table.mean.shape == (3, 3)
    np.testing.assert_allclose(grown.table.mean + grown.table.mean.T, 0, atol=1e-6)  # a zero-sum game
    assert grown.table.mean[1, 0] == STEPS  # beats the first
    # The second answer earns on average what its search reported against an even mixture of the two before it.
    assert grown.table.mean[2, :2].mean() == pytest.approx(float(grown.searches[1].score.mean))
    assert grown.table.mean[2, :2].mean() > 0


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: roster_objective(GAME, 1, []), "at least one policy to play with"),
        (lambda: roster_objective(GAME, 1, [Always(0)], seatings=[(0, 2)]), r"seatings = \(0, 2\)"),
        (lambda: roster_objective(GAME, 1, [Always(0)], seatings=[(1, 1)]), "at least once"),
        (lambda: payoff_table(GAME, 1, []), "policies"),
        (lambda: grow_population(GAME, 1, [Always(0)], {"x": jnp.zeros(1)}, STRATEGY, rounds=0), "rounds = 0"),
    ],
)
def test_bad_input(call, match):
    with pytest.raises(ConfigurationError, match=match):
        call()
