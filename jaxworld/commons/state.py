"""State, actions and observations of a commons as pytrees of arrays. What a configuration lacks is None."""

from __future__ import annotations

from typing import Any

import jax

from jaxworld.core.pytree import pytree_dataclass


@pytree_dataclass
class CommonsState:
    """Everything the law needs, and what a run is measured by.

    Attributes:
        stock: ``float32[]``, at the start of the turn; whole numbers where the resource comes in units.
        turn: ``int32[]``, turns played.
        alive: ``bool[]``, the commons has not ended by collapse.
        wealth: ``float32[N]``.
        last_harvest: ``float32[N]``, of the turn before.
        total_harvest: ``float32[N]``.
        active: ``bool[N]``, present and not bankrupt.
        capital, pollution: ``float32[]``, None without capital.
        governance: messages, pacts and reputations, None without governance.
        memory: what the observation pipeline remembers.
        weighted_time: ``float32[N]``, sum over turns of turn times harvest.
        collapse_turn: ``int32[]``, the first turn after which the stock was below the threshold; -1 before that.
        over_usage: ``int32[N]``, turns in which a player took more than an equal share of the sustainable catch.
        invalid: ``int32[N]``, requests that were no number.
    """

    stock: jax.Array
    turn: jax.Array
    alive: jax.Array
    wealth: jax.Array
    last_harvest: jax.Array
    total_harvest: jax.Array
    active: jax.Array
    capital: jax.Array | None
    pollution: jax.Array | None
    governance: Any
    memory: Any
    weighted_time: jax.Array
    collapse_turn: jax.Array
    over_usage: jax.Array
    invalid: jax.Array


@pytree_dataclass
class PublicState:
    """What the next turn depends on, of a commons without private memories; see ``CommonsState``."""

    stock: jax.Array
    turn: jax.Array
    alive: jax.Array
    wealth: jax.Array
    last_harvest: jax.Array
    active: jax.Array
    capital: jax.Array | None
    pollution: jax.Array | None
    governance: Any


@pytree_dataclass
class CommonsAction:
    """``request``: ``float32[N]``, resource asked for this turn; ``governance``: what is said, offered and signed."""

    request: jax.Array
    governance: Any = None


@pytree_dataclass
class CommonsObservation:
    """What the players see at the start of a turn, one row a player.

    Attributes:
        turn: ``int32[]``, turns played.
        active: ``bool[N]``, who is still in the game.
        delivered: by variable, what the observation pipeline delivers: ``value``, ``mask`` and ``code``, ``[N]`` each,
            ``[N, N]`` (observer, other) for variables about others. Players that are out see nothing.
        wealth: ``float32[N]``, a player's own.
        last_harvest: ``float32[N]``, a player's own.
        governance: inbox, pacts and reputations, None without governance.
    """

    turn: jax.Array
    active: jax.Array
    delivered: dict[str, Any]
    wealth: jax.Array
    last_harvest: jax.Array
    governance: Any


@pytree_dataclass
class CommonsInfo:
    """For observers of a run; agents must not act on it.

    Attributes:
        stock: ``float32[]``, after the turn.
        request: ``float32[N]``, as it counted: no number, out of range and not permitted are gone.
        harvest: ``float32[N]``.
        regrowth: ``float32[]``, what grew.
        sustainable: ``float32[]``, the catch of all after which the stock would have been what it was.
        maximum_yield: ``float32[]``, the largest sustainable catch of all at any stock: ``r K / 4`` of the logistic
            law, with whole units that from a full stock.
        alive: ``bool[]``, at the start of the turn, so that turns lived can be counted.
        over: ``bool[N]``, the harvest exceeded an equal share of the sustainable catch.
        invalid: ``bool[N]``, the request was no number.
        bound, broken: ``int32[N]``, pacts that bound each player this turn, and those it broke; None without
            governance.
    """

    stock: jax.Array
    request: jax.Array
    harvest: jax.Array
    regrowth: jax.Array
    sustainable: jax.Array
    maximum_yield: jax.Array
    alive: jax.Array
    over: jax.Array
    invalid: jax.Array
    bound: jax.Array | None
    broken: jax.Array | None
