"""How well and how fairly a shared resource was used, on the host: the names of the kernel metrics, in NumPy.

Whole numbers are summed exactly, anything else in float64, and every ratio is formed once. Conventions as in
:mod:`jaxworld.metrics.commons`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jaxworld.core.errors import require
from jaxworld.metrics._inputs import host_ratio

Figures = NDArray[np.float64]


def welfare(totals: ArrayLike, num_turns: ArrayLike, regrowth: ArrayLike, capacity: ArrayLike) -> Figures:
    """Catch of all as a share of the maximum sustainable yield, as :func:`jaxworld.metrics.welfare`."""
    yielded = _wide(num_turns) * _wide(regrowth) * _wide(capacity) / 4
    return host_ratio(_exact(totals).sum(axis=-1), yielded)


def log_utility(totals: ArrayLike, scale: ArrayLike, mask: ArrayLike | None = None) -> Figures:
    """Mean of ``ln(1 + h_i / scale)``, as :func:`jaxworld.metrics.log_utility`.

    Raises:
        ConfigurationError: for a scale that is not above 0.
    """
    bend = _wide(scale)
    require(bool((bend > 0).all()), "scale", scale, "use numbers above 0")
    amounts = _wide(totals)
    counted = _mask(amounts, mask)
    utility = np.log1p(np.where(counted, amounts, 0.0) / bend[..., None])
    return host_ratio(utility.sum(axis=-1), counted.sum(axis=-1))


def rawls(totals: ArrayLike, mask: ArrayLike | None = None) -> Figures:
    """What the worst-off player has, as :func:`jaxworld.metrics.rawls`."""
    amounts = _wide(totals)
    return np.asarray(np.where(_mask(amounts, mask), amounts, np.inf).min(axis=-1), np.float64)[()]


def discounted(harvests: ArrayLike, discount: float) -> Figures:
    """``sum_t d^t h_t``, as :func:`jaxworld.metrics.discounted`.

    Raises:
        ConfigurationError: for a discount outside [0, 1].
    """
    require(0.0 <= discount <= 1.0, "discount", discount, "use a number from 0 to 1")
    amounts = _wide(harvests)
    powers = float(discount) ** np.arange(amounts.shape[-2], dtype=np.float64)
    return np.asarray((amounts * powers[:, None]).sum(axis=-2), np.float64)[()]


def utilitarian(returns: ArrayLike, num_turns: ArrayLike) -> Figures:
    """Returns of all agents per turn, as :func:`jaxworld.metrics.utilitarian`."""
    return host_ratio(_exact(returns).sum(axis=-1), _wide(num_turns))


def equality(returns: ArrayLike, mask: ArrayLike | None = None) -> Figures:
    """1 minus the Gini coefficient, as :func:`jaxworld.metrics.equality`.

    Raises:
        ConfigurationError: for a negative or non-finite unmasked return.
    """
    from jaxworld.metrics.host import gini

    return np.asarray(1.0 - gini(returns, mask=mask), np.float64)[()]


def sustainability(weighted_time: ArrayLike, totals: ArrayLike) -> Figures:
    """When harvests arrive, as :func:`jaxworld.metrics.sustainability`."""
    amounts = _wide(totals)
    some = amounts > 0
    times = host_ratio(np.where(some, _wide(weighted_time), 0.0), amounts)
    players = some.sum(axis=-1)
    return np.asarray(np.where(players > 0, host_ratio(times.sum(axis=-1), players), np.nan), np.float64)[()]


def peace(tagged: ArrayLike, agent_steps: ArrayLike) -> Figures:
    """Share of agent-steps not spent tagged out, as :func:`jaxworld.metrics.peace`."""
    return np.asarray(1.0 - host_ratio(_exact(tagged), _exact(agent_steps)), np.float64)[()]


def efficiency(totals: ArrayLike, num_turns: ArrayLike, sustainable: ArrayLike) -> Figures:
    """Share of the sustainable catch that was taken, at most 1, as :func:`jaxworld.metrics.efficiency`."""
    possible = _wide(num_turns) * _wide(sustainable)
    return np.asarray(np.minimum(host_ratio(_exact(totals).sum(axis=-1), possible), 1.0), np.float64)[()]


def over_usage(over: ArrayLike, takes: ArrayLike) -> Figures:
    """Share of takes above the threshold, as :func:`jaxworld.metrics.over_usage`."""
    return host_ratio(_exact(over).sum(axis=-1), _exact(takes).sum(axis=-1))


def survival_time(alive: ArrayLike) -> NDArray[np.int64]:
    """Turns that began with a living commons, as :func:`jaxworld.metrics.survival_time`."""
    return np.asarray(np.asarray(alive, np.bool_).sum(axis=-1), np.int64)[()]


def honour_rate(violations: ArrayLike, exposed: ArrayLike) -> Figures:
    """Share of binding promises kept, as :func:`jaxworld.metrics.honour_rate`."""
    bound = _exact(exposed)
    kept = 1.0 - host_ratio(_exact(violations), bound)
    return np.asarray(np.where(bound > 0, kept, np.nan), np.float64)[()]


def _exact(values: ArrayLike) -> NDArray[Any]:
    """Whole-number types as int64, anything else as float64."""
    array = np.asarray(values)
    return array.astype(np.int64 if array.dtype.kind in "biu" else np.float64)


def _wide(values: ArrayLike) -> Figures:
    return np.asarray(values, np.float64)


def _mask(values: Figures, mask: ArrayLike | None) -> NDArray[np.bool_]:
    counted = np.ones(values.shape, np.bool_) if mask is None else np.asarray(mask, np.bool_)
    return np.broadcast_to(counted, values.shape)
