"""Grid worlds from outside: the contract, what is conserved, what is symmetric, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core import ConfigurationError, RandomPolicy, Trajectory, check_world, make, rollout
from jaxworld.core.pytree import replace
from jaxworld.core.random import tick_key, world_key, world_keys
from jaxworld.grid import Coins, CommonsHarvest, Window
from tests.grid.orchard import MAP, PARAMS, PLAYERS, WORLD, compiled

WORLDS, STEPS = 64, 200


@pytest.fixture(scope="module")
def crowd() -> Any:
    """Random play of many small orchards: leaves ``[WORLDS, STEPS + 1, ...]`` of states, rewards and events."""
    params = replace(PARAMS, ending=replace(PARAMS.ending, chance=jnp.zeros((), jnp.uint32)))

    def play(key: Any) -> Any:
        start, _ = WORLD.reset(tick_key(key, 0), params)

        def step(state: Any, tick: Any) -> Any:
            here = tick_key(key, tick)
            action = jax.random.randint(jax.random.fold_in(here, 1), (PLAYERS,), 0, 8, jnp.int32)
            made, reward, events = WORLD.advance(state, action, WORLD.draws(here), params)
            return made, (state, made, reward, events)

        return jax.lax.scan(step, start, jnp.arange(1, STEPS + 1, dtype=jnp.uint32))[1]

    return jax.device_get(jax.jit(jax.vmap(play))(world_keys(range(WORLDS))))


def test_two_players_never_share_a_cell_nor_stand_in_a_wall(crowd: Any) -> None:
    _, made, _, _ = crowd
    cells = np.where(made.avatars.absence == 0, made.avatars.cell, -1 - np.arange(PLAYERS))
    ordered = np.sort(cells, axis=-1)
    assert (np.diff(ordered, axis=-1) > 0).all()
    walls = WORLD.config.map.mask("#").reshape(-1)  # type: ignore[union-attr]
    assert not walls[np.maximum(cells, 0)][cells >= 0].any()
    assert (cells < 0).any()  # somebody was away at times


def test_apples_change_only_by_being_eaten_and_growing(crowd: Any) -> None:
    before, made, reward, events = crowd
    eaten = events["ate"].sum(axis=-1)
    np.testing.assert_array_equal(reward.sum(axis=-1), eaten.astype(np.float32))
    shrunk = (before.own.live & ~made.own.live).sum(axis=-1)
    assert (shrunk <= eaten).all()
    untouched = eaten == 0
    assert (shrunk[untouched] == 0).all()
    assert eaten.sum() > 1000


def test_poses_change_by_one_step_at_most(crowd: Any) -> None:
    before, made, _, _ = crowd
    stayed = (before.avatars.absence == 0) & (made.avatars.absence == 0)
    cols = WORLD.board.cols
    rows = abs(made.avatars.cell // cols - before.avatars.cell // cols)
    across = abs(made.avatars.cell % cols - before.avatars.cell % cols)
    turned = (made.avatars.orientation - before.avatars.orientation) % 4
    assert ((rows + across) <= 1)[stayed].all()
    assert (turned != 2)[stayed].all()
    assert not ((rows + across > 0) & (turned != 0))[stayed].any()


def test_permuting_players_permutes_what_happens(crowd: Any) -> None:
    before, _, _, _ = crowd
    order, rng = np.array([2, 0, 3, 1]), np.random.default_rng(0)
    for world in range(20):
        state = jax.tree.map(lambda leaf: leaf[world, 50 + world], before)  # noqa: B023
        if (state.avatars.absence > PARAMS.respawn_delay).sum() > 1:
            continue  # who comes back first is who is counted first
        action = rng.integers(0, 8, PLAYERS).astype(np.int32)
        draws = jax.device_get(WORLD.draws(tick_key(world_key(world), 1)))
        made = jax.device_get(compiled()(state, action, draws, PARAMS))
        swapped = replace(state, avatars=jax.tree.map(lambda leaf: leaf[order], state.avatars))
        mixed = {name: words if name in ("sites", "end") else words[order] for name, words in draws.items()}
        again = jax.device_get(compiled()(swapped, action[order], mixed, PARAMS))
        np.testing.assert_array_equal(again[1], made[1][order])
        np.testing.assert_array_equal(again[0].avatars.cell, made[0].avatars.cell[order])
        np.testing.assert_array_equal(again[0].avatars.absence, made[0].avatars.absence[order])
        np.testing.assert_array_equal(again[0].own.live, made[0].own.live)
        np.testing.assert_array_equal(again[3]["APPLES"], made[3]["APPLES"][order])


def test_the_state_is_small_and_has_no_floats() -> None:
    for world in (Coins(), CommonsHarvest("open")):
        shapes, _ = jax.eval_shape(world.reset, jax.random.key(0), world.default_params())
        leaves = jax.tree.leaves(shapes)
        assert not any(jnp.issubdtype(leaf.dtype, jnp.floating) for leaf in leaves)
        assert sum(leaf.size * leaf.dtype.itemsize for leaf in leaves) < 1024


def test_starts_are_distinct_and_spread_evenly() -> None:
    world = CommonsHarvest("open")
    reset = jax.jit(jax.vmap(lambda key: world.reset(key, world.default_params())[0].avatars))
    avatars = jax.device_get(reset(world_keys(range(4000))))
    inside, outside = world.config.map.cells("I"), world.config.map.cells("S")  # type: ignore[union-attr]
    assert set(avatars.cell[:, :2].ravel()) == set(inside)
    assert (np.diff(np.sort(avatars.cell, axis=1), axis=1) > 0).all()
    _, counts = np.unique(avatars.cell[:, 2:], return_counts=True)
    assert len(counts) == len(outside)
    expected = 4000 * 5 / len(outside)
    assert ((counts - expected) ** 2 / expected).sum() < 120  # chi-square with 59 degrees of freedom, p < 1e-5
    _, ways = np.unique(avatars.orientation, return_counts=True)
    assert ((ways - 7000) ** 2 / 7000).sum() < 25
    assert abs((avatars.cell[:, 0] == inside[0]).mean() - 0.5) < 0.04


def test_coins_pay_and_punish_by_colour() -> None:
    world = Coins()
    params = world.params(regrowth=0.3, ending_probability=0.0)
    policy = RandomPolicy(world, params)
    run = jax.jit(lambda key: rollout(world, policy, key, 200, params, reducer=Trajectory()).outputs)
    step = jax.device_get(run(world_key(5)))
    took = step.info.events["took_coin"].astype(float)
    mismatched = step.info.events["took_mismatched_coin"].astype(float)
    np.testing.assert_allclose(step.reward, took - 2 * mismatched[:, ::-1])
    told = step.observation["MISMATCHED_COIN_COLLECTED_BY_PARTNER"]  # what is acted on at t + 1 tells of step t
    np.testing.assert_array_equal(told[1:], mismatched[:-1, ::-1].astype(np.float32))
    assert 0.3 < mismatched.sum() / took.sum() < 0.7
    assert took.sum() > 100


def test_the_contract_holds() -> None:
    world = CommonsHarvest("closed", num_players=3, observation_mode="global", map=MAP)
    assert "batch" in check_world(world, eager=False, num_steps=3, batch=2).clauses


BAD: list[tuple[str, Callable[[], object], str]] = [
    ("variant", lambda: CommonsHarvest("opne"), "variant"),
    ("name", lambda: make("grid/commons_harvest_opne"), "name"),
    ("mode", lambda: Coins(observation_mode="bird"), "observation_mode"),
    ("view", lambda: Coins(view=(11, 11)), "view"),  # type: ignore[arg-type]
    ("window", lambda: Window(3, 1, -2, 2), "view.left"),
    ("ragged map", lambda: CommonsHarvest(map="###\n#S\n###"), "map"),
    ("unknown symbol", lambda: CommonsHarvest(map="####\n#SX#\n####"), "map"),
    ("no spawn", lambda: CommonsHarvest(map="####\n#.A#\n####"), "map"),
    ("no apple", lambda: CommonsHarvest(map="####\n#.S#\n####"), "map"),
    ("too many players", lambda: CommonsHarvest(num_players=63), "num_players"),
    ("no player", lambda: CommonsHarvest(num_players=0), "num_players"),
    ("half a player", lambda: CommonsHarvest(num_players=2.5), "num_players"),  # type: ignore[arg-type]
    ("probability", lambda: Coins().params(regrowth=1.5), "regrowth"),
    ("three probabilities", lambda: CommonsHarvest().params(regrowth=(0.0, 0.1, 0.2)), "regrowth"),
    ("negative delay", lambda: CommonsHarvest().params(respawn_delay=-1), "respawn_delay"),
    ("interval", lambda: CommonsHarvest().params(ending_interval=0), "ending_interval"),
]


@pytest.mark.parametrize(("build", "field"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
def test_what_cannot_work_is_refused_with_the_field(build: Callable[[], object], field: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        build()
    assert field in str(caught.value)


def test_actions_of_a_wrong_shape_or_kind_are_refused() -> None:
    world, params = Coins(), Coins().default_params()
    state, _ = jax.eval_shape(world.reset, jax.random.key(0), params)
    for action in (jnp.zeros(3, jnp.int32), jnp.zeros((2, 1), jnp.int32), jnp.zeros(2, jnp.float32)):
        with pytest.raises(ConfigurationError) as caught:
            jax.eval_shape(world.step, jax.random.key(0), state, action, params)
        assert "action" in str(caught.value)
