"""How many worlds are computed side by side, from their size and from the memory a compiled call says it needs.

A call computes one block of worlds on each device, and every call of a sweep does, so all devices run one and the
same program whatever their number. That is stricter than blocks of one width inside calls of several lengths: what a
compiler folds or fuses around a loop over blocks depends on how many there are, and so do the last bits of floats.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax

from jaxworld.core.errors import ConfigurationError
from jaxworld.study.memory import GIB, memory_budget

_HOST_COPIES = 2
"""Of what a call returns: on the host while its table is made, and of the call after it."""
_DEVICE_SHARE = 0.8
_BLOCK_AGENTS, _BLOCK_BYTES, _MOST_WORLDS = 16_000, 4 * 2**20, 4096
"""Agents and bytes of state of a block that stays in cache; most worlds in one."""
SMALL_PARTS = 8
"""A small sweep is cut into at least this many blocks and files, so that devices and shards find work."""


@dataclasses.dataclass(frozen=True)
class CallMemory:
    """Bytes of one compiled call on all local devices together.

    Attributes:
        arguments, outputs, scratch: as the compiler states them.
        host: copies of the outputs on the host.
    """

    arguments: int
    outputs: int
    scratch: int
    host: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.arguments + self.outputs + self.scratch + self.host


def default_block(num_agents: int, state_bytes: int, num_worlds: int) -> int:
    """Worlds side by side, from facts of the sweep alone: neither devices nor memory may change it."""
    fitting = min(_BLOCK_AGENTS // max(num_agents, 1), _BLOCK_BYTES // max(state_bytes, 1), _MOST_WORLDS)
    return max(1, min(fitting, -(-num_worlds // SMALL_PARTS)))


def measured_memory(call: Any, devices: int) -> CallMemory:
    """What a compiled call needs; zeros where a backend does not tell."""
    found = call.memory_analysis()
    sizes = [getattr(found, f"{part}_size_in_bytes", 0) * devices for part in ("argument", "output", "temp")]
    return CallMemory(sizes[0], sizes[1], sizes[2], _HOST_COPIES * sizes[1])


def smaller_block(block: int, memory: CallMemory, budget: int) -> int:
    """A block that should fit, from one that was measured: what it needs is nearly proportional; at least 1."""
    return max(1, min(block - 1, int(block * budget / memory.total)))


def refuse_memory(block: int, devices: int, memory: CallMemory, budget: int) -> None:
    """Raise unless a call fits.

    Raises:
        ConfigurationError: naming what is needed.
    """
    if memory.total <= budget:
        return
    least = "raise it" if block == 1 else "raise it, or compute fewer worlds side by side (block)"
    remedy = (
        f"{block * devices} world(s) at a time ({block} on each of {devices} device(s)) need "
        f"{memory.total / GIB:.3g} GiB: {least}"
    )
    raise ConfigurationError("max_memory", f"{budget / GIB:.3g} GiB", remedy)


def budget_bytes(devices: list[Any], max_memory: float | None) -> int:
    """Bytes a call may hold: ``max_memory`` GiB, or a share of what is free where the devices keep their arrays.

    Raises:
        ConfigurationError: if ``max_memory`` is not a positive number.
    """
    if max_memory is None and devices[0].platform != "cpu":
        stats = [device.memory_stats() or {} for device in devices]
        free = sum(entry.get("bytes_limit", 0) - entry.get("bytes_in_use", 0) for entry in stats)
        if free > 0:
            return int(free * _DEVICE_SHARE)
    return memory_budget(max_memory)


def local_devices(mesh: jax.sharding.Mesh) -> list[Any]:
    """Devices of the mesh that belong to this process, in the order of the mesh."""
    return [device for device in mesh.devices.flat if device.process_index == jax.process_index()]
