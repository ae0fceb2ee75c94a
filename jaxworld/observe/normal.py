"""Standard normal numbers from random words: one word, one number, the same bits however the code is compiled.

The distribution is inverted. Bit 31 of a word is the sign, the other 31 bits m give the tail probability
p = (m + 1/2) / 2**32, down to 2**-33, so the largest number is 6.34. With u = 2 p, x = 1 - u and
w = -ln(1 - x**2), the quantile is x times a smooth function of w in the centre and of sqrt(w) in the tail; this form is
from M. Giles, "Approximating the erfinv function" (GPU Computing Gems, Jade edition, 2011). The coefficients here were
fitted anew, to the normal quantile and to the deeper tail.

Compilers may contract a product and a sum into one operation that rounds once, and whether they do depends on what
stands around it. Here nothing can be contracted: a maximum that changes no finite number separates every product from
the sum it enters (:func:`unfused`). What remains are single sums, products and square roots, which IEEE 754 rounds in
one way only.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

_LOWEST = np.finfo(np.float32).min
_LN_2 = np.float32(np.log(2.0))
_ROOT_HALF_BITS = np.int32(0x3F3504F3)  # of sqrt(1/2) in float32

# Highest power first. Minimax fits: ln(f) / (f - 1) in f - 1 for f from sqrt(1/2) to sqrt(2); quantile / x in w - 2.5
# for w up to _CUT; quantile / x in sqrt(w) - 3 from there to the last word.
_CUT = np.float32(5.5)
# fmt: off
_LOG = np.asarray(
    [-0.10378691, 0.16338223, -0.17212462, 0.19884229, -0.24971557, 0.33335608, -0.50000346, 0.99999994], np.float32)
_CENTRE = np.asarray(
    [1.2106531e-08, 4.739387e-07, -4.638157e-06, -6.076769e-06, 0.000307792, -0.0017734697, -0.0059065283,
     0.348803, 2.1233132], np.float32)
_TAIL = np.asarray(
    [2.060226e-05, -0.00035206924, 0.0018206921, -0.004788774, 0.008073005, -0.010880777, 0.013360208,
     1.4165878, 4.006434], np.float32)
# fmt: on


def unfused(product: jax.Array) -> jax.Array:
    """A finite ``float32`` product, unchanged, that no compiler can contract with the sum it goes into."""
    return jnp.maximum(product, _LOWEST)


def settled(value: jax.Array) -> jax.Array:
    """Any ``float32``, but contracted by no compiler with what is computed from it.

    Every value is unchanged, infinities and NaN included, except that the smallest denormal becomes 0.
    """
    bits = jax.lax.bitcast_convert_type(value, jnp.uint32)
    bits = jnp.where(bits == np.uint32(1), np.uint32(0), bits)
    return jax.lax.bitcast_convert_type(bits, jnp.float32)


def standard_normal(bits: jax.Array) -> jax.Array:
    """Standard normal numbers ``float32``, one for each ``uint32`` word; within 2e-6 of the exact quantile."""
    magnitude = bits & np.uint32(0x7FFFFFFF)
    tail = (magnitude.astype(jnp.float32) + np.float32(0.5)) * np.float32(2.0**-31)
    w = -_log(tail * (np.float32(2) - tail))
    central = w < _CUT
    at = jnp.where(central, w - np.float32(2.5), jnp.sqrt(w) - np.float32(3))
    factor = jnp.where(central, _CENTRE[0], _TAIL[0])
    for centre, outer in zip(_CENTRE[1:], _TAIL[1:], strict=True):
        factor = unfused(factor * at) + jnp.where(central, centre, outer)
    size = (np.float32(1) - tail) * factor
    return jnp.where(bits >> np.uint32(31) == np.uint32(0), size, -size)


def _log(y: jax.Array) -> jax.Array:
    """Natural logarithm of positive normal ``float32``, absolute error about 1e-7 of the larger of 1 and the result."""
    raw = jax.lax.bitcast_convert_type(y, jnp.int32)
    exponent = (raw - _ROOT_HALF_BITS) >> np.int32(23)
    fraction = jax.lax.bitcast_convert_type(raw - (exponent << np.int32(23)), jnp.float32) - np.float32(1)
    factor = jnp.full(y.shape, _LOG[0])
    for coefficient in _LOG[1:]:
        factor = unfused(factor * fraction) + coefficient
    return unfused(exponent.astype(jnp.float32) * _LN_2) + unfused(factor * fraction)
