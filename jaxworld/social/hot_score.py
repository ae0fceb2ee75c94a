"""Reddit's hot score as integers whose order is the formula's in exact arithmetic.

The score is ``round(sign(s) * log10(max(|s|, 1)) + (p - 1134028003) / 45000, 7)`` with ``s`` the net votes and ``p``
the publication time in seconds (the epoch, the divisor and the rounding of the open-sourced reddit ranking code, as
OASIS at commit 46cdc8d uses them). In units of 1e-7 the time term is ``2000 t / 9`` with ``t = p - 1134028003``.
Ticks last whole hours, and an hour is a multiple of 9 seconds, so every stimulus has the same remainder
``t mod 9 = 5`` (the epoch is 45000 * 25201 - 16997, and shifting time by whole multiples of 45000 s shifts every
score by the same integer). Hence

    score * 1e7 = constant + tick * (2000 * unit / 9) + round(sign(s) * 1e7 * log10|s| + 1/9)

exactly, where only the last term depends on votes and comes from a table made on the host. Two integers, whole
ticks' worth and remainder, carry the order without 64-bit arithmetic at any tick and any unit.
"""

from __future__ import annotations

import functools
from decimal import Decimal, localcontext

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.ordering import bitcast_limb

EPOCH = 1_134_028_003
SECONDS_PER_DECADE = 45_000
DIGITS = 7
_SAFE_DISTANCE = 1e-6
"""In units of 1e-7: below this distance to a rounding tie the table entry is recomputed with 40 digits."""


def hot_score(ups: int, downs: int, seconds: float) -> float:
    """The score itself in float64, for export and display; ``seconds`` is the publication time since 1970."""
    net = ups - downs
    order = np.log10(max(abs(net), 1))
    return round(float(np.sign(net) * order + (seconds - EPOCH) / SECONDS_PER_DECADE), DIGITS)


def _exact_vote_term(net: int) -> int:
    """``round(sign * 1e7 * log10(|net|) + 1/9)`` in 40-digit decimals."""
    with localcontext() as context:
        context.prec = 40
        magnitude = Decimal(abs(net)).log10() * 10**DIGITS
        signed = magnitude if net > 0 else -magnitude
        return int((signed + Decimal(1) / 9).to_integral_value())


@functools.lru_cache(maxsize=4)
def vote_table(max_net_votes: int) -> np.ndarray:
    """Host: packed vote terms ``int32[max_net_votes + 1]`` for ``|s| = 0 ...``.

    Entry ``2 g + d`` holds ``g``, the term of ``+|s|``, and ``d``: the term of ``-|s|`` is ``d - g``.
    """
    magnitude = np.maximum(np.arange(max_net_votes + 1), 1)
    scaled = np.log10(magnitude.astype(np.float64)) * 10.0**DIGITS
    terms = []
    for sign in (1, -1):
        value = sign * scaled + 1 / 9
        rounded = np.rint(value).astype(np.int64)
        close = np.flatnonzero(np.abs(np.abs(value - np.floor(value)) - 0.5) < _SAFE_DISTANCE)
        for index in close:
            rounded[index] = _exact_vote_term(sign * int(magnitude[index]))
        terms.append(rounded)
    positive, negative = terms
    difference = positive + negative
    if not np.isin(difference, (0, 1)).all():
        raise AssertionError("vote terms of opposite sign differ by more than one rounding step")
    table = (2 * positive + difference).astype(np.int32)
    table.setflags(write=False)
    return table


def hot_limbs(net_votes: jax.Array, tick: jax.Array, seconds_per_tick: int, table: jax.Array) -> list[jax.Array]:
    """Two float32 limbs ``[S]`` that order stimuli as the score does, largest first, ties equal.

    Args:
        net_votes: ``int32[S]``; magnitudes beyond the table are clipped, see :func:`beyond_table`.
        tick: ``int32[S]`` publication ticks, below 2**23.
        seconds_per_tick: static, a multiple of 9.
        table: ``int32[V + 1]`` from :func:`vote_table`.
    """
    per_tick = 2_000 * seconds_per_tick // 9
    packed = table[jnp.minimum(jnp.abs(net_votes), table.shape[0] - 1)]
    positive, carry = packed >> 1, packed & 1
    term = jnp.where(net_votes >= 0, positive, carry - positive)
    whole = jnp.floor_divide(term, jnp.int32(per_tick))
    remainder = term - whole * per_tick
    return [(tick + whole).astype(jnp.float32), bitcast_limb(remainder)]


def beyond_table(net_votes: jax.Array, table: jax.Array) -> jax.Array:
    """``bool[]``: some stimulus has more net votes than the table covers; its rank would be too low."""
    return jnp.any(jnp.abs(net_votes) >= table.shape[0])
