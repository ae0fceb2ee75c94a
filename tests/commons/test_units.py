"""Whole units: the published GovSim dynamics by hand, and allocation unit by unit."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import jaxworld
from jaxworld.commons import make_params
from jaxworld.commons.rationing import serve_units
from jaxworld.core.random import world_keys
from jaxworld.metrics import host
from tests.commons.common import PLAYERS, trace, unit_world
from tests.oracles import commons as oracle


def govsim(requests: list[list[float]], **options):
    world = unit_world()
    return trace(world, make_params(world.config, **options), requests)


def test_the_published_constants_are_the_defaults_of_the_variant() -> None:
    world = jaxworld.make("commons/govsim")
    params = world.default_params()
    assert world.num_agents == 5
    assert (params.capacity, params.initial_low, params.regrowth, params.collapse_share) == (
        100,
        1,
        1,
        np.float32(0.05),
    )
    assert world.describe()["when_there_is_not_enough"].startswith("every unit goes to a player drawn")
    assert "adds 1" in jaxworld.commons.describe.text(world.config, params)


def test_ten_each_is_sustained_for_ever() -> None:
    """100 - 50 = 50, doubled 100: the threshold is (100 // 2) // 5 = 10 a player."""
    steps = govsim([[10.9] * PLAYERS] * 12)  # requests are rounded down
    for state, timestep in steps:
        assert state.stock == 100
        assert timestep.info.sustainable == 50
    totals = steps[-1][0].total_harvest
    np.testing.assert_array_equal(totals, 120)
    assert not steps[-1][0].over_usage.any()
    assert host.efficiency(totals, 12, 50.0) == 1
    assert oracle.efficiency(600, 12, 50) == 1


def test_one_unit_too_much_wears_the_pool_down_by_hand() -> None:
    """11 each: 100 -> 2 * 45 = 90 -> 2 * 35 = 70 -> 2 * 15 = 30 -> 30 are shared out, 0 left: lost."""
    steps = govsim([[11.0] * PLAYERS] * 6, ration="seat")
    assert [float(state.stock) for state, _ in steps] == [100, 90, 70, 30, 0, 0, 0]
    assert [bool(state.alive) for state, _ in steps] == [True, True, True, True, False, False, False]
    assert [float(timestep.info.sustainable) for _, timestep in steps[1:5]] == [50, 45, 35, 15]
    np.testing.assert_array_equal(steps[4][1].info.harvest, [11, 11, 8, 0, 0])
    # Thresholds of a player: 10, 9, 7 and 3; all five exceed the first three, three players the last.
    assert steps[-1][0].over_usage.tolist() == [4, 4, 4, 3, 3]
    assert int(steps[-1][0].collapse_turn) == 3
    total = float(steps[-1][0].total_harvest.sum())
    assert total == 195
    assert host.efficiency(steps[-1][0].total_harvest, 12, 50.0) == pytest.approx(oracle.efficiency(195, 12, 50))


@pytest.mark.parametrize(("left", "lives", "after"), [(5, True, 10), (4, False, 8)])
def test_collapse_is_judged_before_the_pool_doubles(left: int, lives: bool, after: int) -> None:
    """A pool of 5 lives, one of 4 is lost although it doubles to 8 in the same month."""
    state, timestep = govsim([[100 - left, 0, 0, 0, 0]])[1]
    assert bool(state.alive) == lives
    assert state.stock == after
    assert timestep.terminated.all() == (not lives)


def test_proportional_shares_are_rounded_down_and_the_rest_goes_to_those_who_want_more() -> None:
    """60 wanted by 50, 40, 30, 0 and 0 players: shares 25, 20 and 15; 61 leaves one unit to draw."""
    shared = govsim([[40, 0, 0, 0, 0], [50, 40, 30, 0, 0]], ration="proportional", regrowth=0.0)
    np.testing.assert_array_equal(shared[2][1].info.harvest, [25, 20, 15, 0, 0])
    odd = govsim([[39, 0, 0, 0, 0], [50, 40, 30, 0, 0]], ration="proportional", regrowth=0.0)[2][1].info.harvest
    assert odd.sum() == 61
    assert ((odd - np.array([25, 20, 15, 0, 0])) >= 0).all()
    assert not odd[3:].any()


@functools.cache
def compiled():
    return jax.jit(jax.vmap(serve_units, in_axes=(0, None, None, None, None)))


def allocate(demand, stock: int, ration: int, seeds: int = 1, seat=None) -> np.ndarray:
    seat = np.arange(PLAYERS) if seat is None else seat
    arguments = (np.int32(stock), np.int32(ration), np.asarray(seat, np.int32))
    return np.asarray(compiled()(world_keys(range(seeds)), jnp.asarray(demand, jnp.int32), *arguments))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    demand=st.lists(st.integers(0, 120), min_size=PLAYERS, max_size=PLAYERS),
    stock=st.integers(0, 120),
    ration=st.sampled_from([0, 1, 2]),
    seat=st.permutations(range(PLAYERS)),
)
def test_all_units_are_handed_out_and_to_those_who_want_them(demand, stock, ration, seat) -> None:
    given_out = allocate(demand, stock, ration, seat=seat)[0]
    assert given_out.sum() == min(stock, sum(demand))
    assert (given_out >= 0).all()
    assert (given_out <= demand).all()
    if ration == 0 and sum(demand) > stock:
        assert (given_out >= np.asarray(demand) * stock // sum(demand)).all()


def test_every_unit_goes_to_one_of_those_who_still_want_one_with_equal_chances() -> None:
    """Wants of 1, 1 and 4 for 3 units, against the exact distribution."""
    got = allocate([1, 1, 4, 0, 0], 3, 1, seeds=4000)
    expected = _chances([1, 1, 4], 3)
    for outcome, chance in expected.items():
        share = (got[:, :3] == outcome).all(axis=1).mean()
        assert abs(share - chance) < 5 * np.sqrt(chance * (1 - chance) / 4000), outcome


def _chances(wanted: list[int], units: int) -> dict[tuple[int, ...], float]:
    """Exact distribution of a unit-by-unit draw, by enumeration."""
    chances = {(0,) * len(wanted): 1.0}
    for _ in range(units):
        after: dict[tuple[int, ...], float] = {}
        for given_out, chance in chances.items():
            open_to = [player for player in range(len(wanted)) if given_out[player] < wanted[player]]
            for player in open_to:
                made = tuple(units + (index == player) for index, units in enumerate(given_out))
                after[made] = after.get(made, 0.0) + chance / len(open_to)
        chances = after
    return chances
