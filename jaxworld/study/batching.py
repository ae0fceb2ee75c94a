"""Many worlds at once: blocks of a fixed width, spread over the devices of a mesh.

Worlds never talk to each other, so a batch is a sharded map. Within a device worlds run in blocks: a block is one
``vmap``, small enough to stay in cache and wide enough to hide the cost of starting operations, and every block has
the same width, whatever the number of worlds or devices, so each world computes the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax import lax
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

AXIS = "world"
_BLOCK_PERSONAS = 16_000
_MAX_BLOCK = 64


def world_mesh(devices: list[Any] | None = None) -> Mesh:
    """A one-axis mesh over all local devices (or those given)."""
    found = jax.devices() if devices is None else devices
    return jax.make_mesh((len(found),), (AXIS,), axis_types=(AxisType.Auto,), devices=found)


def default_block(num_agents: int) -> int:
    """Worlds in a block, so that an array over its agents fits in a core's cache."""
    return max(1, min(_MAX_BLOCK, _BLOCK_PERSONAS // max(num_agents, 1)))


def padded_worlds(num_worlds: int, mesh: Mesh, block: int) -> int:
    """The next number of worlds that fills whole blocks on every device."""
    unit = mesh.size * block
    return -(-num_worlds // unit) * unit


def map_worlds(function: Callable[..., Any], mesh: Mesh, block: int) -> jax.stages.Wrapped:
    """Map ``function(per_world, shared)`` over worlds in blocks over the mesh.

    Args:
        function: pure; takes one world's pytree and a pytree all worlds share.
        mesh: from :func:`world_mesh`.
        block: worlds in a block.

    Returns:
        A jitted function of ``(per_world, shared)`` whose per-world leaves have a leading axis that is a multiple
        of ``mesh.size * block``.
    """

    def on_device(per_world: Any, shared: Any) -> Any:
        split = jax.tree.map(lambda leaf: leaf.reshape(-1, block, *leaf.shape[1:]), per_world)
        mapped = lax.map(lambda part: jax.vmap(function, in_axes=(0, None))(part, shared), split)
        return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), mapped)

    worlds, everywhere = PartitionSpec(AXIS), PartitionSpec()
    sharded = jax.shard_map(on_device, mesh=mesh, in_specs=(worlds, everywhere), out_specs=worlds, check_vma=False)
    return jax.jit(sharded)


def replicate(tree: Any, mesh: Mesh) -> Any:
    """Put a pytree on every device of the mesh."""
    return jax.device_put(tree, NamedSharding(mesh, PartitionSpec()))


def distribute(tree: Any, mesh: Mesh) -> Any:
    """Split the leading world axis of a pytree over the mesh."""
    return jax.device_put(tree, NamedSharding(mesh, PartitionSpec(AXIS)))
