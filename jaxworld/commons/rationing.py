"""Who gets what when more is asked for than there is, in fractions and in whole units."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.commons.streams import ALLOCATION, RATION
from jaxworld.commons.vocabulary import Ration
from jaxworld.core.batch_hints import any_in_batch
from jaxworld.core.layout import sum_over_few
from jaxworld.core.random import entity_bits, index_identity, purpose_keys, uniform_index
from jaxworld.observe.normal import unfused


def serve(key: jax.Array, demand: jax.Array, stock: jax.Array, ration: jax.Array, seat: jax.Array) -> jax.Array:
    """``float32[N]``: what each player gets of a divisible stock.

    Args:
        key: of this tick.
        demand: ``float32[N]``, at least 0 and finite.
        stock: ``float32[]``.
        ration: ``int32[]``, a ``Ration``.
        seat: ``int32[N]``, who the players are.

    Returns:
        At most the demand each, at most the stock together, up to rounding.
    """
    total = sum_over_few(demand)
    share = jnp.minimum(stock / jnp.where(total > 0, total, np.float32(1)), np.float32(1))
    proportional = unfused(demand * share)

    def in_turn() -> jax.Array:
        words = entity_bits(purpose_keys(key, [RATION])[0], index_identity(seat), 1)[0]
        place = jnp.where(ration == np.int32(Ration.RANDOM), words, np.uint32(0))
        first = place[None, :] < place[:, None]
        level = place[None, :] == place[:, None]
        before = _ahead(first | (level & (seat[None, :] < seat[:, None])), demand)
        return jnp.minimum(jnp.maximum(stock - before, np.float32(0)), demand)

    some = any_in_batch(ration != np.int32(Ration.PROPORTIONAL))
    ordered = lax.cond(some, in_turn, lambda: proportional)
    return jnp.where(ration == np.int32(Ration.PROPORTIONAL), proportional, ordered)


def serve_units(key: jax.Array, demand: jax.Array, stock: jax.Array, ration: jax.Array, seat: jax.Array) -> jax.Array:
    """``int32[N]``: what each player gets of a stock of whole units, in integers throughout.

    Proportional service gives everybody their share rounded down and hands out the units that are left one by one,
    each with chances in proportion to what is still wanted. Random service hands out every unit one by one to a
    player drawn uniformly from those who still want more. Both are the allocations of Piatti et al. (2024).

    Args:
        key: of this tick.
        demand: ``int32[N]``, at least 0.
        stock: ``int32[]``; ``stock * demand`` must stay below 2**31.
        ration: ``int32[]``, a ``Ration``.
        seat: ``int32[N]``, who the players are.
    """
    total = demand.sum(dtype=jnp.int32)
    enough = total <= stock
    shares = (stock * demand) // jnp.maximum(total, np.int32(1))
    before = _ahead(seat[None, :] < seat[:, None], demand)
    in_turn = jnp.clip(stock - before, np.int32(0), demand)
    start = jnp.where(ration == np.int32(Ration.PROPORTIONAL), shares, jnp.zeros_like(demand))
    start = jnp.where(ration == np.int32(Ration.SEAT), in_turn, start)
    start = jnp.where(enough, demand, start)
    left = jnp.minimum(stock, total) - start.sum(dtype=jnp.int32)
    weighted = ration == np.int32(Ration.PROPORTIONAL)
    words = purpose_keys(key, [ALLOCATION])[0]

    def hand_out(carry: Any) -> Any:
        given, left = carry
        wanted = demand - given
        chances = jnp.where(weighted, wanted, (wanted > 0).astype(jnp.int32))
        word = entity_bits(words, index_identity(left), 1)[0]
        ticket = uniform_index(word, chances.sum(dtype=jnp.int32))
        first = _ahead(seat[None, :] < seat[:, None], chances)
        winner = (first <= ticket) & (ticket < first + chances)
        return given + winner.astype(jnp.int32), left - np.int32(1)

    return lax.while_loop(lambda carry: carry[1] > 0, hand_out, (start, left))[0]


def _ahead(earlier: jax.Array, amounts: jax.Array) -> jax.Array:
    """Sum of ``amounts [N]`` over those who are served ``earlier bool[N, N]`` than each player."""
    return jnp.where(earlier, amounts[None, :], jnp.zeros((), amounts.dtype)).sum(axis=1, dtype=amounts.dtype)
