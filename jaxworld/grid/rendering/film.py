"""Pictures of a run, one a tick."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from jaxworld.core.errors import require
from jaxworld.core.policy import Policy, RandomPolicy
from jaxworld.core.random import world_key
from jaxworld.core.rollout import rollout_chunk, rollout_start
from jaxworld.grid.rendering.pictures import draw_map, draw_views
from jaxworld.grid.substrate import Substrate

MAP = "map"


@dataclasses.dataclass(frozen=True)
class Shot:
    """One tick: its number, ``picture uint8[height, width, 3]``, and rewards ``float32[A]``."""

    tick: int
    picture: np.ndarray
    reward: np.ndarray


def film(
    world: Substrate[Any, Any],
    num_steps: int,
    *,
    policy: Policy | None = None,
    seed: int = 0,
    params: Any = None,
    view: str = MAP,
) -> Iterator[Shot]:
    """Run a world and look at every tick; no pictures are made in kernels, so the render mode does not matter.

    Args:
        world: the world.
        num_steps: steps at most; the last picture is that of the end if it comes before.
        policy: who acts; at random if None.
        seed: seed of the world, from 0 to 2**64 - 1.
        params: its parameters; the default ones if None.
        view: ``"map"``, or ``"player_0"`` and so on for what this player sees.

    Raises:
        ConfigurationError: for another view.
    """
    names = [MAP, *(f"player_{index}" for index in range(world.num_agents))]
    require(view in names, "view", view, f"use map, or player_0 to player_{world.num_agents - 1}")
    params = world.default_params() if params is None else params
    policy = RandomPolicy(world, params) if policy is None else policy
    return _shots(world, num_steps, policy, world_key(seed), params, names.index(view) - 1)


def _shots(
    world: Substrate[Any, Any], num_steps: int, policy: Policy, key: jax.Array, params: Any, player: int
) -> Iterator[Shot]:
    carry = rollout_start(world, policy, key, params)
    for tick in range(num_steps + 1):
        if tick > 0:
            carry, _ = rollout_chunk(world, policy, key, carry, tick, 1, params)
        timestep = jax.device_get(carry.timestep)
        if player < 0:
            picture = draw_map(world, carry.state, params)
        else:
            picture = draw_views(world, timestep.observation)[player]
        yield Shot(tick, picture, timestep.reward)
        if timestep.done.all():
            return
