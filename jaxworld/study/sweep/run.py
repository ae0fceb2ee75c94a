"""The one call of a sweep, on a laptop or on a cluster."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh

from jaxworld.core.errors import require
from jaxworld.core.policy import Policy
from jaxworld.core.rollout import Reducer
from jaxworld.study.background import start_all
from jaxworld.study.sweep.arms import ArmLike, build_arms
from jaxworld.study.sweep.design import Design, default_point
from jaxworld.study.sweep.distributed import largest_anywhere, process_mesh
from jaxworld.study.sweep.dryrun import estimate_sweep
from jaxworld.study.sweep.merge import merge
from jaxworld.study.sweep.plan import budget_bytes, local_devices, refuse_memory, smaller_block
from jaxworld.study.sweep.progress import Clock, ProgressCallback
from jaxworld.study.sweep.result import SweepResult
from jaxworld.study.sweep.runner import CompiledArm, calls_needed, compile_arm, run_chunks
from jaxworld.study.sweep.shard import parse_shard, take_shard
from jaxworld.study.sweep.store import MANIFEST, TABLE, Store, read_manifest
from jaxworld.study.sweep.study import Chunk, Study, design_column, make_study, with_block


def sweep(
    arms: ArmLike | Mapping[str, ArmLike],
    design: Design | None = None,
    *,
    seeds: int | Sequence[int],
    ticks: int,
    policy: Policy | None = None,
    reducer: Reducer | None = None,
    out: str | Path | None = None,
    chunk: int | None = None,
    max_memory: float | None = None,
    shard: str | tuple[int, int] | None = None,
    resume: bool = True,
    dry_run: bool = False,
    progress: ProgressCallback | None = None,
    seed: int = 0,
    every: int | None = None,
    window: str = "last",
    block: int | None = None,
    devices: list[Any] | None = None,
) -> SweepResult:
    """Run every arm at every point of a design on the same seeded worlds.

    With ``out``, results go to files there as they come: run again after an interruption, it goes on where it
    stopped; the merged table is the same to the byte however often that happened, and whatever the chunks, shards,
    devices and processes. Under ``jax.distributed`` call it alike in every process.

    Args:
        arms: a world, or several variants by name; each is compiled once. See :class:`Arm` and :func:`variants`.
        design: values of parameters to visit, see :func:`grid` and its like; the default parameters if None.
        seeds: worlds at each point: how many, or their 64-bit seeds. They are the same at every point of every arm.
        ticks: ticks that each world runs.
        policy: acts in arms without one of their own; by default rule-based personas in social worlds and uniform
            actions elsewhere.
        reducer: what to measure, see :class:`Snapshot`, :class:`TimeMean` and :class:`AgentReturns`; by default
            exposure in social worlds and returns elsewhere.
        out: folder; if None, the rows are in the result.
        chunk: worlds in a file, by default as many as make a file of moderate size.
        max_memory: GiB that computing may take; by default a share of what is free.
        shard: ``"i/n"``, compute part i (from 0) of n only.
        resume: go on in a folder that holds a part of this sweep; otherwise such a folder is refused.
        dry_run: compute nothing and write nothing, but estimate bytes, operations, compilations and time.
        progress: hears how the run goes on.
        seed: from which the world seeds are derived if ``seeds`` is a number.
        every: make a time series with an entry every so many ticks (rows are then worlds x entries).
        window: how the ticks between entries are combined: last, mean, sum, min or max.
        block: worlds computed side by side; part of the configuration, because floats may depend on it.
        devices: devices to use, by default those of all processes.

    Raises:
        ConfigurationError: for anything that cannot work, before it runs.
        CapacityError: if a buffer of a world was too small; files of earlier chunks stay.
        MissingExtraError: if ``out`` is given and pyarrow is not installed.
    """
    part = parse_shard(shard)
    _check_options(max_memory, out)
    layout = _known_layout(out)
    block = layout.get("block") if block is None else block
    chunk = layout.get("chunk") if chunk is None else chunk
    study = make_study(
        build_arms(arms, policy), design or default_point(), seeds, ticks,
        seed=seed, reducer=reducer, every=every, window=window, block=block, chunk=chunk,
    )  # fmt: skip
    mesh = process_mesh(devices)
    budget = budget_bytes(local_devices(mesh), max_memory)
    if dry_run:
        estimate = estimate_sweep(study, mesh, budget, shrink=block is None)
        return SweepResult(**_facts(study), estimate=estimate)
    return _Run(study, mesh, budget, out, progress).all(part, resume, shrink=block is None)


class _Run:
    """One process's part of a sweep."""

    def __init__(
        self, study: Study, mesh: Mesh, budget: int, out: str | Path | None, progress: ProgressCallback | None
    ) -> None:
        self._study, self._mesh, self._progress = study, mesh, progress
        # What any process cannot hold, none may compute: they run one program.
        self._budget = -largest_anywhere([-(budget // 1024)])[0] * 1024 if jax.process_count() > 1 else budget
        self._store = None if out is None else Store(out)
        self._rows: list[dict[str, np.ndarray]] = []
        self._timing: dict[str, dict[str, float]] = {}

    def all(self, part: tuple[int, int], resume: bool, *, shrink: bool) -> SweepResult:
        """Compute what is not done yet, and merge if that completes the sweep."""
        if self._store is not None:
            self._store.prepare(resume=resume)
            if not shrink:
                self._store.open(self._study.manifest())
        chunks = self._study.chunks()
        own = take_shard(take_shard(chunks, part), (jax.process_index(), jax.process_count()))
        pending = [chunk for chunk in own if self._store is None or shrink or not self._store.done(chunk)]
        computed, owned = _worlds(pending), _worlds(own)
        clock = Clock(self._progress, len(self._study.arms), computed * self._study.ticks, owned - computed)
        self._compute(pending, clock, shrink)
        kept, path, missing = None, None, _worlds(chunks) - owned
        if self._store is None:
            names = self._rows[0] if self._rows else {}
            kept = {name: np.concatenate([rows[name] for rows in self._rows]) for name in names}
        else:
            largest_anywhere([0])  # every process has written its files
            missing = _worlds([chunk for chunk in chunks if not (self._store.folder / chunk.file).exists()])
            if missing == 0:
                path = self._merge(clock)
        return SweepResult(
            **_facts(self._study),
            computed=computed,
            resumed=owned - computed,
            missing=missing,
            path=path,
            kept=kept,
            timing=self._timing,
        )

    def _merge(self, clock: Clock) -> Path:
        assert self._store is not None
        clock.tell("merging", self._study.arms[-1].arm.name, len(self._study.arms) - 1)
        if jax.process_index() == 0:
            merge([self._store.folder])
        largest_anywhere([0])  # the table is there
        return self._store.folder / TABLE

    def _compute(self, pending: list[Chunk], clock: Clock, shrink: bool) -> None:
        per_arm = [[chunk for chunk in pending if chunk.arm == number] for number in range(len(self._study.arms))]
        # An arm that any process still has to run is run by all: they take part in one another's calls.
        worlds = largest_anywhere([_worlds(chunks) for chunks in per_arm])
        wanted = [number for number, most in enumerate(worlds) if most > 0]
        if wanted:
            clock.tell("compiling", self._study.arms[wanted[0]].arm.name, wanted[0])
        waiting = self._compile(wanted)
        try:
            if shrink:
                waiting = self._fit(waiting)
            for number in wanted:
                arm = waiting[number].result()
                refuse_memory(self._study.block, len(local_devices(self._mesh)), arm.memory, self._budget)
                self._run_arm(arm, number, per_arm[number], worlds[number], clock)
        finally:
            for future in waiting.values():
                future.cancel()

    def _compile(self, wanted: Sequence[int]) -> dict[int, Future[CompiledArm]]:
        """Start to compile arms; later ones compile while earlier ones run, XLA releases the interpreter for both."""
        tasks = [partial(compile_arm, self._study, number, self._mesh) for number in wanted]
        return dict(zip(wanted, start_all(tasks), strict=True))

    def _fit(self, waiting: dict[int, Future[CompiledArm]]) -> dict[int, Future[CompiledArm]]:
        """See that the largest arm fits, with a smaller block if need be, and open the folder with what was settled."""
        sizes = {number: self._study.arms[number].state_bytes for number in waiting}
        while sizes:
            memory = waiting[max(sizes, key=sizes.__getitem__)].result().memory
            if memory.total <= self._budget or self._study.block == 1:
                refuse_memory(self._study.block, len(local_devices(self._mesh)), memory, self._budget)
                break
            for future in waiting.values():
                future.cancel()
            self._study = with_block(self._study, smaller_block(self._study.block, memory, self._budget))
            waiting = self._compile(list(waiting))
        if self._store is not None:
            self._store.open(self._study.manifest())
        return waiting

    def _run_arm(self, arm: CompiledArm, number: int, chunks: list[Chunk], most: int, clock: Clock) -> None:
        name, began, cpu_began = arm.one.arm.name, time.perf_counter(), time.process_time()
        clock.tell("running", name, number)

        def told(worlds: int) -> None:
            clock.tell("running", name, number, worlds * self._study.ticks)

        for chunk, result in run_chunks(arm, chunks, calls_needed(arm, most), told):
            table = self._study.table(chunk, result)
            if self._store is None:
                self._rows.append(table)
            else:
                self._store.write(chunk, table)
        self._timing[name] = {
            "compile_s": arm.compile_s,
            "run_s": time.perf_counter() - began,
            "run_cpu_s": time.process_time() - cpu_began,
            "traces": len(arm.one.kernel.traces),
            "call_worlds": arm.width,
            "call_bytes": arm.memory.total,
        }


def _facts(study: Study) -> dict[str, Any]:
    return {
        "configuration": study.configuration,
        "figures": tuple(study.columns),
        "design": tuple(map(design_column, study.design.columns)),
        "labels": tuple(study.arms[0].arm.labels),
    }


def _known_layout(out: str | Path | None) -> dict[str, int]:
    """A folder that holds a sweep already says how many worlds its files have, and how many run side by side."""
    if out is None or not (Path(out) / MANIFEST).is_file():
        return {}
    manifest = read_manifest(Path(out)) or {}
    return {name: int(manifest[name]) for name in ("block", "chunk")}


def _check_options(max_memory: float | None, out: str | Path | None) -> None:
    fits = max_memory is None or (math.isfinite(max_memory) and max_memory > 0)
    require(fits, "max_memory", max_memory, "use a positive number of GiB")
    together = jax.process_count() == 1 or out is not None
    require(together, "out", out, "several processes need a folder for their results")


def _worlds(chunks: Sequence[Chunk]) -> int:
    return sum(chunk.stop - chunk.first for chunk in chunks)
