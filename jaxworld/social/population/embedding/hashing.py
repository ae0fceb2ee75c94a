"""Vectors without a model: signed feature hashing of words and pieces of words."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np

from jaxworld.core.checks import whole

_WORD = re.compile(r"\w+")
PIECE_SIZES = (2, 3, 4)
"""Lengths of the pieces; pieces of two carry scripts that are written without spaces."""
WORD_WEIGHT = 2
LARGEST_DIMENSIONS = 4096


@dataclasses.dataclass(frozen=True)
class HashingEmbedder:
    """Texts that share words, or pieces of words, get similar vectors.

    Features of a text are its words and all runs of 2, 3 and 4 characters of each word with its ends marked, after
    Unicode compatibility normalisation and case folding; each counts once, a word twice as much as a piece. A hash
    gives every feature a place and a sign (Weinberger et al., "Feature hashing for large scale multitask learning",
    ICML 2009), and the sum is scaled to length 1. No language is favoured, nothing is learned or downloaded. The sum
    is one of integers, so the same text has the same bits on every machine and beside any other texts.

    Attributes:
        dimensions: D. Unrelated texts then have cosines of about 0 with a standard deviation near 1 / sqrt(D).
    """

    dimensions: int = 256

    def __post_init__(self) -> None:
        whole("dimensions", self.dimensions, 1, LARGEST_DIMENSIONS)

    @property
    def name(self) -> str:
        """Which vectors these are."""
        return f"hashing-1/{self.dimensions}"

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """``float32[n, D]`` of length 1; a text without letters or digits gets a zero row."""
        sums = np.zeros((len(texts), self.dimensions), np.int64)
        for row, text in enumerate(texts):
            for feature, weight in _features(text).items():
                bits = _hash(feature)
                sums[row, (bits >> 1) % self.dimensions] += weight if bits & 1 else -weight
        length = np.sqrt((sums * sums).sum(axis=1, keepdims=True).astype(np.float64))
        return np.divide(sums, length, out=np.zeros(sums.shape), where=length > 0).astype(np.float32)


def _features(text: str) -> dict[str, int]:
    """Each feature once, with its weight."""
    features: dict[str, int] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        features[f"w{word}"] = WORD_WEIGHT
        features |= dict.fromkeys(_pieces(f"<{word}>"), 1)
    return features


def _pieces(marked: str) -> Iterator[str]:
    for size in PIECE_SIZES:
        for start in range(len(marked) - size + 1):
            yield f"p{marked[start : start + size]}"


@functools.lru_cache(maxsize=2**16)
def _hash(feature: str) -> int:
    return int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
