"""Exact keys: states are equal when all their words are; a hash only finds the candidates."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

MAX_CODE, MIN_TABLE = 2**62, 2**16
"""Largest number that stands for a row, and entries of a table that are never too many."""
_MULTIPLIERS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))
"""Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014): constants of SplitMix64."""


def bucket(words: np.ndarray) -> np.ndarray:
    """``uint64[N]``: a bucket for each key ``uint32[N, W]``; one of its own for each key of up to two words."""
    first = words[:, 0].astype(np.uint64)
    if words.shape[1] == 1:
        return first
    mixed = (first << np.uint64(32)) | words[:, 1].astype(np.uint64)
    for column in range(2, words.shape[1]):
        mixed = (mixed ^ (mixed >> np.uint64(30))) * _MULTIPLIERS[1]
        mixed = (mixed ^ (mixed >> np.uint64(27))) * _MULTIPLIERS[0] + words[:, column].astype(np.uint64)
    return mixed


def unique_words(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different keys among ``uint32[N, W]``, in lexicographic order.

    Returns:
        Keys ``uint32[U, W]`` and, for each given one, its place among them, ``int64[N]``.
    """
    buckets = bucket(words)
    _, first, inverse = np.unique(buckets, return_index=True, return_inverse=True)
    if not np.array_equal(words[first[inverse]], words):  # two keys share a bucket: compare all words of all keys
        unique, inverse = np.unique(words, axis=0, return_inverse=True)
        return unique, inverse.reshape(-1)
    candidates = words[first]
    order = np.lexsort(candidates.T[::-1])
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return candidates[order], place[inverse]


def unique_rows(leaves: list[np.ndarray], rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows of some arrays side by side: whole numbers without a hash.

    Each row becomes one number of mixed radix, a digit an entry. Where few numbers are possible a table finds the
    different ones without sorting; where too many are, the digits so far are first replaced by their ranks.

    Args:
        leaves: ``[N, ...]`` each, booleans or numbers of at most 32 bits.
        rows: ``int64[M]``, the rows to look at.

    Returns:
        A row ``int64[U]`` for each different one, in no order that counts, and the place ``int64[M]`` of each among
        them.
    """
    code, span = np.zeros(len(rows), np.int64), 1
    for column in itertools.chain.from_iterable(_columns(leaf) for leaf in leaves):
        low = int(column.min())
        width = int(column.max()) - low + 1
        if span * width > MAX_CODE:
            unique, code = np.unique(code, return_inverse=True)
            span = len(unique)
        code = code * width + (column[rows].astype(np.int64) - low)
        span *= width
    if span > max(MIN_TABLE, 4 * len(rows)):
        _, first, place = np.unique(code, return_index=True, return_inverse=True)
        return rows[first], place
    table = np.full(span, -1, np.int64)
    table[code] = np.arange(len(rows))
    used = np.flatnonzero(table >= 0)
    first = rows[table[used]]
    table[used] = np.arange(len(used))
    return first, table[code]


def _columns(leaf: np.ndarray) -> Iterator[np.ndarray]:
    """Each entry of the rows of ``[N, ...]`` as whole numbers ``[N]``, floats by their bits."""
    flat = leaf.reshape(len(leaf), math.prod(leaf.shape[1:]))
    if flat.dtype == np.bool_:
        flat = flat.view(np.uint8)
    elif not np.issubdtype(flat.dtype, np.integer):
        flat = flat.view(f"u{flat.dtype.itemsize}")
    yield from flat.T


def stable_order(places: np.ndarray) -> np.ndarray:
    """``int64[N]``: a stable ``argsort`` of ``int64[N]``, none below 0.

    Sorting whole numbers is several times faster than sorting their places, so the places are made their last digits.
    """
    bits = len(places).bit_length()
    if len(places) and int(places.max()) >= 2 ** (63 - bits):
        return np.argsort(places, kind="stable")
    packed = (places << bits) | np.arange(len(places))
    packed.sort()
    return packed & ((1 << bits) - 1)


class KeyTable:
    """Numbers for keys, in the order they were added.

    Args:
        num_words: words W of a key.
    """

    def __init__(self, num_words: int) -> None:
        self.words = np.zeros((0, num_words), np.uint32)
        self._buckets = np.zeros(0, np.uint64)
        self._numbers = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return len(self.words)

    def add(self, words: np.ndarray) -> None:
        """Number further keys ``uint32[N, W]``, all different and none of them known."""
        numbers = np.arange(len(self.words), len(self.words) + len(words), dtype=np.int64)
        self.words = np.concatenate([self.words, words])
        buckets = np.concatenate([self._buckets, bucket(words)])
        order = np.argsort(buckets, kind="stable")
        self._buckets, self._numbers = buckets[order], np.concatenate([self._numbers, numbers])[order]

    def joined(self, words: np.ndarray) -> KeyTable:
        """A table of the keys of this one and further ones."""
        made = KeyTable(self.words.shape[1])
        made.words, made._buckets, made._numbers = self.words, self._buckets, self._numbers
        made.add(words)
        return made

    def find(self, words: np.ndarray) -> np.ndarray:
        """``int64[N]``: the numbers of keys ``uint32[N, W]``, -1 for an unknown one."""
        found = np.full(len(words), -1, np.int64)
        if not len(self.words):
            return found
        buckets = bucket(words)
        place = np.searchsorted(self._buckets, buckets)
        waiting = np.arange(len(words))
        while waiting.size:
            inside = place[waiting] < len(self._buckets)
            waiting = waiting[inside]
            same = self._buckets[place[waiting]] == buckets[waiting]
            waiting = waiting[same]
            candidates = self._numbers[place[waiting]]
            equal = (self.words[candidates] == words[waiting]).all(axis=1)
            found[waiting[equal]] = candidates[equal]
            waiting = waiting[~equal]
            place[waiting] += 1
        return found
