"""What a sweep would cost, from its compiled programs and one timed call."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh

from jaxworld.core.random import tick_key
from jaxworld.core.rollout import advance, rollout_start
from jaxworld.study.sweep.distributed import own_part
from jaxworld.study.sweep.kernel import SharedInputs, WorldInputs
from jaxworld.study.sweep.plan import local_devices, refuse_memory, smaller_block
from jaxworld.study.sweep.runner import CompiledArm, compile_arm
from jaxworld.study.sweep.study import Study, with_block


@dataclasses.dataclass(frozen=True)
class ArmEstimate:
    """One arm.

    Attributes:
        name: of the arm.
        compile_s: seconds it took to compile.
        call_worlds: worlds in a call.
        call_bytes: what a call needs, measured: arguments, results, scratch and copies on the host.
        flops_per_world_tick: floating-point and integer operations of a world's tick as XLA counts them, policy and
            figures included; None where the backend does not tell.
        seconds_per_world_tick: of one timed call after a first one, on all devices together.
        seconds: for the whole arm.
    """

    name: str
    compile_s: float
    call_worlds: int
    call_bytes: int
    flops_per_world_tick: float | None
    seconds_per_world_tick: float
    seconds: float


@dataclasses.dataclass(frozen=True)
class Estimate:
    """A whole sweep.

    Attributes:
        arms: each arm.
        worlds, world_ticks: to be computed.
        files, rows, columns: of the result.
        table_bytes: of the rows, uncompressed.
        call_bytes: the most that a call needs.
        block: worlds side by side on each device.
        flops: of all world-ticks, None where not all arms tell.
        compiles: compilations of a run.
        seconds: compiling and running, on these devices.
    """

    arms: tuple[ArmEstimate, ...]
    worlds: int
    world_ticks: int
    files: int
    rows: int
    columns: int
    table_bytes: int
    call_bytes: int
    block: int
    flops: float | None
    compiles: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return dataclasses.asdict(self)


def estimate_sweep(study: Study, mesh: Mesh, budget: int, *, shrink: bool = True) -> Estimate:
    """Compile every arm, run one of its calls twice, and work out the rest; nothing is written."""
    arms = []
    for number in range(len(study.arms)):
        arm = compile_arm(study, number, mesh)
        if arm.memory.total > budget and shrink and study.block > 1:
            return estimate_sweep(with_block(study, smaller_block(study.block, arm.memory, budget)), mesh, budget)
        refuse_memory(study.block, len(local_devices(mesh)), arm.memory, budget)
        arms.append(_estimate_arm(study, arm))
    worlds = study.worlds_per_arm * len(study.arms)
    rows = worlds * study.rows_per_world
    first = study.chunks()[0]
    blank = {name: np.zeros(1, dtype) for name, dtype in study.columns.items()}
    row_bytes = sum(array.itemsize for array in blank.values()) + 8 * len(study.design.columns) + 32
    flops = [arm.flops_per_world_tick for arm in arms]
    return Estimate(
        arms=tuple(arms),
        worlds=worlds,
        world_ticks=worlds * study.ticks,
        files=-(-study.worlds_per_arm // (first.stop - first.first)) * len(study.arms),
        rows=rows,
        columns=len(study.columns) + len(study.design.columns),
        table_bytes=rows * row_bytes,
        call_bytes=max(arm.call_bytes for arm in arms),
        block=study.block,
        flops=None if None in flops else sum(f or 0 for f in flops) * study.worlds_per_arm * study.ticks,
        compiles=len(arms),
        seconds=sum(arm.seconds + arm.compile_s for arm in arms),
    )


def _estimate_arm(study: Study, arm: CompiledArm) -> ArmEstimate:
    rows = np.arange(min(arm.width, study.worlds_per_arm))
    own_part(arm.start(rows))
    began = time.perf_counter()
    own_part(arm.start(rows))
    per_tick = (time.perf_counter() - began) / (arm.width * study.ticks)
    calls = -(-study.worlds_per_arm // arm.width)
    return ArmEstimate(
        name=arm.one.arm.name,
        compile_s=arm.compile_s,
        call_worlds=arm.width,
        call_bytes=arm.memory.total,
        flops_per_world_tick=_flops_of_a_tick(study, arm),
        seconds_per_world_tick=per_tick,
        seconds=per_tick * study.ticks * arm.width * calls,
    )


def _flops_of_a_tick(study: Study, arm: CompiledArm) -> float | None:
    """XLA counts the body of a loop once, whatever its length, so one tick of one block is compiled by itself."""
    kernel, one = arm.one.kernel, arm.one
    shared = kernel.shared(one.arm.params, one.fitted.values)

    def start(per_world: WorldInputs, shared: SharedInputs) -> Any:
        return rollout_start(one.arm.world, kernel.policy, _key(per_world), shared.params, kernel.reducer)

    def tick(per_world: WorldInputs, carry: Any, shared: SharedInputs) -> Any:
        made, action = advance(
            one.arm.world, kernel.policy, _key(per_world), carry, jax.numpy.ones((), np.int32), shared.params
        )
        return made, kernel.reducer.update(carry.reduced, made.timestep, action)

    inputs = study.inputs(np.zeros(study.block, np.int64))
    carry = jax.eval_shape(jax.vmap(start, in_axes=(0, None)), inputs, shared)
    compiled = jax.jit(jax.vmap(tick, in_axes=(0, 0, None))).lower(inputs, carry, shared).compile()
    found: Any = compiled.cost_analysis()
    found = found[0] if isinstance(found, list) and found else found
    flops = found.get("flops") if isinstance(found, dict) else None
    return None if flops is None else float(flops) / study.block


def _key(per_world: WorldInputs) -> jax.Array:
    return tick_key(jax.random.wrap_key_data(per_world.words, impl="threefry2x32"), 0)
