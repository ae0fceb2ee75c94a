"""Grid worlds beside SocialJax and the original engine: ``python -m benchmarks.grid``.

Steps a second of worlds that restart by themselves and are seen through local structured observations; what the parts
of a step cost; what compiling costs. Peers are timed in the same run where they are: ``--socialjax TREE`` and
``--melting-pot PYTHON``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from benchmarks import harness
from benchmarks.floors import Rates, Work, measure_rates
from benchmarks.harness import Timing, measure
from benchmarks.rows import Effort, Row, text_table
from jaxworld.core import AutoReset, make, tick_key, world_keys
from jaxworld.core.leaves import named_leaves

SIZES = (1, 64, 1024)
PEERS = {
    "grid/commons_harvest_open": ("harvest_common_open", "commons_harvest__open"),
    "grid/coins": ("coin_game", "coins"),
    "grid/prisoners_dilemma_in_the_matrix_arena": ("pd_arena", "prisoners_dilemma_in_the_matrix__arena"),
}
"""Our name, SocialJax's and the original's. SocialJax's own differ from the original in rules and maps."""
HERE = Path(__file__).parent / "peers"


def rows(effort: Effort, rates: Rates) -> list[Row]:
    """Commons Harvest in many worlds, beside nobody: peers need :func:`main`'s options."""
    names = ["grid/commons_harvest_open"] if effort.quick else list(PEERS)
    return [steps_row(name, 64 if effort.quick else 1024, effort.repeats, rates, {})[0] for name in names]


def steps_row(
    name: str, worlds: int, repeats: int, rates: Rates, peers: dict[str, Timing]
) -> tuple[Row, dict[str, float]]:
    """One world's row and what compiling its loop cost."""
    world = make(name)
    timing, compiling = play(world, worlds, _num_steps(worlds), repeats)
    row = Row(
        "grid",
        f"{name.removeprefix('grid/')}, {worlds:,} world{'s' if worlds > 1 else ''}",
        "env-step",
        timing,
        peers,
        floor_s=work(world).floor(rates),
        note="local structured observations of all players, kept by the loop; fresh automatic resets; random actions",
    )
    return row, compiling


