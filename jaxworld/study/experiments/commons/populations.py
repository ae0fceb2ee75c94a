"""Two-type populations of the multiverse, as numbers that a sweep varies.

All play ``clip(a0 + a1 x + a2 x^2, 0, cap)`` from a threshold of x on, where x is the stock as they read it, in shares
of capacity. Aggressors take what they can get: at any stock, above a threshold, or all above a reserve. The others
know r and n and take an equal part of something sustainable. Which seven and which five is this study's choice; other
families give other rates.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxworld.commons import CommonsParams, QuadraticPopulation
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.observe.normal import unfused

PLAYERS = 6
_ALWAYS = -np.inf

AGGRESSORS: dict[str, tuple[float, float, float, float]] = {
    "max": (1.0, 0.0, 0.0, _ALWAYS),
    "pulse.3": (1.0, 0.0, 0.0, 0.3),
    "pulse.5": (1.0, 0.0, 0.0, 0.5),
    "pulse.7": (1.0, 0.0, 0.0, 0.7),
    "racer.1": (-0.1, 1.0, 0.0, _ALWAYS),
    "racer.25": (-0.25, 1.0, 0.0, _ALWAYS),
    "racer.4": (-0.4, 1.0, 0.0, _ALWAYS),
}
"""a0, a1, a2 and the threshold: all that is permitted, always or from a stock on; all that exceeds a reserve."""

CONSERVATIVES: dict[str, tuple[tuple[float, float, float, float], tuple[float, float, float]]] = {
    "surplus": ((-0.5, 1.0, 0.0, _ALWAYS), (0.0, 0.0, 0.0)),
    "msy": ((0.0, 0.0, 0.0, _ALWAYS), (0.0, 1.0, -1.0)),
    "constant": ((0.0, 0.0, 0.0, _ALWAYS), (0.2, 0.0, 0.0)),
    "thresh": ((0.0, 0.0, 0.0, 0.5), (0.25, 0.0, 0.0)),
    "proportional": ((0.0, 0.0, 0.0, _ALWAYS), (0.0, 0.5, 0.0)),
}
"""1/n of: what exceeds half the capacity; what grows; 0.8 of the largest yield; that yield above half the capacity; a
share of the stock that rests at half the capacity. Numbers without r, and numbers to multiply with it."""

_AGGRESSOR_ROWS = np.asarray(list(AGGRESSORS.values()), np.float32)
_FIXED_ROWS = np.asarray([(*(entry / PLAYERS for entry in fixed[:3]), fixed[3]) for fixed, _ in CONSERVATIVES.values()],
                         np.float32)  # fmt: skip
_GROWTH_ROWS = np.asarray([(*(entry / PLAYERS for entry in times), 0.0) for _, times in CONSERVATIVES.values()],
                          np.float32)  # fmt: skip


@pytree_dataclass
class TwoTypes:
    """Who plays, ``int32[]`` each: number of the aggressor, of the conservative, and how many are aggressors."""

    aggressor: Any
    conservative: Any
    aggressors: Any


def mix_two_types(policy: QuadraticPopulation, numbers: TwoTypes, params: CommonsParams) -> QuadraticPopulation:
    """The population of a point of the sweep: the aggressors sit first."""
    aggressor = jnp.asarray(_AGGRESSOR_ROWS)[numbers.aggressor]
    fixed, growing = (jnp.asarray(rows)[numbers.conservative] for rows in (_FIXED_ROWS, _GROWTH_ROWS))
    conservative = fixed + unfused(jnp.asarray(params.regrowth) * growing)
    first = jnp.arange(PLAYERS, dtype=jnp.int32) < numbers.aggressors
    return replace(policy, coefficients=jnp.where(first[:, None], aggressor[None], conservative[None]))
