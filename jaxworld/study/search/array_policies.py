"""Policies that are arrays, so that many of them can play at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from jaxworld.core.errors import require
from jaxworld.core.networks import Network, make_network
from jaxworld.core.pytree import pytree_dataclass, replace, static_field
from jaxworld.core.random import world_key
from jaxworld.core.world import World
from jaxworld.study.search.interface import Interface, make_interface


@pytree_dataclass
class NetworkPolicy:
    """A network that acts for every agent. Implements ``jaxworld.core.Policy``.

    Attributes:
        interface: how observations and actions look to the network.
        per_agent: whether each agent has a network of its own; if not, all share one.
        network: weights; with a leading agent axis if ``per_agent``.
    """

    interface: Interface = static_field()
    per_agent: bool = static_field(default=False)
    network: Network

    def init(self, key: jax.Array, params: Any) -> Any:
        """An empty memory for each agent."""
        del key, params
        memory = self.network.start()
        size = self.interface.num_agents
        return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf[None], (size, *leaf.shape)), memory)

    def act(self, key: jax.Array, carry: Any, observation: Any) -> tuple[Any, Any]:
        """The action the network scores highest; the key is not used."""
        del key
        inputs = self.interface.encode(observation)

        def one(network: Network, memory: Any, x: jax.Array) -> tuple[jax.Array, Any]:
            return network.apply(memory, x)

        outputs, carry = jax.vmap(one, in_axes=(0 if self.per_agent else None, 0, 0))(self.network, carry, inputs)
        return self.interface.decode(outputs), carry


def make_array_policy(
    kind: str,
    world: World[Any, Any, Any],
    params: Any = None,
    *,
    seed: int = 0,
    hidden: Sequence[int] = (16,),
    scale: float = 1.0,
    per_agent: bool = False,
) -> NetworkPolicy:
    """A fresh policy for a world.

    Args:
        kind: ``linear``, ``mlp`` or ``recurrent``.
        world: the world to act in.
        params: its parameters, if its spaces depend on them; the default ones if None.
        seed: of the weights.
        hidden: widths of hidden layers.
        scale: of the weights; 0 for all zero.
        per_agent: give each agent weights of its own.

    Raises:
        ConfigurationError: for an unknown kind or width, or a world whose actions a network cannot choose.
    """
    interface = make_interface(world, params)
    require(interface.num_inputs > 0, "world", world, "it shows nothing a network could read")
    key = world_key(seed)

    def one(key: jax.Array) -> Network:
        return make_network(kind, key, interface.num_inputs, interface.num_outputs, hidden=hidden, scale=scale)

    if not per_agent:
        return NetworkPolicy(interface=interface, network=one(key))
    made = [one(each) for each in jax.random.split(key, interface.num_agents)]
    return NetworkPolicy(interface=interface, per_agent=True, network=stack(made))


def stack(trees: Sequence[Any]) -> Any:
    """Trees of one structure as one tree with a leading axis."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)


def take(trees: Any, index: Any) -> Any:
    """Entry ``index`` of a tree with a leading axis."""
    return jax.tree.map(lambda leaf: leaf[index], trees)


def agent_policy(policy: NetworkPolicy, agent: int) -> NetworkPolicy:
    """The policy of one agent out of a per-agent policy, as a shared policy."""
    require(policy.per_agent, "policy", type(policy).__name__, "all its agents share one network already")
    return replace(policy, per_agent=False, network=take(policy.network, agent))