def _num_steps(worlds: int) -> int:
    return max(50, min(2000, 51_200 // worlds))


def play(world: Any, worlds: int, steps: int, repeats: int) -> tuple[Timing, dict[str, float]]:
    """Time a loop over steps of many worlds on all CPUs; and what tracing and compiling cost, once."""
    params, restarting = world.default_params(), AutoReset(world)
    players, actions = world.num_agents, world.action_space(params).num_categories
    devices = jax.devices() if worlds % len(jax.devices()) == 0 else jax.devices()[:1]
    mesh = jax.make_mesh((len(devices),), ("worlds",), devices=devices, axis_types=(AxisType.Auto,))
    split = PartitionSpec("worlds")
    keys = jax.device_put(world_keys(range(worlds)), NamedSharding(mesh, split))
    start = jax.jit(jax.vmap(restarting.reset, in_axes=(0, None)))(keys, params)

    def block(keys: jax.Array, carry: Any, first: jax.Array, params: Any) -> Any:
        def step(carry: Any, tick: jax.Array) -> tuple[Any, jax.Array]:
            here = jax.vmap(tick_key, in_axes=(0, None))(keys, tick)
            drawn = jax.random.randint(jax.random.fold_in(keys[0], tick), (keys.shape[0], players), 0, actions)
            state, timestep = jax.vmap(restarting.step, in_axes=(0, 0, 0, None))(here, carry[0], drawn, params)
            return (state, timestep.observation), timestep.reward.sum()

        return jax.lax.scan(step, carry, first + jnp.arange(1, steps + 1, dtype=jnp.uint32))

    run = jax.jit(
        jax.shard_map(
            block, mesh=mesh, in_specs=(split, split, PartitionSpec(), PartitionSpec()),
            out_specs=(split, PartitionSpec(None)), check_vma=False,
        )
    )  # fmt: skip
    carry = (start[0], start[1].observation)
    first = jnp.zeros((), jnp.uint32)
    wall, cpu = time.perf_counter(), time.process_time()
    compiled = run.lower(keys, carry, first, params).compile()
    compiling = {"compile_wall_s": time.perf_counter() - wall, "compile_cpu_s": time.process_time() - cpu}
    return measure(lambda: compiled(keys, carry, first, params), repeats).per(worlds * steps), compiling


def work(world: Any) -> Work:
    """What a step cannot do without: the old state read, the new one and the observation written, its words drawn."""
    params = world.default_params()
    state, timestep = jax.eval_shape(world.reset, jax.random.key(0), params)
    words = sum(2 * ((size + 1) // 2) for size in world.step_draws().values())
    return Work(bytes=2 * _bytes(state) + _bytes(timestep.observation), words=words + 2 * len(world.step_draws()))


def _bytes(tree: Any) -> int:
    return sum(leaf.size * leaf.dtype.itemsize for _, leaf in named_leaves(tree))


def parts(name: str, worlds: int, repeats: int) -> dict[str, Timing]:
    """The parts of a step, each on its own, for one world-step: XLA joins them in a whole step."""
    world = make(name)
    params = world.default_params()
    keys = world_keys(range(worlds))
    here = jax.vmap(tick_key, in_axes=(0, None))(keys, jnp.uint32(3))
    states, timesteps = jax.jit(jax.vmap(world.reset, in_axes=(0, None)))(keys, params)
    actions = jax.random.randint(jax.random.key(1), (worlds, world.num_agents), 0, len(world.action_names), jnp.int32)
    calls: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "random words": (jax.vmap(world.draws), (here,)),
        "dynamics": (jax.vmap(lambda k, s, a: world.advance(s, a, world.draws(k), params)), (here, states, actions)),
        "observation": (jax.vmap(lambda s: world.observe(s, params)), (states,)),
        "whole step": (jax.vmap(lambda k, s, a: world.step(k, s, a, params)), (here, states, actions)),
        "reset": (jax.vmap(lambda k: world.reset(k, params)), (here,)),
    }
    del timesteps
    return {
        part: measure(partial(jax.jit(function), *arguments), repeats).per(worlds)
        for part, (function, arguments) in calls.items()
    }


def socialjax(tree: Path, name: str, worlds: int, repeats: int) -> dict[str, Timing]:
    """SocialJax's own loop in a process of its own, or nothing if it cannot run here."""
    steps = max(10, min(200, 2048 // worlds))
    script = [sys.executable, str(HERE / "socialjax_steps.py"), str(tree), name, str(worlds), str(steps), str(repeats)]
    found = _last_json(script)
    return {} if found is None else {"SocialJax": Timing(found["wall_s"], found["cpu_s"], repeats)}


def melting_pot(python: Path, name: str, repeats: int) -> dict[str, Timing]:
    """The original, one environment in one process."""
    found = _last_json([str(python), str(HERE / "melting_pot_steps.py"), name, str(repeats)]) or {}
    return {f"original, {way}": Timing(one["wall_s"], one["cpu_s"], repeats) for way, one in found.items()}


def _last_json(command: Sequence[str]) -> Any:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        print(f"not measured: {' '.join(command[1:4])}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return json.loads(lines[-1])


def main(arguments: Sequence[str] | None = None) -> int:
    """Print and write everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grid", description=__doc__.split("\n")[0])
    parser.add_argument("--worlds", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--names", nargs="+", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--socialjax", type=Path, metavar="TREE", help="a working tree of cooperativex/SocialJax")
    parser.add_argument("--melting-pot", type=Path, metavar="PYTHON", help="an interpreter with dm-meltingpot")
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks"))
    options = parser.parse_args(arguments)
    harness.use_every_cpu()
    rates = measure_rates(options.repeats)
    found: list[Row] = []
    facts: dict[str, Any] = {"machine": harness.machine_facts(), "rates": vars(rates), "compiling": {}, "parts": {}}
    for name in options.names:
        theirs, original = PEERS[name]
        once = melting_pot(options.melting_pot, original, options.repeats) if options.melting_pot else {}
        for worlds in options.worlds:
            peers = socialjax(options.socialjax, theirs, worlds, options.repeats) if options.socialjax else {}
            row, facts["compiling"][f"{name} {worlds}"] = steps_row(
                name, worlds, options.repeats, rates, {**peers, **once}
            )
            found.append(row)
            print(f"... {row.work}: {1 / row.ours.wall_s:,.0f} env-steps/s", file=sys.stderr, flush=True)
        split = parts(name, max(options.worlds), options.repeats)
        facts["parts"][name] = {part: vars(timing) for part, timing in split.items()}
    print(report(found, facts))
    options.out.mkdir(parents=True, exist_ok=True)
    facts["rows"] = [{"work": row.work, "ours": vars(row.ours), "peers": {k: vars(t) for k, t in row.peers.items()}}
                     for row in found]  # fmt: skip
    (options.out / "grid.json").write_text(json.dumps(facts, indent=1, default=str) + "\n")
    return 0


def report(found: Sequence[Row], facts: dict[str, Any]) -> str:
    """Steps a second, the table of ratios in CPU and in wall time, the parts of a step, and compiling."""
    lines = [f"load {facts['machine']['load_average']}, {facts['machine']['cpus']} CPUs, JAX {facts['machine']['jax']}"]
    for row in found:
        everyone = {"jaxworld": row.ours, **row.peers}
        each = ", ".join(f"{who} {1 / one.wall_s:,.0f} ({1 / one.cpu_s:,.0f})" for who, one in everyone.items())
        lines.append(f"{row.work}: env-steps a second (a CPU second): {each}")
    lines += ["", "CPU time", text_table(found, "cpu_s"), "", "wall time", text_table(found, "wall_s"), ""]
    for name, split in facts["parts"].items():
        each = ", ".join(f"{part} {one['cpu_s'] * 1e6:.2f}" for part, one in split.items())
        lines.append(f"{name}, CPU microseconds for one world: {each}")
    for name, cost in facts["compiling"].items():
        lines.append(f"{name}: compiled in {cost['compile_cpu_s']:.1f} CPU s, {cost['compile_wall_s']:.1f} s")
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
