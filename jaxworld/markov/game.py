"""The contract of games whose observation is their state, and whose law can be enumerated."""

from __future__ import annotations

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Generic, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.episodes import select
from jaxworld.core.pytree import as_arrays, pytree_dataclass
from jaxworld.core.random import purpose_keys, register_purpose
from jaxworld.core.spaces import Boolean, Discrete
from jaxworld.core.timestep import TimeStep, make_timestep
from jaxworld.core.world import World
from jaxworld.markov import chance as chances
from jaxworld.markov.chance import Factors, Picks

START = register_purpose("markov/start")
CHANCE = register_purpose("markov/chance")
STAGE = 1000
"""Factors of settling stage s are numbered from ``(s + 1) * STAGE``, those before it from 0."""

PublicT = TypeVar("PublicT")
GameParamsT = TypeVar("GameParamsT")


@pytree_dataclass
class Record:
    """What an observer keeps of an episode; no transition, label or end depends on it.

    Attributes:
        steps: ``int32[]``, steps taken.
        returns: ``float32[A]``, sums of rewards.
        ever: ``bool[L]``, which labels have held at some tick.
    """

    steps: jax.Array
    returns: jax.Array
    ever: jax.Array


@pytree_dataclass
class GameState:
    """``public``: all the law depends on, a pytree the bits encode exactly; ``record``: :class:`Record` or None."""

    public: Any
    record: Record | None


@pytree_dataclass
class GameInfo:
    """``labels``: ``bool[L]`` of the returned state, in the order of ``label_names``; ``record``: as in the state."""

    labels: jax.Array
    record: Record | None


@dataclasses.dataclass(frozen=True)
class GameConfig:
    """Static configuration all games have; ``bookkeeping`` keeps a private :class:`Record` in the state."""

    bookkeeping: bool


