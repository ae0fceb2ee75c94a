"""The resource: how it grows, and what can be taken without it shrinking."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.commons.params import CommonsParams
from jaxworld.commons.streams import ENVIRONMENT, INITIAL
from jaxworld.commons.vocabulary import GrowthBase
from jaxworld.core.batch_hints import any_in_batch
from jaxworld.core.layout import sum_over_few
from jaxworld.core.random import entity_bits, index_identity, purpose_keys, unit_interval
from jaxworld.observe.normal import standard_normal, unfused

DUST = np.float32(1e-6)
"""Share of capacity below which what a harvest left is a rounding error."""


def initial_stock(key: jax.Array, params: CommonsParams, whole_units: bool) -> jax.Array:
    """``float32[]``: uniform between the two shares of capacity, rounded to whole units if the resource comes in them.

    Args:
        key: of tick 0.
        params: the parameters.
        whole_units: whether the stock is whole.
    """
    word = entity_bits(purpose_keys(key, [INITIAL])[0], index_identity(np.uint32(0)), 1)[0]
    low, high = params.initial_low, params.initial_high
    stock = params.capacity * (low + unfused((high - low) * unit_interval(word)))
    return jnp.round(stock) if whole_units else stock


def shock(key: jax.Array, deviation: jax.Array) -> jax.Array:
    """``float32[]``: lognormal of mean 1 on this turn's regrowth; exactly 1 for a deviation of 0, drawn or not."""

    def draw() -> jax.Array:
        word = entity_bits(purpose_keys(key, [ENVIRONMENT])[0], index_identity(np.uint32(0)), 1)[0]
        return jnp.exp(unfused(deviation * standard_normal(word)) - unfused(np.float32(0.5) * deviation * deviation))

    return lax.cond(any_in_batch(deviation > 0), draw, lambda: jnp.ones_like(deviation))


def left_over(stock: jax.Array, harvest: jax.Array, capacity: jax.Array) -> jax.Array:
    """``float32[]``: what is left after ``harvest float32[N]``, with rounding errors cleared away."""
    left = jnp.maximum(stock - sum_over_few(harvest), np.float32(0))
    return jnp.where(left < DUST * capacity, np.float32(0), left)


def logistic_growth(
    stock: jax.Array, left: jax.Array, rate: jax.Array, params: CommonsParams, factor: jax.Array
) -> jax.Array:
    """Stock after regrowth, ``float32[]`` in [0, K]: ``left + factor r X (1 - X / K)``.

    Args:
        stock: before the harvest. left: after it. X is one or the other, by ``params.growth_base``.
        rate: r as it is this turn.
        params: the parameters.
        factor: the environment's shock.
    """
    base = jnp.where(params.growth_base == np.int32(GrowthBase.AFTER_HARVEST), left, stock)
    room = np.float32(1) - unfused(base * (np.float32(1) / params.capacity))
    grown = left + unfused(factor * rate * base * room)
    return jnp.clip(grown, np.float32(0), params.capacity)


def multiply(left: jax.Array, params: CommonsParams, factor: jax.Array) -> jax.Array:
    """Whole stock after regrowth: each unit adds ``r`` (1 doubles), rounded down, up to the capacity."""
    return jnp.minimum(left + jnp.floor(unfused(factor * params.regrowth * left)), params.capacity)


def logistic_sustainable(stock: jax.Array, rate: jax.Array, params: CommonsParams) -> jax.Array:
    """``float32[]``: the catch after which the stock regrows to exactly ``stock``.

    If growth follows the harvest, what must be left solves ``X + r X (1 - X / K) = S``; the root is written in the
    form that keeps its digits for small r. If growth follows the stock before, it is that growth.
    """
    one, share = np.float32(1), unfused(stock * (np.float32(1) / params.capacity))
    square = unfused((one + rate) * (one + rate)) - unfused(np.float32(4) * rate * share)
    root = jnp.sqrt(jnp.maximum(square, np.float32(0)))
    after = stock - np.float32(2) * stock / (one + rate + root)
    before = rate * stock * (one - share)
    chosen = jnp.where(params.growth_base == np.int32(GrowthBase.AFTER_HARVEST), after, before)
    return jnp.clip(chosen, np.float32(0), stock)


def whole_sustainable(stock: jax.Array, params: CommonsParams) -> jax.Array:
    """``float32[]``: the whole catch after which multiplication brings the stock back, half of it where it doubles."""
    return jnp.floor(stock * (params.regrowth / (np.float32(1) + params.regrowth)))
