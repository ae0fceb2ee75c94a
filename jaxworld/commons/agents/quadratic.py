"""Requests that are quadratic in the stock from a threshold on: five built-in agents, and populations to search.

``request = clip(a0 + a1 x + a2 x^2, 0, cap)`` if ``x >= theta``, else 0, where x is the stock a player reads as a share
of capacity and requests are shares of capacity too. Four numbers make a player, so N players are an array ``[N, 4]``.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons.agents.readings import Facts, base_params, find_view, read_facts, stock_share
from jaxworld.commons.state import CommonsAction, CommonsObservation
from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.observe.normal import unfused

NO_THRESHOLD = np.float32(-np.inf)
Row = tuple[Any, Any, Any, Any]
"""a0, a1, a2 and theta, each a number, ``float32[]`` or ``float32[N]``."""


def quadratic_request(rows: Any, share: jax.Array, cap: jax.Array) -> jax.Array:
    """``float32[N]``: requests as shares of capacity.

    Args:
        rows: four arrays ``float32[N]``: a0, a1, a2, theta.
        share: ``float32[N]``, the stock each player reads, as a share of capacity.
        cap: ``float32[]``, most a player may ask for, as a share of capacity.
    """
    constant, slope, curve, threshold = rows
    wanted = constant + unfused(share * (slope + unfused(share * curve)))
    wanted = jnp.clip(wanted, np.float32(0), cap)
    return jnp.where(share >= threshold, wanted, np.float32(0))


@pytree_dataclass
class QuadraticPopulation:
    """Players with four numbers each; a policy for sweeps and searches.

    A player that is not shown the stock reads 0.

    Attributes:
        view: how the world delivers its variables (static).
        coefficients: ``float32[N, 4]``, a0, a1, a2 and theta of each player, in shares of capacity.
    """

    view: Any = static_field()
    coefficients: jax.Array

    def init(self, key: jax.Array, params: Any) -> Facts:
        """The rules' numbers."""
        del key
        return read_facts(self.view, base_params(params))

    def act(self, key: jax.Array, carry: Facts, observation: CommonsObservation) -> tuple[CommonsAction, Facts]:
        """Requests for one observation; the key is not used."""
        del key
        share = stock_share(self.view, observation, carry).value
        rows = tuple(self.coefficients[:, column] for column in range(4))
        request = quadratic_request(rows, share, carry.cap)
        return CommonsAction(request=request * carry.capacity, governance=self.view.silence()), carry


def make_quadratic(world: Any, coefficients: Any) -> QuadraticPopulation:
    """A population for a world.

    Args:
        world: a commons, wrapped or not.
        coefficients: ``[N, 4]``, or ``[4]`` for players that are all alike, in shares of capacity; thresholds may be
            infinite.

    Raises:
        ConfigurationError: for another shape, or coefficients that are no numbers.
    """
    view = find_view(world)
    table = np.asarray(coefficients, np.float32)
    table = np.broadcast_to(table, (view.num_players, 4)) if table.shape == (4,) else table
    remedy = f"give four numbers for each of the {view.num_players} players"
    require(table.shape == (view.num_players, 4), "coefficients", table.shape, remedy)
    sound = np.isfinite(table[:, :3]).all() and not np.isnan(table[:, 3]).any()
    require(bool(sound), "coefficients", table.tolist(), "a0, a1 and a2 must be finite, and no threshold NaN")
    return QuadraticPopulation(view=view, coefficients=jnp.asarray(table))
