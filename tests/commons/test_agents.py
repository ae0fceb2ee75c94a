"""The built-in agents against plain arithmetic on what they are shown, and what replaces an input they lack."""

import functools
import warnings

import jax
import numpy as np
import pytest

import jaxworld
from jaxworld.commons import (
    AGENT_TYPES,
    CommonsAction,
    CommonsFigures,
    Roster,
    get_arm,
    make_commons,
    make_quadratic,
    make_roster,
    run_noise_levels,
)
from jaxworld.core import EpisodeCap, rollout
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.pytree import replace
from jaxworld.core.random import world_key, world_keys
from jaxworld.core.rollout import Trajectory
from tests.oracles import commons as oracle

DETERMINISTIC = tuple(name for name in AGENT_TYPES if name not in ("random", "trend"))


@functools.cache
def noisy_run():
    """All deterministic agents on a noisy stock for 12 turns."""
    observed = {"commonsStock": {"noise": 0.3}}
    world = make_commons(len(DETERMINISTIC), observability=observed, regrowth=0.8, collapse_share=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        policy = make_roster(world, DETERMINISTIC)
    return rollout(world, policy, world_key(5), 12, reducer=Trajectory()).outputs


def test_every_agent_does_what_its_rule_says_of_what_it_was_shown() -> None:
    seen = jax.device_get(noisy_run())
    stock, harvests = seen.observation.delivered["commonsStock"], seen.observation.delivered["othersHarvest"]
    size = len(DETERMINISTIC)
    checked = 0
    for turn in range(12):
        for player, name in enumerate(DETERMINISTIC):
            value = float(stock.value[turn, player])
            edges = [abs(value - share * 100) for share in (1 / 3, 0.5, 2 / 3)]
            if min(edges) < 1e-3:
                continue
            others = [float(harvests.value[turn, player, other]) for other in range(size) if other != player]
            facts = {"stock": value, "others": others, "turn": turn, "capacity": 100.0, "cap": 5.0, "players": size,
                     "rate": 0.3}  # fmt: skip
            wanted = oracle.agent(name, facts)
            assert seen.action.request[turn, player] == pytest.approx(wanted, rel=1e-4, abs=1e-4), (turn, name)
            checked += 1
    assert checked > 100
    assert len({round(float(request), 3) for request in seen.action.request.ravel()}) > 20


def first_requests(world, policy, draws: int = 1) -> np.ndarray:
    """``[draws, N]``: what a policy asks for in the first turn, with keys of its own."""

    def ask(key):
        params = world.default_params()
        _, timestep = world.reset(world_key(0), params)
        return policy.act(key, policy.init(key, params), timestep.observation)[0].request

    return np.asarray(jax.jit(jax.vmap(ask))(world_keys(range(draws))))


def test_trend_follows_numbers_and_directions_alike_where_there_is_no_noise() -> None:
    observed = {"commonsStock": {"resolution": ["exact", "sign"], "reference": "observed"}}
    world = make_commons(3, observability=observed, regrowth=0.8, initial_stock=0.5, harvest_cap=0.08)
    with pytest.warns(UserWarning, match="pulse: commonsStock can be a direction"):
        policy = make_roster(world, ("trend", "trend", "pulse"))
    made = []
    for code in (0, 2):
        params = world.default_params()
        stock = replace(params.observe["commonsStock"], resolution=np.int32(code))
        params = replace(params, observe={**params.observe, "commonsStock": stock})
        made.append(jax.device_get(rollout(world, policy, world_key(0), 10, params, reducer=Trajectory()).outputs))
    moves = np.sign(np.diff(made[0].info.stock, prepend=50.0))[:-1]
    expected = [1.0]
    for move in moves:
        expected.append(max(expected[-1] * {1.0: 1.1, -1.0: 0.8, 0.0: 1.0}[float(move)], 0.01))
    assert {-1.0, 1.0} <= set(moves)
    np.testing.assert_allclose(made[0].action.request[:, 0] / 2.5, expected, rtol=1e-5)
    # A direction is no number for the third player, which then takes four fifths of a fair share.
    np.testing.assert_allclose(made[1].action.request[:, 2], 0.8 * 2.5, rtol=1e-6)
    moves = np.sign(np.diff(made[1].info.stock, prepend=50.0))[:-1]
    assert (np.diff(made[1].action.request[:, 0]) > 0).tolist() == (moves > 0).tolist()


def test_a_level_stands_for_its_centre_and_is_warned_of() -> None:
    """At a medium stock of three levels in [0, 100] the centre is 50."""
    world = make_commons(4, observability={"commonsStock": {"resolution": "bucket"}}, initial_stock=0.6)
    with pytest.warns(UserWarning) as warned:
        policy = make_roster(world, ("pulse", "racer", "msy", "bucket"))
    assert [str(warning.message).split(":")[0] for warning in warned] == ["pulse", "racer", "msy"]
    assert all("one of 3 levels, so it takes the centre" in str(warning.message) for warning in warned)
    fair = 0.3 * 100 / 16
    wanted = [5, 5, 0.3 * 50 * 0.5 / 4, 0.8 * fair]
    np.testing.assert_allclose(first_requests(world, policy)[0], wanted, rtol=1e-5)


def test_an_agent_without_its_input_takes_four_fifths_of_a_fair_share() -> None:
    hidden = {"commonsStock": {"visible": False}, "othersHarvest": {"visible": False}}
    world = make_commons(10, observability=hidden, initial_stock=0.9)
    blind = ("pulse", "racer", "conservative", "msy", "constant", "tit_for_tat", "bucket", "trend", "greedy", "random")
    with pytest.warns(UserWarning) as warned:
        policy = make_roster(world, blind)
    made, fair = first_requests(world, policy, 400), 0.3 * 100 / 40
    np.testing.assert_allclose(made[:, :8], 0.8 * fair, rtol=1e-5)
    np.testing.assert_allclose(made[:, 8], 5)
    assert {str(warning.message).split(":")[0] for warning in warned} == set(blind) - {"constant", "greedy", "random"}
    # Uniform from 0 to the cap of 5: mean 2.5, five standard errors are 0.36.
    assert abs(made[:, 9].mean() - 2.5) < 0.36
    assert made[:, 9].min() < 0.2
    assert made[:, 9].max() > 4.8


def test_a_visible_rate_of_regrowth_is_used() -> None:
    observed = {"regenRate": {"visible": True}}
    shown = make_commons(2, observability=observed, regrowth=0.8, initial_stock=0.9, harvest_cap=0.2)
    made = first_requests(shown, make_roster(shown, ("constant", "msy")))
    np.testing.assert_allclose(made[0], [0.8 * 0.8 * 100 / 8, 0.8 * 90 * 0.1 / 2], rtol=1e-4)


def test_rosters_are_checked() -> None:
    world = make_commons(3)
    with pytest.raises(ConfigurationError, match="did you mean 'conservative'"):
        Roster("conservativ")
    with pytest.raises(ConfigurationError, match="name 3 players"):
        make_roster(world, Roster.of(pulse=2))
    with pytest.raises(ConfigurationError, match="these agents play in a commons"):
        make_roster(jaxworld.make("core/bandit"), ("pulse",))
    assert Roster.of(pulse=2, racer=1) == ("pulse", "pulse", "racer")
    with pytest.raises(ConfigurationError, match="did you mean 'balanced6"):
        get_arm("balanced6-r.6-cap.06")


@functools.cache
def balanced(seeds: int = 1500) -> dict[str, np.ndarray]:
    """Figures ``[5, W]``: no noise, 40 %, 100 %, 40 % for the two aggressive players, 40 % for the other four."""
    arm = get_arm("balanced6-r.6-cap.05")
    world = arm.world()
    levels = np.array([[0.0] * 6, [0.4] * 6, [1.0] * 6, [0.4] * 2 + [0.0] * 4, [0.0] * 2 + [0.4] * 4])
    tally = run_noise_levels(world, arm.policy(world), levels, range(seeds), arm.num_turns, reducer=arm.reducer())
    return arm.reducer().summary(jax.device_get(tally))


def test_the_named_arm_gives_its_published_row() -> None:
    """Welfare .9526 and .9786, Gini .391 and .282 at noise 0 and .40; half-widths over 1,500 worlds are below .002."""
    welfare, gini = balanced()["welfare"].mean(axis=1), balanced()["gini"].mean(axis=1)
    np.testing.assert_allclose(welfare[:3], [0.9526, 0.9786, 0.8962], atol=0.002)
    np.testing.assert_allclose(gini[:3], [0.391, 0.282, 0.285], atol=0.002)
    assert balanced()["survival"].min() == 1
    np.testing.assert_allclose(balanced()["share_conservative"].mean(axis=1)[:2], [0.031, 0.151], atol=0.003)


def test_noise_on_the_aggressive_players_alone_accounts_for_the_gain() -> None:
    """Gains of .041 with noise on pulse and racer only, and of -.008 on the rest only."""
    gain = balanced()["welfare"].mean(axis=1) - balanced()["welfare"][0].mean()
    np.testing.assert_allclose(gain[3:], [0.041, -0.008], atol=0.002)


def test_agents_that_do_not_read_the_stock_are_untouched_by_its_noise_bit_for_bit() -> None:
    roster = Roster("greedy", "constant", "tit_for_tat", "free_rider", "random")
    world = make_commons(5, observability={"commonsStock": {"noise": 0.0}}, harvest_cap=0.03, regrowth=0.7)
    tally = run_noise_levels(world, make_roster(world, roster), [0.0, 0.05, 0.4, 1.0], range(20), 30)
    for name in ("harvest", "weighted_time", "lived", "over"):
        leaf = np.asarray(getattr(tally, name))
        np.testing.assert_array_equal(leaf, np.broadcast_to(leaf[:1], leaf.shape))
    assert len(np.unique(np.asarray(tally.harvest))) > 50


def test_no_noise_is_the_world_without_noise() -> None:
    """The fast path at level 0 gives the bits of single rollouts in a world that knows no noise."""
    options = {"harvest_cap": 0.08, "regrowth": 0.5}
    quiet = make_commons(3, **options)
    noisy = make_commons(3, observability={"commonsStock": {"noise": 0.2}}, **options)
    players, figures = ("pulse", "racer", "conservative"), CommonsFigures()
    fast = run_noise_levels(noisy, make_roster(noisy, players), [0.0, 0.2], range(3), 20)
    policy = make_roster(quiet, players)
    run = jax.jit(jax.vmap(lambda key: rollout(quiet, policy, key, 20, reducer=figures).summary))
    np.testing.assert_array_equal(fast.harvest[0], run(world_keys(range(3))).harvest)
    assert not np.array_equal(fast.harvest[0], fast.harvest[1])


def test_a_population_of_coefficients_plays_the_agents_it_stands_for() -> None:
    world = make_commons(4, observability={"commonsStock": {"noise": 0.05}}, initial_stock=0.58)
    rows = [[0.05, 0, 0, 0.5], [-0.25, 1, 0, -np.inf], [-0.125, 0.25, 0, -np.inf], [0, 0.075, -0.075, -np.inf]]
    population, roster = make_quadratic(world, rows), make_roster(world, ("pulse", "racer", "conservative", "msy"))
    asked = first_requests(world, population)
    np.testing.assert_allclose(asked, first_requests(world, roster), rtol=1e-5, atol=1e-5)
    assert len(set(asked[0])) >= 3
    assert [leaf.shape for leaf in jax.tree.leaves(population)] == [(4, 4)]
    with pytest.raises(ConfigurationError, match="four numbers for each of the 4 players"):
        make_quadratic(world, np.zeros((3, 4)))


def test_agents_play_inside_wrappers() -> None:
    world = EpisodeCap(make_commons(2), max_steps=3)
    policy = make_roster(world, ("pulse", "msy"))
    made = jax.eval_shape(lambda key: rollout(world, policy, key, 4, reducer=Trajectory()).outputs, world_key(0))
    assert made.action.request.shape == (4, 2)
    assert isinstance(made.action, CommonsAction)


def test_levels_are_checked() -> None:
    world = make_commons(2)
    policy = make_roster(world, ("pulse", "msy"))
    with pytest.raises(ConfigurationError, match="give it noise"):
        run_noise_levels(world, policy, [0.0], range(2))
    noisy = make_commons(2, observability={"commonsStock": {"noise": 0.1}})
    with pytest.raises(ConfigurationError, match="at least 0"):
        run_noise_levels(noisy, policy, [-0.1], range(2))


def test_how_many_worlds_run_side_by_side_changes_no_bit():
    arm = get_arm("balanced6-r.6-cap.05")
    world = arm.world()
    policy = arm.policy(world)
    one, other = (
        run_noise_levels(world, policy, [0.0, 0.4], range(48), 40, reducer=arm.reducer(), block=block)
        for block in (16, 24)
    )
    assert all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))
