"""Many steps of a world in one compiled scan, with metrics reduced on the device.

Tick ``t`` of a world uses ``tick_key(key, t)``: tick 0 is the reset, tick ``t`` the t-th step. The policy acts on the
observation of tick ``t`` with a key of its own, made from that tick's key by the purpose ``"policy"``, so exchanging
the policy shifts no draw of the world. Because a tick's keys depend on its number only, a run cut into chunks is the
same run.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Protocol

import jax
import jax.numpy as jnp
from jax import lax

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.policy import Policy
from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.core.random import purpose_key, register_purpose, tick_key
from jaxworld.core.timestep import TimeStep
from jaxworld.core.world import World

POLICY = register_purpose("policy")
POLICY_INIT = register_purpose("policy_init")


class Reducer(Protocol):
    """Turns time steps into metrics while they pass; only what ``update`` outputs is stacked over ticks."""

    def init(self, timestep: TimeStep) -> Any:
        """The carry before the first step, from the time step of the reset."""

    def update(self, carry: Any, timestep: TimeStep, action: Any) -> tuple[Any, Any]:
        """Take in one step: ``action`` led to ``timestep``. Returns the carry and this step's output (or None)."""

    def final(self, carry: Any) -> Any:
        """The summary of the run."""


@pytree_dataclass
class Returns:
    """Summary of :class:`ReturnReducer`.

    Attributes:
        total_reward: ``float32[A]``, reward summed over all steps of the run.
        length: ``int32[A]``, steps up to and including the one in which the agent was first done.
        done: ``bool[A]``, whether the agent was done at least once; if not, ``length`` is that of the run so far.
    """

    total_reward: jax.Array
    length: jax.Array
    done: jax.Array


@pytree_dataclass
class ReturnReducer:
    """Sums each agent's reward and counts the length of its first episode. Stacks nothing."""

    def init(self, timestep: TimeStep) -> Returns:
        zeros = jnp.zeros(timestep.reward.shape, jnp.int32)
        return Returns(total_reward=timestep.reward, length=zeros, done=timestep.done)

    def update(self, carry: Returns, timestep: TimeStep, action: Any) -> tuple[Returns, None]:
        del action
        made = Returns(
            total_reward=carry.total_reward + timestep.reward,
            length=carry.length + (~carry.done).astype(jnp.int32),
            done=carry.done | timestep.done,
        )
        return made, None

    def final(self, carry: Returns) -> Returns:
        return carry


@pytree_dataclass
class Transition:
    """One stacked step of :class:`Trajectory`; all leaves have a leading axis T.

    Attributes:
        observation: the observation acted on.
        action: the action taken.
        reward: ``float32[T, A]``, what it earned.
        terminated, truncated: ``bool[T, A]``, flags after it.
        info: observer's information after it.
    """

    observation: Any
    action: Any
    reward: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    info: Any


@pytree_dataclass
class Trajectory:
    """Stacks every step as a :class:`Transition`; the summary is the last observation."""

    def init(self, timestep: TimeStep) -> Any:
        return timestep.observation

    def update(self, carry: Any, timestep: TimeStep, action: Any) -> tuple[Any, Transition]:
        made = Transition(
            observation=carry,
            action=action,
            reward=timestep.reward,
            terminated=timestep.terminated,
            truncated=timestep.truncated,
            info=timestep.info,
        )
        return timestep.observation, made

    def final(self, carry: Any) -> Any:
        return carry


@pytree_dataclass
class RolloutCarry:
    """Everything a run needs to go on: world state, last time step, policy carry and reducer carry."""

    state: Any
    timestep: TimeStep
    policy: Any
    reduced: Any


@pytree_dataclass
class RolloutResult:
    """What a run returns.

    Attributes:
        summary: what the reducer made of the run.
        outputs: per-step outputs of the reducer, stacked on a leading axis T (None if it has none).
        carry: where the run stands; pass it back to continue.
    """

    summary: Any
    outputs: Any
    carry: RolloutCarry


def advance(
    world: World, policy: Policy, key: jax.Array, carry: RolloutCarry, tick: jax.Array, params: Any
) -> tuple[RolloutCarry, Any]:
    """Act on the observation of ``tick - 1`` and enter ``tick``; the reducer's carry is left alone.

    Returns:
        ``(carry, action)``.
    """
    policy_key = purpose_key(tick_key(key, tick - jnp.ones((), tick.dtype)), POLICY)
    action, policy_carry = policy.act(policy_key, carry.policy, carry.timestep.observation)
    state, timestep = world.step(tick_key(key, tick), carry.state, action, params)
    return RolloutCarry(state=state, timestep=timestep, policy=policy_carry, reduced=carry.reduced), action


