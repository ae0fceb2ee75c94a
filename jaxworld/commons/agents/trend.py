"""The agent that follows the direction of the stock: more after a rise, less after a fall."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons import observation as names
from jaxworld.commons.agents.readings import is_direction, show
from jaxworld.commons.agents.types import Situation
from jaxworld.core.pytree import pytree_dataclass


@pytree_dataclass
class TrendMemory:
    """What it remembers, an entry a player: those that are ``trend``, or all if any can become it.

    Attributes:
        level: ``float32[N]``, what it takes, in fair shares.
        previous: ``float32[N]``, the stock it read last, as a share of capacity.
        seen: ``bool[N]``, whether it has read one.
    """

    level: jax.Array
    previous: jax.Array
    seen: jax.Array


def start(num_players: int) -> TrendMemory:
    """A fair share, and nothing read so far."""
    return TrendMemory(
        level=jnp.ones(num_players, jnp.float32),
        previous=jnp.zeros(num_players, jnp.float32),
        seen=jnp.zeros(num_players, bool),
    )


def act(situation: Situation, memory: TrendMemory) -> tuple[jax.Array, TrendMemory]:
    """``(request float32[N], memory)``.

    A direction is followed as it is delivered; of numbers and levels it forms the direction itself.
    """
    view, coefficients = situation.view, situation.coefficients
    how = view.of(names.STOCK)
    if not (how.numeric or how.direction):
        return situation.fallback, memory
    shown, stock = show(situation.observation, names.STOCK, situation.seats), situation.stock
    directed = is_direction(view, situation.facts, names.STOCK)
    own = jnp.where(memory.seen & stock.known, jnp.sign(stock.value - memory.previous), np.float32(0))
    change = jnp.where(directed, shown.value, own)
    factor = jnp.where(change > 0, coefficients.trend_up, np.float32(1))
    factor = jnp.where(change < 0, coefficients.trend_down, factor)
    level = jnp.maximum(memory.level * jnp.where(shown.mask, factor, np.float32(1)), coefficients.trend_floor)
    previous = jnp.where(stock.known, stock.value, memory.previous)
    return level * situation.fair, TrendMemory(level=level, previous=previous, seen=memory.seen | stock.known)
