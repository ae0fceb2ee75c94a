"""How well and how fairly a shared resource was used, inside a kernel in float32.

All functions reduce the last axis, that of the players, unless they say otherwise; they work under ``jit`` and
``vmap``, and leading axes are worlds. ``mask`` is boolean and broadcasts to the values: a player that is masked out
counts as if it were not there. Figures that do not exist are NaN (a mean time of harvests where nobody harvested).
Reported figures come from the twins in :mod:`jaxworld.metrics.host`.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxworld.metrics._inputs import ratio
from jaxworld.metrics.inequality import gini


def welfare(totals: jax.Array, num_turns: jax.Array, regrowth: jax.Array, capacity: jax.Array) -> jax.Array:
    """Catch of all players as a share of the maximum sustainable yield, ``sum_i h_i / (T r K / 4)``.

    ``r K / 4`` is the largest growth of the logistic law in a turn (Schaefer 1954). A run that also mines its first
    stock can exceed 1.

    Args:
        totals: ``[..., n]``, harvest of each player over the run.
        num_turns: ``[...]``, turns of the run, those after a collapse included.
        regrowth, capacity: ``[...]``, r and K.

    Returns:
        ``float32[...]``; 0 if nothing can grow.
    """
    yielded = num_turns * regrowth * capacity * jnp.float32(0.25)
    return ratio(totals.sum(axis=-1), yielded)


def log_utility(totals: jax.Array, scale: jax.Array, mask: jax.Array | None = None) -> jax.Array:
    """Mean over players of ``ln(1 + h_i / scale)``: more is better, and better still for those who have little.

    Args:
        totals: ``[..., n]``, at least 0.
        scale: ``[...]`` above 0, the amount at which utility bends, such as an equal share of the sustainable yield.
        mask: ``bool``, broadcast to ``totals``.

    Returns:
        ``float32[...]``; 0 if nobody is there.
    """
    counted = _counted(totals, mask)
    utility = jnp.log1p(totals / scale[..., None])
    return ratio((counted * utility).sum(axis=-1), counted.sum(axis=-1))


def rawls(totals: jax.Array, mask: jax.Array | None = None) -> jax.Array:
    """What the worst-off player has (Rawls 1971), ``float32[...]``; infinite if nobody is there.

    Args:
        totals: ``[..., n]``.
        mask: ``bool``, broadcast to ``totals``.
    """
    return jnp.where(_counted(totals, mask) > 0, totals, jnp.float32(jnp.inf)).min(axis=-1)


def discounted(harvests: jax.Array, discount: jax.Array) -> jax.Array:
    """``sum_t d^t h_t`` with t counted from 0.

    Args:
        harvests: ``[..., T, n]``, turns before players.
        discount: ``float32[]`` in [0, 1]; ``0^0`` is 1.

    Returns:
        ``float32[..., n]``.
    """
    powers = discount ** jnp.arange(harvests.shape[-2], dtype=jnp.float32)
    return jnp.einsum("t,...tn->...n", powers, harvests, precision="highest")


def utilitarian(returns: jax.Array, num_turns: jax.Array) -> jax.Array:
    """Returns of all agents per turn, ``sum_i R_i / T`` (Perolat et al. 2017), ``float32[...]``.

    Args:
        returns: ``[..., n]``, summed over the run.
        num_turns: ``[...]``.
    """
    return ratio(returns.sum(axis=-1), num_turns)


def equality(returns: jax.Array, mask: jax.Array | None = None) -> jax.Array:
    """``1 - sum_ij |R_i - R_j| / (2 n sum R)`` (Perolat et al. 2017): 1 minus the Gini coefficient.

    Public implementations disagree on returns that are all 0; here they are equal, so 1.

    Args:
        returns: ``[..., n]``, at least 0.
        mask: ``bool``, broadcast to ``returns``.

    Returns:
        ``float32[...]`` in ``[1/n, 1]``.
    """
    return jnp.float32(1) - gini(returns, mask=mask)


def sustainability(weighted_time: jax.Array, totals: jax.Array) -> jax.Array:
    """When harvests arrive, ``mean_i (sum_t t h_it / sum_t h_it)`` over the players who harvested anything.

    After Perolat et al. (2017), with turns weighted by what they brought. Early collapse shows as a small number.

    Args:
        weighted_time: ``[..., n]``, ``sum_t t h_it`` with t counted from 0.
        totals: ``[..., n]``, ``sum_t h_it``.

    Returns:
        ``float32[...]``; NaN if nobody harvested.
    """
    some = totals > 0
    times = ratio(jnp.where(some, weighted_time, jnp.float32(0)), jnp.where(some, totals, jnp.float32(1)))
    players = some.sum(axis=-1, dtype=jnp.int32).astype(jnp.float32)
    return jnp.where(players > 0, ratio(times.sum(axis=-1), players), jnp.float32(jnp.nan))


def peace(tagged: jax.Array, agent_steps: jax.Array) -> jax.Array:
    """Share of agent-steps not spent tagged out (Perolat et al. 2017), ``float32[...]``; 1 if there were none.

    Args:
        tagged: ``int32[...]``, agent-steps spent tagged out.
        agent_steps: ``int32[...]``, agents times steps.
    """
    return jnp.float32(1) - ratio(tagged.astype(jnp.float32), agent_steps.astype(jnp.float32))


def efficiency(totals: jax.Array, num_turns: jax.Array, sustainable: jax.Array) -> jax.Array:
    """``1 - max(0, T f - sum_i R_i) / (T f)`` (Piatti et al. 2024), ``float32[...]`` in [0, 1].

    Args:
        totals: ``[..., n]``.
        num_turns: ``[...]``, the most turns a run could have.
        sustainable: ``[...]``, f: what all players *together* can take from the first stock without shrinking it.
    """
    possible = num_turns * sustainable
    return jnp.minimum(ratio(totals.sum(axis=-1), possible), jnp.float32(1))


def over_usage(over: jax.Array, takes: jax.Array) -> jax.Array:
    """Share of takes that exceeded an equal share of the sustainable catch, ``float32[...]``; 0 if there were none.

    Args:
        over: ``int32[..., n]``, takes above the threshold.
        takes: ``int32[..., n]``, all takes, a player and a turn each.
    """
    return ratio(over.sum(axis=-1).astype(jnp.float32), takes.sum(axis=-1).astype(jnp.float32))


def survival_time(alive: jax.Array) -> jax.Array:
    """Turns that began with a living commons.

    Args:
        alive: ``bool[..., T]``, whether the commons lived at the start of each turn.

    Returns:
        ``int32[...]``.
    """
    return alive.sum(axis=-1, dtype=jnp.int32)


def honour_rate(violations: jax.Array, exposed: jax.Array) -> jax.Array:
    """Share of binding promises kept, ``1 - violations / exposed``, entry by entry; NaN where none ever bound.

    Args:
        violations, exposed: ``[...]`` of one shape, exposure counted in living turns only.
    """
    kept = jnp.float32(1) - ratio(violations.astype(jnp.float32), exposed.astype(jnp.float32))
    return jnp.where(exposed > 0, kept, jnp.float32(jnp.nan))


def _counted(values: jax.Array, mask: jax.Array | None) -> jax.Array:
    counted = jnp.ones(values.shape, jnp.float32)
    return counted if mask is None else jnp.where(jnp.broadcast_to(mask, values.shape), counted, jnp.float32(0))
