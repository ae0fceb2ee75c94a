"""Drawings as text, and the table that says what they show."""

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.grid import Coins, CommonsHarvest
from jaxworld.grid.layers import Layer
from jaxworld.grid.sprites import planes
from jaxworld.grid.sprites.art import packaged_art, parse_art
from jaxworld.grid.sprites.table import DRAWINGS, player_tint, tint_of
from jaxworld.grid.substrates.the_matrix import TheMatrix

ROWS = "\n".join(["aaaaaaaa"] * 8)


def test_letters_colours_and_tints():
    art = parse_art(f"# a remark\nplain a=102030 b=ff000080\nabaaaaaa\n.aaaaaaa\n{ROWS[:53]}\n\ntinted a=@+:40\n{ROWS}")
    pixels = art["plain"].pixels()
    assert pixels.shape == (8, 8, 4) and pixels.dtype == np.uint8
    assert pixels[0, :2].tolist() == [[0x10, 0x20, 0x30, 255], [255, 0, 0, 0x80]]
    assert pixels[1, 0].tolist() == [0, 0, 0, 0]
    shade = art["tinted"].pixels("0064c8")[0, 0]
    assert shade.tolist() == [115, 170, 225, 0x40]  # 45 % of the way to white


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (f"short a=102030\n{ROWS[:62]}", "short"),
        (f"stray b=102030\n{ROWS}", "stray"),
        (f"twice a=102030\n{ROWS}\n\ntwice a=102030\n{ROWS}", "twice"),
        (f"noequals a\n{ROWS}", "noequals"),
    ],
)
def test_text_that_is_no_drawing(text, part):
    with pytest.raises(ConfigurationError, match=part):
        parse_art(text)


@pytest.mark.parametrize(("colour", "tint"), [("12345", None), ("red", None), ("@?", "ffffff"), ("@", None)])
def test_a_colour_that_is_none(colour, tint):
    with pytest.raises(ConfigurationError, match="colour of drawing odd"):
        parse_art(f"odd a={colour}\n{ROWS}")["odd"].pixels(tint)


def test_every_packaged_drawing_can_be_drawn_and_is_used():
    for name, art in packaged_art().items():
        assert art.pixels("808080")[..., 3].any(), name
    used = {entry[0] for table in DRAWINGS.values() for entry in table.values() if entry is not None}
    assert used <= set(packaged_art())


@pytest.mark.parametrize("world", [CommonsHarvest(), Coins(), TheMatrix(), TheMatrix("bach_or_stravinsky")])
def test_the_table_knows_every_category_of_the_substrates(world):
    for layer in world.layers:
        if layer.name not in ("AVATARS", "AVATAR_ORIENTATIONS"):
            assert set(layer.categories) <= set(DRAWINGS[layer.name]), layer.name


def test_avatars_turn_and_everything_else_stands_upright():
    ground, apples, avatars, beams = planes(
        (
            Layer("TERRAIN", ("wall",)),
            Layer("AVATARS", ("player_0", "player_1")),
            Layer("AVATAR_ORIENTATIONS", ("north", "east", "south", "west")),
            Layer("APPLES", ("apple",)),
            Layer("BEAMS", ("zap",)),
        )
    )
    assert [plane.layer for plane in (ground, apples, avatars, beams)] == ["TERRAIN", "APPLES", "AVATARS", "BEAMS"]
    assert [plane.size for plane in (ground, apples, avatars, beams)] == [2, 2, 9, 2]
    up, right, down, left = avatars.sprites[5:9]  # of player 1
    for quarter, sprite in enumerate((up, right, down, left)):
        np.testing.assert_array_equal(sprite, np.rot90(up, -quarter))
    front = packaged_art()["avatar"].pixels("000000")[0, 3]
    assert (up[0, 3] == front).all() and (right[3, 7] == front).all() and (left[4, 0] == front).all()
    assert beams.sprites[1, ..., 3].min() > 0 and beams.sprites[1, ..., 3].max() < 255
    assert ground.sprites[1, ..., 3].min() == 255
    assert len({plane.sprites[0].any() for plane in (ground, apples, avatars, beams)} - {np.False_}) == 0


def test_among_drawings_that_turn_others_stand_upright():
    (states,) = planes((Layer("AVATAR_STATES", ("red", "sleepy")),))
    assert states.size == 9
    cap = states.sprites[5]
    assert (cap != np.rot90(cap)).any() and (states.sprites[5:] == cap).all()


def test_what_the_table_does_not_know_has_a_colour_of_its_name():
    (lake, avatars) = planes((Layer("AVATARS", ("player_0",)), Layer("LAKE", ("pike", "perch"))))
    assert (lake.layer, avatars.layer) == ("LAKE", "AVATARS")  # below those who swim in it
    again = planes((Layer("POND", ("perch", "pike")),))[0]
    np.testing.assert_array_equal(lake.sprites[1], again.sprites[2])
    assert (lake.sprites[1] != lake.sprites[2]).any()
    assert tint_of("pike") != tint_of("perch")


def test_all_players_differ():
    tints = [player_tint(player) for player in range(64)]
    assert len(set(tints)) == 64
    assert all(len(bytes.fromhex(tint)) == 3 for tint in tints)


def test_what_shows_nothing_costs_nothing():
    made = planes((Layer("AVATARS", ("player_0",)), Layer("AVATAR_ROLES", ("self", "other"))))
    assert [plane.layer for plane in made] == ["AVATARS"]
