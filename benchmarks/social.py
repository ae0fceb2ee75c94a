"""The social world beside other ways to run the same rule, in one go: ``python -m benchmarks.social``.

Every implementation runs the rule of :mod:`benchmarks.rule` on the same people and posts; beside each time stands
the machine's floor for the same work, measured in the same run. Results go to a table, a JSON file and a figure.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import floors, harness, kernel, oasis, references, report
from benchmarks.rows import Effort, Row
from benchmarks.rule import RECOMMENDERS, Case

PUBLISHED_CPU_S = 0.078
"""CPU seconds of a tick of OASIS's rule-based world with 1,000 users and 1,000 posts, measured on another day."""
DEFAULT_SIZES, FULL_SIZES = ("200x250", "1000x1000"), ("200x250", "1000x1000", "1000x10000", "10000x1000")
HEADLINE_RECOMMENDERS, HEADLINE_PERSONAS, HEADLINE_POSTS = ("reddit_hot", "random"), 1000, 1000
SLOW_STEPS = 2**24
"""Beyond this many products of a pure Python ranking per tick the event loop is left out."""


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Command-line options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.social", description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", nargs="+", metavar="NxS", help=f"personas x posts, default {DEFAULT_SIZES}")
    parser.add_argument(
        "--recommenders", nargs="+", default=list(RECOMMENDERS[:4]), choices=RECOMMENDERS, metavar="NAME"
    )
    parser.add_argument("--repeats", type=int, default=3, help="timed calls of each; the median counts")
    parser.add_argument("--worlds", type=int, default=64, help="worlds of the batched runs of the table")
    parser.add_argument("--headline-worlds", type=int, default=256, help="worlds of the headline; 0 leaves it out")
    parser.add_argument("--ticks", type=int, default=10, help="ticks in one timed call")
    parser.add_argument("--full", action="store_true", help=f"also {FULL_SIZES[2:]}")
    parser.add_argument("--oasis", type=Path, metavar="PATH", help="a working tree of camel-ai/oasis to time as well")
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks"))
    options = parser.parse_args(arguments)
    names = options.sizes or (FULL_SIZES if options.full else DEFAULT_SIZES)
    try:
        options.sizes = [tuple(int(part) for part in name.lower().split("x")) for name in names]
        smallest = min(min(people - 49, posts - 49) for people, posts in options.sizes)
    except ValueError:
        parser.error(f"--sizes: use personas x posts, as in 1000x1000, not {' '.join(names)}")
    if smallest < 1:
        parser.error("--sizes: use 50 personas and 50 posts or more")
    if min(options.repeats, options.worlds, options.ticks) < 1:
        parser.error("--repeats, --worlds and --ticks: use 1 or more")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything and write the results."""
    options = parse(arguments)
    harness.use_every_cpu()
    began = time.perf_counter()
    options.out.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        other = None
        if options.oasis is not None:
            try:
                other = stack.enter_context(oasis.load(options.oasis))
            except FileNotFoundError as error:
                print(f"--oasis: {error}", file=sys.stderr)
                return 2
        results = collect(options, other)
    results["seconds"] = time.perf_counter() - began
    results["peak_memory_bytes"] = harness.peak_memory_bytes()
    for path in report.write(results, options.out):
        print(path)
    return 0


def collect(options: argparse.Namespace, other: oasis.Oasis | None) -> dict[str, Any]:
    """All measurements as one JSON-able dictionary."""
    _say("floors")
    rates = floors.measure_rates(options.repeats, scale=1 if options.repeats > 1 else 16)
    cases = [
        Case(name, personas, posts, options.ticks) for personas, posts in options.sizes for name in options.recommenders
    ]
    results: dict[str, Any] = {
        "machine": harness.machine_facts(),
        "rates": dataclasses.asdict(rates),
        "oasis": None if other is None else {"notes": list(other.notes)},
        "options": {"repeats": options.repeats, "worlds": options.worlds, "ticks": options.ticks},
        "cases": [run_case(case, options.worlds, options.repeats, rates, other) for case in cases],
        "headline": [],
    }
    if options.headline_worlds:
        for name in HEADLINE_RECOMMENDERS:
            case = Case(name, HEADLINE_PERSONAS, HEADLINE_POSTS, options.ticks)
            results["headline"].append(run_headline(case, options, rates, other))
    return results


def rows(effort: Effort, rates: floors.Rates) -> list[Row]:
    """What the table of all families shows: a tick under each recommender."""
    personas, posts, ticks, worlds = (200, 250, 2, 8) if effort.quick else (1000, 1000, 10, 64)
    with contextlib.ExitStack() as stack:
        other = stack.enter_context(oasis.load(effort.oasis)) if effort.oasis else None
        return [
            _row(run_case(Case(name, personas, posts, ticks), worlds, effort.repeats, rates, other))
            for name in RECOMMENDERS[:4]
        ]


def _row(found: dict[str, Any]) -> Row:
    timings = {name: harness.Timing(**timing) for name, timing in found["timings"].items()}
    return Row(
        "social",
        f"tick under {found['recommender']}, {found['personas']:,} personas, {found['posts']:,} posts",
        "world-tick",
        timings.pop("ours, batched"),
        {"jaxworld, one world" if name == "ours, one world" else name: timing for name, timing in timings.items()},
        floor_s=found["floor_cpu_s"]["fixed shapes"],
    )


def run_case(case: Case, worlds: int, repeats: int, rates: floors.Rates, other: oasis.Oasis | None) -> dict[str, Any]:
    """One row of the table: every implementation of one case, and its floor."""
    _say(f"{case.recommender} {case.personas} x {case.posts}")
    built = kernel.build(case)
    batched, single = kernel.time_batched(built, worlds, repeats), kernel.time_single(built, repeats)
    timings = {
        "ours, batched": batched.timing,
        "ours, one world": single.timing,
        "NumPy": time_numpy(built, repeats),
        "event loop": time_event_loop(built, repeats),
        "OASIS recommender": None if other is None else oasis.time_recommender(other, case, built.posts, repeats),
        "OASIS tick": None if other is None else oasis.time_platform(other, case, min(repeats, 3)),
    }
    return {
        **dataclasses.asdict(case),
        "capacity": case.capacity,
        "worlds": kernel.plan_batch(case, worlds)[2],
        "compile_s": {"ours, batched": batched.compile_s, "ours, one world": single.compile_s},
        **_compared(timings, kernel.work(case, built.people), rates),
    }


def run_headline(
    case: Case, options: argparse.Namespace, rates: floors.Rates, other: oasis.Oasis | None
) -> dict[str, Any]:
    """OASIS's whole rule-based tick on the kernel, with the parts of a tick."""
    _say(f"headline {case.recommender}")
    built = kernel.build(case)
    batched = kernel.time_batched(built, options.headline_worlds, options.repeats)
    parts = kernel.time_parts(built, min(options.headline_worlds, options.worlds), options.repeats)
    timings = {
        "ours, batched": batched.timing,
        "OASIS tick": None if other is None else oasis.time_platform(other, case, min(options.repeats, 3)),
    }
    return {
        **dataclasses.asdict(case),
        "worlds": kernel.plan_batch(case, options.headline_worlds)[2],
        "compile_s": {"ours, batched": batched.compile_s},
        "parts_cpu_s": {name: timing.cpu_s for name, timing in parts.items()},
        "published_cpu_s": PUBLISHED_CPU_S,
        "published_ratio": PUBLISHED_CPU_S / batched.timing.cpu_s,
        **_compared(timings, kernel.work(case, built.people), rates),
    }


