"""Pictures of worlds: none unless asked for, the same on both sides, and drawn as each player faces."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core import tick_key, world_key
from jaxworld.core.errors import ConfigurationError
from jaxworld.grid import Coins, CommonsHarvest
from jaxworld.grid.rendering import draw_views
from jaxworld.grid.rendering.film import film
from jaxworld.grid.sprites.table import background, planes
from tests.grid.rendering.pool import Pool

PARAMS = Pool().default_params()
SPLASH = 7


@functools.cache
def seen(mode, render_mode):
    """The world, and ``observe`` compiled."""
    world = Pool(mode, render_mode)
    return world, jax.jit(lambda state: world.observe(state, PARAMS))


def a_state(cells=(9, 22), facings=(1, 2), absence=(0, 0), lit=0):
    """A state with both swimmers where they are put."""
    world = Pool()
    state, _ = jax.eval_shape(world.reset, world_key(0), PARAMS)
    state = jax.tree.map(lambda leaf: jnp.zeros(leaf.shape, leaf.dtype), state)
    numbers = {"cell": cells, "orientation": facings, "absence": absence}
    avatars = dataclasses.replace(
        state.avatars, **{name: jnp.asarray(value, jnp.int32) for name, value in numbers.items()}
    )
    return dataclasses.replace(state, avatars=avatars, lit=jnp.full((1, 2), lit, jnp.uint32))


def tile(picture, row, col):
    return picture[8 * row : 8 * row + 8, 8 * col : 8 * col + 8]


def test_without_a_render_mode_no_picture_is_ever_built(monkeypatch):
    def refuse(*_):
        raise AssertionError("a picture was built")

    monkeypatch.setattr("jaxworld.grid.substrate.draw_traced", refuse)
    monkeypatch.setattr("jaxworld.grid.substrate.draw_map", refuse)
    world = Pool()
    state, timestep = jax.eval_shape(world.reset, world_key(0), PARAMS)
    _, timestep = jax.eval_shape(world.step, world_key(0), state, jnp.zeros(2, jnp.int32), PARAMS)
    assert "RGB" not in timestep.observation
    assert "RGB" not in world.observation_space(PARAMS).spaces
    assert world.render(a_state(), PARAMS) is None


@pytest.mark.parametrize("mode", ["local", "global", "focal"])
def test_the_compiled_pictures_are_those_of_the_host(mode):
    world, observe = seen(mode, "rgb_array")
    for state in (a_state(lit=3), a_state(facings=(3, 0), absence=(0, 1)), a_state(cells=(17, 22), facings=(1, 3))):
        observation = jax.device_get(observe(state))
        rows, cols = world.grid_shape
        assert observation["RGB"].shape == (2, 8 * rows, 8 * cols, 3)
        assert bool(world.observation_space(PARAMS).contains(observation))
        plain = {name: value for name, value in observation.items() if name != "RGB"}
        np.testing.assert_array_equal(draw_views(Pool(mode), plain), observation["RGB"])


def test_a_window_is_the_map_cut_out_and_turned_with_things_kept_upright():
    world, observe = seen("local", "rgb_array")
    facing_up = planes(world.layers)[2].sprites
    for facing in range(4):
        state = a_state(cells=(22, 9), facings=(facing, 1))
        views, whole = np.asarray(observe(state)["RGB"]), world.render(state, PARAMS)
        own = tile(views[0], 2, 1)
        solid = facing_up[1, ..., 3] == 255
        np.testing.assert_array_equal(own[solid], facing_up[1, ..., :3][solid])  # one's own nose is up
        np.testing.assert_array_equal(
            tile(whole, 2, 6)[np.rot90(solid, -facing)],
            np.rot90(facing_up[1, ..., :3], -facing)[np.rot90(solid, -facing)],
        )
        ahead = ((1, 6), (2, 7), (3, 6), (2, 5))[facing]
        np.testing.assert_array_equal(tile(views[0], 1, 1), tile(whole, *ahead))


def test_whoever_is_off_the_board_sees_nothing():
    _, observe = seen("local", "rgb_array")
    views = np.asarray(observe(a_state(absence=(0, 3)))["RGB"])
    np.testing.assert_array_equal(views[1], np.tile(background()[..., :3], (4, 3, 1)))
    assert (views[0] != views[1]).any()


def test_the_whole_map_shows_what_is_where():
    world = Pool(render_mode="human")
    picture = world.render(a_state(), PARAMS)
    assert picture.shape == (40, 64, 3) and picture.dtype == np.uint8
    np.testing.assert_array_equal(tile(picture, 0, 0), tile(picture, 2, 3))  # walls
    np.testing.assert_array_equal(tile(picture, 1, 1 + 1), background()[..., :3])
    assert len({tile(picture, *place).tobytes() for place in ((1, 1), (2, 6), (1, 3), (3, 4), (0, 0), (1, 2))}) == 6
    np.testing.assert_array_equal(picture, Pool().global_picture(a_state(), PARAMS))  # in any mode
    lit = world.render(a_state(lit=1), PARAMS)  # the first cell ahead of (1, 1) facing east, and of (2, 6) facing south
    changed = [
        (row, col) for row in range(5) for col in range(8) if (tile(lit, row, col) != tile(picture, row, col)).any()
    ]
    assert changed == [(1, 2), (3, 6)]


@pytest.mark.parametrize("make", [Pool, Coins, CommonsHarvest])
@pytest.mark.parametrize("mode", ["rgb", "RGB_ARRAY", True, 1])
def test_an_unknown_render_mode(make, mode):
    with pytest.raises(ConfigurationError, match="render_mode"):
        make(render_mode=mode)


def test_a_film_shows_every_tick_up_to_the_end():
    world = Pool()
    shots = list(film(world, 9, seed=3, params=world.params(last=4)))
    assert [shot.tick for shot in shots] == [0, 1, 2, 3, 4]
    state, _ = jax.jit(world.reset)(tick_key(world_key(3), 0), PARAMS)
    np.testing.assert_array_equal(shots[0].picture, world.global_picture(state, PARAMS))
    views = list(film(world, 2, seed=3, params=world.params(last=4), view="player_1"))
    np.testing.assert_array_equal(views[0].picture, np.asarray(seen("local", "rgb_array")[1](state)["RGB"])[1])
    assert len(views) == 3
    with pytest.raises(ConfigurationError, match="player_0 to player_1"):
        film(world, 2, view="player_2")
