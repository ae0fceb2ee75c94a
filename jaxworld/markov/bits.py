"""Public bits of a state: one-hot planes, and words that hold 32 bits each."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

WORD = 32


def num_words(num_bits: int) -> int:
    """Words that hold this many bits, at least one."""
    return max(1, -(-num_bits // WORD))


def pack(bits: jax.Array) -> jax.Array:
    """``bool[..., B]`` as ``uint32[..., W]``; bit b is bit ``b % 32`` of word ``b // 32``, bits beyond B are 0."""
    count, size = num_words(bits.shape[-1]), bits.shape[-1]
    padded = jnp.pad(bits.astype(jnp.uint32), [(0, 0)] * (bits.ndim - 1) + [(0, count * WORD - size)])
    grouped = padded.reshape(*bits.shape[:-1], count, WORD)
    places = jnp.broadcast_to(jnp.arange(WORD, dtype=jnp.uint32), grouped.shape)
    return (grouped << places).sum(axis=-1, dtype=jnp.uint32)


def unpack(words: jax.Array, num_bits: int) -> jax.Array:
    """``uint32[..., W]`` as ``bool[..., B]``: undoes :func:`pack`."""
    shape = (*words.shape, WORD)
    places = jnp.broadcast_to(jnp.arange(WORD, dtype=jnp.uint32), shape)
    grouped = (jnp.broadcast_to(words[..., None], shape) >> places) & jnp.ones(shape, jnp.uint32)
    return grouped.reshape(*words.shape[:-1], words.shape[-1] * WORD)[..., :num_bits].astype(bool)


def pack_host(bits: np.ndarray) -> np.ndarray:
    """:func:`pack` in NumPy."""
    count = num_words(bits.shape[-1])
    padded = np.zeros((*bits.shape[:-1], count * WORD), bool)
    padded[..., : bits.shape[-1]] = bits
    grouped = padded.reshape(*bits.shape[:-1], count, WORD).astype(np.uint32)
    return (grouped << np.arange(WORD, dtype=np.uint32)).sum(axis=-1, dtype=np.uint32)


def unpack_host(words: np.ndarray, num_bits: int) -> np.ndarray:
    """:func:`unpack` in NumPy."""
    grouped = (words[..., None] >> np.arange(WORD, dtype=np.uint32)) & np.uint32(1)
    return grouped.reshape(*words.shape[:-1], -1)[..., :num_bits].astype(bool)


def one_hot(index: jax.Array, size: int) -> jax.Array:
    """``bool[..., size]``, True at ``index``; all False where it is -1."""
    shape = (*index.shape, size)
    places = jnp.broadcast_to(jnp.arange(size, dtype=jnp.int32), shape)
    return jnp.broadcast_to(index[..., None], shape) == places


def hot_index(bits: jax.Array) -> jax.Array:
    """``int32[...]``: position of the True entry on the last axis, -1 if there is none; undoes :func:`one_hot`."""
    return jnp.where(bits.any(axis=-1), jnp.argmax(bits, axis=-1).astype(jnp.int32), np.int32(-1))
