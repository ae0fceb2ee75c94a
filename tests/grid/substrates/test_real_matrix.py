"""Real Matrix: what the tables pay, what each player sees of them, and when it is over."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from jaxworld.core import ConfigurationError, check_world, make
from jaxworld.core.random import tick_key, world_key
from jaxworld.grid import GAMES, RealMatrix
from jaxworld.grid.draws import ALWAYS, NEVER

ROW, COLUMN = np.arange(16.0).reshape(4, 4), -(np.arange(16.0).reshape(4, 4) ** 2)


@pytest.mark.parametrize("game", GAMES)
def test_every_cell_pays_what_the_tables_say(game: str) -> None:
    world = make(f"grid/real_matrix_{game}")
    params = world.default_params()
    start, _ = world.reset(world_key(0), params)
    size = len(GAMES[game].strategies)
    actions = np.indices((size, size)).reshape(2, -1).T.astype(np.int32)
    advance = jax.jit(jax.vmap(world.advance, (None, 0, None, None)))
    state, reward, events = advance(start, actions, {"end": np.array([NEVER])}, params)
    np.testing.assert_array_equal(reward, GAMES[game].payoffs.reshape(2, -1).T)
    np.testing.assert_array_equal(state.last, actions + 1)
    assert events == {}
    assert not np.asarray(state.ended).any()


def test_each_player_sees_the_game_from_its_own_side_or_both_from_the_rows() -> None:
    for mode in ("local", "global"):
        world = RealMatrix(payoff=[ROW, COLUMN], observation_mode=mode)
        params = world.default_params()
        state, timestep = world.reset(world_key(0), params)
        assert (np.asarray(timestep.observation["LAST_ACTIONS"]) == 0).all()
        step = jax.jit(world.step)
        state, timestep = step(tick_key(world_key(0), 1), state, np.array([2, 0], np.int32), params)
        seen: Any = jax.device_get(timestep.observation)
        local = mode == "local"
        np.testing.assert_array_equal(seen["PAYOFFS"][0], [ROW, COLUMN])
        np.testing.assert_array_equal(seen["PAYOFFS"][1], [COLUMN.T, ROW.T] if local else [ROW, COLUMN])
        assert seen["LAST_ACTIONS"].tolist() == [[3, 1], [1, 3] if local else [3, 1]]
        np.testing.assert_array_equal(timestep.reward, [ROW[2, 0], COLUMN[2, 0]])
        assert float(timestep.info.collective_reward) == ROW[2, 0] + COLUMN[2, 0]
        assert not timestep.terminated.any()
        assert "RGB" not in seen
        beyond, *_ = jax.jit(world.advance)(state, np.array([-3, 9], np.int32), {"end": np.array([NEVER])}, params)
        assert np.asarray(beyond.last).tolist() == [1, 4]


def test_it_ends_by_chance_and_then_stands_still() -> None:
    world = RealMatrix("chicken")
    params = world.params(continuation=0.75)
    advance = jax.jit(world.advance)
    state, _ = world.reset(world_key(0), params)
    for word, ends in ((2**30, False), (2**30 - 1, True)):  # a quarter of all words
        made, reward, _ = advance(state, np.zeros(2, np.int32), {"end": np.array([word], np.uint32)}, params)
        assert bool(made.ended) == ends
        assert np.asarray(reward).tolist() == [3, 3]
    after, reward, _ = advance(made, np.ones(2, np.int32), {"end": np.array([ALWAYS])}, params)
    assert np.asarray(reward).tolist() == [0, 0]
    assert (int(after.steps), np.asarray(after.last).tolist()) == (1, [1, 1])


def test_pictures_are_seen_only_if_asked_for() -> None:
    world = RealMatrix(payoff=[[[0, 1], [1, 2]], [[2, 0], [0, 0]]], render_mode="rgb_array")
    params = world.default_params()
    state, _ = world.reset(world_key(0), params)
    state, timestep = jax.jit(world.step)(tick_key(world_key(0), 1), state, np.array([1, 0], np.int32), params)
    seen = np.asarray(timestep.observation["RGB"])
    assert all(bool(holds) for _, _, holds in world.observation_space(params).membership(timestep.observation))
    centres, corners = seen[:, 4::8, 4::8], seen[:, ::8, ::8]
    assert centres[0].tolist() == [[[0, 0, 255], [128, 0, 0]], [[128, 0, 0], [255, 0, 0]]]
    assert centres[1].tolist() == [[[255, 0, 0], [0, 0, 128]], [[0, 0, 128], [0, 0, 255]]]
    assert np.argwhere((corners == 255).all(axis=-1)).tolist() == [[0, 1, 0], [1, 0, 1]]
    picture = world.render(state, params)
    np.testing.assert_array_equal(picture, seen[0])
    assert RealMatrix().render(state, params) is None


REFUSED = {
    "game": (lambda: RealMatrix("poker"), "game", "chicken"),
    "focal": (lambda: RealMatrix(observation_mode="focal"), "observation_mode", "without a map"),
    "ragged": (lambda: RealMatrix(payoff=[[1, 2], [3]]), "payoffs", "array of numbers"),
    "oblong": (lambda: RealMatrix(payoff=np.ones((2, 3))), "payoffs", "K x K"),
    "number": (lambda: RealMatrix(payoff=3), "payoffs", "K x K"),
    "size": (lambda: RealMatrix("chicken", payoff=np.ones((3, 3))), "payoffs", "2 x 2"),
    "large": (lambda: RealMatrix(payoff=np.full((2, 2), 1e9)), "payoffs", "1e6"),
    "render": (lambda: RealMatrix(render_mode="ascii"), "render_mode", "rgb_array"),
    "continuation": (lambda: RealMatrix().params(continuation=1.5), "continuation", "0 to 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_named_with_a_remedy(case: str) -> None:
    build, field, remedy = REFUSED[case]
    with pytest.raises(ConfigurationError) as caught:
        build()
    assert caught.value.field == field
    assert remedy in str(caught.value)


def test_it_keeps_the_contract() -> None:
    check_world(RealMatrix(payoff=[ROW, COLUMN]), num_steps=3, batch=2, eager=False, thorough=False)
