"""Draws with finitely many outcomes: stated once, sampled by the simulation, enumerated by the graph.

A probability is held as a 64-bit threshold in two words: a double of at least 2**-11 is exact that way, so the graph
computes in float64 with the very numbers the simulation draws by. The all-ones threshold stands for certainty.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.core.random import entity_bits, index_identity, uniform_index

ALL_ONES = 2**64 - 1


@pytree_dataclass
class Choice:
    """One of k outcomes by given probabilities.

    Attributes:
        below: ``uint32[k - 1, 2]``, thresholds of the cumulative probabilities, high word first, non-decreasing.
    """

    below: jax.Array

    @property
    def size(self) -> int:
        """Number of outcomes k."""
        return self.below.shape[-2] + 1


@pytree_dataclass
class Uniform:
    """One of the first ``count`` of k outcomes, all alike.

    Attributes:
        count: ``int32[]``, from 1 to k.
        size: k, static.
    """

    count: jax.Array
    size: int = static_field()


Factor = Choice | Uniform
Factors = tuple[Factor, ...]
Picks = tuple[jax.Array, ...]
"""One outcome number ``int32[]`` for each factor."""


def threshold(field: str, probability: float) -> np.ndarray:
    """Host: the threshold ``uint32[2]`` of a probability, exact in float64 from 2**-11 up, within 2**-64 below.

    Raises:
        ConfigurationError: for anything but a number from 0 to 1.
    """
    return thresholds([scaled(field, probability)])[0]


def scaled(field: str, probability: float) -> int:
    """Host: a probability as a whole number of 2**-64."""
    return math.floor(checks.number(field, probability, 0.0, 1.0) * 2.0**64)


def thresholds(cumulative: Sequence[int]) -> np.ndarray:
    """Host: thresholds ``uint32[n, 2]`` of cumulative probabilities in units of 2**-64."""
    values = [min(value, ALL_ONES) for value in cumulative]
    return np.asarray([[value >> 32, value & 0xFFFFFFFF] for value in values], np.uint32).reshape(len(values), 2)


def distribution_thresholds(probabilities: np.ndarray) -> np.ndarray:
    """Host: thresholds ``uint32[..., k - 1, 2]`` of ``float64[..., k]``; what is impossible stays so."""
    flat = probabilities.reshape(-1, probabilities.shape[-1])
    made = np.empty((*flat.shape, 2), np.uint32)
    for row, shares in enumerate(flat):
        steps = [math.floor(float(share) * 2.0**64) for share in shares]
        last = int(np.flatnonzero(shares)[-1])
        cumulative = [min(int(total), 2**64) for total in itertools.accumulate(steps)]
        made[row] = thresholds([*cumulative[:last], *[2**64] * (len(shares) - last)])
    return made.reshape(*probabilities.shape, 2)[..., :-1, :]


def coin(probability: jax.Array) -> Choice:
    """Outcome 0 with the probability of a threshold ``uint32[2]``, outcome 1 otherwise."""
    return Choice(below=probability[None, :])


def only_if(condition: jax.Array, factor: Factor) -> Factor:
    """``factor`` where ``condition bool[]`` holds, else its outcome 0 for certain."""
    if isinstance(factor, Uniform):
        return Uniform(count=jnp.where(condition, factor.count, np.int32(1)), size=factor.size)
    return Choice(below=jnp.where(condition, factor.below, jnp.full_like(factor.below, 2**32 - 1)))


def draw_bits(words: jax.Array, numbers: Sequence[int]) -> tuple[jax.Array, jax.Array]:
    """64 random bits for each factor, from the factor's own number, so that a further one shifts no other.

    Args:
        words: raw purpose key, ``uint32[2]``.
        numbers: numbers of the factors, at least one.

    Returns:
        High and low words, ``uint32[n]``.
    """
    high, low = entity_bits(words, index_identity(np.asarray(numbers, np.uint32)), 2)
    return high, low


def pick(factors: Factors, high: jax.Array, low: jax.Array) -> Picks:
    """The outcomes of factors by their random bits, the first of ``high`` and ``low uint32[n]``."""
    return tuple(_pick(factor, high[place], low[place]) for place, factor in enumerate(factors))


def _pick(factor: Factor, high: jax.Array, low: jax.Array) -> jax.Array:
    if isinstance(factor, Uniform):
        return uniform_index(high, factor.count)
    first, second = factor.below[:, 0], factor.below[:, 1]
    high, low = jnp.broadcast_to(high, first.shape), jnp.broadcast_to(low, first.shape)
    certain = (first == np.uint32(2**32 - 1)) & (second == np.uint32(2**32 - 1))
    below = (high < first) | ((high == first) & (low < second)) | certain
    return (~below).sum(dtype=jnp.int32)


def all_picks(factors: Factors) -> tuple[np.ndarray, ...]:
    """Every combination of outcomes, ``int32[K]`` a factor, the last factor fastest."""
    sizes = [factor.size for factor in factors]
    if not sizes:
        return ()
    return tuple(grid.reshape(-1).astype(np.int32) for grid in np.indices(sizes))


def weights(factors: Factors) -> jax.Array:
    """``float32[K]``: probabilities of :func:`all_picks`, in a kernel (the graph has them in float64)."""
    total = jnp.ones((1,), jnp.float32)
    for factor in factors:
        total = (total[:, None] * _weights(factor)[None, :]).reshape(-1)
    return total


def _weights(factor: Factor) -> jax.Array:
    if isinstance(factor, Uniform):
        inside = jnp.arange(factor.size, dtype=jnp.int32) < factor.count
        return inside.astype(jnp.float32) / factor.count.astype(jnp.float32)
    words = factor.below.astype(jnp.float32)
    cumulative = words[:, 0] * np.float32(2.0**-32) + words[:, 1] * np.float32(2.0**-64)
    ends = [jnp.zeros(1, jnp.float32), cumulative, jnp.ones(1, jnp.float32)]
    return jnp.diff(jnp.concatenate(ends))


def host_weights(factors: Factors) -> np.ndarray:
    """Host: ``float64[..., K]``, the exact probabilities of :func:`all_picks` for stacked factors.

    Args:
        factors: with NumPy arrays that have the same leading axes; at least one factor.
    """
    total: np.ndarray | None = None
    for factor in factors:
        own = _host_weights(factor)
        total = own if total is None else (total[..., :, None] * own[..., None, :]).reshape(*own.shape[:-1], -1)
    assert total is not None, "a law without chance has no factors to weigh"
    return total


def _host_weights(factor: Factor) -> np.ndarray:
    if isinstance(factor, Uniform):
        count = np.asarray(factor.count)[..., None]
        return np.where(np.arange(factor.size) < count, 1.0 / count, 0.0)
    words = np.asarray(factor.below).astype(np.uint64)
    values = (words[..., 0] << np.uint64(32)) | words[..., 1]
    parts = [np.where(values[..., 0] == np.uint64(ALL_ONES), 1.0, _unit(values[..., 0]))]
    for lower, upper in zip(range(values.shape[-1] - 1), range(1, values.shape[-1]), strict=True):
        difference = _unit(values[..., upper] - values[..., lower])
        parts.append(np.where(values[..., upper] == np.uint64(ALL_ONES), _rest(values[..., lower]), difference))
    parts.append(_rest(values[..., -1]))
    return np.stack(parts, axis=-1)


def _unit(values: np.ndarray) -> np.ndarray:
    return values.astype(np.float64) * 2.0**-64


def _rest(values: np.ndarray) -> np.ndarray:
    """One minus the probability of a threshold; the subtraction is exact in 64-bit integers."""
    rest = _unit(np.uint64(0) - values)
    return np.where(values == np.uint64(0), 1.0, np.where(values == np.uint64(ALL_ONES), 0.0, rest))
