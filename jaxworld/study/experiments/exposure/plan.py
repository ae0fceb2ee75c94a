"""How many worlds and ticks a call computes, from what a world needs and what memory there is."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
from jax.sharding import Mesh

from jaxworld.core.errors import require
from jaxworld.social import SocialWorld
from jaxworld.study import batching
from jaxworld.study.experiments.exposure.reducer import ExposureReducer
from jaxworld.study.experiments.exposure.settings import ExposureSettings
from jaxworld.study.memory import GIB, memory_budget, tree_bytes

_UPDATES_PER_ARM = 8
_SCRATCH = 3
"""Copies of a running block: the state, the scan's double buffer, and the scratch of ranking and views."""
_COPIES = 2
"""Copies of what a call returns: on the device and on the host."""


@dataclasses.dataclass(frozen=True)
class Plan:
    """Sizes of the compiled functions.

    Attributes:
        mesh: devices.
        chunk: worlds in a call, whole blocks on every device.
        block: worlds in a block.
        ticks: ticks in a call.
        whole: a call covers all ticks of its worlds.
    """

    mesh: Mesh
    chunk: int
    block: int
    ticks: int
    whole: bool


def make_plan(settings: ExposureSettings, world: SocialWorld, devices: list[Any]) -> Plan:
    """Fit a study into the memory it may use.

    Raises:
        ConfigurationError: if not even one world at a time fits, or the chunk that was asked for does not.
    """
    mesh = batching.world_mesh(devices[: settings.worlds])
    held, per_tick = world_bytes(world)
    budget = memory_budget(settings.max_memory)
    together = min(settings.worlds, settings.chunk or settings.worlds)
    block = min(batching.default_block(world.num_agents), -(-together // mesh.size))
    block = max(1, min(block, budget // (2 * _SCRATCH * held * mesh.size)))
    unit = block * mesh.size
    rest = budget - _SCRATCH * held * unit
    least = _COPIES * unit * (held + per_tick)
    require(
        rest >= least,
        "max_memory",
        settings.max_memory,
        f"{unit} world(s) at a time need {(budget - rest + least) / GIB:.2f} GiB, {budget / GIB:.2f} GiB may be used: "
        "raise it, or use fewer personas or a smaller capacity",
    )
    per_world = _COPIES * settings.ticks * per_tick
    if settings.chunk is None:
        wanted = min(settings.worlds, max(unit, settings.worlds // _UPDATES_PER_ARM))
        fitting = rest // per_world // unit * unit
        chunk = min(batching.padded_worlds(wanted, mesh, block), max(unit, fitting))
    else:
        chunk = batching.padded_worlds(min(settings.chunk, settings.worlds), mesh, block)
    if chunk * per_world <= rest:
        return Plan(mesh, chunk, block, settings.ticks, whole=True)
    ticks = (rest // chunk // _COPIES - held) // per_tick
    fits = rest // (_COPIES * (held + per_tick))
    require(ticks >= 1, "chunk", settings.chunk, f"memory holds {fits} worlds at once: use fewer, or raise max_memory")
    return Plan(mesh, chunk, block, int(min(ticks, settings.ticks)), whole=False)


def world_bytes(world: SocialWorld) -> tuple[int, int]:
    """Bytes that one world holds while it runs, and that each of its ticks returns."""
    params = world.default_params()
    reducer = ExposureReducer(config=world.config)

    def first(key: jax.Array) -> Any:
        state, timestep = world.reset(key, params)
        return state, timestep, reducer.init(timestep)

    key = jax.eval_shape(lambda: jax.random.key(0, impl="threefry2x32"))
    return tree_bytes(jax.eval_shape(first, key)), 8 * (world.config.stimulus_capacity + 2)
