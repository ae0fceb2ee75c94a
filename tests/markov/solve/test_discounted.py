import numpy as np
import pytest
from scipy.sparse import csr_matrix

from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.markov.graph.export import to_scipy
from jaxworld.markov.solve import (
    best_response,
    equilibria,
    joint_optimum,
    level_policies,
    opponent_levels,
    policy_value,
    solve_matrix_games,
    stage_game,
)
from tests.markov.solved import graph, random_graph
from tests.oracles.markov_policies import every_discounted, rows_of

DISCOUNT = 0.9


def flat(made):
    rows = rows_of(made)
    size = len(rows)
    return rows.reshape(size, -1, size), made.reward


@pytest.mark.parametrize("seed", range(2))
def test_play_is_worth_what_its_rewards_add_up_to(seed):
    made = random_graph(seed)
    rows, reward = flat(made)
    policy = np.random.default_rng(seed).dirichlet(np.ones(4), len(rows))
    chain, paid = np.einsum("sat,sa->st", rows, policy), np.einsum("sap,sa->sp", reward, policy)
    total, there = np.zeros_like(paid), np.eye(len(rows))
    for step in range(400):
        total += DISCOUNT**step * there @ paid
        there = there @ chain
    np.testing.assert_allclose(policy_value(made, policy, DISCOUNT), total, atol=1e-10)


@pytest.mark.parametrize("seed", range(2))
def test_the_best_response_is_the_best_of_all_policies_and_lies_within_its_bounds(seed):
    made = random_graph(seed)
    others = np.random.default_rng(seed).dirichlet(np.ones(2), len(made.terminal))
    rows, reward = rows_of(made), made.reward.reshape(-1, 2, 2, 2)
    for player, order in ((0, "sabt,sb->sat"), (1, "sbat,sb->sat")):
        mixed = np.einsum(order, rows, others)
        paid = np.einsum(order[:3] + ",sb->sa", reward[..., player], others)
        best = every_discounted(mixed, paid, DISCOUNT).max(0)
        found = best_response(made, player, others, DISCOUNT)
        assert (found.lower <= best).all()
        assert (best <= found.upper).all()
        assert (found.upper - found.lower).max() < 1e-8
        np.testing.assert_allclose(found.action_value, paid + DISCOUNT * mixed @ best, atol=1e-8)
    together = joint_optimum(made, 0, DISCOUNT)
    dense, gains = flat(made)
    np.testing.assert_allclose(together.value, every_discounted(dense, gains[..., 0], DISCOUNT).max(0), atol=1e-8)


def test_quantecon_agrees_on_the_best_joint_play_and_its_worth():
    """QuantEcon (quantecon.org) solves the same graphs by iteration over policies, exact up to float64's rounding."""
    quantecon = pytest.importorskip("quantecon.markov.ddp", reason="quantecon is not installed")
    for made, discount in ((graph("pursuit"), 0.95), (random_graph(1), DISCOUNT)):
        matrix, (size, joint) = to_scipy(made), made.reward.shape[:2]
        pairs = np.repeat(np.arange(size), joint), np.tile(np.arange(joint), size)
        for player in (0, 1):
            paid = made.reward[..., player].reshape(-1)
            solved = quantecon.DiscreteDP(paid, csr_matrix(matrix), discount, *pairs).solve("policy_iteration")
            found = joint_optimum(made, player, discount)
            np.testing.assert_allclose(found.value, solved.v, rtol=0, atol=1e-9)
            assert (found.lower <= solved.v + 1e-11).all() and (solved.v <= found.upper + 1e-11).all()
            played = np.eye(joint)[np.asarray(solved.sigma)]
            np.testing.assert_allclose(policy_value(made, played, discount)[:, player], solved.v, rtol=0, atol=1e-9)


def test_a_level_answers_the_one_below():
    made = random_graph(3)
    levels = level_policies(made, 2, temperature=0.5, discount=0.95)
    assert np.ptp(levels[0][0]) == 0
    for level in (1, 2):
        for player in (0, 1):
            values = best_response(made, player, levels[level - 1][1 - player], 0.95).action_value
            odds = np.exp((values[:, 0] - values[:, 1]) / 0.5)
            np.testing.assert_allclose(levels[level][player][:, 0], odds / (1 + odds), rtol=1e-9)
    assert len(opponent_levels(made, 0, levels)) == 3
    many = opponent_levels(graph("congestion"), 2, level_policies(graph("congestion"), 1))
    assert many[1].shape == (65, 32)
    np.testing.assert_allclose(many[1].sum(1), 1)


def test_matrix_games_are_solved_between_bounds_that_linear_programming_confirms():
    optimize = pytest.importorskip("scipy.optimize")
    losses = np.random.default_rng(0).uniform(size=(20, 4, 5))
    found = solve_matrix_games(losses, 2000)
    assert (found.upper - found.lower).max() < 1e-3
    for game, low, high in zip(losses, found.lower, found.upper, strict=True):
        solved = optimize.linprog(
            np.r_[np.zeros(4), 1], A_ub=np.c_[game.T, -np.ones(5)], b_ub=np.zeros(5),
            A_eq=[[1, 1, 1, 1, 0]], b_eq=[1], bounds=[(0, None)] * 4 + [(None, None)],
        )  # fmt: skip
        assert low - 1e-9 <= solved.fun <= high + 1e-9


def test_the_stage_game_of_chicken_is_its_table_and_has_three_equilibria():
    made = graph("chicken")
    payoffs = stage_game(made, 0)
    np.testing.assert_array_equal(payoffs[0], [[2, 1], [3, 0]])
    np.testing.assert_array_equal(payoffs[1], payoffs[0].T)
    later = stage_game(made, 0, np.full((5, 2), 10.0), 0.5)
    np.testing.assert_allclose(later, payoffs + 5)
    try:
        found = equilibria(payoffs)
    except MissingExtraError:
        pytest.skip("nashpy is not installed")
    assert sorted(round(float(row[0]), 6) for row, _ in found) == [0.0, 0.5, 1.0]


def test_what_cannot_work_is_refused_by_name():
    made = random_graph(0)
    with pytest.raises(ConfigurationError, match=r"discount = 1\.0"):
        policy_value(made, np.full((5, 4), 0.25), 1.0)
    with pytest.raises(ConfigurationError, match=r"joint_policy = \(5, 2\)"):
        policy_value(made, np.full((5, 2), 0.5), 0.9)
    with pytest.raises(ConfigurationError, match="temperature = 0"):
        level_policies(made, 1, temperature=0)
    with pytest.raises(ConfigurationError, match="state = 9"):
        stage_game(made, 9)
    with pytest.raises(ConfigurationError, match="payoffs"):
        equilibria(np.zeros((3, 2, 2)))
