"""The named draws of a social world, one Python integer at a time."""

from __future__ import annotations

import functools
import hashlib

Words = tuple[int, int]
WORD = 2**32
_ROTATIONS = ([13, 15, 26, 6], [17, 29, 16, 24])


@functools.cache
def threefry(key: Words, counter: Words) -> Words:
    """Threefry-2x32, 20 rounds, as the paper of Salmon and others (2011) has it: key injection every fourth round."""
    schedule = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA]
    left, right = (counter[0] + schedule[0]) % WORD, (counter[1] + schedule[1]) % WORD
    for round_number in range(20):
        turn = _ROTATIONS[round_number // 4 % 2][round_number % 4]
        left = (left + right) % WORD
        right = ((right << turn) % WORD | right >> (32 - turn)) ^ left
        if round_number % 4 == 3:
            injection = round_number // 4 + 1
            left = (left + schedule[injection % 3]) % WORD
            right = (right + schedule[(injection + 1) % 3] + injection) % WORD
    return left, right


def fold_in(key: Words, number: int) -> Words:
    return threefry(key, (0, number))


def draw(key: Words, identity: Words, word: int) -> int:
    """Word number ``word`` of an entity: blocks of two words, each block under a key of its own."""
    return threefry(fold_in(key, word // 2), identity)[word % 2]


def unit(word: int) -> float:
    """A number in [0, 1) on the grid of 2**-24."""
    return (word >> 8) / 2**24


class Draws:
    """All draws of one tick. A purpose is a name; its code is the start of the name's SHA-256."""

    def __init__(self, tick_key: Words) -> None:
        self.tick_key = tick_key

    def key(self, purpose: str) -> Words:
        digest = hashlib.sha256(f"social/{purpose}".encode()).digest()
        return fold_in(self.tick_key, int.from_bytes(digest[:4], "big"))

    def word(self, purpose: str, identity: Words, word: int = 0) -> int:
        return draw(self.key(purpose), identity, word)

    def stimulus_tie(self, platform: str, slot: int) -> int:
        return self.word(f"tie/{platform}", (0, slot))
