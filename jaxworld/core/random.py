"""Named random streams: one key per (world, tick, purpose), draws keyed by entity identity.

The generator is Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
1, 2, 3", SC 2011), the one behind ``jax.random`` with ``impl="threefry2x32"``. It is written out here as plain
element-wise integer arithmetic for two reasons. XLA's CPU backend lowers its own version to a loop over whole
arrays, while the unrolled form becomes one vectorised loop that yields 64 bits for what one 32-bit draw costs
there. And a counter-based generator lets a draw depend on *who* it is for: the counter is the entity's 64-bit
identity, never its position in an array, so padding, order, batching and sharding change no draw.

Key hygiene: a world key is only folded with ticks, a tick key only with purposes, a purpose key only with draw
numbers, and only those last keys are drawn from. ``jax.random.split(k, n)[i]`` equals ``fold_in(k, i)``, so a key
that is folded must never be split as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import ConfigurationError, require

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)

_purposes: dict[str, int] = {}


def register_purpose(name: str) -> int:
    """Register a named purpose and return its frozen 32-bit code (first 4 bytes of SHA-256 of the name).

    Registering a name twice is harmless. Raises:
        ConfigurationError: if another name already has this code.
    """
    code = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    for other, taken in _purposes.items():
        if taken == code and other != name:
            raise ConfigurationError("purpose", name, f"its code collides with {other!r}: choose another name")
    _purposes[name] = code
    return code


def registered_purposes() -> dict[str, int]:
    """A copy of the purpose registry: name to code."""
    return dict(_purposes)


def world_key(seed: int) -> jax.Array:
    """The typed key of one world from **both** words of its 64-bit seed (``jax.random.key`` drops the high one)."""
    return world_keys([seed])[0]


def world_keys(seeds: Sequence[int] | np.ndarray) -> jax.Array:
    """Typed keys ``[W]`` for 64-bit world seeds; the generator is pinned to ``threefry2x32``."""
    for seed in seeds:
        require(0 <= int(seed) < 2**64, "seed", int(seed), "use an integer from 0 to 2**64 - 1")
    values = np.asarray([int(seed) for seed in seeds], dtype=np.uint64)
    words = np.stack([values >> np.uint64(32), values & np.uint64(0xFFFFFFFF)], axis=-1).astype(np.uint32)
    return jax.random.wrap_key_data(jnp.asarray(words), impl="threefry2x32")


def _rotate_left(x: Any, distance: int) -> Any:
    return (x << np.uint32(distance)) | (x >> np.uint32(32 - distance))


def threefry_2x32(key: tuple[Any, Any], counter: tuple[Any, Any]) -> tuple[Any, Any]:
    """The Threefry-2x32-20 block function on uint32 arrays (JAX or NumPy) that broadcast together."""
    on_host = all(isinstance(word, np.ndarray | np.generic) for word in (*key, *counter))
    return _rounds(key, counter) if on_host else _traced_rounds(key, counter)


def _rounds(key: tuple[Any, Any], counter: tuple[Any, Any]) -> tuple[Any, Any]:
    schedule = (key[0], key[1], key[0] ^ key[1] ^ _PARITY)
    x0, x1 = counter[0] + schedule[0], counter[1] + schedule[1]
    for group in range(5):
        for distance in _ROTATIONS[group % 2]:
            x0 = x0 + x1
            x1 = _rotate_left(x1, distance) ^ x0
        x0 = x0 + schedule[(group + 1) % 3]
        x1 = x1 + schedule[(group + 2) % 3] + np.uint32(group + 1)
    return x0, x1


# A hundred operations a draw: traced once for each shape, not once for each draw. XLA inlines it.
_traced_rounds = jax.jit(_rounds)


def key_words(key: jax.Array) -> jax.Array:
    """The raw words ``uint32[..., 2]`` of a typed key (or of raw words, unchanged)."""
    return jax.random.key_data(key) if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else key


def fold_words(words: jax.Array, data: Any) -> jax.Array:
    """``jax.random.fold_in`` on raw words, vectorised over ``data``: ``uint32[*data.shape, 2]``."""
    data = jnp.asarray(data).astype(jnp.uint32)
    zeros = jnp.zeros_like(data)
    key = (jnp.broadcast_to(words[0], data.shape), jnp.broadcast_to(words[1], data.shape))
    return jnp.stack(threefry_2x32(key, (zeros, data)), axis=-1)


def tick_key(key: jax.Array, tick: Any) -> jax.Array:
    """The typed key of one tick of a world; it is what ``World.step`` receives."""
    return jax.random.wrap_key_data(fold_words(key_words(key), tick), impl="threefry2x32")


def purpose_keys(key: jax.Array, purposes: Sequence[int]) -> jax.Array:
    """Raw words ``uint32[P, 2]`` for several purposes of one tick key, made in a single vector operation."""
    return fold_words(key_words(key), np.asarray(purposes, dtype=np.uint32))


def purpose_key(key: jax.Array, purpose: int) -> jax.Array:
    """A typed key for one purpose of one tick, for use with ``jax.random`` draws that are not per entity."""
    return jax.random.wrap_key_data(purpose_keys(key, [purpose])[0], impl="threefry2x32")


def entity_bits(words: jax.Array, identity: jax.Array, num_words: int, first_block: int = 0) -> list[jax.Array]:
    """Independent random words for each entity.

    Args:
        words: raw purpose key, ``uint32[2]``.
        identity: 64-bit identities of the entities, ``uint32[..., 2]``.
        num_words: how many 32-bit words each entity needs (static).
        first_block: number of the first 64-bit block to use; block ``b`` holds words ``2b`` and ``2b + 1``.

    Returns:
        ``num_words`` arrays ``uint32[...]``; word ``w`` is the same however many are asked for.
    """
    num_blocks = (num_words + 1) // 2
    keys = fold_words(words, np.arange(first_block, first_block + num_blocks, dtype=np.uint32))
    drawn: list[jax.Array] = []
    for block in range(num_blocks):
        drawn.extend(threefry_2x32((keys[block, 0], keys[block, 1]), (identity[..., 0], identity[..., 1])))
    return drawn[:num_words]


def index_identity(index: Any) -> jax.Array:
    """Identity ``uint32[..., 2]`` of entities that are numbered by the law itself (stimulus 0, 1, ...)."""
    low = jnp.asarray(index).astype(jnp.uint32)
    return jnp.stack([jnp.zeros_like(low), low], axis=-1)


def name_identity(names: Sequence[str]) -> np.ndarray:
    """Identities ``uint32[N, 2]`` on the host: the first 8 bytes of SHA-256 of each name."""
    digests = b"".join(hashlib.sha256(name.encode()).digest()[:8] for name in names)
    return np.frombuffer(digests, dtype=">u4").astype(np.uint32).reshape(len(names), 2)


def multiply_high(a: jax.Array, b: jax.Array) -> jax.Array:
    """The high 32 bits of the 64-bit product of two uint32 arrays, without 64-bit integers."""
    mask, half = np.uint32(0xFFFF), np.uint32(16)
    a_low, a_high, b_low, b_high = a & mask, a >> half, b & mask, b >> half
    low = a_low * b_low
    middle_a = a_high * b_low + (low >> half)
    middle_b = a_low * b_high + (middle_a & mask)
    return a_high * b_high + (middle_a >> half) + (middle_b >> half)


def uniform_index(bits: jax.Array, size: jax.Array) -> jax.Array:
    """An index ``int32`` uniform in ``[0, size)`` from 32 random bits (bias below ``size / 2**32``)."""
    return multiply_high(bits, size.astype(jnp.uint32)).astype(jnp.int32)


def unit_interval(bits: jax.Array) -> jax.Array:
    """A float32 in ``[0, 1)`` on the grid of 2**-24, so that comparisons with it are exact."""
    return (bits >> np.uint32(8)).astype(jnp.float32) * np.float32(2.0**-24)


def probability_threshold(probability: float | np.ndarray) -> np.ndarray:
    """Host: the ``uint32`` threshold for which ``bits < threshold`` has this probability (1 becomes 1 - 2**-32)."""
    scaled = np.floor(np.asarray(probability, dtype=np.float64) * 2.0**32)
    return np.clip(scaled, 0, 2**32 - 1).astype(np.uint32)
