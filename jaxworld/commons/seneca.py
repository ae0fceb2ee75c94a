"""Capital that keeps the catch high while the stock falls, and the pollution it leaves: slow growth, fast collapse."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons.params import SenecaParams
from jaxworld.observe.normal import unfused


def amplified(
    request: jax.Array, capital: jax.Array, stock: jax.Array, capacity: jax.Array, params: SenecaParams
) -> jax.Array:
    """``float32[N]``: what an effort ``request float32[N]`` tries to take: more with capital, less from a thin stock.

    ``q (1 + C / C_h) S / (S + s_h K)``.
    """
    found = stock / jnp.maximum(stock + unfused(params.search_share * capacity), np.float32(1e-30))
    boost = np.float32(1) + unfused(capital * (np.float32(1) / params.capital_scale))
    return unfused(request * (boost * found))


def damage(pollution: jax.Array, params: SenecaParams) -> jax.Array:
    """``float32[]`` in [0, 1): ``P^m / (P^m + P_h^m)``."""
    ratio = (pollution * (np.float32(1) / params.damage_scale)) ** params.damage_steepness
    return ratio / (ratio + np.float32(1))


def advance(
    capital: jax.Array, pollution: jax.Array, harvest: jax.Array, params: SenecaParams
) -> tuple[jax.Array, jax.Array]:
    """Capital and pollution after a turn with ``harvest float32[]`` in all; neither is ever negative.

    ``C' = C + iota H - (delta + mu D(P)) C``, ``P' = P + eps H - nu P``.
    """
    wear = params.depreciation + unfused(params.pollution_wear * damage(pollution, params))
    capital = jnp.maximum(capital + unfused(params.investment * harvest) - unfused(wear * capital), np.float32(0))
    pollution = pollution + unfused(params.emission * harvest) - unfused(params.abatement * pollution)
    return capital, jnp.maximum(pollution, np.float32(0))
