"""What a breach costs: nothing, a fine, a fine that grows with every breach, or some turns without harvest."""

from __future__ import annotations

import enum

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons.governance.pacts import Pacts
from jaxworld.core.errors import ConfigurationError

STEEPEST = 2
"""A graduated fine doubles with each earlier breach of the same pact, twice at most: 1, 2 and then 4 times."""


class Sanction(enum.IntEnum):
    """What follows a breach.

    ``FINE`` takes the pact's fine for each unit above its cap, ``GRADUATED`` once, twice, then four times that by the
    player's earlier breaches of the pact, and ``EXCLUSION`` takes nothing but bars from harvesting for some turns.
    """

    NONE = 0
    FINE = 1
    GRADUATED = 2
    EXCLUSION = 3

    @classmethod
    def parse(cls, value: str | int) -> Sanction:
        """A sanction from its name in lower case, or from its number.

        Raises:
            ConfigurationError: for another name or number.
        """
        names = {member.name.lower(): member for member in cls}
        if isinstance(value, str) and value in names:
            return names[value]
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(cls):
            return cls(value)
        raise ConfigurationError("sanction", value, f"use one of {', '.join(names)}")


def fines(
    sanction: jax.Array, pacts: Pacts, bound: jax.Array, broken: jax.Array, harvest: jax.Array, wealth: jax.Array
) -> jax.Array:
    """What each player gains by fines, ``float32[N]``, negative for payers; it sums to 0 up to rounding.

    Each broken pact fines the harvest above its own cap. Nobody pays more than they own: what several pacts ask for is
    then cut in proportion. A pact's pot goes in equal parts to the signatories who kept it this turn, and if none did,
    in equal parts to those who broke it.

    Args:
        sanction: ``int32[]``, ``Sanction``.
        pacts: with the breaches of earlier turns only.
        bound: ``bool[P, N]``, who is bound by what this turn.
        broken: ``bool[P, N]``, who of them broke it.
        harvest: ``float32[N]``.
        wealth: ``float32[N]``, this turn's harvest included.
    """
    earlier = jnp.minimum(pacts.violations, STEEPEST)
    factor = jnp.where(sanction == Sanction.GRADUATED, jnp.left_shift(1, earlier), 1).astype(jnp.float32)
    imposed = broken & ((sanction == Sanction.FINE) | (sanction == Sanction.GRADUATED))
    excess = jnp.maximum(harvest[None, :] - pacts.cap[:, None], np.float32(0))
    due = jnp.where(imposed, pacts.fine[:, None] * factor * excess, np.float32(0))
    asked, owned = due.sum(axis=0), jnp.maximum(wealth, np.float32(0))
    short = asked > owned
    share = jnp.where(short, owned / jnp.where(short, asked, np.float32(1)), np.float32(1))
    paid = due * share[None, :]
    honouring = bound & ~broken
    kept = honouring.any(axis=1, keepdims=True)
    shares = jnp.where(kept, honouring, bound).astype(jnp.float32)
    part = paid.sum(axis=1, keepdims=True) / jnp.maximum(shares.sum(axis=1, keepdims=True), np.float32(1))
    return (shares * part - paid).sum(axis=0)


def bar(
    sanction: jax.Array, turns: jax.Array, barred_until: jax.Array, offender: jax.Array, turn: jax.Array
) -> jax.Array:
    """``int32[N]``: the last turn each player is barred for, after this turn's offenders ``bool[N]``."""
    hit = offender & (sanction == Sanction.EXCLUSION)
    return jnp.where(hit, jnp.maximum(barred_until, turn + turns), barred_until)


def is_barred(barred_until: jax.Array, turn: jax.Array) -> jax.Array:
    """``bool[N]``: who may not harvest in this turn."""
    return barred_until >= turn
