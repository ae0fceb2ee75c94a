"""Two players, one table: the smallest world in which what pays depends on the other."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.spaces import Discrete
from jaxworld.core.timestep import make_timestep
from jaxworld.core.world import World


@dataclasses.dataclass(frozen=True)
class MatrixConfig:
    row: tuple[tuple[float, ...], ...]
    column: tuple[tuple[float, ...], ...]


@pytree_dataclass
class MatrixState:
    last: jax.Array


class MatrixGame(World):
    """Agent 0 earns ``row[a0][a1]``, agent 1 ``column[a0][a1]``; each sees what the other did last, -1 at first."""

    def __init__(self, row, column):
        self.config = MatrixConfig(row, column)

    @property
    def num_agents(self):
        return 2

    def default_params(self):
        return {"unused": jnp.zeros((), jnp.int32)}

    def reset(self, key, params):
        nothing = jnp.full(2, -1, jnp.int32)
        return MatrixState(last=nothing), make_timestep(nothing, 2)

    def step(self, key, state, action, params):
        tables = jnp.asarray(np.array([self.config.row, self.config.column], np.float32))
        return MatrixState(last=action), make_timestep(action[::-1], 2, reward=tables[:, action[0], action[1]])

    def observation_space(self, params):
        return Discrete(len(self.config.row), (2,), low=-1)

    def action_space(self, params):
        return Discrete(len(self.config.row), (2,))


ROCK_PAPER_SCISSORS = MatrixGame(((0, -1, 1), (1, 0, -1), (-1, 1, 0)), ((0, 1, -1), (-1, 0, 1), (1, -1, 0)))


@dataclasses.dataclass(frozen=True)
class Always:
    """Takes one action."""

    action: int

    def init(self, key, params):
        return ()

    def act(self, key, carry, observation):
        return jnp.full(2, self.action, jnp.int32), carry
