"""Repeated stage games: the public state is what everybody did last."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.markov.bits import hot_index, one_hot
from jaxworld.markov.chance import Factors, Picks
from jaxworld.markov.game import GameConfig, MarkovGame
from jaxworld.markov.tables import full_table

MAX_JOINT_ACTIONS = 2**16


@dataclasses.dataclass(frozen=True)
class MatrixConfig(GameConfig):
    """Static configuration.

    Attributes:
        title: name without the family.
        num_actions: actions of each player.
        unsafe: of each joint action, whether it sets the flag.
        flag: name of the flag's label.
        show_loads: show, after the actions, how many players chose each of them.
        action_names: names of the actions, or None.
    """

    title: str
    num_actions: tuple[int, ...]
    unsafe: tuple[bool, ...]
    flag: str
    show_loads: bool
    action_names: tuple[str, ...] | None


@pytree_dataclass
class MatrixParams:
    """``payoff``: ``float32[J, A]``, what each joint action pays each player."""

    payoff: jax.Array


@pytree_dataclass
class MatrixPublic:
    """``last``: ``int32[A]``, each player's last action, -1 before the first."""

    last: jax.Array


class MatrixGame(MarkovGame[MatrixPublic, MatrixParams]):
    """A table of payoffs, played again and again.

    - bits: one for each action of each player, set for the last one (none before the first); if loads are shown, one
      for each number of players on each action; then the flag.
    - labels: the flag's own name, ``unsafe`` and ``unsafe_i`` of every player: the last joint action is marked unsafe.
    - termination: never.

    Args:
        payoffs: ``[*num_actions, A]``: what each joint action pays each player.
        unsafe: ``bool[*num_actions]``, joint actions that are marked, none by default.
        flag: the flag's name.
        title: the game's name.
        action_names: names of the actions, if all players have as many.
        show_loads: show how many players chose each action; all players need as many actions.
        bookkeeping: keep a private record in the state.

    Raises:
        ConfigurationError: for a ragged table, numbers that are not finite, or shapes that do not fit.
    """

    config: MatrixConfig

    def __init__(
        self,
        payoffs: Any,
        unsafe: Any = None,
        flag: str = "flagged",
        title: str = "matrix",
        action_names: Sequence[str] | None = None,
        show_loads: bool = False,
        bookkeeping: bool = True,
    ) -> None:
        table = _payoff_table(payoffs)
        self.num_actions = tuple(table.shape[:-1])
        marked = _marks(unsafe, self.num_actions)
        alike = len(set(self.num_actions)) == 1
        require(alike or not show_loads, "show_loads", show_loads, "give every player as many actions")
        fits = action_names is None or (alike and len(action_names) == self.num_actions[0])
        require(fits, "action_names", action_names, f"name the {max(self.num_actions)} actions every player has")
        self.config = MatrixConfig(
            bookkeeping=checks.flag("bookkeeping", bookkeeping),
            title=title,
            num_actions=self.num_actions,
            unsafe=tuple(bool(mark) for mark in marked.reshape(-1)),
            flag=flag,
            show_loads=checks.flag("show_loads", show_loads),
            action_names=None if action_names is None else tuple(action_names),
        )
        self.name = title  # type: ignore[misc]
        self.action_names = self.config.action_names
        players = len(self.num_actions)
        unsafe_names = ("unsafe", *(f"unsafe_{player}" for player in range(players)))
        self.label_names = (flag, *unsafe_names)
        self.num_bits = sum(self.num_actions) + self._load_bits() + 1
        self._payoff = table.reshape(-1, players)
        self._strides = np.asarray([math.prod(self.num_actions[player + 1 :]) for player in range(players)], np.int32)

    def params(self, payoffs: Any) -> MatrixParams:
        """Parameters with another table of the same shape.

        Raises:
            ConfigurationError: for another shape, or a table the constructor would refuse.
        """
        table = _payoff_table(payoffs)
        shape = (*self.num_actions, self.num_agents)
        require(table.shape == shape, "payoffs", table.shape, f"give a table of shape {shape}")
        return MatrixParams(payoff=jnp.asarray(table.reshape(-1, self.num_agents), jnp.float32))

    def default_params(self) -> MatrixParams:
        return MatrixParams(payoff=jnp.asarray(self._payoff, jnp.float32))

    def state_bound(self) -> int:
        return self.num_joint_actions + 1

    def start_chance(self, params: MatrixParams) -> Factors:
        del params
        return ()

    def start(self, picks: Picks, params: MatrixParams) -> MatrixPublic:
        del picks, params
        return MatrixPublic(last=jnp.full(self.num_agents, -1, jnp.int32))

    def chance(self, public: MatrixPublic, action: jax.Array, params: MatrixParams) -> Factors:
        del public, action, params
        return ()

    def advance(
        self, public: MatrixPublic, action: jax.Array, picks: Picks, params: MatrixParams
    ) -> tuple[MatrixPublic, jax.Array]:
        del public, picks
        return MatrixPublic(last=action), params.payoff[self._joint(action)]

    def terminal(self, public: MatrixPublic) -> jax.Array:
        del public
        return jnp.zeros((), bool)

    def labels(self, public: MatrixPublic) -> jax.Array:
        return jnp.broadcast_to(self._flag(public), (len(self.label_names),))

    def encode(self, public: MatrixPublic) -> jax.Array:
        parts = [one_hot(public.last[player], size) for player, size in enumerate(self.num_actions)]
        if self.config.show_loads:
            for choice in range(self.num_actions[0]):
                load = (public.last == np.int32(choice)).sum(dtype=jnp.int32)
                parts.append(one_hot(load, self.num_agents + 1))
        return jnp.concatenate([*parts, self._flag(public)[None]])

    def decode(self, bits: jax.Array) -> MatrixPublic:
        ends = np.cumsum(self.num_actions)
        parts = [bits[end - size : end] for end, size in zip(ends, self.num_actions, strict=True)]
        return MatrixPublic(last=jnp.stack([hot_index(part) for part in parts]))

    def _flag(self, public: MatrixPublic) -> jax.Array:
        marks = jnp.asarray(np.asarray(self.config.unsafe, bool))
        played = (public.last >= 0).all()
        return played & marks[self._joint(jnp.maximum(public.last, np.int32(0)))]

    def _joint(self, action: jax.Array) -> jax.Array:
        return (action * self._strides).sum(dtype=jnp.int32)

    def _load_bits(self) -> int:
        return self.num_actions[0] * (len(self.num_actions) + 1) if self.config.show_loads else 0


def _payoff_table(payoffs: Any) -> np.ndarray:
    """Payoffs as ``float64[*num_actions, A]``."""
    table = full_table("payoffs", payoffs)
    players = table.shape[-1] if table.ndim else 0
    shaped = table.ndim >= 2 and table.ndim == players + 1 and table.size > 0
    require(shaped, "payoffs", table.shape, "use the shape [actions of player 0, ..., actions of the last, players]")
    joint = math.prod(table.shape[:-1])
    require(joint <= MAX_JOINT_ACTIONS, "payoffs", table.shape, f"use at most {MAX_JOINT_ACTIONS:,} joint actions")
    return table


def _marks(unsafe: Any, shape: tuple[int, ...]) -> np.ndarray:
    if unsafe is None:
        return np.zeros(shape, bool)
    marks = np.asarray(unsafe)
    require(marks.shape == shape, "unsafe", marks.shape, f"mark each joint action: shape {shape}")
    require(bool(np.isin(marks, (0, 1)).all()), "unsafe", unsafe, "use True or False")
    return marks.astype(bool)
