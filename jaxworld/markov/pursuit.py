"""Pursuit: an evader crosses a slippery grid to a goal while pursuers try to meet it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.markov.bits import hot_index, one_hot
from jaxworld.markov.chance import Factors, Picks, Uniform, coin, only_if, threshold
from jaxworld.markov.game import GameConfig, MarkovGame
from jaxworld.markov.moves import ACTION_NAMES, move_table


@dataclasses.dataclass(frozen=True)
class PursuitConfig(GameConfig):
    """Static configuration.

    Attributes:
        size: rows and columns n.
        num_pursuers: pursuers, the evader not counted.
        walls: cells nobody can enter, in order.
        terminate_on_collision: whether a meeting ends the game.
    """

    size: int
    num_pursuers: int
    walls: tuple[int, ...]
    terminate_on_collision: bool


@pytree_dataclass
class PursuitParams:
    """Numbers of the law.

    Attributes:
        slip: ``uint32[2]``, threshold of the chance that a move which would change the cell fails.
        collision_cost, goal_reward, step_cost: ``float32[]``, what the evader loses when met, gains at the goal, and
            loses in any other step; each pursuer gains what the evader loses.
    """

    slip: jax.Array
    collision_cost: jax.Array
    goal_reward: jax.Array
    step_cost: jax.Array


@pytree_dataclass
class PursuitPublic:
    """``cell``: ``int32[A]``, where each player is; the evader is player 0."""

    cell: jax.Array


class Pursuit(MarkovGame[PursuitPublic, PursuitParams]):
    """One evader and some pursuers on an n x n grid, all moving at once.

    The evader starts at the first cell and wants to the last; pursuers start uniformly on other free cells, alone or
    together. Moves off the grid or into a wall lead nowhere; a move that changes the cell fails with the chance to
    slip, independently for each player. A pursuer and the evader cannot pass through one another: where they would
    swap cells, the pursuer stays and the evader runs into it, so that the meeting shows in the returned state.

    - labels: ``collision`` (a pursuer is on the evader's cell), ``goal`` (the evader is on the goal and not met),
      ``unsafe`` and ``unsafe_0`` (collision).
    - termination: collision (unless ``terminate_on_collision=False``, where it costs and play goes on) or goal.
    - bits: one plane of n*n cells a player.

    Args:
        size: n, at least 2.
        num_pursuers: at least 1.
        walls: cells ``row * n + column`` that nobody can enter.
        terminate_on_collision: whether a meeting ends the game.
        bookkeeping: keep a private record in the state.

    Raises:
        ConfigurationError: for sizes, walls or flags that cannot work.
    """

    name = "pursuit"
    action_names = ACTION_NAMES
    label_names = ("collision", "goal", "unsafe", "unsafe_0")
    config: PursuitConfig

    def __init__(
        self,
        size: int = 5,
        num_pursuers: int = 1,
        walls: Sequence[int] = (),
        terminate_on_collision: bool = True,
        bookkeeping: bool = True,
    ) -> None:
        size = checks.whole("size", size, 2, 64)
        pursuers = checks.whole("num_pursuers", num_pursuers, 1, 8)
        goal = size * size - 1
        remedy = f"use cells from 1 to {goal - 1}, neither the start 0 nor the goal {goal}"
        built = tuple(sorted({checks.whole("walls", cell, 1, goal - 1, remedy) for cell in walls}))
        self.config = PursuitConfig(
            bookkeeping=checks.flag("bookkeeping", bookkeeping),
            size=size,
            num_pursuers=pursuers,
            walls=built,
            terminate_on_collision=checks.flag("terminate_on_collision", terminate_on_collision),
        )
        self.num_actions = (len(ACTION_NAMES),) * (pursuers + 1)
        self.num_bits = (pursuers + 1) * size * size
        self._moves = move_table(size, size, built)
        self._starts = np.setdiff1d(np.arange(1, size * size), built).astype(np.int32)

    @property
    def goal(self) -> int:
        """The goal's cell."""
        return self.config.size**2 - 1

    def params(
        self, slip: float = 0.1, collision_cost: float = 10.0, goal_reward: float = 10.0, step_cost: float = 0.1
    ) -> PursuitParams:
        """Parameters with these numbers.

        Raises:
            ConfigurationError: for a chance outside 0 to 1, or rewards that are not finite numbers.
        """
        numbers = {"collision_cost": collision_cost, "goal_reward": goal_reward, "step_cost": step_cost}
        rewards = {field: np.float32(checks.number(field, value, -1e6, 1e6)) for field, value in numbers.items()}
        made = {field: jnp.asarray(value) for field, value in rewards.items()}
        return PursuitParams(slip=jnp.asarray(threshold("slip", slip)), **made)

    def default_params(self) -> PursuitParams:
        return self.params()

    def state_bound(self) -> int:
        free = self.config.size**2 - len(self.config.walls)
        return int(free**self.num_agents)

    def start_chance(self, params: PursuitParams) -> Factors:
        del params
        size = len(self._starts)
        return tuple(Uniform(count=jnp.asarray(size, jnp.int32), size=size) for _ in range(self.config.num_pursuers))

    def start(self, picks: Picks, params: PursuitParams) -> PursuitPublic:
        del params
        pursuers = jnp.asarray(self._starts)[jnp.stack(picks)]
        return PursuitPublic(cell=jnp.concatenate([jnp.zeros(1, jnp.int32), pursuers]))

    def chance(self, public: PursuitPublic, action: jax.Array, params: PursuitParams) -> Factors:
        """One factor a player: outcome 0 leaves it where it is, 1 moves it."""
        moves = self._target(public, action) != public.cell
        # A player that would not move anyway "slips" for certain, which changes nothing.
        return tuple(only_if(moves[player], coin(params.slip)) for player in range(self.num_agents))

    def advance(
        self, public: PursuitPublic, action: jax.Array, picks: Picks, params: PursuitParams
    ) -> tuple[PursuitPublic, jax.Array]:
        target = jnp.where(jnp.stack(picks) == 1, self._target(public, action), public.cell)
        evader, pursuers = target[0], target[1:]
        swaps = (pursuers == public.cell[0]) & (evader == public.cell[1:]) & (evader != public.cell[0])
        made = PursuitPublic(cell=jnp.concatenate([target[:1], jnp.where(swaps, public.cell[1:], pursuers)]))
        collision, goal = self._events(made)
        reward = jnp.where(collision, -params.collision_cost, jnp.where(goal, params.goal_reward, -params.step_cost))
        signs = np.where(np.arange(self.num_agents) == 0, 1, -1).astype(np.float32)
        return made, reward * jnp.asarray(signs)

    def terminal(self, public: PursuitPublic) -> jax.Array:
        collision, goal = self._events(public)
        return (collision | goal) if self.config.terminate_on_collision else goal

    def labels(self, public: PursuitPublic) -> jax.Array:
        collision, goal = self._events(public)
        return jnp.stack([collision, goal, collision, collision])

    def encode(self, public: PursuitPublic) -> jax.Array:
        return one_hot(public.cell, self.config.size**2).reshape(-1)

    def decode(self, bits: jax.Array) -> PursuitPublic:
        return PursuitPublic(cell=hot_index(bits.reshape(self.num_agents, -1)))

    def _target(self, public: PursuitPublic, action: jax.Array) -> jax.Array:
        return jnp.asarray(self._moves)[public.cell, action]

    def _events(self, public: PursuitPublic) -> tuple[jax.Array, jax.Array]:
        collision = (public.cell[1:] == public.cell[0]).any()
        return collision, (public.cell[0] == np.int32(self.goal)) & ~collision
