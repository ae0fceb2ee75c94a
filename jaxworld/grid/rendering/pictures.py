"""Pictures of a world on the host: its whole map, and what each player sees."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from jaxworld.grid.rendering.atlas import make_atlas
from jaxworld.grid.rendering.draw import ORIENTATIONS, draw

if TYPE_CHECKING:
    from jaxworld.grid.substrate import Substrate


def draw_map(world: Substrate[Any, Any], state: Any, params: Any) -> np.ndarray:
    """The whole map, north up, as nobody in particular sees it: ``uint8[rows * 8, cols * 8, 3]``."""
    grids = jax.device_get(_map(world, state, params))
    return draw(make_atlas(world.layers), grids, np.int32(0))


def draw_views(world: Substrate[Any, Any], observation: Mapping[str, Any]) -> np.ndarray:
    """What the players saw, from an observation without pictures.

    Args:
        world: the world that made the observation; its render mode does not matter.
        observation: grids ``[A, rows, cols]`` by name.

    Returns:
        ``uint8[A, rows * 8, cols * 8, 3]``, the pixels of the observation ``RGB``.
    """
    grids = {layer.name: np.asarray(observation[layer.name]) for layer in world.layers}
    facing = np.zeros(world.num_agents, np.int32)
    if world.config.observation_mode != "global":  # a player off the board sees nothing, whichever way is up
        own = grids[ORIENTATIONS][:, world.window.forward, world.window.left].astype(np.int32)
        facing = np.maximum(own - np.int32(1), np.int32(0))
    return draw(make_atlas(world.layers), grids, facing)


@partial(jax.jit, static_argnums=0)
def _map(world: Substrate[Any, Any], state: Any, params: Any) -> dict[str, jax.Array]:
    return world.picture(state, params)
