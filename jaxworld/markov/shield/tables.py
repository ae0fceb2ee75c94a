"""A shield's numbers on the device, and the pure functions that use them."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.markov.shield.allocate import egalitarian_level_device, proportional_level_device
from jaxworld.markov.shield.model import ShieldModel
from jaxworld.markov.shield.nodes import NodeIndex, make_index
from jaxworld.markov.solve.certificate import UNITS


@pytree_dataclass
class ShieldTables:
    """Arrays of a :class:`ShieldModel`.

    Attributes:
        index: finds the node of a public state.
        bound: ``int32[F, S]``, units.
        risk: ``int32[F, S, A_own]``, units.
        lifts: ``int32[F, S, grid + 1, A_own]``, or empty for the proportional allocator.
        shown_bound: ``float32[F, S]``, the bound as a probability, rounded up.
        shown_level: ``float32[grid + 1]``, the grid as probabilities, rounded up.
        grid: steps of the grid, static.
        egalitarian: the allocator, static.
    """

    index: NodeIndex
    bound: jax.Array
    risk: jax.Array
    lifts: jax.Array
    shown_bound: jax.Array
    shown_level: jax.Array
    grid: int = static_field()
    egalitarian: bool = static_field()


def make_tables(model: ShieldModel) -> ShieldTables:
    """The tables of a model, with JAX arrays."""
    arrays = {
        "bound": model.bound.astype(np.int32),
        "risk": model.risk.astype(np.int32),
        "lifts": model.lifts,
        "shown_bound": round_up(model.bound / UNITS),
        "shown_level": round_up(np.arange(model.grid + 1) / model.grid),
    }
    made = {name: jnp.asarray(array) for name, array in arrays.items()}
    index = jax.tree.map(jnp.asarray, make_index(model.graph))
    return ShieldTables(index=index, grid=model.grid, egalitarian=model.allocator == "egalitarian", **made)


def round_up(values: np.ndarray) -> np.ndarray:
    """float32, never below the float64 given."""
    nearest = np.asarray(values, np.float64).astype(np.float32)
    return np.where(nearest < values, np.nextafter(nearest, np.float32(np.inf)), nearest)


def shield_budget(tables: ShieldTables, floor: jax.Array, node: jax.Array, level: jax.Array) -> jax.Array:
    """``int32[]``: the budget, in units."""
    return jnp.maximum(level * np.int32(UNITS // tables.grid), tables.bound[floor, node])


def shown_budget(tables: ShieldTables, floor: jax.Array, node: jax.Array, level: jax.Array) -> jax.Array:
    """``float32[]``: the budget as a probability, rounded up; this is what a policy sees."""
    return jnp.maximum(tables.shown_level[level], tables.shown_bound[floor, node])


def shield_mask(tables: ShieldTables, floor: jax.Array, node: jax.Array, level: jax.Array) -> jax.Array:
    """``bool[A_own]``: the allowed actions; never all False."""
    budget = shield_budget(tables, floor, node, level)
    risk = tables.risk[floor, node]
    return risk <= jnp.broadcast_to(budget, risk.shape)


def next_level(
    tables: ShieldTables, floor: jax.Array, node: jax.Array, level: jax.Array, action: jax.Array, successor: jax.Array
) -> jax.Array:
    """``int32[]``: the budget's level at the successor, after an allowed action."""
    bound = tables.bound[floor, successor]
    if tables.egalitarian:
        return egalitarian_level_device(tables.lifts[floor, node, level, action], bound, tables.grid)
    budget = shield_budget(tables, floor, node, level)
    return proportional_level_device(budget, tables.risk[floor, node, action], bound, tables.grid)
