"""What players see, from the sprites that the original would draw."""

import re

import numpy as np

COIN_COLOURS = ("red", "blue", "yellow", "green", "purple")
SOMEBODY = 127
"""A player in a window of a variant in which all others look alike."""
WINDOW_GRIDS = ("walls", "grass", "items", "avatars", "orientations", "markers", "beams", "outside")


def windows(cells, sprites, layers, orientations):
    """Sprite numbers of windows [A, h, w, L] to named grids [A, h, w]; 0 is nothing."""
    names = np.asarray([re.sub(r"\.[NESW]$", "", name) for name in sprites])
    seen = names[cells]
    grids = {name: np.zeros(cells.shape[:3], np.int8) for name in WINDOW_GRIDS}
    for player, window in enumerate(seen):
        facing = (cells[player] - 1) % 4 + orientations[player]
        for layer in range(len(layers)):
            for name in np.unique(window[..., layer]):
                found = _category(str(name), player, len(cells))
                if found is None:
                    continue
                grid, category = found
                here = window[..., layer] == name
                grids[grid][player][here] = category
                if grid == "avatars":
                    grids["orientations"][player][here] = (facing[..., layer] % 4 + 1)[here]
    return grids


_FIXED = {"Wall": ("walls", 1), "Grass": ("grass", 1), "Apple": ("items", 1), "Ready": ("markers", 1)}
_FIXED |= {"OutOfBounds": ("outside", 1), "BeamZap": ("beams", 1), "BeamInteraction": ("beams", 1)}
_NUMBERED = {
    r"Avatar(\d+)": ("avatars", 0),
    r"resource_class(\d+)_sprite": ("items", 0),
    r"ResultIndicatorColor(\d+)": ("markers", 1),
}
"""The grid of a numbered sprite, and what its category is above the number."""


def _category(sprite, player, num_players):
    """The grid a sprite belongs to and its category there; None for what tells nothing."""
    if sprite in _FIXED:
        return _FIXED[sprite]
    if sprite == "Self":
        return "avatars", player + 1
    if sprite == "Other":
        return "avatars", 2 - player if num_players == 2 else SOMEBODY
    if sprite.startswith("coin_"):
        return "items", COIN_COLOURS.index(sprite.removeprefix("coin_")) + 1
    for pattern, (grid, above) in _NUMBERED.items():
        if numbered := re.fullmatch(pattern, sprite):
            return grid, int(numbered[1]) + above
    return None
