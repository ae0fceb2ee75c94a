"""What all adapters do with a world: make it, cap its episodes, step it compiled, and describe it."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import numpy as np

from jaxworld.core.episodes import EpisodeCap
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.pytree import replace
from jaxworld.core.random import tick_key
from jaxworld.core.registry import make
from jaxworld.core.timestep import TimeStep
from jaxworld.core.world import World
from jaxworld.core.wrapper import Wrapper
from jaxworld.grid.rendering import check_render_mode

MAX_SEED = 2**64


def build(
    name: str | World[Any, Any, Any],
    render_mode: str | None,
    observation_mode: str | None,
    config: dict[str, Any],
) -> World[Any, Any, Any]:
    """The world an adapter is about; modes that are None are left to the world.

    Raises:
        ConfigurationError: for an unknown name, keyword or render mode, a world of another kind, or keywords for a
            world that is made already.
    """
    check_render_mode(render_mode)
    modes = {"render_mode": render_mode, "observation_mode": observation_mode}
    keywords = {**config, **{key: mode for key, mode in modes.items() if mode is not None}}
    if isinstance(name, str):
        world = make(name, **keywords)
    elif keywords:
        raise ConfigurationError("name", name, "give a name, or a world and no keywords of it")
    else:
        world = name
    if not isinstance(world, World):
        raise ConfigurationError("name", name, "use the name of a world, or a world")
    if getattr(world, "restarts", False):
        raise ConfigurationError("name", name, "give the world without AutoReset: the adapter starts episodes itself")
    return world


def capped(world: World[Any, Any, Any], max_steps: int | None, params: Any) -> tuple[World[Any, Any, Any], Any]:
    """The world with a limit of steps, and its parameters.

    Args:
        world: the world.
        max_steps: the limit; the world's own attribute ``max_steps`` if None, no limit if it has none.
        params: parameters of ``world``; the default ones if None.
    """
    params = world.default_params() if params is None else params
    limit = getattr(world, "max_steps", None) if max_steps is None else max_steps
    if limit is None:
        return world, params
    made = EpisodeCap(world, max_steps=limit)
    return made, replace(made.default_params(), world=params)


def unwrapped(world: World[Any, Any, Any]) -> World[Any, Any, Any]:
    """The world without wrappers."""
    while isinstance(world, Wrapper):
        world = world.world
    return world


def has_pictures(world: World[Any, Any, Any]) -> bool:
    """Whether the world can be looked at."""
    return hasattr(unwrapped(world), "global_picture")


def render_mode_of(world: World[Any, Any, Any]) -> str | None:
    """Whether the world makes pictures; worlds that cannot have no mode."""
    return getattr(unwrapped(world).config, "render_mode", None)


def innermost(world: World[Any, Any, Any], state: Any, params: Any) -> tuple[Any, Any, Any]:
    """World, state and parameters without wrappers."""
    while isinstance(world, Wrapper):
        params, state = world.inner_params(params), state.world
        world = world.world
    return world, state, params


@partial(jax.jit, static_argnums=0)
def reset_at(world: World[Any, Any, Any], key: jax.Array, tick: jax.Array, params: Any) -> tuple[Any, TimeStep]:
    """``world.reset`` with the key of a tick."""
    return world.reset(tick_key(key, tick), params)


@partial(jax.jit, static_argnums=0)
def step_at(
    world: World[Any, Any, Any], key: jax.Array, tick: jax.Array, state: Any, action: Any, params: Any
) -> tuple[Any, TimeStep]:
    """``world.step`` with the key of a tick."""
    return world.step(tick_key(key, tick), state, action, params)


def info_arrays(info: Any) -> dict[str, np.ndarray]:
    """A time step's info as flat names, such as ``events.ate``, and arrays."""
    leaves = jax.tree_util.tree_leaves_with_path(info)
    return {jax.tree_util.keystr(path, simple=True, separator="."): np.asarray(leaf) for path, leaf in leaves}


def checked_seed(seed: int | None) -> int:
    """A seed, or one from the operating system if None.

    Raises:
        ConfigurationError: for anything but a whole number from 0 to 2**64 - 1.
    """
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    whole = isinstance(seed, int | np.integer) and not isinstance(seed, bool)
    if not whole or not 0 <= int(seed) < MAX_SEED:
        raise ConfigurationError("seed", seed, "use a whole number from 0 to 2**64 - 1")
    return int(seed)