def rollout_start(
    world: World, policy: Policy, key: jax.Array, params: Any = None, reducer: Reducer | None = None
) -> RolloutCarry:
    """Tick 0: reset the world and start policy and reducer. Arguments as in :func:`rollout`."""
    params = world.default_params() if params is None else params
    return _start(world, _as_argument("policy", policy), key, params, _as_argument("reducer", _reducer(reducer)))


def rollout_chunk(
    world: World,
    policy: Policy,
    key: jax.Array,
    carry: RolloutCarry,
    first_tick: Any,
    num_steps: int,
    params: Any = None,
    reducer: Reducer | None = None,
) -> tuple[RolloutCarry, Any]:
    """Enter ticks ``first_tick .. first_tick + num_steps - 1``; the first chunk of a run has ``first_tick`` 1.

    A host loop over chunks of one length compiles once, because ``first_tick`` is traced, and gives the bits of one
    long scan.

    Returns:
        ``(carry, outputs)``: outputs of the reducer stacked over the chunk's ticks.
    """
    params = world.default_params() if params is None else params
    arguments = _as_argument("policy", policy), key, carry, jnp.asarray(first_tick, jnp.int32)
    return _chunk(world, num_steps, *arguments, params, _as_argument("reducer", _reducer(reducer)))


def rollout(
    world: World,
    policy: Policy,
    key: jax.Array,
    num_steps: int,
    params: Any = None,
    *,
    reducer: Reducer | None = None,
    carry: RolloutCarry | None = None,
    first_tick: Any = 1,
) -> RolloutResult:
    """Run a world for ``num_steps`` steps in one scan.

    Args:
        world: any world (static).
        policy: see :class:`~jaxworld.core.policy.Policy`. A policy that is a pytree is traced (its arrays may be
            batched with ``vmap``), any other is static and must be hashable.
        key: the world key, see ``jaxworld.core.random.world_key``.
        num_steps: number of steps T (static).
        params: the world's parameters; ``world.default_params()`` if None.
        reducer: :class:`ReturnReducer` if None; pytree or hashable, like the policy.
        carry: continue from here instead of resetting, with ``first_tick`` the first tick not yet entered.
        first_tick: tick of the first step; 1 after a reset.

    Raises:
        ConfigurationError: for a negative ``num_steps``, or a policy or reducer neither pytree nor hashable.
    """
    require(num_steps >= 0, "num_steps", num_steps, "use at least 0")
    params = world.default_params() if params is None else params
    reducer = _reducer(reducer)
    if carry is None:
        carry = rollout_start(world, policy, key, params, reducer)
    carry, outputs = rollout_chunk(world, policy, key, carry, first_tick, num_steps, params, reducer)
    return RolloutResult(summary=reducer.final(carry.reduced), outputs=outputs, carry=carry)


@pytree_dataclass
class _Static:
    """Carries a hashable object as tree structure through ``jit``."""

    value: Any = static_field()


def _as_argument(field: str, thing: Any) -> Any:
    """Pytrees travel as traced arguments, everything else as hashable structure."""
    if not jax.tree_util.all_leaves([thing]):
        return thing
    try:
        hash(thing)
    except TypeError:
        remedy = "make it a pytree (pytree_dataclass) or hashable (a frozen dataclass)"
        raise ConfigurationError(field, thing, remedy) from None
    return _Static(value=thing)


def _unwrap(argument: Any) -> Any:
    return argument.value if isinstance(argument, _Static) else argument


def _reducer(reducer: Reducer | None) -> Reducer:
    return ReturnReducer() if reducer is None else reducer


@partial(jax.jit, static_argnums=0)
def _start(world: World, policy: Any, key: jax.Array, params: Any, reducer: Any) -> RolloutCarry:
    first_key = tick_key(key, 0)
    state, timestep = world.reset(first_key, params)
    policy_carry = _unwrap(policy).init(purpose_key(first_key, POLICY_INIT), params)
    reduced = _unwrap(reducer).init(timestep)
    return RolloutCarry(state=state, timestep=timestep, policy=policy_carry, reduced=reduced)


@partial(jax.jit, static_argnums=(0, 1))
def _chunk(
    world: World,
    num_steps: int,
    policy: Any,
    key: jax.Array,
    carry: RolloutCarry,
    first_tick: jax.Array,
    params: Any,
    reducer: Any,
) -> tuple[RolloutCarry, Any]:
    def body(carry: RolloutCarry, tick: jax.Array) -> tuple[RolloutCarry, Any]:
        made, action = advance(world, _unwrap(policy), key, carry, tick, params)
        reduced, output = _unwrap(reducer).update(carry.reduced, made.timestep, action)
        made = RolloutCarry(state=made.state, timestep=made.timestep, policy=made.policy, reduced=reduced)
        return made, output

    return lax.scan(body, carry, first_tick + jnp.arange(num_steps, dtype=jnp.int32))
