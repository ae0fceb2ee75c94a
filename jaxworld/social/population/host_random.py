"""Host-side random generators, one per (seed, purpose)."""

from __future__ import annotations

import hashlib

import numpy as np

from jaxworld.core.errors import require


def named_seed(seed: int, purpose: str) -> int:
    """A 128-bit integer from SHA-256 of the seed and the purpose's name."""
    require(0 <= int(seed) < 2**64, "seed", seed, "use an integer from 0 to 2**64 - 1")
    return int.from_bytes(hashlib.sha256(f"{int(seed)}/{purpose}".encode()).digest()[:16], "big")


def named_generator(seed: int, purpose: str) -> np.random.Generator:
    """A NumPy generator of its own for every purpose, so that adding one purpose shifts no other."""
    return np.random.Generator(np.random.PCG64(named_seed(seed, purpose)))
