"""Where episodes end and begin: a step limit and automatic resets, as wrappers around any world.

Both are worlds themselves: ``AutoReset(EpisodeCap(world, max_steps=1000))``.
"""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax import lax

from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.core.random import (
    entity_bits,
    index_identity,
    purpose_key,
    purpose_keys,
    register_purpose,
    tick_key,
    uniform_index,
)
from jaxworld.core.timestep import TimeStep
from jaxworld.core.world import World
from jaxworld.core.wrapper import Wrapper

T = TypeVar("T")

RESET = register_purpose("auto_reset")
POOL = register_purpose("auto_reset_pool")
POOL_INDEX = register_purpose("auto_reset_pool_index")

MODES = ("fresh", "pool", "batch")


def select(condition: jax.Array, yes: T, no: T) -> T:
    """The tree ``yes`` where the scalar ``condition bool[]`` holds, else ``no``, leaf by leaf, dtypes equal."""
    return jax.tree.map(lambda a, b: lax.select(condition, a, b), yes, no)


@dataclasses.dataclass(frozen=True)
class EpisodeCapConfig:
    """Static configuration of :class:`EpisodeCap`; ``max_steps`` is only the default of its parameter."""

    world: World[Any, Any, Any]
    max_steps: int


@pytree_dataclass
class EpisodeCapParams:
    """``world``: the wrapped world's parameters; ``max_steps``: ``int32[]``, at least 1."""

    world: Any
    max_steps: jax.Array


@pytree_dataclass
class EpisodeCapState:
    """``world``: the wrapped state; ``steps``: ``int32[]`` of this episode; ``last``: the latest time step."""

    world: Any
    steps: jax.Array
    last: TimeStep


class EpisodeCap(Wrapper):
    """Ends an episode after ``max_steps`` steps by setting ``truncated`` for every agent that has not terminated.

    An agent that terminates in the very step that reaches the limit is terminated only, so a learner bootstraps
    exactly where ``truncated`` is set. Once all agents are done, stepping changes nothing: the last observation, info
    and flags are repeated with zero reward until the next reset.

    Args:
        world: the world to limit.
        max_steps: default of the traced parameter ``max_steps``.

    Raises:
        ConfigurationError: if ``max_steps`` is below 1.
    """

    config: EpisodeCapConfig
    sets_truncated = True

    def __init__(self, world: World[Any, Any, Any], max_steps: int) -> None:
        require(1 <= max_steps < 2**31, "max_steps", max_steps, "use an integer from 1 to 2**31 - 1")
        self.config = EpisodeCapConfig(world=world, max_steps=int(max_steps))

    def default_params(self) -> EpisodeCapParams:
        return EpisodeCapParams(
            world=self.world.default_params(), max_steps=jnp.asarray(self.config.max_steps, jnp.int32)
        )

    def reset(self, key: jax.Array, params: EpisodeCapParams) -> tuple[EpisodeCapState, TimeStep]:
        state, timestep = self.world.reset(key, params.world)
        return EpisodeCapState(world=state, steps=jnp.zeros((), jnp.int32), last=timestep), timestep

    def step(
        self, key: jax.Array, state: EpisodeCapState, action: Any, params: EpisodeCapParams
    ) -> tuple[EpisodeCapState, TimeStep]:
        ended = state.last.done.all()
        world_state, timestep = self.world.step(key, state.world, action, params.world)
        steps = state.steps + jnp.ones((), jnp.int32)
        truncated = timestep.truncated | ((steps >= params.max_steps) & ~timestep.terminated)
        stepped = EpisodeCapState(world=world_state, steps=steps, last=replace(timestep, truncated=truncated))
        made = select(ended, state, stepped)
        reward = select(ended, jnp.zeros_like(timestep.reward), timestep.reward)
        return made, replace(made.last, reward=reward)


@dataclasses.dataclass(frozen=True)
class AutoResetConfig:
    """Static configuration of :class:`AutoReset`."""

    world: World[Any, Any, Any]
    mode: str
    pool_size: int


@pytree_dataclass
class AutoResetInfo:
    """What the step of a reset would otherwise hide; the same structure at every reset and step.

    Attributes:
        final_observation: the true successor's observation of the transition just made; where no reset happened it
            equals the observation to act on. Bootstrap from it where ``truncated`` is set.
        done: ``bool[]``, whether this step ended an episode and started the next.
        inner: the wrapped world's info of the transition just made.
    """

    final_observation: Any
    done: jax.Array
    inner: Any


@pytree_dataclass
class AutoResetState:
    """``world``: the wrapped state; ``pool``: stacked ``(state, observation)`` starts ``[pool_size]``, or None."""

    world: Any
    pool: Any


