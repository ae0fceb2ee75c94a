"""Ids and seeds, derived from names with SHA-256 and nothing else."""

from __future__ import annotations

import hashlib

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32, in lower case."""
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_TOP_SHIFT, _PAIR_BITS = 120, 10


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def world_seed(replicate_seed: int, variant_id: str) -> int:
    """The 64-bit seed of a world: the first 8 bytes (big-endian) of the hash of ``replicate:variant``."""
    return int.from_bytes(_digest(f"{replicate_seed}:{variant_id}")[:8], "big")


def world_id(scenario_hash: str, replicate_seed: int, population_hash: str) -> str:
    """Twelve hexadecimal characters: the start of the hash of ``scenario:replicate:population``."""
    return _digest(f"{scenario_hash}:{replicate_seed}:{population_hash}").hex()[:12]


def derived_id(prefix: str, seed: int, tick: int, purpose: str, index: int = 0) -> str:
    """``prefix-`` and 26 characters: the low 128 bits of the hash of ``seed:tick:purpose:index``, five bits each.

    Two zero bits fill up the first character, so it is at most 7, as in a ULID.
    """
    value = int.from_bytes(_digest(f"{seed}:{tick}:{purpose}:{index}")[16:], "big")
    body = [_PAIRS[(value >> shift) & 1023] for shift in range(_TOP_SHIFT, -1, -_PAIR_BITS)]
    return f"{prefix}-{''.join(body)}"


def study_stimulus_id(seed: int, index: int) -> str:
    """The concept has index 0, the claims follow in the order of the brief."""
    return derived_id("st", seed, 0, "stimulus:study", index)


def published_stimulus_id(seed: int, tick: int, action: str, index: int) -> str:
    """``index`` counts all publications of the tick."""
    return derived_id("st", seed, tick, f"stimulus:publish:{action}", index)


def impression_id(seed: int, tick: int, channel: str, persona_id: str) -> str:
    """One for each persona, channel and tick."""
    return derived_id("im", seed, tick, f"impression:{channel}:{persona_id}")
