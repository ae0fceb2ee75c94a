"""The rules of Cedar Grove as functions of integers."""

from __future__ import annotations

import enum

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.ordering import lexicographic_order
from jaxworld.core.random import entity_bits, index_identity


class Card(enum.IntEnum):
    """Kinds of cards: fell one tree, fell three, plant, or guard the grove for the round."""

    FELL_ONE = 0
    FELL_THREE = 1
    PLANT = 2
    GUARD = 3


CARD_NAMES = tuple(card.name.lower() for card in Card)
TREES = np.asarray([1, 3, 0, 0], np.int32)
"""Trees a card asks for."""
GUARDED_TREES = np.asarray([1, 1, 0, 0], np.int32)
"""The same in a round in which somebody guards."""


def shuffle(words: jax.Array, counts: tuple[int, ...]) -> jax.Array:
    """The deck ``int32[D]``: ``counts[k]`` cards of kind k in random order.

    Every card has a random word of its own and the deck is sorted by it, so the order depends on the key alone.

    Args:
        words: raw purpose key ``uint32[2]``.
        counts: how many cards of each kind there are.
    """
    cards = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    bits = entity_bits(words, index_identity(np.arange(len(cards), dtype=np.uint32)), 1)[0]
    order = lexicographic_order([jax.lax.bitcast_convert_type(bits, jnp.int32)])
    return jnp.asarray(cards)[order]


def deal(deck: jax.Array, num_players: int, hand_size: int) -> jax.Array:
    """First hands ``int32[N, 4]``, cards of each kind: player i gets cards ``i * hand_size`` and the following."""
    dealt = deck[: num_players * hand_size].reshape(num_players, hand_size)
    return (dealt[:, :, None] == np.arange(len(Card), dtype=np.int32)[None, None, :]).sum(axis=1, dtype=jnp.int32)


def legal_play(hand: jax.Array, wish: jax.Array) -> jax.Array:
    """``int32[N]``: the card each player wishes to play, or the first kind it holds if it does not hold that one."""
    wished = jnp.clip(wish, 0, len(Card) - 1)
    holds = jnp.take_along_axis(hand, wished[:, None], axis=1)[:, 0] > 0
    return jnp.where(holds & (wish == wished), wished, jnp.argmax(hand > 0, axis=1).astype(jnp.int32))


def exchange(hand: jax.Array, played: jax.Array, drawn: jax.Array) -> jax.Array:
    """Hands after playing one card and drawing another, ``int32[N]`` each."""
    kind = jnp.arange(hand.shape[1], dtype=jnp.int32)[None, :]
    return hand - (kind == played[:, None]).astype(jnp.int32) + (kind == drawn[:, None]).astype(jnp.int32)


def fell(played: jax.Array, forest: jax.Array, leader: jax.Array) -> jax.Array:
    """``int32[N]``: the trees each player gets, served in seat order from ``leader`` on until none are left."""
    count = played.shape[0]
    guarded = (played == Card.GUARD).any()
    asked = jnp.where(guarded, jnp.asarray(GUARDED_TREES)[played], jnp.asarray(TREES)[played])
    order = (leader + jnp.arange(count, dtype=jnp.int32)) % np.int32(count)
    in_order = asked[order]
    before = jnp.cumsum(in_order, dtype=jnp.int32) - in_order
    return jnp.zeros_like(asked).at[order].set(jnp.clip(forest - before, 0, in_order))


def regrow(
    forest: jax.Array, planted: jax.Array, forest_max: jax.Array, divisor: jax.Array, trees: jax.Array
) -> jax.Array:
    """The forest ``int32[]`` of the next round: one tree for each ``divisor``, and ``trees`` for each card planted."""
    return jnp.minimum(forest + forest // divisor + trees * planted, forest_max)
