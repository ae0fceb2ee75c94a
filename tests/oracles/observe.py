"""Observation transforms, one reading at a time, in exact fractions and float64."""

import hashlib
import math
from fractions import Fraction

import jax
import numpy as np
from scipy.special import ndtri

from jaxworld.core.random import threefry_2x32


def quantile(words):
    """Standard normal numbers that random words stand for, float64."""
    words = np.asarray(words, np.uint32)
    tail = ((words & 0x7FFFFFFF).astype(np.float64) + 0.5) / 2.0**32
    return np.where(words >> 31 == 0, -ndtri(tail), ndtri(tail))


def bucket(value, low, high, buckets, edges=None):
    """Number of the bucket; edges are shares of the range, written as decimal strings."""
    if math.isnan(value):
        return -1
    if low == high:
        return 0
    if math.isinf(value):
        return buckets - 1 if value > 0 else 0
    value = value if isinstance(value, Fraction) else Fraction(float(value))
    share = (value - Fraction(float(low))) / (Fraction(float(high)) - Fraction(float(low)))
    if edges is None:
        return min(max(math.floor(buckets * share), 0), buckets - 1)
    return sum(share >= Fraction(edge) for edge in edges)


def signs(values, deadband=0.0):
    """Code of the sign of each value's change against the last one that was not NaN."""
    codes, previous = [], None
    for value in values:
        if math.isnan(value):
            codes.append(-1)
            continue
        change = 0.0 if previous is None else value - previous
        codes.append(1 + (change > deadband) - (change < -deadband))
        previous = value
    return codes


def delivered(value):
    """Float32 nearest to the value rounded to thousandths, ties of the float32 product to even."""
    thousandths = np.rint(np.float32(value) * np.float32(1000)).astype(np.float64)
    return (thousandths / 1000 + 0.0).astype(np.float32)


def noise_words(tick_key, variable, kind, ordinal, observer, target):
    """The random word of one reading, from its names alone."""
    name = f"observe/{variable}/{kind}/{ordinal}"
    purpose = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    key = np.asarray(jax.random.key_data(jax.random.fold_in(tick_key, np.uint32(purpose))))
    counter = tuple(np.asarray([number], np.uint32) for number in (observer, target))
    return int(threefry_2x32((key[:1], key[1:]), counter)[0][0])
