"""What observers receive of one variable, and the rounding that happens when it is handed over."""

from __future__ import annotations

from typing import Literal

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.observe.normal import unfused

Content = Literal["number", "code", "mixed"]
HIDDEN_CODE = -1
EXACT_LIMIT = 8192.0
"""From here on neighbouring float32 numbers are about a thousandth apart, so three decimals no longer exist."""

_RECIPROCAL = np.float32(0.001)


@pytree_dataclass
class Delivered:
    """One variable as N observers received it; pairs have a further axis of N targets.

    Attributes:
        value: ``float32[N]`` or ``float32[N, N]``: a number with three decimals, or what the code stands for (the
            number of the bucket; -1, 0 or 1 for the sign). 0 where ``mask`` is False, so that no NaN travels.
        mask: ``bool``, same shape: whether anything was received. Always False between a player and itself.
        code: ``int32``, same shape: the category, from 0; -1 for a number and for anything hidden.
        low: ``float32[N]``, least possible true value, -inf if there is none; the same for all observers.
        high: ``float32[N]``, largest possible true value, inf if there is none.
        kind: static: ``number``, ``code``, or ``mixed`` if a parameter decides which (then codes tell: -1 is a number).
    """

    value: jax.Array
    mask: jax.Array
    code: jax.Array
    low: jax.Array
    high: jax.Array
    kind: Content = static_field()


def round_thousandths(value: jax.Array) -> jax.Array:
    """``float32``: the nearest float32 to three decimals, ties of the float32 product to even, never -0.

    A number of magnitude :data:`EXACT_LIMIT` or more, infinite or NaN comes back as it is.
    """
    rounded = _thousandth(jnp.round(value * np.float32(1000)))
    return jnp.where(jnp.abs(value) < np.float32(EXACT_LIMIT), rounded, value)


def _thousandth(whole: jax.Array) -> jax.Array:
    """``whole / 1000`` rounded once, for whole ``float32`` below 2**23 in magnitude.

    XLA turns a division by a constant into a product with its reciprocal, which misses the nearest float32 in half of
    the cases, but only where it sees the constant. So the product is taken here and put right by its own remainder,
    which is exact because the quotient is split into a part of 12 bits and the rest. A remainder of 0 is +0, and so is
    its sum with -0.
    """
    quotient = unfused(whole * _RECIPROCAL)
    bits = jax.lax.bitcast_convert_type(quotient, jnp.uint32) & np.uint32(0xFFFFF000)
    upper = jax.lax.bitcast_convert_type(bits, jnp.float32)
    remainder = (whole - upper * np.float32(1000)) - (quotient - upper) * np.float32(1000)
    return quotient + unfused(remainder * _RECIPROCAL)