def _compared(
    timings: dict[str, harness.Timing | None], work: dict[str, floors.Work], rates: floors.Rates
) -> dict[str, Any]:
    """Times, how many times ours (batched) the others take, floors, and how many times the floor ours takes."""
    ours = timings["ours, batched"]
    assert ours is not None
    known = {name: timing for name, timing in timings.items() if timing is not None}
    bounds = {name: needed.floor(rates) for name, needed in work.items()}
    return {
        "timings": {name: dataclasses.asdict(timing) for name, timing in known.items()},
        "ratios": {
            name: {"cpu": timing.cpu_s / ours.cpu_s, "wall": timing.wall_s / ours.wall_s}
            for name, timing in known.items()
        },
        "work": {name: dataclasses.asdict(needed) for name, needed in work.items()},
        "floor_cpu_s": bounds,
        "floor_parts_cpu_s": {name: needed.parts(rates) for name, needed in work.items()},
        "times_floor": {
            name: {bound: timing.cpu_s / floor for bound, floor in bounds.items()} for name, timing in known.items()
        },
    }


def time_numpy(built: kernel.Built, repeats: int) -> harness.Timing:
    """Per tick; building the world is not timed."""
    case = built.case
    made = [references.NumpyWorld(case, built.people, built.posts, seed) for seed in range(repeats + 1)]

    def run(world: references.NumpyWorld) -> np.ndarray:
        for _ in range(case.ticks):
            world.tick()
        return world.exposures

    return _each(made, run).per(case.ticks)


def time_event_loop(built: kernel.Built, repeats: int) -> harness.Timing | None:
    """Per tick; None where pure Python would take minutes."""
    case = built.case
    dimensions = int(built.people.profile.shape[1]) if case.recommender == "twitter" else 0
    if case.personas * case.activation * case.posts * dimensions > SLOW_STEPS:
        return None
    made = [references.EventLoopWorld(case, built.people, built.posts, seed) for seed in range(repeats + 1)]

    async def ticks(world: references.EventLoopWorld) -> None:
        for _ in range(case.ticks):
            await world.tick()

    return _each(made, lambda world: asyncio.run(ticks(world))).per(case.ticks)


def _each(worlds: list[Any], run: Callable[[Any], Any]) -> harness.Timing:
    """Every call takes a world of its own, the warm-up included."""
    left = iter(worlds)
    return harness.measure(lambda: run(next(left)), len(worlds) - 1)


def _say(what: str) -> None:
    print(f"... {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
