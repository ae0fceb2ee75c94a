"""What a world returns from ``reset`` and ``step``."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from jaxworld.core.pytree import pytree_dataclass


@pytree_dataclass
class TimeStep:
    """One moment of a world, as its agents and its observer see it.

    Attributes:
        observation: pytree of arrays with a leading agent axis where it is per agent.
        reward: ``float32[A]``, reward of the step that led here; zeros at reset and after the end.
        terminated: ``bool[A]``, the law has ended the agent's episode. Never set together with ``truncated``.
        truncated: ``bool[A]``, the episode was cut from outside. Base worlds never set it.
        info: pytree of arrays for observers (drops, rejections, events); agents must not act on it.
    """

    observation: Any
    reward: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    info: Any

    @property
    def done(self) -> jax.Array:
        """``bool[A]``: terminated or truncated."""
        return self.terminated | self.truncated


def make_timestep(
    observation: Any, num_agents: int, *, reward: Any = None, terminated: Any = None, info: Any = None
) -> TimeStep:
    """Fill in the entries a base world leaves at their default: no reward, not ended, no info."""
    zeros = jnp.zeros(num_agents, jnp.float32)
    never = jnp.zeros(num_agents, bool)
    return TimeStep(
        observation=observation,
        reward=zeros if reward is None else reward,
        terminated=never if terminated is None else terminated,
        truncated=never,
        info={} if info is None else info,
    )
