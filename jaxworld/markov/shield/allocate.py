"""What is left of a budget after a step, in whole units: the one law that kernels follow and the verifier checks.

A budget is a level of a grid, ``q = max(level * UNITS / steps, bound of the state)``. An action whose worst expected
bound ``Q`` is at most ``q`` is allowed, and what it leaves over is dealt out over the successors:

- ``proportional``: every successor's chance to stay safe, ``1 - bound``, is scaled by ``(1 - q) / (1 - Q)``;
- ``egalitarian``: every successor's bound is raised by the same amount, up to 1.

Both leave ``E[q'] <= q``, so the budget is a supermartingale that is 1 where the label is reached (Ville's inequality
bounds the chance of that by the first budget). Rounding down to the grid keeps this. The allocations follow
Hamel-De le Court, Belardinelli and Goodall (2025), arXiv 2503.07671, for one player.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import whole
from jaxworld.core.errors import require
from jaxworld.core.random import multiply_high
from jaxworld.markov.solve.certificate import UNITS
from jaxworld.markov.solve.rows import Rows

ALLOCATORS = ("proportional", "egalitarian")


def check_grid(grid: int) -> int:
    """Steps of the budget grid: any divisor of UNITS up to 1,000.

    Raises:
        ConfigurationError: for anything else.
    """
    steps = whole("grid", grid, 1, 1000)
    require(
        UNITS % steps == 0, "grid", grid, "use a number of steps that divides 709,632,000, such as 10, 20, 40 or 100"
    )
    return steps


def budget_units(level: np.ndarray, bound: np.ndarray, grid: int) -> np.ndarray:
    """``int64``: the budget at a level, never below the bound of the state (units)."""
    return np.maximum(np.asarray(level, np.int64) * (UNITS // grid), bound)


def proportional_level(budget: np.ndarray, risk: np.ndarray, bound: np.ndarray, grid: int) -> np.ndarray:
    """Host: the next level, ``int64``, all arguments in units and broadcast together; ``budget >= risk``."""
    keep = UNITS - risk
    short = np.where(keep > 0, -(-((UNITS - budget) * (UNITS - bound)) // np.maximum(keep, 1)), 0)
    return (UNITS - short) // (UNITS // grid)


def egalitarian_level(lift: np.ndarray, bound: np.ndarray, grid: int) -> np.ndarray:
    """Host: the next level when every bound is raised by ``lift`` units."""
    return np.minimum(bound + lift, UNITS) // (UNITS // grid)


def proportional_level_device(budget: jax.Array, risk: jax.Array, bound: jax.Array, grid: int) -> jax.Array:
    """:func:`proportional_level` in a kernel, ``int32[]`` from ``int32[]``, exact by comparing 64-bit products.

    The level is the highest one that leaves ``(UNITS - level) (UNITS - risk) >= (UNITS - budget) (UNITS - bound)``.
    """
    levels = jnp.arange(grid + 1, dtype=jnp.uint32) * np.uint32(UNITS // grid)
    left, kept = np.uint32(UNITS) - levels, jnp.broadcast_to(_rest(risk), levels.shape)
    spent, safe = jnp.broadcast_to(_rest(budget), levels.shape), jnp.broadcast_to(_rest(bound), levels.shape)
    high, low = multiply_high(left, kept), left * kept
    high_other, low_other = multiply_high(spent, safe), spent * safe
    enough = (high > high_other) | ((high == high_other) & (low >= low_other))
    return enough.sum(dtype=jnp.int32) - np.int32(1)


def egalitarian_level_device(lift: jax.Array, bound: jax.Array, grid: int) -> jax.Array:
    """:func:`egalitarian_level` in a kernel."""
    return jnp.minimum(bound + lift, np.int32(UNITS)) // np.int32(UNITS // grid)


def _rest(units: jax.Array) -> jax.Array:
    return np.uint32(UNITS) - units.astype(jnp.uint32)


def egalitarian_lifts(scenarios: list[Rows], bound: np.ndarray, risk: np.ndarray, grid: int) -> np.ndarray:
    """``int32[S, grid + 1, choices]``: by how much all bounds can be raised, -1 where the action is not allowed.

    The largest whole number for which no scenario's expectation, rounded up, exceeds the budget, by bisection.

    Args:
        scenarios: rows of the live states.
        bound: ``int64[S]``, units.
        risk: ``int64[S, choices]``, units.
        grid: steps of the grid.
    """
    states, choices = scenarios[0].states, scenarios[0].num_choices
    budgets = budget_units(np.arange(grid + 1)[None, :], bound[:, None], grid)
    # Only live states have rows. An ended game keeps its budget; where the label holds it is 1 from then on.
    kept = np.where(bound[:, None] == UNITS, UNITS, budgets - bound[:, None])
    lifts = np.repeat(kept[:, :, None], choices, axis=2)
    for level in range(grid + 1):
        budget = budgets[states, level][:, None]
        low, high = np.zeros((len(states), choices), np.int64), np.full((len(states), choices), UNITS, np.int64)
        while (low < high).any():
            middle = (low + high + 1) // 2
            worst = _worst_raised(scenarios, bound, middle)
            fits = worst <= budget
            low, high = np.where(fits, middle, low), np.where(fits, high, middle - 1)
        lifts[states, level] = low
    allowed = risk[:, None, :] <= budgets[:, :, None]
    return np.where(allowed, lifts, -1).astype(np.int32)


def _worst_raised(scenarios: list[Rows], bound: np.ndarray, lift: np.ndarray) -> np.ndarray:
    """``float64[L, choices]``: the worst expectation of the bounds raised by ``lift int64[L, choices]``."""
    worst = np.zeros(lift.shape)
    for rows in scenarios:
        counts = np.diff(rows.matrix.indptr)
        raised = np.repeat(np.repeat(lift.ravel(), rows.num_replies), counts) + bound[rows.matrix.indices]
        values = np.minimum(raised, UNITS).astype(np.float64)
        worst = np.maximum(worst, rows.expect_up_edges(values).reshape(rows.shape).max(axis=2))
    return worst
