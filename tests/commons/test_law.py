"""The law of the commons against 64-bit arithmetic, and what holds whatever the numbers are."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld.commons import CommonsAction, CommonsWorld, make_commons, make_params
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.pytree import replace
from jaxworld.core.random import world_keys
from tests.commons.common import LONGEST, PLAYERS, harvest_world, seneca_world, trace
from tests.oracles import commons as oracle

NUMBERS = st.integers(0, 2**32 - 1)


def drawn_rules(seed: int, seneca: bool) -> tuple[oracle.Rules, float, np.ndarray]:
    """Rules, a first stock (share of capacity) and requests, all over their ranges."""
    random = np.random.default_rng(seed)
    rules = oracle.Rules(
        capacity=float(np.float32(10 ** random.uniform(0, 4))),
        regrowth=float(np.float32(random.uniform(0, 1.5))),
        harvest_cap=float(np.float32(random.choice([0.05, 0.3, 1.0, np.inf]))),
        before_harvest=bool(random.integers(2)),
        seat_order=bool(random.integers(2)),
        collapse_share=float(np.float32(random.choice([0.0, 0.05, 0.3]))),
        absorbing=bool(random.integers(2)),
        seneca=oracle.SENECA if seneca else None,
    )
    rules.living_cost = float(np.float32(random.choice([0.0, 0.01]) * rules.capacity))
    scale = rules.capacity * random.choice([0.02, 0.2, 1.0])
    requests = random.uniform(-0.2 * scale, scale, (LONGEST, PLAYERS)).astype(np.float32)
    requests[random.random(requests.shape) < 0.05] = np.nan
    return rules, float(np.float32(random.uniform(0.1, 1))), requests


def as_params(world: CommonsWorld, rules: oracle.Rules, share: float):
    return make_params(
        world.config,
        capacity=rules.capacity,
        regrowth=rules.regrowth,
        initial_stock=share,
        harvest_cap=rules.harvest_cap,
        growth_base=int(rules.before_harvest),
        ration="seat" if rules.seat_order else "proportional",
        collapse_share=rules.collapse_share,
        absorbing=rules.absorbing,
        living_cost=rules.living_cost,
        initial_wealth=0.05 * rules.capacity,
    )


@pytest.mark.filterwarnings("ignore:regrowth")
@pytest.mark.parametrize("seneca", [False, True])
@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=NUMBERS)
def test_turns_follow_the_equations(seneca: bool, seed: int) -> None:
    rules, share, requests = drawn_rules(seed, seneca)
    world = seneca_world() if seneca else harvest_world()
    params = as_params(world, rules, share)
    steps = trace(world, params, requests)
    wealth = [float(np.float32(0.05 * rules.capacity))] * PLAYERS
    expected = oracle.World(stock=float(steps[0][0].stock), wealth=wealth)
    near = lambda actual, wanted: np.testing.assert_allclose(actual, wanted, rtol=2e-4, atol=2e-4 * rules.capacity)  # noqa: E731
    for (state, timestep), row in zip(steps[1:], requests, strict=True):
        before, expected = expected, oracle.play(expected, row.tolist(), rules)
        edges = [
            expected.stock - rules.collapse_share * rules.capacity,
            *([1.0] if not rules.living_cost else expected.wealth),
        ]
        if min(map(abs, edges)) < 1e-3 * rules.capacity:
            return  # rounding may decide either way
        near(state.stock, expected.stock)
        near(state.wealth, expected.wealth)
        near(timestep.info.harvest, expected.harvest if before is not expected else 0)
        assert bool(state.alive) == expected.alive
        assert int(state.collapse_turn) == expected.collapse_turn
        assert int(state.turn) == expected.turn
        np.testing.assert_array_equal(state.active, expected.active)
        np.testing.assert_array_equal(timestep.terminated, ~np.asarray(expected.active) | (not expected.alive))
        if before is not expected:
            near(timestep.info.sustainable, expected.sustainable)
        if seneca:
            near(state.capital, expected.capital)
            near(state.pollution, expected.pollution)


@pytest.mark.filterwarnings("ignore:regrowth")
@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=NUMBERS, ration=st.sampled_from(["proportional", "random", "seat"]))
def test_nothing_is_made_or_lost_and_nobody_gets_more_than_asked_for(seed: int, ration: str) -> None:
    rules, share, requests = drawn_rules(seed, False)
    world = harvest_world()
    params = make_params(world.config, capacity=rules.capacity, regrowth=rules.regrowth, initial_stock=share,
                         harvest_cap=rules.harvest_cap, ration=ration, collapse_share=0.0)  # fmt: skip
    steps = trace(world, params, requests)
    for (before, _), (after, timestep) in itertools.pairwise(steps):
        info, tiny = timestep.info, 2e-6 * rules.capacity
        assert (info.harvest <= info.request + tiny).all()
        total = info.harvest.sum(dtype=np.float64)
        assert total <= before.stock + tiny
        assert abs(before.stock - total + info.regrowth - after.stock) <= 2 * tiny
        np.testing.assert_allclose(after.total_harvest - before.total_harvest, info.harvest, atol=20 * tiny)
        np.testing.assert_array_equal(timestep.reward, info.harvest)
        if info.request.sum(dtype=np.float64) >= before.stock + tiny:
            assert abs(total - before.stock) <= 4 * tiny  # nothing is left lying


def test_who_is_served_first_by_hand() -> None:
    world = harvest_world()
    # 30 units; the players ask for 20, 10, 10, 0 and 20 from seats 3, 1, 4, 2 and 0.
    common = {"initial_stock": 0.3, "harvest_cap": 1.0, "seat": [3, 1, 4, 2, 0], "collapse_share": 0.0}
    requests = [[20.0, 10.0, 10.0, 0.0, 20.0]]
    for ration, wanted in (("proportional", [10, 5, 5, 0, 10]), ("seat", [0, 10, 0, 0, 20])):
        params = make_params(world.config, ration=ration, **common)
        np.testing.assert_allclose(trace(world, params, requests)[1][1].info.harvest, wanted, atol=1e-5)


def test_a_random_order_serves_everybody_first_about_equally_often() -> None:
    world = harvest_world()
    params = make_params(world.config, ration="random", harvest_cap=1.0, initial_stock=0.1)
    state = jax.jit(world.reset)(world_keys([0])[0], params)[0]
    action = CommonsAction(request=jnp.full(PLAYERS, 10.0))
    step = jax.jit(jax.vmap(lambda key: world.step(key, state, action, params)[1].info.harvest))
    served = np.asarray(step(world_keys(range(2000)))) > 5
    np.testing.assert_array_equal(served.sum(axis=1), 1)
    # Each is first in 400 of 2,000; five standard deviations are 90.
    assert np.abs(served.sum(axis=0) - 400).max() < 90


def test_a_world_in_a_batch_is_the_world_alone_bit_for_bit() -> None:
    world = harvest_world()
    params = make_params(world.config, environment_noise=0.3)
    action = CommonsAction(request=jnp.asarray([9.0, 5.0, 2.5, 0.1, -1.0]))

    @jax.jit
    @jax.vmap
    def begin_and_play(key):
        return world.step(key, world.reset(key, params)[0], action, params)

    keys = world_keys(range(4))
    many, alone = begin_and_play(keys), begin_and_play(keys[2:3])
    for one, row in zip(jax.tree.leaves(alone), jax.tree.leaves(many), strict=True):
        np.testing.assert_array_equal(one[0], row[2])
    assert len({float(stock) for stock in many[0].stock}) == 4


@settings(max_examples=10, deadline=None, derandomize=True)
@given(order=st.permutations(range(PLAYERS)), ration=st.sampled_from(["proportional", "random", "seat"]))
def test_players_may_sit_in_any_row(order: list[int], ration: str) -> None:
    """Permuting players with their seats permutes what they see and get."""
    world, order = _noisy_world(), np.asarray(order)
    options = {"ration": ration, "initial_stock": 0.4, "harvest_cap": 1.0, "collapse_share": 0.0}
    requests = np.random.default_rng(3).uniform(0, 12, (4, PLAYERS))
    straight = trace(world, make_params(world.config, **options), requests)
    moved = trace(world, make_params(world.config, seat=order, **options), requests[:, order])
    for (_, one), (_, other) in zip(straight, moved, strict=True):
        np.testing.assert_allclose(other.info.harvest, one.info.harvest[order], rtol=1e-5, atol=1e-5)
        for name in ("commonsStock", "othersHarvest"):
            seen, also = one.observation.delivered[name], other.observation.delivered[name]
            pick = (order,) if name == "commonsStock" else np.ix_(order, order)
            np.testing.assert_allclose(also.value, seen.value[pick], rtol=1e-4, atol=2e-3)
            np.testing.assert_array_equal(also.mask, seen.mask[pick])


_NOISY: list[CommonsWorld] = []


def _noisy_world() -> CommonsWorld:
    if not _NOISY:
        noise = {name: {"noise": 0.3} for name in ("commonsStock", "othersHarvest")}
        _NOISY.append(make_commons(PLAYERS, observability=noise))
    return _NOISY[0]


def test_capacity_is_a_unit_of_measurement() -> None:
    world = harvest_world()
    requests = np.random.default_rng(1).uniform(0, 5, (6, PLAYERS))
    small = trace(world, make_params(world.config, capacity=100.0), requests)
    large = trace(world, make_params(world.config, capacity=6400.0), 64 * requests)
    for (one, _), (other, _) in zip(small, large, strict=True):
        np.testing.assert_array_equal(other.stock, 64 * one.stock)
        np.testing.assert_array_equal(other.wealth, 64 * one.wealth)


def test_padding_rows_take_no_part() -> None:
    world = harvest_world()
    options = {"initial_stock": 0.5, "ration": "random"}
    present = np.array([True, True, True, False, False])
    requests = np.full((4, PLAYERS), 5.0)
    padded = trace(world, make_params(world.config, active=present, **options), requests)
    asked = np.where(present, requests, 0.0)
    for (one, timestep), (other, _) in zip(
        padded, trace(world, make_params(world.config, **options), asked), strict=True
    ):
        np.testing.assert_array_equal(one.stock, other.stock)
        np.testing.assert_array_equal(one.wealth, other.wealth)
        assert not timestep.observation.delivered["commonsStock"].mask[3:].any()
        assert not timestep.observation.delivered["othersHarvest"].mask[:, 3:].any()
        assert timestep.observation.delivered["nPlayers"].value[0] == 3
        np.testing.assert_array_equal(timestep.terminated, ~present)


def test_an_ended_commons_stands_still_and_shows_nothing() -> None:
    world = harvest_world()
    params = make_params(world.config, initial_stock=0.2, harvest_cap=1.0)
    steps = trace(world, params, np.full((3, PLAYERS), 3.5))
    assert [bool(state.alive) for state, _ in steps] == [True, False, False, False]
    assert int(steps[-1][0].turn) == 1
    assert int(steps[-1][0].collapse_turn) == 0
    assert steps[2][0].stock == steps[1][0].stock
    assert not steps[2][1].reward.any()
    assert steps[1][1].terminated.all()
    assert not steps[1][1].observation.delivered["commonsStock"].mask.any()
    assert steps[1][1].info.alive
    assert not steps[2][1].info.alive


def test_shocks_have_mean_one_and_spare_the_first_stock() -> None:
    world = harvest_world()
    state = jax.jit(world.reset)(world_keys([0])[0], make_params(world.config, initial_stock=0.5))[0]

    def grown(key, noise):
        params = replace(make_params(world.config, regrowth=0.1), environment_noise=noise)
        return world.reset(key, params)[0].stock, world.step(key, state, quiet, params)[1].info.regrowth

    quiet = CommonsAction(request=jnp.zeros(PLAYERS))
    run = jax.jit(jax.vmap(grown, in_axes=(0, None)))
    first, none = run(world_keys(range(4000)), jnp.float32(0))
    again, some = run(world_keys(range(4000)), jnp.float32(0.5))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(none, 2.5, rtol=1e-5)
    assert abs(np.mean(some) / 2.5 - 1) < 5 * 0.53 / np.sqrt(4000)
    assert abs(np.log(np.asarray(some) / 2.5).std() - 0.5) < 0.03
    shares = np.sort(np.asarray(first)) / 100
    assert np.abs(shares - np.linspace(0.4, 1.0, 4000)).max() < 0.6 * 0.03  # Kolmogorov-Smirnov, 0.1 %


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"regrowth": 2.1}, "regrowth"),
        ({"capacity": 0}, "capacity"),
        ({"initial_stock": (0.9, 0.4)}, "initial_stock"),
        ({"ration": "lottery"}, "ration"),
        ({"growth_base": 7}, "growth_base"),
        ({"seat": [0, 1, 1, 2, 3]}, "seat"),
        ({"active": [False] * PLAYERS}, "active"),
        ({"harvest_cap": -1}, "harvest_cap"),
        ({"capcity": 10}, "capcity"),
        ({"seneca": {"capital_scal": 1}}, "seneca.capital_scal"),
        ({"seneca": {"depreciation": 2}}, "depreciation"),
        ({"seneca": True, "whole_units": True}, "seneca"),
        ({"whole_units": True, "capacity": 10.5}, "capacity"),
        ({"governance": {"max_pact": 3}}, "governance.max_pact"),
        ({"governance": "yes"}, "governance"),
        ({"num_players": 0}, "num_players"),
        ({"observability": {"capitalStock": {"visible": True}}}, "observability.capitalStock"),
    ],
)
def test_bad_options_are_refused_by_name(options: dict, field: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        make_commons(**{"num_players": PLAYERS, **options})
    assert refused.value.field == field


def test_fast_growth_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="overshoot"):
        make_commons(regrowth=1.5)


def test_the_description_tells_what_is_shown_and_no_more() -> None:
    from jaxworld.commons import describe

    world = make_commons(4, regrowth=0.37, observability={"commonsStock": {"noise": 0.25}}, harvest_cap=0.1)
    told, text = world.describe(), describe.text(world.config, world.default_params())
    assert told["num_players"] == 4
    assert told["most_a_player_may_ask_for"] == pytest.approx(10)
    assert "regrowth" not in told
    assert "0.37" not in text
    assert "0.25" in text
    shown = make_commons(4, regrowth=0.37, observability={"regenRate": {"visible": True}})
    assert shown.describe()["regrowth"] == pytest.approx(0.37)
