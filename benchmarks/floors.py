"""The machine's floors: how fast it moves bytes, makes random words and multiplies, measured beside what is timed.

A floor is the time that the unavoidable part of some work takes at those rates, in CPU seconds of one core. Random
words and products share the arithmetic units, so their times add; moving bytes can overlap with them.
"""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.harness import measure
from jaxworld.core.random import entity_bits, index_identity

CACHE_BYTES = (2**14, 2**16, 2**18)
MEMORY_BYTES = 2**26


@dataclasses.dataclass(frozen=True)
class Rates:
    """Per CPU second.

    Attributes:
        cached_bytes: bytes read plus bytes written by a copy of an array that fits in a core's cache.
        memory_bytes: the same for an array that does not.
        entity_words: 32-bit words from this library's per-entity generator, drawn in pairs.
        jax_words: 32-bit words from ``jax.random.bits``.
        flops: additions and multiplications of a float32 matrix product.
    """

    cached_bytes: float
    memory_bytes: float
    entity_words: float
    jax_words: float
    flops: float


@dataclasses.dataclass(frozen=True)
class Work:
    """What some work cannot do without: bytes read or written, random words, floating-point operations."""

    bytes: float
    words: float
    flops: float = 0.0

    def floor(self, rates: Rates) -> float:
        """Seconds of one core that no implementation of this work on this machine undercuts."""
        parts = self.parts(rates)
        return max(parts["bytes"], parts["words"] + parts["flops"])

    def parts(self, rates: Rates) -> dict[str, float]:
        """Seconds for each kind of work alone."""
        return {
            "bytes": self.bytes / rates.cached_bytes,
            "words": self.words / max(rates.entity_words, rates.jax_words),
            "flops": self.flops / rates.flops,
        }


def measure_rates(repeats: int, scale: int = 1) -> Rates:
    """All rates; ``scale`` divides the work for a quick, rough answer."""
    return Rates(
        cached_bytes=max(_copy_rate(size, max(2**28 // size // scale, 1), repeats) for size in CACHE_BYTES),
        memory_bytes=_copy_rate(MEMORY_BYTES // scale, 4, repeats),
        entity_words=_entity_word_rate(max(256 // scale, 1), repeats),
        jax_words=_jax_word_rate(2**22 // scale, repeats),
        flops=_matmul_rate(1024 // min(scale, 8), repeats),
    )


def _copy_rate(size: int, times: int, repeats: int) -> float:
    source, target = np.ones(size // 4, np.float32), np.zeros(size // 4, np.float32)

    def copy() -> None:
        for _ in range(times):
            np.copyto(target, source)

    return 2 * size * times / measure(copy, repeats).cpu_s


def _entity_word_rate(ticks: int, repeats: int, entities: int = 16_384) -> float:
    """Words xor-ed together as they are made, so that no memory traffic is measured."""
    identity = index_identity(np.arange(entities))

    @jax.jit
    def draw(seed: jax.Array) -> jax.Array:
        def body(total: jax.Array, tick: jax.Array) -> tuple[jax.Array, None]:
            left, right = entity_bits(jnp.stack([seed, tick]), identity, 2)
            return total ^ left ^ right, None

        start = jnp.zeros(entities, jnp.uint32)
        return jax.lax.scan(body, start, jnp.arange(ticks, dtype=jnp.uint32))[0]

    seed = jnp.uint32(1)
    return 2 * entities * ticks / measure(lambda: draw(seed), repeats).cpu_s


def _jax_word_rate(words: int, repeats: int) -> float:
    key = jax.random.key(0, impl="threefry2x32")
    draw = jax.jit(lambda key: jax.random.bits(key, (words,)))
    return words / measure(lambda: draw(key), repeats).cpu_s


def _matmul_rate(size: int, repeats: int) -> float:
    left = jnp.ones((size, size), jnp.float32)
    product = jax.jit(lambda a, b: jnp.matmul(a, b, precision="highest"))
    return 2 * size**3 / measure(lambda: product(left, left), repeats).cpu_s
