"""How a candidate is played against the others, and what it is scored by."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.core.timestep import TimeStep
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.table_policy import TablePolicy
from jaxworld.study.search.array_policies import NetworkPolicy
from jaxworld.study.search.multi_agent import LEARNER, SeatedPolicies


@pytree_dataclass
class Seated:
    """A codec that seats the candidate, a network, among the others.

    Attributes:
        player: its seat.
        others: what everybody else does.
    """

    player: int = static_field()
    others: TablePolicy

    def decode(self, candidate: NetworkPolicy) -> SeatedPolicies:
        """Everybody."""
        seats = [LEARNER + 1] * self.others.below.shape[0]
        seats[self.player] = LEARNER
        return SeatedPolicies(seats=tuple(seats), policies=(candidate, self.others))


@pytree_dataclass
class RoundMean:
    """A reducer: the mean reward of a round, round t weighed by ``discount**t``: ``float32[A]``.

    Attributes:
        discount: ``float32[]``.
    """

    discount: jax.Array

    def init(self, timestep: TimeStep) -> Any:
        """Nothing so far."""
        return jnp.zeros_like(timestep.reward), jnp.ones((), jnp.float32), jnp.zeros((), jnp.float32)

    def update(self, carry: Any, timestep: TimeStep, action: Any) -> tuple[Any, None]:
        """One round more."""
        del action
        total, weight, mass = carry
        return (total + weight * timestep.reward, weight * self.discount, mass + weight), None

    def final(self, carry: Any) -> jax.Array:
        """``float32[A]``."""
        total, _, mass = carry
        return jnp.asarray(total / mass)


@dataclasses.dataclass(frozen=True)
class OwnMean:
    """The searched player's entry; equal ones share a compiled program."""

    player: int

    def __call__(self, means: jax.Array) -> jax.Array:
        return means[self.player]


def choices_of(policy: NetworkPolicy, graph: Graph, player: int) -> np.ndarray:
    """``int64[S]``: what a network does in each state of a graph."""
    taken = np.asarray(_acted(policy, jnp.asarray(graph.bits())))[:, player]
    return np.minimum(taken, graph.num_actions[player] - 1).astype(np.int64)


@jax.jit
def _acted(policy: NetworkPolicy, bits: jax.Array) -> jax.Array:
    key = jax.random.key(0)  # a network draws nothing

    def one(row: jax.Array) -> jax.Array:
        shown = jnp.broadcast_to(row[None, :], (policy.interface.num_agents, row.shape[0]))
        return jnp.asarray(policy.act(key, policy.init(key, None), shown)[0])

    return jax.vmap(one)(bits)
