"""Computing chunks: compile each arm once, then a stream of worlds through calls of one width."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from jaxworld.study import batching
from jaxworld.study.sweep.distributed import own_part, spread
from jaxworld.study.sweep.kernel import SharedInputs, WorldInputs, WorldOutputs
from jaxworld.study.sweep.plan import CallMemory, local_devices, measured_memory
from jaxworld.study.sweep.study import ArmStudy, Chunk, Study


@dataclasses.dataclass(frozen=True, eq=False)
class CompiledArm:
    """An arm that can run.

    Attributes:
        study: the sweep.
        one: the arm.
        mesh: devices.
        shared: what all worlds share, on every device.
        call: the executable.
        memory: what a call needs.
        width: worlds that this process computes in a call.
        compile_s: seconds that tracing and compiling took.
    """

    study: Study
    one: ArmStudy
    mesh: Mesh
    shared: SharedInputs
    call: Any
    memory: CallMemory
    width: int
    compile_s: float

    def start(self, rows: np.ndarray) -> Any:
        """Start the worlds of up to ``width`` rows; what is missing is filled with copies of the first."""
        first = rows[:1] if len(rows) else np.zeros(1, np.int64)
        padded = np.concatenate([rows, np.repeat(first, self.width - len(rows))])
        return self.call(spread(self.study.inputs(padded), self.mesh), self.shared)


def compile_arm(study: Study, number: int, mesh: Mesh) -> CompiledArm:
    """Compile an arm for all devices of the mesh: one block of worlds on each."""
    began = time.perf_counter()
    one, devices = study.arms[number], len(local_devices(mesh))
    host = jax.tree.map(np.asarray, one.kernel.shared(one.arm.params, one.fitted.values))
    shared = batching.replicate(host, mesh)
    worlds, sharding = study.block * mesh.size, NamedSharding(mesh, PartitionSpec(batching.AXIS))
    inputs = WorldInputs(
        words=jax.ShapeDtypeStruct((worlds, 2), np.uint32, sharding=sharding),
        point=jax.ShapeDtypeStruct((worlds,), np.int32, sharding=sharding),
    )
    call = batching.map_worlds(one.kernel.run, mesh, study.block).lower(inputs, shared).compile()
    memory = measured_memory(call, devices)
    return CompiledArm(study, one, mesh, shared, call, memory, study.block * devices, time.perf_counter() - began)


def run_chunks(
    arm: CompiledArm, chunks: Sequence[Chunk], calls: int, told: Callable[[int], None]
) -> Iterator[tuple[Chunk, Any]]:
    """Compute chunks in a stream, so that a small or odd chunk wastes nothing.

    Args:
        arm: the compiled arm.
        chunks: what to compute.
        calls: how many calls to make at least; with several processes all must make the same number.
        told: hears the number of worlds that each call finished.

    Yields:
        Each chunk with its results on the host, ``[W, ...]``.

    Raises:
        CapacityError: if a world raised a flag.
    """
    rows = np.concatenate([np.arange(chunk.first, chunk.stop) for chunk in chunks] or [np.zeros(0, np.int64)])
    waiting = _Assembler(chunks)
    for count, outputs in _pipelined(arm, rows, max(calls, calls_needed(arm, len(rows)))):
        arm.one.check_flags([flag[:count] for flag in outputs.flags])
        told(count)
        yield from waiting.add(jax.tree.map(lambda leaf, count=count: leaf[:count], outputs.result), count)


def calls_needed(arm: CompiledArm, num_worlds: int) -> int:
    """Calls that this many worlds take."""
    return -(-num_worlds // arm.width)


def _pipelined(arm: CompiledArm, rows: np.ndarray, calls: int) -> Iterator[tuple[int, WorldOutputs]]:
    """Start a call before the results of the one before it are taken, so that devices do not wait for the host."""
    running: tuple[int, Any] | None = None
    for call in range(calls):
        part = rows[call * arm.width : (call + 1) * arm.width]
        started = len(part), arm.start(part)
        if running is not None:
            yield running[0], own_part(running[1])
        running = started
    if running is not None:
        yield running[0], own_part(running[1])


class _Assembler:
    """Collects pieces of results until a chunk is complete."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._chunks = list(chunks)
        self._pieces: list[Any] = []
        self._held = 0

    def add(self, piece: Any, count: int) -> Iterator[tuple[Chunk, Any]]:
        """Take the results of the next ``count`` worlds and give every chunk they complete."""
        if count == 0:
            return
        self._pieces.append(piece)
        self._held += count
        while self._chunks and self._held >= (size := self._chunks[0].stop - self._chunks[0].first):
            whole = jax.tree.map(lambda *leaves: np.concatenate(leaves), *self._pieces)
            yield self._chunks.pop(0), jax.tree.map(lambda leaf, size=size: leaf[:size], whole)
            self._held -= size
            self._pieces = [jax.tree.map(lambda leaf, size=size: leaf[size:], whole)]
