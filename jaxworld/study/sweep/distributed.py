"""The same sweep over several processes: devices of all of them in one mesh, and a few words between them.

Every process runs the same program and calls ``sweep`` with the same arguments. Each computes worlds of its own and
writes its own files; no world's result depends on where it runs.
"""

from __future__ import annotations

import os
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.study.batching import AXIS

_VARIABLES = ("JAXWORLD_COORDINATOR", "JAXWORLD_NUM_PROCESSES", "JAXWORLD_PROCESS_ID")


def initialise(coordinator: str | None = None, num_processes: int | None = None, process_id: int | None = None) -> bool:
    """Join the other processes; call it before anything touches a device.

    Args:
        coordinator: ``host:port`` of process 0; by default ``JAXWORLD_COORDINATOR``, and failing that whatever JAX
            finds out from the launcher (SLURM, Open MPI, Kubernetes with JobSet, and others).
        num_processes: how many there are, by default ``JAXWORLD_NUM_PROCESSES``.
        process_id: which one this is, from 0, by default ``JAXWORLD_PROCESS_ID`` or the index that a Kubernetes
            indexed job sets (``JOB_COMPLETION_INDEX``).

    Returns:
        Whether there is more than one process.

    Raises:
        ConfigurationError: if some but not all of the three are known, they make no sense together, or the others
            cannot be reached.
    """
    address = coordinator or os.environ.get(_VARIABLES[0])
    count = _number("num_processes", num_processes, _VARIABLES[1])
    index = _number("process_id", process_id, _VARIABLES[2])
    if address is None:
        none = count is None and index is None
        require(none, "coordinator", None, f"give host:port of process 0, or set {_VARIABLES[0]}")
        return _join({})
    if index is None:
        index = _number("process_id", None, "JOB_COMPLETION_INDEX")
    if count is None or index is None:
        missing = _VARIABLES[1] if count is None else _VARIABLES[2]
        raise ConfigurationError("coordinator", address, f"needs the other two settings as well: set {missing}")
    require(count >= 1, "num_processes", count, "use 1 or more")
    require(0 <= index < count, "process_id", index, f"use 0 to {count - 1}")
    require(":" in address, "coordinator", address, "write host:port")
    return _join({"coordinator_address": address, "num_processes": count, "process_id": index})


def process_mesh(devices: list[Any] | None = None) -> Mesh:
    """A one-axis mesh over the devices of all processes, those of a process side by side in a fixed order."""
    found = sorted(devices or jax.devices(), key=lambda device: (device.process_index, device.id))
    return Mesh(np.asarray(found), (AXIS,), axis_types=(AxisType.Auto,))


def spread(tree: Any, mesh: Mesh) -> Any:
    """Arrays over the world axis of the mesh; ``tree`` holds this process's own worlds, on the host."""
    sharding = NamedSharding(mesh, PartitionSpec(AXIS))
    return jax.tree.map(lambda leaf: jax.make_array_from_process_local_data(sharding, leaf), tree)


def own_part(tree: Any) -> Any:
    """This process's own worlds of arrays over the mesh, on the host."""

    def gather(leaf: jax.Array) -> np.ndarray:
        shards = sorted(leaf.addressable_shards, key=lambda shard: shard.index[0].start or 0)
        parts = [np.asarray(shard.data) for shard in shards]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    return jax.tree.map(gather, tree)


def largest_anywhere(values: list[int]) -> list[int]:
    """The element-wise maximum of a list of small numbers over all processes, and a point where they all meet."""
    if jax.process_count() == 1:
        return values
    from jax.experimental import multihost_utils

    gathered = multihost_utils.process_allgather(np.asarray(values, np.int32))
    return [int(value) for value in np.asarray(gathered).reshape(-1, len(values)).max(axis=0)]


def _join(arguments: dict[str, Any]) -> bool:
    try:
        jax.distributed.initialize(**arguments)
    except (ValueError, RuntimeError) as error:
        remedy = f"the processes could not be joined ({str(error).splitlines()[0]})"
        raise ConfigurationError("coordinator", arguments.get("coordinator_address"), remedy) from error
    return jax.process_count() > 1


def _number(field: str, given: int | None, variable: str) -> int | None:
    text = os.environ.get(variable)
    if given is not None or text is None:
        return given
    try:
        return int(text)
    except ValueError:
        raise ConfigurationError(field, text, f"{variable} must be a whole number") from None
