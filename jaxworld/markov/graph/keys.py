"""Exact keys: states are equal when all their words are; a hash only finds the candidates."""

from __future__ import annotations

import numpy as np

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
