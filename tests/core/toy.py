"""A tiny world without draws whose law the tests can follow by hand, and one that can be broken clause by clause."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.spaces import Box, Discrete
from jaxworld.core.timestep import make_timestep
from jaxworld.core.world import World


@dataclasses.dataclass(frozen=True)
class CountdownConfig:
    start: int
    num_agents: int = 2


@pytree_dataclass
class CountdownParams:
    pace: jax.Array


@pytree_dataclass
class CountdownState:
    left: jax.Array


class Countdown(World):
    """Agent a counts down from ``start + a`` by ``action * pace``, is paid what it counts, and ends at 0."""

    def __init__(self, start=3):
        self.config = CountdownConfig(start)

    @property
    def num_agents(self):
        return self.config.num_agents

    def default_params(self):
        return CountdownParams(pace=jnp.ones((), jnp.int32))

    def observe(self, left):
        return left

    def reset(self, key, params):
        left = jnp.arange(2, dtype=jnp.int32) + np.int32(self.config.start)
        return CountdownState(left=left), make_timestep(self.observe(left), 2, info={"counted": jnp.zeros_like(left)})

    def step(self, key, state, action, params):
        left = jnp.maximum(state.left - action * params.pace, np.int32(0))
        counted = state.left - left
        timestep = make_timestep(
            self.observe(left),
            2,
            reward=counted.astype(jnp.float32),
            terminated=left == np.int32(0),
            info={"counted": counted},
        )
        return CountdownState(left=left), timestep

    def observation_space(self, params):
        return Box(0, 1000, (2,), np.int32)

    def action_space(self, params):
        return Discrete(2, (2,))


@dataclasses.dataclass(frozen=True)
class Constant:
    """The policy that always takes the same action for every agent."""

    action: int = 1

    def init(self, key, params):
        return ()

    def act(self, key, carry, observation):
        return jnp.full(2, self.action, jnp.int32), carry
