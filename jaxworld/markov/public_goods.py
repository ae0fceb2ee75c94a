"""A public good that lasts: contributions fill a pot that pays everybody, and drains as it pays."""

from __future__ import annotations

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.markov.bits import hot_index, one_hot
from jaxworld.markov.chance import Factors, Picks
from jaxworld.markov.game import GameConfig, MarkovGame

CONTRIBUTE, WITHHOLD = 0, 1


@dataclasses.dataclass(frozen=True)
class PublicGoodsConfig(GameConfig):
    """Static configuration: players, and the levels the pot can have, in steps of ``pot_step`` up to ``pot_cap``."""

    num_players: int
    pot_cap: float
    pot_step: float


@pytree_dataclass
class PublicGoodsParams:
    """Numbers of the law, as tables over the level of the pot.

    Attributes:
        share: ``float32[levels]``, what the pot pays each player.
        after: ``int32[levels, A + 1]``, the next level with so many contributors.
        cost: ``float32[]``, of contributing.
        initial: ``int32[]``, the first level.
    """

    share: jax.Array
    after: jax.Array
    cost: jax.Array
    initial: jax.Array


@pytree_dataclass
class PublicGoodsPublic:
    """``last``: ``int32[A]``, last actions, -1 before the first; ``level``: ``int32[]`` of the pot."""

    last: jax.Array
    level: jax.Array


class PublicGoods(MarkovGame[PublicGoodsPublic, PublicGoodsParams]):
    """Each player contributes (0) to a common pot or withholds (1).

    Each round the pot pays a part of itself, in equal shares, then it receives the contributions, multiplied. It is
    kept in steps, rounded half up, and overflows at a cap. The numbers are those of the dynamic public goods game of
    MASA-Safe-RL (github.com/sacktock/MASA-Safe-RL, Apache-2.0).

    - bits: two for each player's last action (none before the first), then the pot's level, lowest bit first.
    - labels: ``all_withhold``, ``unsafe`` and ``unsafe_i``: nobody contributed last.
    - termination: never.

    Args:
        num_players: 2 to 8.
        pot_cap: what the pot can hold.
        pot_step: the step it is kept in.
        bookkeeping: keep a private record in the state.

    Raises:
        ConfigurationError: for numbers outside their ranges, or more than 65,536 levels.
    """

    name = "public_goods"
    action_names = ("contribute", "withhold")
    config: PublicGoodsConfig

    def __init__(
        self, num_players: int = 2, pot_cap: float = 500.0, pot_step: float = 1.0, bookkeeping: bool = True
    ) -> None:
        players = checks.whole("num_players", num_players, 2, 8)
        cap = checks.number("pot_cap", pot_cap, 1e-6, 1e9)
        step = checks.number("pot_step", pot_step, cap / 2**16, cap)
        self.config = PublicGoodsConfig(checks.flag("bookkeeping", bookkeeping), players, cap, step)
        self.num_levels = math.floor(cap / step) + 1
        self.level_bits = (self.num_levels - 1).bit_length()
        self.num_actions = (2,) * players
        self.num_bits = 2 * players + self.level_bits
        self.label_names = ("all_withhold", "unsafe", *(f"unsafe_{player}" for player in range(players)))

    def params(
        self,
        contribution_cost: float = 10.0,
        multiplier: float = 1.5,
        payout_rate: float = 0.3,
        decay: float = 0.0,
        initial_pot: float = 0.0,
    ) -> PublicGoodsParams:
        """Parameters with these numbers.

        Args:
            contribution_cost: what contributing costs.
            multiplier: what a unit of contribution adds to the pot.
            payout_rate: part of the pot that is paid each round.
            decay: part of the rest that is lost each round.
            initial_pot: the first pot.

        Raises:
            ConfigurationError: for a number outside its range.
        """
        cost = checks.number("contribution_cost", contribution_cost, 0.0, 1e9)
        gain = checks.number("multiplier", multiplier, 0.0, 1e6) * cost
        rate, lost = checks.number("payout_rate", payout_rate, 0.0, 1.0), checks.number("decay", decay, 0.0, 1.0)
        first = checks.number("initial_pot", initial_pot, 0.0, self.config.pot_cap)
        pot = np.arange(self.num_levels) * self.config.pot_step
        kept = (pot - rate * pot) * (1.0 - lost)
        players = self.config.num_players
        after = self._level(kept[:, None] + gain * np.arange(players + 1))
        return PublicGoodsParams(
            share=jnp.asarray(rate * pot / players, jnp.float32),
            after=jnp.asarray(after),
            cost=jnp.asarray(cost, jnp.float32),
            initial=jnp.asarray(self._level(np.asarray(first))),
        )

    def default_params(self) -> PublicGoodsParams:
        return self.params()

    def state_bound(self) -> int:
        return self.num_levels * self.num_joint_actions + 1

    def start_chance(self, params: PublicGoodsParams) -> Factors:
        del params
        return ()

    def start(self, picks: Picks, params: PublicGoodsParams) -> PublicGoodsPublic:
        del picks
        return PublicGoodsPublic(last=jnp.full(self.num_agents, -1, jnp.int32), level=params.initial)

    def chance(self, public: PublicGoodsPublic, action: jax.Array, params: PublicGoodsParams) -> Factors:
        del public, action, params
        return ()

    def advance(
        self, public: PublicGoodsPublic, action: jax.Array, picks: Picks, params: PublicGoodsParams
    ) -> tuple[PublicGoodsPublic, jax.Array]:
        del picks
        gives = action == np.int32(CONTRIBUTE)
        reward = params.share[public.level] - jnp.where(gives, params.cost, np.float32(0))
        level = params.after[public.level, gives.sum(dtype=jnp.int32)]
        return PublicGoodsPublic(last=action, level=level), reward

    def terminal(self, public: PublicGoodsPublic) -> jax.Array:
        del public
        return jnp.zeros((), bool)

    def labels(self, public: PublicGoodsPublic) -> jax.Array:
        return jnp.broadcast_to((public.last == np.int32(WITHHOLD)).all(), (len(self.label_names),))

    def encode(self, public: PublicGoodsPublic) -> jax.Array:
        places = np.arange(self.level_bits, dtype=np.int32)
        level = (jnp.broadcast_to(public.level, places.shape) >> places) & np.int32(1)
        return jnp.concatenate([one_hot(public.last, 2).reshape(-1), level.astype(bool)])

    def decode(self, bits: jax.Array) -> PublicGoodsPublic:
        split = 2 * self.num_agents
        powers = np.asarray(1 << np.arange(self.level_bits), np.int32)
        level = (bits[split:].astype(jnp.int32) * powers).sum(dtype=jnp.int32)
        return PublicGoodsPublic(last=hot_index(bits[:split].reshape(-1, 2)), level=level)

    def _level(self, pot: np.ndarray) -> np.ndarray:
        """Host: the level of a pot, rounded half up, at most the highest."""
        steps = np.floor(np.clip(pot, 0.0, self.config.pot_cap) / self.config.pot_step + 0.5)
        return np.minimum(steps, self.num_levels - 1).astype(np.int32)
