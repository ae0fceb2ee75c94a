"""Walkers looking for a goal by slippery steps: the smallest world that keeps the whole contract."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.random import (
    entity_bits,
    index_identity,
    probability_threshold,
    purpose_keys,
    register_purpose,
    uniform_index,
)
from jaxworld.core.spaces import Boolean, Box, Composite, Discrete
from jaxworld.core.timestep import TimeStep, make_timestep
from jaxworld.core.world import World

START = register_purpose("random_walk/start")
SLIP = register_purpose("random_walk/slip")


@dataclasses.dataclass(frozen=True)
class RandomWalkConfig:
    """Static configuration: number of walkers A, number of positions, and whether the ends are joined."""

    num_walkers: int
    num_positions: int
    ring: bool


@pytree_dataclass
class RandomWalkParams:
    """``slip_threshold``: ``uint32[]``, a walker slips when its random word is below it."""

    slip_threshold: jax.Array


@pytree_dataclass
class RandomWalkState:
    """``position``: ``int32[A]``; ``arrived``: ``bool[A]``, the walker has reached the goal and stays there."""

    position: jax.Array
    arrived: jax.Array


@pytree_dataclass
class RandomWalkObservation:
    """``position``: ``int32[A]``, each walker's own position; ``arrived``: ``bool[A]``."""

    position: jax.Array
    arrived: jax.Array


class RandomWalk(World[RandomWalkState, RandomWalkParams, jax.Array]):
    """A walkers on a line or ring of positions, each looking for the goal at the last position.

    - observation: :class:`RandomWalkObservation`, position ``int32[A]`` and arrived ``bool[A]``.
    - action: ``int32[A]``: 0 left, 1 stay, 2 right. A walker that slips goes the opposite way. On a line, a step
      beyond an end stays there; on a ring it comes back at the other end.
    - reward: ``float32[A]``, 1 in the step of arriving at the goal, else 0.
    - termination: ``bool[A]``, per walker, from its arrival on; an arrived walker no longer moves.
    - state: :class:`RandomWalkState`; at reset each walker is uniformly at a position other than the goal.

    Args:
        num_walkers: number of agents A, at least 1.
        num_positions: at least 2.
        ring: join the ends.

    Raises:
        ConfigurationError: for too few walkers or positions.
    """

    config: RandomWalkConfig

    def __init__(self, num_walkers: int = 2, num_positions: int = 8, ring: bool = True) -> None:
        require(num_walkers >= 1, "num_walkers", num_walkers, "use at least 1")
        require(2 <= num_positions < 2**30, "num_positions", num_positions, "use at least 2")
        self.config = RandomWalkConfig(num_walkers, num_positions, ring)

    @property
    def num_agents(self) -> int:
        return self.config.num_walkers

    @property
    def goal(self) -> int:
        """The goal's position."""
        return self.config.num_positions - 1

    def params(self, slip: float = 0.1) -> RandomWalkParams:
        """Parameters with this slip probability, from 0 to 1.

        Raises:
            ConfigurationError: for another probability.
        """
        require(0.0 <= slip <= 1.0, "slip", slip, "use a probability from 0 to 1")
        return RandomWalkParams(slip_threshold=jnp.asarray(probability_threshold(slip)))

    def default_params(self) -> RandomWalkParams:
        return self.params()

    def reset(self, key: jax.Array, params: RandomWalkParams) -> tuple[RandomWalkState, TimeStep]:
        bits = self._draw(key, START)
        position = uniform_index(bits, jnp.full(bits.shape, self.goal, jnp.uint32))
        state = RandomWalkState(position=position, arrived=jnp.zeros(self.num_agents, bool))
        return state, make_timestep(_observe(state), self.num_agents)

    def step(
        self, key: jax.Array, state: RandomWalkState, action: jax.Array, params: RandomWalkParams
    ) -> tuple[RandomWalkState, TimeStep]:
        slips = self._draw(key, SLIP) < params.slip_threshold
        move = action - np.int32(1)
        target = state.position + jnp.where(slips, -move, move)
        if self.config.ring:
            target = target % np.int32(self.config.num_positions)
        else:
            target = jnp.clip(target, np.int32(0), np.int32(self.goal))
        position = jnp.where(state.arrived, state.position, target)
        made = RandomWalkState(position=position, arrived=position == np.int32(self.goal))
        reward = (made.arrived & ~state.arrived).astype(jnp.float32)
        timestep = make_timestep(_observe(made), self.num_agents, reward=reward, terminated=made.arrived)
        return made, timestep

    def observation_space(self, params: RandomWalkParams) -> Composite:
        shape = (self.num_agents,)
        spaces = {"position": Box(0, self.goal, shape, np.int32, unit="position"), "arrived": Boolean(shape)}
        return Composite(RandomWalkObservation, spaces)

    def action_space(self, params: RandomWalkParams) -> Discrete:
        return Discrete(3, (self.num_agents,), names=("left", "stay", "right"))

    def _draw(self, key: jax.Array, purpose: int) -> jax.Array:
        """One random word a walker, ``uint32[A]``, from the walker's own number."""
        walkers = index_identity(np.arange(self.num_agents, dtype=np.uint32))
        return entity_bits(purpose_keys(key, [purpose])[0], walkers, 1)[0]


def _observe(state: RandomWalkState) -> RandomWalkObservation:
    return RandomWalkObservation(position=state.position, arrived=state.arrived)
