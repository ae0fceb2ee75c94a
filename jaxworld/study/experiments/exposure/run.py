"""Running an exposure study: compile each arm once, then chunks of worlds over all devices."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, cast

import jax
import numpy as np

from jaxworld.core.random import world_keys
from jaxworld.core.rollout import rollout_chunk, rollout_start
from jaxworld.social import SocialWorld, make_policy, make_social
from jaxworld.social.policies import PROBABILITY_UNIT
from jaxworld.social.population import ActivityFormula
from jaxworld.social.population.load import GENERATED, load_population
from jaxworld.social.population.report import BuiltPopulation
from jaxworld.social.state import raise_on_overflow
from jaxworld.study import batching
from jaxworld.study.background import start_all
from jaxworld.study.experiments.exposure import summary
from jaxworld.study.experiments.exposure.plan import Plan, make_plan
from jaxworld.study.experiments.exposure.reducer import ExposureReducer, ExposureTick
from jaxworld.study.experiments.exposure.settings import ExposureSettings

_TEXT_TRAITS = ("post", "reply", "quote")

RowSink = Callable[[dict[str, np.ndarray]], None]
"""Takes tidy columns of one length, a part of the table at a time."""


@dataclasses.dataclass(frozen=True)
class ExposureProgress:
    """Where a run stands. ``phase`` is ``population``, ``compiling`` or ``running``; totals are over all arms."""

    recommender: str
    arm: int
    num_arms: int
    done_world_ticks: int
    total_world_ticks: int
    phase: str
    elapsed_s: float


@dataclasses.dataclass(frozen=True)
class _Arm:
    name: str
    world: SocialWorld
    shared: Any
    plan: Plan


@dataclasses.dataclass(frozen=True)
class _Compiled:
    start: Callable[..., Any]
    advance: Callable[..., Any]
    seconds: float


def run_exposure(
    settings: ExposureSettings,
    *,
    progress: Callable[[ExposureProgress], None] | None = None,
    sink: RowSink | None = None,
    devices: list[Any] | None = None,
) -> summary.ExposureResult:
    """Run every arm on the same seeded worlds and summarise.

    Args:
        settings: what to run.
        progress: called on the host as the run goes on.
        sink: takes the table's rows as they come, so that it never has to fit in memory; without one they are in
            the result.
        devices: devices to use, all local ones by default. No result depends on their number.

    Raises:
        ConfigurationError: for settings that cannot work.
        CapacityError: if a buffer of some world was too small.
    """
    began = time.perf_counter()
    total = settings.worlds * settings.ticks * len(settings.recommenders)

    def report(phase: str, arm: int, before: int, done: int = 0) -> None:
        if progress is not None:
            name, elapsed = settings.recommenders[arm], time.perf_counter() - began
            progress(ExposureProgress(name, arm, len(settings.recommenders), before + done, total, phase, elapsed))

    report("population", 0, 0)
    # Networks and paths bring their own size.
    size = settings.personas if settings.population in GENERATED else None
    built = load_population(
        settings.population,
        num_personas=size,
        seed=settings.seed,
        embed=settings.embed,
        activity=cast("ActivityFormula | None", settings.activity),
    )
    arms = [_make_arm(settings, built, name, devices or jax.devices()) for name in settings.recommenders]
    rows = summary.RowCollector(settings, keep=sink is None)
    report("compiling", 0, 0)
    tables: dict[str, summary.ArmSummary] = {}
    timing: dict[str, dict[str, float]] = {}
    # Other arms compile while one runs; XLA releases the interpreter lock for both.
    waiting = start_all([partial(_compile, arm) for arm in arms])
    try:
        for index, (arm, future) in enumerate(zip(arms, waiting, strict=True)):
            compiled = future.result()
            start = time.perf_counter()
            told = partial(report, "running", index, index * settings.worlds * settings.ticks)
            tables[arm.name] = _run_arm(arm, compiled, settings, told, sink or rows.add)
            timing[arm.name] = {"compile_s": compiled.seconds, "run_s": time.perf_counter() - start}
    finally:
        for future in waiting:
            future.cancel()
    return summary.ExposureResult(
        settings=settings,
        rows=rows.columns(),
        summary=summary.summarise(tables),
        lorenz={name: table.lorenz_band() for name, table in tables.items()},
        curves={name: table.curves() for name, table in tables.items()},
        timing=timing,
        population_report=built.report.to_dict(),
        notes=tuple(built.report.notes),
    )


def _make_arm(settings: ExposureSettings, built: BuiltPopulation, name: str, devices: list[Any]) -> _Arm:
    capacity = settings.capacity or expected_capacity(settings, built)
    world = make_social(population=built, stimulus_capacity=capacity, **settings.world_options(name))
    params, plan = world.default_params(), make_plan(settings, world, devices)
    return _Arm(name, world, batching.replicate((params, make_policy(world.config, params)), plan.mesh), plan)


def expected_capacity(settings: ExposureSettings, built: BuiltPopulation) -> int:
    """Stimuli that the default personas are expected to write, plus eight standard deviations and some room.

    A persona writes at most once a tick and channel, with the chances of its traits while it is awake.
    """
    probe = make_social(population=built, **settings.world_options(settings.recommenders[0]))
    policy = make_policy(probe.config, probe.default_params())
    chances = [np.asarray(getattr(policy.traits, trait), np.float64) for trait in _TEXT_TRAITS]
    chance = np.sum(chances, axis=0) / PROBABILITY_UNIT
    people = built.population
    rhythm = np.asarray(probe.default_params().rhythm if people.rhythm is None else people.rhythm, np.float64)
    awake = np.minimum(np.asarray(people.involvement, np.float64)[:, None] * rhythm.reshape(-1, rhythm.shape[-1]), 1)
    per_tick = (awake * chance[:, None]).sum(axis=0)
    cycles = -(-settings.ticks // per_tick.shape[0])
    expected = float(np.tile(per_tick, cycles)[: settings.ticks].sum()) * len(settings.channels)
    room = probe.config.num_study + expected + 8 * np.sqrt(expected) + 16
    return int(-(-room // 64) * 64)


def _compile(arm: _Arm) -> _Compiled:
    """Compile the first call of a chunk of worlds and, where it does not cover all ticks, the later ones."""
    began = time.perf_counter()
    reducer, plan = ExposureReducer(config=arm.world.config), arm.plan

    def advance(per_world: Any, shared: Any) -> tuple[Any, ExposureTick]:
        (key, carry), ((params, policy), first_tick) = per_world, shared
        return rollout_chunk(arm.world, policy, key, carry, first_tick, plan.ticks, params, reducer)

    def start(key: jax.Array, shared: Any) -> tuple[Any, ExposureTick]:
        params, policy = shared
        carry = rollout_start(arm.world, policy, key, params, reducer)
        carry, ticks = advance((key, carry), (shared, 1))
        return (() if plan.whole else carry), ticks

    keys = batching.distribute(world_keys([0] * plan.chunk), plan.mesh)
    mapped = batching.map_worlds(start, plan.mesh, plan.block)
    first_call: Any = mapped.lower(keys, arm.shared).compile()
    later_call: Any = None
    if not plan.whole:
        carry = jax.eval_shape(mapped, keys, arm.shared)[0]
        first_tick = batching.replicate(np.int32(1), plan.mesh)
        mapped = batching.map_worlds(advance, plan.mesh, plan.block)
        later_call = mapped.lower((keys, carry), (arm.shared, first_tick)).compile()
    return _Compiled(first_call, later_call, time.perf_counter() - began)


def _calls(arm: _Arm, compiled: _Compiled, keys: jax.Array, num_ticks: int) -> Iterator[tuple[int, ExposureTick]]:
    """The calls that take one chunk of worlds through all ticks, with the number of ticks before each."""
    carry, ticks = compiled.start(keys, arm.shared)
    yield 0, ticks
    for done in range(arm.plan.ticks, num_ticks, arm.plan.ticks):
        first_tick = batching.replicate(np.int32(done + 1), arm.plan.mesh)
        carry, ticks = compiled.advance((keys, carry), (arm.shared, first_tick))
        yield done, ticks


def _run_arm(
    arm: _Arm, compiled: _Compiled, settings: ExposureSettings, report: Callable[[int], None], sink: RowSink
) -> summary.ArmSummary:
    seeds, chunk = settings.world_seeds(), arm.plan.chunk
    people = int(np.asarray(arm.world.default_params().population.present).sum())
    table = summary.ArmSummary(settings)
    report(0)
    for first in range(0, settings.worlds, chunk):
        part = seeds[first : first + chunk]
        # The last chunk repeats its first seed to keep its shape; the copies are cut off again.
        padded = np.concatenate([part, np.repeat(part[:1], chunk - len(part))])
        keys = batching.distribute(world_keys(padded), arm.plan.mesh)
        for done, ticks in _calls(arm, compiled, keys, settings.ticks):
            # The last call may run past the last tick; what it found there is cut off.
            here = min(arm.plan.ticks, settings.ticks - done)
            counts = _to_host(ticks, len(part), here)
            raise_on_overflow(counts.overflow, arm.world.config)
            measured = summary.measure(counts, people)
            sink(summary.tidy_rows(arm.name, measured, part, first, done, arm.world.num_agents))
            table.add(measured, first, done)
            report(first * settings.ticks + len(part) * (done + here))
        table.add_lorenz(counts.exposures[:, -1], counts.candidates[:, -1])
    return table


def _to_host(ticks: ExposureTick, num_worlds: int, num_ticks: int) -> Any:
    return jax.tree.map(lambda leaf: np.asarray(leaf)[:num_worlds, :num_ticks], ticks)
