"""A player whose request is quadratic in the stock it reads, among built-in agents."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons import CommonsAction, RosterPolicy
from jaxworld.commons.agents import quadratic_request
from jaxworld.commons.agents.readings import stock_share
from jaxworld.commons.state import CommonsObservation
from jaxworld.core.pytree import pytree_dataclass, replace


@pytree_dataclass
class Harvesters:
    """Built-in agents, and players that ask for ``clip(a0 + a1 x + a2 x^2, 0, cap)`` from a stock of theta on.

    Attributes:
        players: the built-in agents on all seats.
        mine: ``bool[N]``, seats of the others.
        row: ``float32[4]``: a0, a1, a2 and theta, in shares of capacity.
    """

    players: RosterPolicy
    mine: jax.Array
    row: jax.Array

    def init(self, key: jax.Array, params: Any) -> Any:
        """The built-in agents' memories."""
        return self.players.init(key, params)

    def act(self, key: jax.Array, carry: Any, observation: CommonsObservation) -> tuple[CommonsAction, Any]:
        """Requests of all."""
        action, carry = self.players.act(key, carry, observation)
        share = stock_share(self.players.view, observation, carry.facts).value
        rows = [jnp.broadcast_to(entry, share.shape) for entry in self.row]
        wanted = quadratic_request(rows, share, carry.facts.cap) * carry.facts.capacity
        return replace(action, request=jnp.where(self.mine, wanted, action.request)), carry


@pytree_dataclass
class RowCodec:
    """Candidates are ``{"row": float32[4]}`` in units that make a step of 1 a large one for each number.

    Attributes:
        policy: everybody.
        unit: ``float32[4]``.
    """

    policy: Harvesters
    unit: jax.Array

    def decode(self, candidate: dict[str, jax.Array]) -> Harvesters:
        """The policy of a candidate."""
        return replace(self.policy, row=candidate["row"] * self.unit)


def row_units(cap: float) -> np.ndarray:
    """``float32[4]``: requests move by the cap, over the range of stocks; the threshold by half the capacity."""
    return np.asarray([cap, 4 * cap, 4 * cap, 0.5], np.float32)