class AutoReset(Wrapper):
    """Starts the next episode in the step in which all agents are done (terminated or truncated).

    The time step's observation is the one to act on (of the new episode after a reset). Reward and flags are those of
    the transition just made, and its true successor's observation is always in ``info``
    (:class:`AutoResetInfo`). The parameters are those of the wrapped world.

    Args:
        world: the world to restart.
        mode: what a restart costs.
            ``"fresh"``: a new reset is computed every step and used when needed; exact and simple.
            ``"pool"``: ``pool_size`` resets are computed once, at ``reset``, and kept in the state of each world; a
            restart draws one of them, so starts repeat from the pool and memory grows by ``pool_size`` states.
            ``"batch"``: a reset is computed only when needed, by a scalar condition. It pays in a single world under
            ``jit`` and in many worlds through :meth:`step_batch`; under a plain ``vmap`` of ``step`` the condition
            is no longer scalar and it costs what ``"fresh"`` costs. Same bits as ``"fresh"``.
        pool_size: number of starts in the pool.

    Raises:
        ConfigurationError: for an unknown mode or an empty pool.
    """

    config: AutoResetConfig
    restarts = True

    def __init__(self, world: World[Any, Any, Any], mode: str = "fresh", pool_size: int = 16) -> None:
        require(mode in MODES, "mode", mode, f"use one of {', '.join(MODES)}")
        require(pool_size >= 1, "pool_size", pool_size, "use at least 1")
        self.config = AutoResetConfig(world=world, mode=mode, pool_size=pool_size if mode == "pool" else 0)

    def inner_params(self, params: Any) -> Any:
        return params

    def default_params(self) -> Any:
        return self.world.default_params()

    def reset(self, key: jax.Array, params: Any) -> tuple[AutoResetState, TimeStep]:
        state, timestep = self.world.reset(key, params)
        made = AutoResetState(world=state, pool=self._make_pool(key, params))
        return made, _report(timestep, timestep.observation, jnp.zeros((), bool))

    def step(self, key: jax.Array, state: AutoResetState, action: Any, params: Any) -> tuple[AutoResetState, TimeStep]:
        world_state, timestep = self.world.step(key, state.world, action, params)
        done = timestep.done.all()
        kept = (world_state, timestep.observation)
        if self.config.mode == "batch":
            kept = lax.cond(done, lambda: self._next_start(key, state, params), lambda: kept)
        else:
            kept = select(done, self._next_start(key, state, params), kept)
        return AutoResetState(world=kept[0], pool=state.pool), _report(timestep, kept[1], done)

    def reset_batch(
        self, keys: jax.Array, params: Any, params_axis: int | None = None
    ) -> tuple[AutoResetState, TimeStep]:
        """``reset`` of W worlds: tick keys ``[W]``; ``params_axis`` 0 if every world has its own parameters."""
        return jax.vmap(self.reset, in_axes=(0, params_axis))(keys, params)

    def step_batch(
        self, keys: jax.Array, states: AutoResetState, actions: Any, params: Any, params_axis: int | None = None
    ) -> tuple[AutoResetState, TimeStep]:
        """``step`` of W worlds at once, in which resets run only if some world is done.

        Gives the bits of ``vmap(step)``. Do not wrap it in another ``vmap``: its condition must stay scalar.

        Args:
            keys: tick keys ``[W]``.
            states, actions: stacked on a leading axis W.
            params: shared by all worlds, or stacked with ``params_axis=0``.
            params_axis: None or 0.
        """
        step = jax.vmap(self.world.step, in_axes=(0, 0, 0, params_axis))
        world_states, timesteps = step(keys, states.world, actions, params)
        done = timesteps.done.all(axis=-1)
        kept = (world_states, timesteps.observation)

        def restart() -> tuple[Any, Any]:
            starts = jax.vmap(self._next_start, in_axes=(0, 0, params_axis))(keys, states, params)
            return jax.vmap(select)(done, starts, kept)

        world_states, observations = lax.cond(done.any(), restart, lambda: kept)
        return AutoResetState(world=world_states, pool=states.pool), _report(timesteps, observations, done)

    def _make_pool(self, key: jax.Array, params: Any) -> Any:
        """Starts ``(state, observation)`` stacked on an axis ``pool_size``, or None outside mode ``"pool"``."""
        if self.config.mode != "pool":
            return None
        pool_key = purpose_key(key, POOL)
        keys = jax.vmap(tick_key, in_axes=(None, 0))(pool_key, jnp.arange(self.config.pool_size, dtype=jnp.uint32))
        states, timesteps = jax.vmap(self.world.reset, in_axes=(0, None))(keys, params)
        return states, timesteps.observation

    def _next_start(self, key: jax.Array, state: AutoResetState, params: Any) -> tuple[Any, Any]:
        """State and observation the next episode begins with."""
        if self.config.mode != "pool":
            world_state, timestep = self.world.reset(purpose_key(key, RESET), params)
            return world_state, timestep.observation
        bits = entity_bits(purpose_keys(key, [POOL_INDEX])[0], index_identity(0), 1)[0]
        index = uniform_index(bits, jnp.asarray(self.config.pool_size, jnp.uint32))
        return jax.tree.map(lambda leaf: leaf[index], state.pool)  # type: ignore[no-any-return]


def _report(timestep: TimeStep, observation: Any, done: jax.Array) -> TimeStep:
    """The time step to act on: the given observation, and the transition's own observation in ``info``."""
    info = AutoResetInfo(final_observation=timestep.observation, done=done, inner=timestep.info)
    return replace(timestep, observation=observation, info=info)
