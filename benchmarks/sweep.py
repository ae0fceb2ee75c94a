"""What the sweep machinery costs: ``python -m benchmarks.sweep``.

Three questions: the time of a sweep over that of a bare loop of ``vmap`` and ``scan`` over the same worlds; the time
when devices and worlds, or processes and worlds, grow together; and the time of ten times the worlds. Every run is a
process of its own with a given number of virtual devices, on files in a temporary folder; compiling is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from benchmarks import harness
from benchmarks.floors import Rates
from benchmarks.rows import Effort, Row
from jaxworld.core import rollout, world_keys
from jaxworld.study.sweep import initialise, sweep, variants
from jaxworld.study.sweep.families import default_policy, default_reducer
from jaxworld.study.sweep.kernel import SummaryOnly, scalar_leaves
from jaxworld.study.sweep.study import derive_seeds

ROOT = Path(__file__).resolve().parent.parent
WORLDS = {
    "core/random_walk": {"num_walkers": 16, "num_positions": 32},
    "social/feed": {"num_personas": 200, "feed_recommender": "reddit_hot"},
}
TICKS = 48


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Command-line options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep", description=__doc__.split("\n")[0])
    parser.add_argument("--world", default="social/feed", choices=sorted(WORLDS))
    parser.add_argument("--worlds", type=int, default=512, help="worlds of the smallest run, and a device when scaling")
    parser.add_argument("--devices", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3, help="runs of each; the median counts")
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks"))
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything and write the results."""
    options = parse(arguments)
    if options.worker:
        print(json.dumps(work(json.loads(options.worker))), flush=True)
        return 0
    options.out.mkdir(parents=True, exist_ok=True)
    results = collect(options)
    (options.out / "sweep.json").write_text(json.dumps(results, indent=2) + "\n")
    draw(results, options.out / "sweep_scaling.png")
    show(results)
    print(options.out / "sweep.json", options.out / "sweep_scaling.png", sep="\n")
    return 0


def collect(options: argparse.Namespace) -> dict[str, Any]:
    """All measurements."""
    base = {"world": options.world, "worlds": options.worlds}

    def median(devices: int = 1, processes: int = 1, **task: Any) -> dict[str, Any]:
        runs = [launch({**base, **task}, devices, processes) for _ in range(options.repeats)]
        return {
            "run_s": statistics.median(run["run_s"] for run in runs),
            "peak_bytes": max(r["peak_bytes"] for r in runs),
        }

    bare, swept = median(bare=True), median()
    many = median(worlds=10 * options.worlds)
    return {
        "machine": harness.machine_facts(),
        "world": options.world,
        "ticks": TICKS,
        "worlds": options.worlds,
        "bare": bare,
        "sweep": swept,
        "overhead": swept["run_s"] / bare["run_s"] - 1,
        "ten_times": many,
        "ten_times_cost": many["run_s"] / swept["run_s"],
        "devices": {n: median(devices=n, worlds=n * options.worlds) for n in options.devices},
        "processes": {n: median(processes=n, worlds=n * options.worlds) for n in options.processes},
    }


def rows(effort: Effort, rates: Rates) -> list[Row]:
    """What the table of all families shows: the machinery over a bare loop, and ten times the worlds."""
    del rates
    worlds = 128 if effort.quick else 512
    kinds: dict[str, dict[str, Any]] = {
        "swept": {"worlds": worlds},
        "bare": {"worlds": worlds, "bare": True},
        "many": {"worlds": 10 * worlds},
    }
    taken: dict[str, list[dict[str, Any]]] = {name: [] for name in kinds}
    for _ in range(effort.repeats):  # in turn, so that what else the machine does meets all of them alike
        for name, task in kinds.items():
            taken[name].append(launch({"world": "social/feed", **task}, 1, 1))
    per = {
        name: harness.Timing(
            *(statistics.median(run[kind] for run in runs) for kind in ("run_s", "cpu_s")), effort.repeats
        ).per(kinds[name]["worlds"] * TICKS)
        for name, runs in taken.items()
    }
    return [
        Row("sweep", "table of worlds", "world-tick", per["swept"], {"bare vmap and scan": per["bare"]}),
        Row("sweep", "ten times the worlds", "world-tick", per["many"], {"a tenth of them": per["swept"]}),
    ]


