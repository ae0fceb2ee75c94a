"""Small games of one's own: transition probabilities and payoffs as tables."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.markov.bits import hot_index, one_hot
from jaxworld.markov.chance import Choice, Factors, Picks, distribution_thresholds
from jaxworld.markov.game import GameConfig, MarkovGame

TOLERANCE = 1e-9
MAX_ENTRIES = 2**20


@dataclasses.dataclass(frozen=True)
class TableConfig(GameConfig):
    """Static configuration: states, actions of each player, and of each state whether it is terminal and unsafe."""

    num_states: int
    num_actions: tuple[int, ...]
    terminal: tuple[bool, ...]
    unsafe: tuple[bool, ...]


@pytree_dataclass
class TableParams:
    """Numbers of the law, with joint actions J in the order of ``joint_actions()``.

    Attributes:
        transition: ``uint32[S, J, S - 1, 2]``, cumulative thresholds of the next state.
        payoff: ``float32[S, J, A]``.
        initial: ``uint32[S - 1, 2]``, cumulative thresholds of the first state.
    """

    transition: jax.Array
    payoff: jax.Array
    initial: jax.Array


@pytree_dataclass
class TablePublic:
    """``state``: ``int32[]``."""

    state: jax.Array


class TableGame(MarkovGame[TablePublic, TableParams]):
    """A stochastic game from tables.

    - bits: one for each state.
    - labels: ``unsafe`` and ``unsafe_i`` of every player, in states that are marked.
    - termination: in states that are marked.

    Args:
        transitions: ``[S, *num_actions, S]``, chances of the next state.
        payoffs: ``[S, *num_actions, A]``.
        initial: ``[S]``, chances of the first state; state 0 by default.
        terminal, unsafe: ``bool[S]``, none by default.
        bookkeeping: keep a private record in the state.

    Raises:
        ConfigurationError: for ragged tables, shapes that do not fit, or rows that are no distributions.
    """

    name = "table"
    config: TableConfig

    def __init__(
        self,
        transitions: Any,
        payoffs: Any,
        initial: Any = None,
        terminal: Any = None,
        unsafe: Any = None,
        bookkeeping: bool = True,
    ) -> None:
        paid, moved = full_table("payoffs", payoffs), full_table("transitions", transitions)
        players = paid.shape[-1] if paid.ndim else 0
        shaped = paid.ndim == players + 2 and players >= 1 and paid.size > 0
        require(shaped, "payoffs", paid.shape, "use the shape [states, actions of each player ..., players]")
        states, actions = paid.shape[0], tuple(paid.shape[1:-1])
        wanted = (states, *actions, states)
        require(moved.shape == wanted, "transitions", moved.shape, f"use the shape {wanted}, as the payoffs have")
        require(moved.size <= MAX_ENTRIES, "transitions", moved.shape, f"use at most {MAX_ENTRIES:,} entries")
        first = np.eye(states)[0] if initial is None else full_table("initial", initial)
        require(first.shape == (states,), "initial", first.shape, f"give one chance a state, {(states,)}")
        check_distributions("transitions", moved)
        check_distributions("initial", first)
        self.num_actions, self.num_bits = actions, states
        self.label_names = ("unsafe", *(f"unsafe_{player}" for player in range(players)))
        self.config = TableConfig(
            bookkeeping=checks.flag("bookkeeping", bookkeeping),
            num_states=states,
            num_actions=actions,
            terminal=_marks("terminal", terminal, states),
            unsafe=_marks("unsafe", unsafe, states),
        )
        joint = math.prod(actions)
        self._transition = distribution_thresholds(moved.reshape(states, joint, states))
        self._payoff = paid.reshape(states, joint, players).astype(np.float32)
        self._initial = distribution_thresholds(first)
        self._strides = np.asarray([math.prod(actions[player + 1 :]) for player in range(players)], np.int32)

    def default_params(self) -> TableParams:
        return TableParams(
            transition=jnp.asarray(self._transition),
            payoff=jnp.asarray(self._payoff),
            initial=jnp.asarray(self._initial),
        )

    def state_bound(self) -> int:
        return self.config.num_states

    def start_chance(self, params: TableParams) -> Factors:
        return (Choice(below=params.initial),)

    def start(self, picks: Picks, params: TableParams) -> TablePublic:
        del params
        return TablePublic(state=picks[0])

    def chance(self, public: TablePublic, action: jax.Array, params: TableParams) -> Factors:
        return (Choice(below=params.transition[public.state, self._joint(action)]),)

    def advance(
        self, public: TablePublic, action: jax.Array, picks: Picks, params: TableParams
    ) -> tuple[TablePublic, jax.Array]:
        return TablePublic(state=picks[0]), params.payoff[public.state, self._joint(action)]

    def terminal(self, public: TablePublic) -> jax.Array:
        return jnp.asarray(np.asarray(self.config.terminal, bool))[public.state]

    def labels(self, public: TablePublic) -> jax.Array:
        held = jnp.asarray(np.asarray(self.config.unsafe, bool))[public.state]
        return jnp.broadcast_to(held, (len(self.label_names),))

    def encode(self, public: TablePublic) -> jax.Array:
        return one_hot(public.state, self.num_bits)

    def decode(self, bits: jax.Array) -> TablePublic:
        return TablePublic(state=hot_index(bits))

    def _joint(self, action: jax.Array) -> jax.Array:
        return (action * self._strides).sum(dtype=jnp.int32)


def full_table(field: str, values: Any) -> np.ndarray:
    """Host: a table of finite numbers, ``float64``.

    Raises:
        ConfigurationError: for a ragged table, or entries that are not finite numbers.
    """
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ConfigurationError(field, values, "give a full table of numbers, not a ragged one") from None
    require(bool(np.isfinite(table).all()), field, "NaN or infinity", "use finite numbers")
    return table


def check_distributions(field: str, table: np.ndarray) -> None:
    """Host: refuse a table whose last axis holds no distributions.

    Raises:
        ConfigurationError: naming the first row that is none.
    """
    rows = table.reshape(-1, table.shape[-1])
    bad = np.flatnonzero((rows < 0).any(axis=1) | (np.abs(rows.sum(axis=1) - 1.0) > TOLERANCE))
    if bad.size:
        place = tuple(int(index) for index in np.unravel_index(bad[0], table.shape[:-1]))
        shown = f"row {list(place)}: {rows[bad[0]].tolist()}"
        raise ConfigurationError(field, shown, "use chances from 0 to 1 that sum to 1 in every row")


def _marks(field: str, marks: Any, states: int) -> tuple[bool, ...]:
    if marks is None:
        return (False,) * states
    table = np.asarray(marks)
    fits = table.shape == (states,) and bool(np.isin(table, (0, 1)).all())
    require(fits, field, marks, f"give True or False for each of the {states} states")
    return tuple(bool(mark) for mark in table)
