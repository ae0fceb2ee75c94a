"""Views against a plain walk over their cells."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core.pytree import replace
from jaxworld.grid import Coins, CommonsHarvest, Window
from jaxworld.grid.avatars import Avatars, newcomers
from jaxworld.grid.board import Board
from jaxworld.grid.layers import Layer, Packing
from jaxworld.grid.views import NARROW, WIDE, focal_window, see_map, see_window

STEPS = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])


def _walk(board: Board, window: Window, grid: np.ndarray, cell: int, facing: int) -> np.ndarray:
    seen = np.zeros(window.shape, grid.dtype)
    for i in range(window.shape[0]):
        for j in range(window.shape[1]):
            place = np.array(divmod(cell, board.cols))
            place = place + (window.forward - i) * STEPS[facing] + (j - window.left) * STEPS[(facing + 1) % 4]
            if board.torus:
                place = place % [board.rows, board.cols]
            if (place >= 0).all() and (place < [board.rows, board.cols]).all():
                seen[i, j] = grid[tuple(place)]
    return seen


def _players(board: Board, rng: np.random.Generator) -> Avatars:
    cells = rng.choice(board.num_cells, 4, replace=False).astype(np.int32)
    made = newcomers(jnp.asarray(cells), jnp.arange(4, dtype=jnp.int32))
    return replace(made, absence=jnp.asarray([0, 0, 0, 3], jnp.int32).at[0].set(0))


@pytest.mark.parametrize("torus", [False, True])
@pytest.mark.parametrize("window", [WIDE, NARROW, Window(1, 0, 0, 3), None])
def test_a_window_shows_what_a_walk_over_it_meets(torus: bool, window: Window | None) -> None:
    board, rng = Board(5, 8, torus), np.random.default_rng(2)
    window = window or focal_window(board)
    grid = rng.integers(1, 2**32, (5, 8), dtype=np.uint32)
    for _ in range(3):
        players = _players(board, rng)
        seen = np.asarray(see_window(board, window, jnp.asarray(grid.reshape(-1)), players))
        for player in range(3):
            expected = _walk(board, window, grid, int(players.cell[player]), int(players.orientation[player]))
            np.testing.assert_array_equal(seen[player], expected)
        assert not seen[3].any()


def test_the_focal_window_shows_the_whole_map_from_every_corner() -> None:
    board = Board(5, 8)
    assert focal_window(board).shape == (15, 15)
    corners = jnp.asarray([0, 7, 32, 39], jnp.int32)
    for facing in range(4):
        players = newcomers(corners, jnp.full(4, facing, jnp.int32))
        seen = see_window(board, focal_window(board), jnp.arange(1, 41, dtype=jnp.uint32), players)
        for view in np.asarray(seen):
            assert set(range(1, 41)) <= set(view.reshape(-1).tolist())


def test_the_whole_map_is_seen_north_up_by_all_who_are_there() -> None:
    board = Board(5, 8)
    seen = np.asarray(see_map(board, jnp.arange(1, 41, dtype=jnp.uint32), _players(board, np.random.default_rng(0))))
    for player in range(3):
        np.testing.assert_array_equal(seen[player], np.arange(1, 41).reshape(5, 8))
    assert not seen[3].any()


def test_layers_survive_packing_whatever_their_size() -> None:
    layers = tuple(Layer(f"L{n}", tuple(f"c{i}" for i in range(n))) for n in (1, 3, 300, 4, 70, 2, 255, 256, 65535))
    packing, rng = Packing(layers), np.random.default_rng(1)
    assert packing.num_words > 1
    assert [layer.dtype.itemsize for layer in layers] == [1, 1, 2, 1, 1, 1, 1, 2, 2]
    painted = {layer.name: rng.integers(0, len(layer.categories) + 1, 30) for layer in layers}
    lower = {name: jnp.asarray(grid, jnp.uint32) for name, grid in painted.items() if name != "L70"}
    words = packing.pack(lower, 30)
    words = packing.add_at(
        words, jnp.arange(30, dtype=jnp.int32), {"L70": jnp.asarray(painted["L70"], jnp.int32)}, jnp.ones(30, bool)
    )
    for layer in layers:
        grid = packing.unpack(words)[layer.name]
        assert grid.dtype == layer.dtype
        np.testing.assert_array_equal(grid, painted[layer.name])


@pytest.mark.parametrize("mode", ["local", "global", "focal"])
def test_a_substrate_shows_each_thing_where_it_is(mode: str) -> None:
    world = Coins(observation_mode=mode)
    params = world.default_params()
    state, timestep = jax.jit(world.reset)(jax.random.key(4, impl="threefry2x32"), params)
    seen, picture = jax.device_get((timestep.observation, world.picture(state, params)))
    shapes = {"local": (11, 11), "global": (17, 17), "focal": (33, 33)}
    for layer in world.layers:
        assert seen[layer.name].shape == (2, *shapes[mode])
        assert seen[layer.name].max() <= len(layer.categories)
    assert ("SELF" in seen) == (mode == "global")
    for player in range(2):
        if mode == "global":
            np.testing.assert_array_equal(seen["AVATARS"][player], picture["AVATARS"])
            np.testing.assert_array_equal(seen["SELF"][player], picture["AVATARS"] == player + 1)
            continue
        cell, facing = int(state.avatars.cell[player]), int(state.avatars.orientation[player])
        for name, grid in picture.items():
            expected = _walk(world.board, world.window, grid, cell, facing)
            np.testing.assert_array_equal(seen[name][player], expected, err_msg=name)


def test_category_numbers_are_exact_and_cannot_be_changed() -> None:
    ids = CommonsHarvest(num_players=2).object_observation_ids
    assert {name: dict(categories) for name, categories in ids.items()} == {
        "TERRAIN": {"wall": 1, "floor": 2, "grass": 3, "bare_grass": 4},
        "AVATARS": {"player_0": 1, "player_1": 2},
        "AVATAR_ORIENTATIONS": {"north": 1, "east": 2, "south": 3, "west": 4},
        "APPLES": {"apple": 1},
        "BEAMS": {"zap": 1},
    }
    with pytest.raises(TypeError):
        ids["TERRAIN"]["lava"] = 5  # type: ignore[index]
    with pytest.raises(TypeError):
        ids["LAVA"] = {}  # type: ignore[index]
