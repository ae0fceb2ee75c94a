"""Slot machines with a cue: the smallest world whose optimal return has a closed form, with and without memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

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
from jaxworld.core.spaces import Discrete
from jaxworld.core.timestep import TimeStep, make_timestep
from jaxworld.core.world import World

CUE = register_purpose("bandit/cue")
HIDDEN_CUE = register_purpose("bandit/hidden_cue")
PAYOUT = register_purpose("bandit/payout")


@dataclasses.dataclass(frozen=True)
class CueBanditConfig:
    """Static configuration: agents A, cues C, arms K, and how many ticks ago the cue was shown that counts (0 or 1)."""

    num_agents: int
    num_cues: int
    num_arms: int
    lag: int


@pytree_dataclass
class CueBanditParams:
    """``payout_threshold``: ``uint32[C, K]``, arm k pays under cue c when the random word is below it."""

    payout_threshold: jax.Array


@pytree_dataclass
class CueBanditState:
    """``shown``: ``int32[A]``, the cue each agent sees; ``counts``: ``int32[A]``, the cue its next action meets."""

    shown: jax.Array
    counts: jax.Array


class CueBandit(World[CueBanditState, CueBanditParams, jax.Array]):
    """Each agent sees a cue and pulls an arm, which pays 1 with a chance that depends on both.

    - observation: the cue, ``int32[A]``, uniform and independent over agents and ticks.
    - action: the arm, ``int32[A]``.
    - reward: ``float32[A]``, 1 or 0. With ``lag=0`` the cue on show counts; with ``lag=1`` the one shown a tick
      earlier, so only a policy with memory does better than the best arm for no cue in particular. The first action
      then meets a cue that was never shown.
    - termination: never.

    Args:
        num_agents: A, at least 1.
        num_cues: C, at least 1.
        num_arms: K, at least 1.
        lag: 0 or 1.

    Raises:
        ConfigurationError: for another size or lag.
    """

    config: CueBanditConfig

    def __init__(self, num_agents: int = 1, num_cues: int = 3, num_arms: int = 3, lag: int = 0) -> None:
        for field, value in (("num_agents", num_agents), ("num_cues", num_cues), ("num_arms", num_arms)):
            require(isinstance(value, int) and 1 <= value <= 4096, field, value, "use a whole number from 1 to 4096")
        require(lag in (0, 1), "lag", lag, "use 0 or 1")
        self.config = CueBanditConfig(num_agents, num_cues, num_arms, lag)

    @property
    def num_agents(self) -> int:
        return self.config.num_agents

    def params(self, chances: Sequence[Sequence[float]] | np.ndarray) -> CueBanditParams:
        """Parameters with these chances ``[C, K]`` to be paid.

        Raises:
            ConfigurationError: for another shape or numbers outside 0 to 1.
        """
        table, shape = np.asarray(chances, np.float64), (self.config.num_cues, self.config.num_arms)
        require(table.shape == shape, "chances", table.shape, f"give one chance for each cue and arm, {shape}")
        require(bool(((table >= 0) & (table <= 1)).all()), "chances", table.tolist(), "use probabilities from 0 to 1")
        return CueBanditParams(payout_threshold=jnp.asarray(probability_threshold(table)))

    def default_params(self) -> CueBanditParams:
        """Cue c pays for arm ``C - 1 - c`` (modulo K) with chance 0.9; every other arm pays with chance 0.1."""
        cue = np.arange(self.config.num_cues)
        table = np.full((self.config.num_cues, self.config.num_arms), 0.1)
        table[cue, (self.config.num_cues - 1 - cue) % self.config.num_arms] = 0.9
        return self.params(table)

    def optimal_return(self, num_steps: int, params: CueBanditParams | None = None, *, memory: bool = True) -> float:
        """The highest expected total reward of an agent over ``num_steps`` steps, in closed form.

        A step whose cue the agent knows is worth ``mean over c of max over k of p[c, k]``, any other
        ``max over k of mean over c of p[c, k]``. With lag 1 the first step is blind, and without memory all are.
        """
        params = self.default_params() if params is None else params
        chance = np.asarray(params.payout_threshold, np.float64) / 2.0**32
        informed, blind = float(chance.max(axis=1).mean()), float(chance.mean(axis=0).max())
        if self.config.lag == 0:
            return num_steps * informed
        return blind * num_steps if not memory else blind + (num_steps - 1) * informed

    def reset(self, key: jax.Array, params: CueBanditParams) -> tuple[CueBanditState, TimeStep]:
        shown = self._cue(key, CUE)
        counts = shown if self.config.lag == 0 else self._cue(key, HIDDEN_CUE)
        return CueBanditState(shown=shown, counts=counts), make_timestep(shown, self.num_agents)

    def step(
        self, key: jax.Array, state: CueBanditState, action: jax.Array, params: CueBanditParams
    ) -> tuple[CueBanditState, TimeStep]:
        paid = self._bits(key, PAYOUT) < params.payout_threshold[state.counts, action]
        shown = self._cue(key, CUE)
        counts = shown if self.config.lag == 0 else state.shown
        timestep = make_timestep(shown, self.num_agents, reward=paid.astype(jnp.float32))
        return CueBanditState(shown=shown, counts=counts), timestep

    def observation_space(self, params: CueBanditParams) -> Discrete:
        return Discrete(self.config.num_cues, (self.num_agents,))

    def action_space(self, params: CueBanditParams) -> Discrete:
        return Discrete(self.config.num_arms, (self.num_agents,))

    def _cue(self, key: jax.Array, purpose: int) -> jax.Array:
        bits = self._bits(key, purpose)
        return uniform_index(bits, jnp.full(bits.shape, self.config.num_cues, jnp.uint32))

    def _bits(self, key: jax.Array, purpose: int) -> jax.Array:
        """One random word an agent, ``uint32[A]``, from the agent's own number."""
        agents = index_identity(np.arange(self.num_agents, dtype=np.uint32))
        return entity_bits(purpose_keys(key, [purpose])[0], agents, 1)[0]
