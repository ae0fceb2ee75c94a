"""The random choices of one step, drawn before the law is applied and handed to it as numbers.

A step is ``advance(state, action, draws, params)``, a function without chance, so that a test can put the choices
another engine made in the place of the drawn ones.
"""

from __future__ import annotations

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core.random import purpose_keys, register_purpose, threefry_2x32

Draws = dict[str, jax.Array]
"""Name of a purpose to random words ``uint32[n]``, one for each entity (player, site) in its own order."""

ALWAYS, NEVER = np.uint32(0), np.uint32(0xFFFFFFFF)
"""Words that make any event of positive probability happen, and prevent any of probability below 1."""


def purpose(name: str) -> int:
    """The purpose under which the draws ``name`` are made."""
    return register_purpose(f"grid/{name}")


def draw(key: jax.Array, sizes: Mapping[str, int]) -> Draws:
    """Random words for every name, as many as it needs. A word depends on key, name and entity only.

    Args:
        key: key of one tick.
        sizes: name to number of entities.
    """
    # Without barriers XLA's CPU backend derives the keys again for every single word: twelve times the cost in Coins.
    keys = lax.optimization_barrier(purpose_keys(key, [purpose(name) for name in sizes]))
    zero = jnp.zeros(len(sizes), jnp.uint32)
    # What ``entity_bits`` makes of each name's key for its first block, for all names in one pass.
    first, second = lax.optimization_barrier(threefry_2x32((keys[:, 0], keys[:, 1]), (zero, zero)))
    return {name: _words(first[place], second[place], size) for place, (name, size) in enumerate(sizes.items())}


def order_of_play(words: jax.Array) -> jax.Array:
    """Places ``int32[A]`` of the players in an order that is uniformly random: smaller words ``uint32[A]`` go first."""
    index = np.arange(words.shape[0])
    earlier = (words[None, :] < words[:, None]) | (
        (words[None, :] == words[:, None]) & (index[None, :] < index[:, None])
    )
    return earlier.sum(axis=1, dtype=jnp.int32)


def _words(first: jax.Array, second: jax.Array, size: int) -> jax.Array:
    """One word for each entity: entities 2b and 2b + 1 share the block b."""
    block = jnp.arange((size + 1) // 2, dtype=jnp.uint32)
    words = threefry_2x32((first, second), (jnp.zeros_like(block), block))
    return lax.slice(jnp.stack(words, axis=-1).reshape(-1), (0,), (size,))
