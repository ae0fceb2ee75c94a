"""Many worlds at once, as one Gymnasium vector environment: stepped together, compiled, restarted by themselves.

from jaxworld.adapters.gymnasium import vector_env

envs = vector_env("grid/coins", num_envs=64, seed=0)  # 32 worlds of two players
observations, infos = envs.reset()
observations, rewards, terminations, truncations, infos = envs.step(envs.action_space.sample())
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import numpy as np

from jaxworld.adapters.spaces import (
    agent_space,
    columns,
    flatten_agents,
    import_gymnasium,
    is_member,
    take,
    unflatten_agents,
    value_of,
)
from jaxworld.adapters.worlds import MAX_SEED, build, capped, checked_seed, has_pictures, info_arrays, render_mode_of
from jaxworld.core import checks
from jaxworld.core.episodes import AutoReset
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.random import tick_key, world_keys
from jaxworld.core.timestep import TimeStep
from jaxworld.core.world import World

_gymnasium = import_gymnasium("a vector environment")


def vector_env(
    name: str | World[Any, Any, Any],
    num_envs: int,
    seed: int | None = None,
    *,
    render_mode: str | None = None,
    observation_mode: str | None = None,
    max_steps: int | None = None,
    params: Any = None,
    reset_mode: str = "batch",
    **config: Any,
) -> VectorWorlds:
    """Worlds as a Gymnasium vector environment, in which every player is a sub-environment.

    Args:
        name: a registered name, or a world.
        num_envs: sub-environments: players of all worlds together, so a multiple of the players of one world.
        seed: seed of the first world, the others have the ones that follow; from the operating system if None.
        render_mode: None or ``"rgb_array"``, for grid worlds; that of the world if a world is given.
        observation_mode: ``"local"``, ``"global"`` or ``"focal"`` in grid worlds; their own default if None.
        max_steps: steps after which an episode is truncated; the world's own ``max_steps`` if None, never if it has
            none.
        params: parameters of all worlds; the default ones if None.
        reset_mode: how episodes restart, as in :class:`~jaxworld.core.episodes.AutoReset`.
        **config: keywords of the world, as for :func:`jaxworld.make`.

    Raises:
        ConfigurationError: for an unknown name, keyword or mode, a number that is no multiple, or a world with parts
            that have no agent axis.
    """
    world = build(name, render_mode, observation_mode, config)
    return VectorWorlds(world, num_envs, seed, max_steps, params, reset_mode)


class VectorWorlds(_gymnasium.vector.VectorEnv):  # type: ignore[misc, name-defined]
    """See :func:`vector_env`.

    - Agent a of world w is sub-environment ``w * A + a``: what learns from one player at a time (shared weights) needs
      to know nothing of worlds. ``unflatten_agents`` of ``jaxworld.adapters.spaces`` gives ``[worlds, agents, ...]``.
    - Restarts are in the same step (``AutoresetMode.SAME_STEP``): the observation returned is the next episode's
      first, and ``infos["final_obs"]`` has the last one of the episode that ended, for the sub-environments that
      ``infos["_final_obs"]`` names. A world restarts when all its players are done; until then a player that is done
      stays so, with zero reward.
    - Other infos are the world's, repeated for each of its players; they belong to the transition just made.
    - Without a new seed, ``reset`` starts every world's next episode.
    """

    def __init__(
        self,
        world: World[Any, Any, Any],
        num_envs: int,
        seed: int | None,
        max_steps: int | None,
        params: Any,
        reset_mode: str,
    ) -> None:
        size = world.num_agents
        self.num_envs = checks.whole("num_envs", num_envs, 1, 2**31 - 1)
        remedy = f"each of the {size} players of a world is a sub-environment: use a multiple of {size}"
        require(self.num_envs % size == 0, "num_envs", num_envs, remedy)
        self.num_agents, self.num_worlds = size, self.num_envs // size
        inner, self.params = capped(world, max_steps, params)
        self.world = AutoReset(inner, mode=reset_mode)
        self.render_mode = render_mode_of(world)
        remedy = "watch one world in a window: use parallel_env"
        require(self.render_mode != "human", "render_mode", self.render_mode, remedy)
        self.metadata = {
            "autoreset_mode": _gymnasium.vector.AutoresetMode.SAME_STEP,
            "render_modes": ["rgb_array"] if has_pictures(world) else [],
        }
        self._actions = self.world.action_space(self.params)
        self._observations = self.world.observation_space(self.params)
        batch = _gymnasium.vector.utils.batch_space
        self.single_action_space = agent_space(self._actions, size, name="action", shared=False)
        self.single_observation_space = agent_space(self._observations, size, name="observation", shared=True)
        self.action_space = batch(self.single_action_space, self.num_envs)
        self.observation_space = batch(self.single_observation_space, self.num_envs)
        self._seed = seed if seed is None else checked_seed(seed)
        self._keys: jax.Array | None = None
        self._tick = 0
        self._states: Any = None
        self._seen: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode in every world.

        Raises:
            ConfigurationError: for a seed that is none.
        """
        del options
        if seed is not None or self._keys is None:
            first = checked_seed(self._seed if seed is None else seed)
            super().reset(seed=first)
            self._keys, self._tick = world_keys([(first + place) % MAX_SEED for place in range(self.num_worlds)]), 0
        else:
            self._tick += 1
        self._states, timesteps = _reset(self.world, self._keys, np.uint32(self._tick), self.params)
        timesteps = jax.device_get(timesteps)
        self._seen = self._flat(timesteps.observation)
        return self._seen, self._infos(timesteps)

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Advance all worlds.

        Raises:
            ConfigurationError: before the first reset, or for actions outside ``action_space``.
        """
        require(self._states is not None, "step", "no episode", "call reset first")
        if not is_member(self.action_space, actions):
            raise ConfigurationError("actions", actions, f"use a member of {self.action_space}")
        joint = value_of(self._actions, unflatten_agents(actions, self.num_agents))
        self._tick += 1
        tick = np.uint32(self._tick)
        self._states, timesteps = _step(self.world, self._keys, tick, self._states, joint, self.params)
        timesteps = jax.device_get(timesteps)
        self._seen = self._flat(timesteps.observation)
        flags = (timesteps.reward, timesteps.terminated, timesteps.truncated)
        return self._seen, *(array.reshape(-1) for array in flags), self._infos(timesteps)

    def render(self) -> tuple[np.ndarray, ...] | None:
        """What every player sees, in mode ``"rgb_array"``."""
        if self.render_mode is None:
            return None
        require(self._seen is not None, "render", "no episode", "call reset first")
        return tuple(self._seen["RGB"])

    def _flat(self, observation: Any) -> Any:
        return flatten_agents(columns(self._observations, observation, self.num_agents))

    def _infos(self, timesteps: TimeStep) -> dict[str, Any]:
        """Infos by Gymnasium's convention: ``_name`` says which sub-environments have the info ``name``."""
        infos: dict[str, Any] = {}
        for name, array in info_arrays(timesteps.info.inner).items():
            infos[name] = np.repeat(array, self.num_agents, axis=0)
            infos[f"_{name}"] = np.ones(self.num_envs, bool)
        ended = np.repeat(timesteps.info.done, self.num_agents)
        if ended.any():
            last = self._flat(timesteps.info.final_observation)
            final = np.full(self.num_envs, None, dtype=object)
            for place in np.flatnonzero(ended):
                final[place] = take(last, int(place))
            inner = {name: value for name, value in infos.items() if not name.startswith("_")}
            infos.update(final_obs=final, _final_obs=ended, final_info=inner, _final_info=ended.copy())
        return infos


@partial(jax.jit, static_argnums=0)
def _reset(world: AutoReset, keys: jax.Array, tick: jax.Array, params: Any) -> Any:
    return world.reset_batch(jax.vmap(tick_key, in_axes=(0, None))(keys, tick), params)


@partial(jax.jit, static_argnums=0)
def _step(world: AutoReset, keys: jax.Array, tick: jax.Array, states: Any, actions: Any, params: Any) -> Any:
    return world.step_batch(jax.vmap(tick_key, in_axes=(0, None))(keys, tick), states, actions, params)