class MarkovGame(World[GameState, GameParamsT, jax.Array], Generic[PublicT, GameParamsT]):
    """A game of several players that all see the whole state, in bits.

    A step is a chain: ``advance`` with the picks of ``chance``, then ``num_settling`` times ``settle`` with the picks
    of ``settle_chance``, which may depend on nothing but the public state so far. ``step`` draws the picks, the graph
    goes through all of them: the law is stated once. Every state in between has bits of its own.

    - observation: ``bool[A, B]``, the same public bits for everybody.
    - action: ``int32[A]``; a number beyond a player's last action counts as the last.
    - reward: ``float32[A]``, of the transition.
    - termination: of all players at once; the last time step shows the terminal picture.
    - info: :class:`GameInfo`.
    """

    name: ClassVar[str]
    """Name without the family."""
    num_actions: tuple[int, ...]
    """Actions of each player, by which joint actions are counted: player 0 moves slowest."""
    num_bits: int
    """Public bits B."""
    label_names: tuple[str, ...]
    """Names of the labels, ``unsafe_i`` of player i among them where a player can be unsafe."""
    action_names: tuple[str, ...] | None = None
    num_settling: int = 0
    config: Any

    @abstractmethod
    def start_chance(self, params: GameParamsT) -> Factors:
        """Factors of the first public state."""

    @abstractmethod
    def start(self, picks: Picks, params: GameParamsT) -> PublicT:
        """The public state an episode begins with, before it settles."""

    @abstractmethod
    def chance(self, public: PublicT, action: jax.Array, params: GameParamsT) -> Factors:
        """Factors of one step."""

    @abstractmethod
    def advance(
        self, public: PublicT, action: jax.Array, picks: Picks, params: GameParamsT
    ) -> tuple[PublicT, jax.Array]:
        """The next public state, before it settles, and the rewards ``float32[A]``."""

    def settle_chance(self, stage: int, public: PublicT, params: GameParamsT) -> Factors:
        """Factors of a settling stage."""
        raise NotImplementedError

    def settle(self, stage: int, public: PublicT, picks: Picks, params: GameParamsT) -> PublicT:
        """The public state after a settling stage."""
        raise NotImplementedError

    @abstractmethod
    def terminal(self, public: PublicT) -> jax.Array:
        """``bool[]``: whether the game is over."""

    @abstractmethod
    def labels(self, public: PublicT) -> jax.Array:
        """``bool[L]``: which labels hold."""

    @abstractmethod
    def encode(self, public: PublicT) -> jax.Array:
        """The public bits ``bool[B]``."""

    @abstractmethod
    def decode(self, bits: jax.Array) -> PublicT:
        """The public state with these bits: undoes ``encode``."""

    def state_bound(self) -> int | None:
        """At most how many states there are, if that is known without looking."""
        return None

    @property
    def num_agents(self) -> int:
        return len(self.num_actions)

    @property
    def num_joint_actions(self) -> int:
        """Number of joint actions."""
        return math.prod(self.num_actions)

    def joint_actions(self) -> np.ndarray:
        """``int32[J, A]``: the actions of each joint action."""
        return np.indices(self.num_actions).reshape(self.num_agents, -1).T.astype(np.int32)

    def public_state(self, state: GameState) -> jax.Array:
        """The public bits ``bool[B]``: the state as everybody sees it, and the key of a node in the graph."""
        return self.encode(state.public)

    def observation_space(self, params: GameParamsT) -> Boolean:
        del params
        return Boolean((self.num_agents, self.num_bits))

    def action_space(self, params: GameParamsT) -> Discrete:
        del params
        return Discrete(max(self.num_actions), (self.num_agents,), names=self.action_names)

    def outcomes(
        self, state: PublicT, joint_action: jax.Array, params: GameParamsT
    ) -> tuple[jax.Array, PublicT, jax.Array]:
        """Every outcome of one step of a state that is not terminal.

        Args:
            state: public state.
            joint_action: ``int32[A]``.
            params: parameters.

        Returns:
            Probabilities ``float32[K]``, next public states with a leading axis K, rewards ``float32[K, A]``. K is
            fixed; impossible outcomes have probability 0 and equal outcomes may come several times.
        """
        factors = self.chance(state, joint_action, params)
        probability = chances.weights(factors)
        nexts, rewards = over_picks(lambda picks: self.advance(state, joint_action, picks, params), factors)
        for stage in range(self.num_settling):
            shares, nexts = jax.vmap(lambda public: self._settled(stage, public, params))(nexts)  # noqa: B023
            width = shares.shape[1]
            probability = (probability[:, None] * shares).reshape(-1)
            nexts = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), nexts)
            rewards = jnp.repeat(rewards, width, axis=0)
        return probability, nexts, rewards

    def settling_factors(self, stage: int, public: PublicT, params: GameParamsT) -> Factors:
        """``settle_chance``, without chance in a state that is over."""
        going = ~self.terminal(public)
        return tuple(chances.only_if(going, factor) for factor in self.settle_chance(stage, public, params))

    def settling(self, stage: int, public: PublicT, picks: Picks, params: GameParamsT) -> PublicT:
        """``settle``, except in a state that is over, which stays as it is."""
        return select(self.terminal(public), public, self.settle(stage, public, picks, params))

    def reset(self, key: jax.Array, params: GameParamsT) -> tuple[GameState, TimeStep]:
        params = as_arrays(params)
        words = purpose_keys(key, [START])[0]
        public = self._drawn(words, self.start_chance(params), lambda picks: (self.start(picks, params), None), params)[
            0
        ]
        record = None
        if self.config.bookkeeping:
            zeros = jnp.zeros(self.num_agents, jnp.float32)
            record = Record(steps=jnp.zeros((), jnp.int32), returns=zeros, ever=self.labels(public))
        return self._moment(GameState(public=public, record=record), None)

    def step(
        self, key: jax.Array, state: GameState, action: jax.Array, params: GameParamsT
    ) -> tuple[GameState, TimeStep]:
        params = as_arrays(params)
        action = jnp.minimum(action, np.asarray(self.num_actions, np.int32) - np.int32(1))
        ended = self.terminal(state.public)
        factors = self.chance(state.public, action, params)
        words = purpose_keys(key, [CHANCE])[0]
        public, reward = self._drawn(
            words, factors, lambda picks: self.advance(state.public, action, picks, params), params
        )
        public = select(ended, state.public, public)
        reward = jnp.where(ended, np.float32(0), reward)
        record = state.record
        if record is not None:
            record = Record(
                steps=record.steps + (~ended).astype(jnp.int32),
                returns=record.returns + reward,
                ever=record.ever | self.labels(public),
            )
        return self._moment(GameState(public=public, record=record), reward)

    def _moment(self, state: GameState, reward: jax.Array | None) -> tuple[GameState, TimeStep]:
        shape = (self.num_agents, self.num_bits)
        observation = jnp.broadcast_to(self.encode(state.public)[None, :], shape)
        terminated = jnp.broadcast_to(self.terminal(state.public), (self.num_agents,))
        info = GameInfo(labels=self.labels(state.public), record=state.record)
        made = make_timestep(observation, self.num_agents, reward=reward, terminated=terminated, info=info)
        return state, made

    def _drawn(
        self, words: jax.Array, factors: Factors, first: Callable[[Picks], tuple[PublicT, Any]], params: GameParamsT
    ) -> tuple[PublicT, Any]:
        """``first`` with the picks of its factors, then every settling stage; all bits are drawn at once."""
        # Only the number of a stage's factors is used here, and it is the same in every state.
        public, extra = first(tuple(jnp.zeros((), jnp.int32) for _ in factors))
        counts = [len(self.settle_chance(stage, public, params)) for stage in range(self.num_settling)]
        numbers = [*range(len(factors)), *(STAGE * (s + 1) + f for s, count in enumerate(counts) for f in range(count))]
        if not numbers:
            return public, extra
        high, low = chances.draw_bits(words, numbers)
        public, extra = first(chances.pick(factors, high, low))
        used = len(factors)
        for stage, count in enumerate(counts):
            picks = chances.pick(self.settling_factors(stage, public, params), high[used:], low[used:])
            public = self.settling(stage, public, picks, params)
            used += count
        return public, extra

    def _settled(self, stage: int, public: PublicT, params: GameParamsT) -> tuple[jax.Array, PublicT]:
        factors = self.settling_factors(stage, public, params)
        nexts = over_picks(lambda picks: self.settling(stage, public, picks, params), factors)
        return chances.weights(factors), nexts


def over_picks(function: Any, factors: Factors) -> Any:
    """``function(picks)`` for every combination of outcomes, stacked on a leading axis K (1 without factors)."""
    if not factors:
        return jax.tree.map(lambda leaf: leaf[None], function(()))
    return jax.vmap(function)(chances.all_picks(factors))
