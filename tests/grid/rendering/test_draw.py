"""Host and compiled pictures have the same pixels, and they are those of sprites laid over one another."""

import jax
import numpy as np
import pytest

from jaxworld.grid import Coins, CommonsHarvest
from jaxworld.grid.layers import Layer
from jaxworld.grid.rendering import draw, draw_traced, make_atlas
from jaxworld.grid.sprites import planes
from jaxworld.grid.sprites.table import background

LOTS = (  # 3 x 257 x 65 looks: two sheets, with something see-through on top
    Layer("TERRAIN", ("wall", "mud")),
    Layer("AVATARS", tuple(f"player_{index}" for index in range(64))),
    Layer("AVATAR_ORIENTATIONS", ("north", "east", "south", "west")),
    Layer("BEAMS", tuple(f"beam_{index}" for index in range(64))),
)
SETS = {
    "commons": CommonsHarvest(observation_mode="global").layers,
    "coins": Coins().layers,
    "lots": LOTS,
}


def random_grids(layers, shape, seed=0):
    """Categories as they occur: where there is no avatar there is no orientation."""
    rng = np.random.default_rng(seed)
    grids = {layer.name: rng.integers(0, len(layer.categories) + 1, shape).astype(layer.dtype) for layer in layers}
    facing = rng.integers(1, 5, shape).astype(np.uint8)
    grids["AVATAR_ORIENTATIONS"] = np.where(grids["AVATARS"] > 0, facing, 0).astype(np.uint8)
    return grids


def laid_over(layers, grids, facing):
    """One picture, pixel by pixel and plane by plane, in float64."""
    rows, cols = grids["AVATARS"].shape
    picture = np.tile(background()[..., :3].astype(np.float64), (rows, cols, 1))
    for plane in planes(layers):
        for row in range(rows):
            for col in range(cols):
                code = int(grids[plane.layer][row, col])
                if plane.turning and code:
                    code = 4 * code - 3 + (int(grids["AVATAR_ORIENTATIONS"][row, col]) - 1 - facing) % 4
                sprite = plane.sprites[code].astype(np.float64)
                solid = sprite[..., 3:] / 255
                place = picture[8 * row : 8 * row + 8, 8 * col : 8 * col + 8]
                place[:] = sprite[..., :3] * solid + place * (1 - solid)
    return picture


@pytest.mark.parametrize("name", SETS)
def test_pictures_are_sprites_laid_over_one_another(name):
    layers, shape = SETS[name], (4, 3, 5)
    atlas = make_atlas(layers)
    assert len(atlas.sheets) == (2 if name == "lots" else 1)
    grids, facing = random_grids(layers, shape), np.arange(4, dtype=np.int32)
    made = draw(atlas, grids, facing)
    assert made.shape == (4, 24, 40, 3) and made.dtype == np.uint8
    for place in range(4):
        one = {layer: grid[place] for layer, grid in grids.items()}
        assert np.abs(laid_over(layers, one, place) - made[place]).max() <= 1.0  # a rounding for each clear plane
        assert (made[place] == draw(atlas, one, place)).all()
    traced = jax.jit(lambda grids, facing: draw_traced(atlas, grids, facing))(grids, facing)
    np.testing.assert_array_equal(traced, made)


def test_grids_that_are_not_given_are_empty():
    atlas, grids = make_atlas(SETS["commons"]), random_grids(SETS["commons"], (2, 3))
    without = {name: grid for name, grid in grids.items() if name != "SELF"}
    empty = {**grids, "SELF": np.zeros((2, 3), np.uint8)}
    np.testing.assert_array_equal(draw(atlas, without, 0), draw(atlas, empty, 0))
    assert (draw(atlas, grids, 0) != draw(atlas, empty, 0)).any()