def launch(task: dict[str, Any], devices: int, processes: int) -> dict[str, Any]:
    """One run in processes of its own; the slowest process counts."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
        probe.close()
        children = []
        for index in range(processes):
            given = {**task, "out": f"{folder}/out"}
            if processes > 1:
                given["join"] = [address, processes, index]
            command = [sys.executable, "-m", "benchmarks.sweep", "--worker", json.dumps(given)]
            environment = {**os.environ, "JAX_NUM_CPU_DEVICES": str(devices), "PYTHONPATH": str(ROOT)}
            children.append(subprocess.Popen(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        outputs = [child.communicate(timeout=3600)[0] for child in children]
    if any(child.returncode for child in children):
        raise SystemExit("a run failed, see above")
    results = [json.loads(text.strip().splitlines()[-1]) for text in outputs]
    return {name: max(result[name] for result in results) for name in ("run_s", "cpu_s", "peak_bytes")}


def work(task: dict[str, Any]) -> dict[str, Any]:
    """What a process of :func:`launch` does."""
    if "join" in task:
        initialise(*task["join"])
    arms = variants(task["world"], WORLDS[task["world"]])
    if task.get("bare"):
        taken = bare_loop(next(iter(arms.values()))().world, task["worlds"])
    else:
        result = sweep(arms, seeds=task["worlds"], ticks=TICKS, out=task["out"])
        taken = tuple(sum(entry[kind] for entry in result.timing.values()) for kind in ("run_s", "run_cpu_s"))
    return {"run_s": taken[0], "cpu_s": taken[1], "peak_bytes": harness.peak_memory_bytes() or 0}


def bare_loop(world: Any, num_worlds: int) -> tuple[float, ...]:
    """Wall and CPU seconds of ``jit(vmap(rollout))`` over the same worlds in blocks of the width a sweep would choose.

    It returns the flags of the worlds as a sweep does: without them the compiler drops the work of finding them.
    """
    params, reducer = world.default_params(), default_reducer(world)
    policy = default_policy(world, params)
    block = sweep(world, seeds=num_worlds, ticks=TICKS, dry_run=True).estimate.block  # type: ignore[union-attr]
    measured = SummaryOnly(reducer=reducer)
    traced = jax.device_put((params, () if jax.tree_util.all_leaves([policy]) else policy))

    def run_world(key: jax.Array, shared: Any) -> Any:
        given, acting = shared
        result = rollout(world, acting or policy, key, TICKS, given, reducer=measured)
        return result.summary, scalar_leaves(result.carry.state)

    run = jax.jit(jax.vmap(run_world, in_axes=(0, None)))
    seeds = derive_seeds(-(-num_worlds // block) * block, 0)
    jax.block_until_ready(run(world_keys(seeds[:block]), traced))
    began, cpu_began = time.perf_counter(), time.process_time()
    found = [jax.device_get(run(world_keys(seeds[at : at + block]), traced)) for at in range(0, len(seeds), block)]
    jax.tree.map(lambda *parts: np.concatenate(parts), *found)
    return time.perf_counter() - began, time.process_time() - cpu_began


def show(results: dict[str, Any]) -> None:
    """Print the figures."""
    print(f"{results['world']}, {TICKS} ticks, {results['worlds']} worlds on one device, compiling not counted")
    print(f"  bare vmap + scan      {results['bare']['run_s']:8.2f} s")
    print(f"  sweep                 {results['sweep']['run_s']:8.2f} s   overhead {results['overhead']:+.1%}")
    ten = results["ten_times"]
    print(f"  ten times the worlds  {ten['run_s']:8.2f} s   {results['ten_times_cost']:.2f} times the time")
    peaks = [entry["peak_bytes"] / 2**20 for entry in (results["sweep"], ten)]
    print(f"  peak memory           {peaks[0]:8.0f} MiB, {peaks[1]:.0f} MiB with ten times the worlds")
    for kind in ("devices", "processes"):
        for number, entry in results[kind].items():
            rate = int(number) * results["worlds"] * TICKS / entry["run_s"]
            print(f"  {number:>2} {kind:<18} {entry['run_s']:8.2f} s   {rate:,.0f} world-ticks/s")


def draw(results: dict[str, Any], path: Path) -> None:
    """Weak scaling: the time should stay level until the cores run out."""
    from jaxworld.plot.figures import new_figure, series_style, tidy, write_figure

    figure = new_figure(5.4, 4.2)
    panel = figure.subplots()
    for number, kind in enumerate(("devices", "processes")):
        counts = [int(count) for count in results[kind]]
        times = [entry["run_s"] for entry in results[kind].values()]
        panel.plot(counts, times, label=kind, **series_style(number))
    panel.axvline(results["machine"]["cpus"], color="0.6", linewidth=1, label="CPUs of this machine")
    panel.set(
        xlabel="devices or processes", ylabel="seconds", title=f"{results['worlds']} worlds each, {results['world']}"
    )
    panel.set_ylim(bottom=0)
    panel.set_xscale("log", base=2)
    counts = sorted({int(count) for kind in ("devices", "processes") for count in results[kind]})
    panel.set_xticks(counts, [str(count) for count in counts])
    tidy(panel)
    panel.legend(frameon=False)
    write_figure(figure, path)


if __name__ == "__main__":
    raise SystemExit(main())
