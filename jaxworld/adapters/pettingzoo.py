"""Any world whose agents are an axis, as a PettingZoo environment of agents that act at the same time.

from jaxworld.adapters.pettingzoo import parallel_env

env = parallel_env("grid/commons_harvest_open", render_mode="rgb_array")
observations, infos = env.reset(seed=0)
while env.agents:
    actions = {agent: env.action_space(agent).sample() for agent in env.agents}
    observations, rewards, terminations, truncations, infos = env.step(actions)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from jaxworld.adapters.spaces import agent_space, columns, idle, import_gymnasium, is_member, put, take, value_of
from jaxworld.adapters.worlds import (
    build,
    capped,
    checked_seed,
    has_pictures,
    info_arrays,
    innermost,
    render_mode_of,
    reset_at,
    step_at,
    unwrapped,
)
from jaxworld.core.errors import ConfigurationError, MissingExtraError, require
from jaxworld.core.random import world_key
from jaxworld.core.timestep import TimeStep
from jaxworld.core.world import World

try:
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise MissingExtraError("pettingzoo", "adapters", "a PettingZoo environment") from error

RENDER_FPS = 10


def parallel_env(
    name: str | World[Any, Any, Any],
    *,
    render_mode: str | None = None,
    observation_mode: str | None = None,
    max_steps: int | None = None,
    params: Any = None,
    **config: Any,
) -> ParallelWorld:
    """A world as a PettingZoo environment.

    Args:
        name: a registered name, or a world.
        render_mode: None, ``"rgb_array"`` or ``"human"`` (which needs the extra ``human``), for grid worlds; that of
            the world if a world is given.
        observation_mode: ``"local"``, ``"global"`` or ``"focal"`` in grid worlds; their own default if None.
        max_steps: steps after which an episode is truncated; the world's own ``max_steps`` if None, never if it has
            none.
        params: the world's parameters; the default ones if None.
        **config: keywords of the world, as for :func:`jaxworld.make`.

    Raises:
        ConfigurationError: for an unknown name, keyword or mode, or a world with parts that have no agent axis.
        MissingExtraError: if a window is asked for and cannot be had.
    """
    return ParallelWorld(build(name, render_mode, observation_mode, config), max_steps, params)


class ParallelWorld(ParallelEnv):  # type: ignore[misc]
    """See :func:`parallel_env`.

    - Agents are ``player_0``, ``player_1``, ... Those that are done leave ``agents``; the others go on.
    - ``reset(seed=s)`` starts the world with this seed; its first episode has the bits of ``jaxworld.rollout`` with
      ``world_key(s)``. A ``reset()`` after it starts the next episode of the same stream, so that a seed fixes all
      episodes that follow. Without any seed the first one comes from the operating system. ``options`` are ignored.
    - Every agent's info is the whole world's, as arrays by flat name: it is for those who watch.
    - ``state()`` is the picture of the whole map in every render mode, ``uint8[rows * 8, cols * 8, 3]``; in worlds
      without pictures the public state, as one ``float32`` vector.
    """

    def __init__(self, world: World[Any, Any, Any], max_steps: int | None, params: Any) -> None:
        name, _ = getattr(world, "made_as", (type(unwrapped(world)).__name__, {}))
        self.world, self.params = capped(world, max_steps, params)
        self._pictures = has_pictures(world)
        self.render_mode = render_mode_of(world)
        self.metadata = {
            "name": name,
            "render_modes": ["human", "rgb_array"] if self._pictures else [],
            "render_fps": RENDER_FPS,
            "is_parallelizable": True,
        }
        self.possible_agents = [f"player_{index}" for index in range(self.world.num_agents)]
        self.agents: list[str] = []
        self._actions = self.world.action_space(self.params)
        self._observations = self.world.observation_space(self.params)
        size = self.world.num_agents
        self.action_spaces = {
            agent: agent_space(self._actions, size, name="action", shared=False) for agent in self.possible_agents
        }
        self.observation_spaces = {
            agent: agent_space(self._observations, size, name="observation", shared=True)
            for agent in self.possible_agents
        }
        self._key: jax.Array | None = None
        self._tick = 0
        self._state: Any = None
        self._window: Any = None
        if self.render_mode == "human":
            from jaxworld.grid.rendering.window import Window

            self._window = Window(name, frames_per_second=RENDER_FPS)

    def observation_space(self, agent: str) -> Any:
        """The space of one agent's observation, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of one agent's action, always the same object."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Start an episode.

        Raises:
            ConfigurationError: for a seed that is none.
        """
        del options
        if seed is not None or self._key is None:
            self._key, self._tick = world_key(checked_seed(seed)), 0
        else:
            self._tick += 1
        self._state, timestep = reset_at(self.world, self._key, np.uint32(self._tick), self.params)
        self.agents = list(self.possible_agents)
        timestep = jax.device_get(timestep)
        self._show()
        return self._split(timestep), self._infos(timestep)

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Advance by the actions of all agents that are still there.

        Raises:
            ConfigurationError: before the first reset or after the end, for a missing or unknown agent, or for an
                action outside the agent's space.
        """
        if not self.agents and not actions and self._state is not None:
            return {}, {}, {}, {}, {}
        joint = self._joint(actions)
        self._tick += 1
        tick = np.uint32(self._tick)
        self._state, timestep = step_at(self.world, self._key, tick, self._state, joint, self.params)
        timestep = jax.device_get(timestep)
        places = self._places()
        made = (
            self._split(timestep),
            {agent: float(timestep.reward[place]) for agent, place in places.items()},
            {agent: bool(timestep.terminated[place]) for agent, place in places.items()},
            {agent: bool(timestep.truncated[place]) for agent, place in places.items()},
            self._infos(timestep),
        )
        self.agents = [agent for agent, place in places.items() if not timestep.done[place]]
        self._show()
        return made

    def state(self) -> np.ndarray:
        """The whole map as a picture, or the public state.

        Raises:
            ConfigurationError: before the first reset.
        """
        require(self._state is not None, "state()", None, "call reset first")
        if self._pictures:
            world, state, params = innermost(self.world, self._state, self.params)
            return world.global_picture(state, params)
        leaves = jax.tree.leaves(jax.device_get(self.world.public_state(self._state)))
        return np.concatenate([np.asarray(leaf, np.float32).reshape(-1) for leaf in leaves])

    @property
    def state_space(self) -> Any:
        """The space of :meth:`state`, once an episode has begun."""
        state = self.state()
        low, high = (0, 255) if self._pictures else (-np.inf, np.inf)
        return import_gymnasium("a space").spaces.Box(low, high, state.shape, state.dtype)

    def render(self) -> np.ndarray | None:
        """The picture of :meth:`state` in mode ``"rgb_array"``; shown in mode ``"human"``; None otherwise."""
        if self.render_mode == "human":
            self._show()
        return self.state() if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def _places(self) -> dict[str, int]:
        return {agent: place for place, agent in enumerate(self.possible_agents) if agent in self.agents}

    def _joint(self, actions: Mapping[str, Any]) -> Any:
        """The actions of all agents as the world takes them; who is done is idle."""
        require(bool(self.agents), "actions", actions, "the episode is over, or none has begun: call reset")
        require(isinstance(actions, Mapping), "actions", actions, "give a dict from agent to action")
        places = self._places()
        unknown = [agent for agent in actions if agent not in places]
        require(not unknown, "actions", unknown, f"the agents are {', '.join(self.agents)}")
        missing = [agent for agent in places if agent not in actions]
        require(not missing, "actions", missing, "give every agent an action")
        made = idle(self._actions)
        for agent, place in places.items():
            space, action = self.action_spaces[agent], actions[agent]
            if not is_member(space, action):
                raise ConfigurationError(f"actions[{agent!r}]", action, f"use a member of {space}")
            put(made, place, action)
        return value_of(self._actions, made)

    def _split(self, timestep: TimeStep) -> dict[str, Any]:
        seen = columns(self._observations, timestep.observation, self.world.num_agents)
        return {agent: take(seen, place) for agent, place in self._places().items()}

    def _infos(self, timestep: TimeStep) -> dict[str, dict[str, Any]]:
        arrays = info_arrays(timestep.info)
        return {agent: dict(arrays) for agent in self.agents}

    def _show(self) -> None:
        if self._window is not None:
            self._window.show(self.state())
