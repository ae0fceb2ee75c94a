"""One large world: seconds a tick and peak memory for many personas and many live stimuli.

Run ``python -m benchmarks.scale`` for the sizes the project promises (a million personas under the shared and the
sampling recommenders, a hundred thousand under the personal one), or name others. Every case runs in a process of
its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.harness import compile_now, machine_facts, peak_memory_bytes, use_every_cpu
from jaxworld.core import replace, tick_key, world_key
from jaxworld.social import SocialState, SocialWorld, generate_population, make_policy, make_social

CASES = ("random:1000000x10000", "reddit_hot:1000000x10000", "twhin:1000000x10000", "twitter:100000x10000:128")
TICKS, FIRST_TICK = 3, 41


def fill(world: SocialWorld, state: SocialState, num_live: int) -> SocialState:
    """The state with ``num_live`` stimuli by random personas, published over the last ticks, with random votes."""
    random = np.random.default_rng(0)
    config = world.config
    slots, study = np.arange(config.stimulus_capacity), config.num_study
    peer = (slots >= study) & (slots < num_live)
    author = np.where(peer, random.integers(0, config.num_personas, slots.shape), -1)
    tick = np.where(peer, np.sort(random.integers(1, FIRST_TICK - 1, slots.shape)), np.asarray(state.stimuli.tick))
    columns = {
        "tick": tick,
        "author": author,
        "kind": np.where(peer, 2, np.asarray(state.stimuli.kind)),
        "root": np.where(peer, slots, np.asarray(state.stimuli.root)),
        "depth": np.where(peer, 0, np.asarray(state.stimuli.depth)),
        "platform": np.where(peer, 1, np.asarray(state.stimuli.platform)),
        "vector": np.where(peer, study + author, np.asarray(state.stimuli.vector)),
    }
    counts = np.where(slots[:, None] < num_live, random.integers(0, 2000, (slots.shape[0], 5)), 0)
    stimuli = replace(state.stimuli, **{name: jnp.asarray(values, jnp.int32) for name, values in columns.items()})
    return replace(
        state,
        stimuli=stimuli,
        counts=jnp.asarray(counts, jnp.int32),
        num_stimuli=jnp.int32(num_live),
        tick=jnp.int32(FIRST_TICK),
    )


def run_case(case: str) -> dict[str, Any]:
    """Build, compile and step one world; ``case`` is ``recommender:NxS`` or ``recommender:NxS:D``."""
    recommender, sizes, *rest = case.split(":")
    personas, stimuli = (int(size) for size in sizes.split("x"))
    dimensions = int(rest[0]) if rest else 0
    began = time.perf_counter()
    built = generate_population(personas, communities="none", taste_dimensions=dimensions, check_gates=False)
    population_s = time.perf_counter() - began
    # An eighth of the personas' turns fits in a tick; the capacity leaves room for what the timed ticks publish.
    publications = max(64, personas // 128)
    world = make_social(
        population=built,
        feed_recommender=recommender,
        stimulus_capacity=stimuli + (TICKS + 1) * publications,
        max_publications=publications,
        max_follows=publications,
    )
    params, key = world.default_params(), world_key(3)
    policy = make_policy(world.config, params, "indifferent")
    params, policy = jax.device_put((params, policy))
    state, timestep = jax.jit(world.reset)(tick_key(key, 0), params)
    state = fill(world, state, stimuli)

    def step(tick: Any, state: Any, timestep: Any, params: Any, policy: Any) -> Any:
        action, _ = policy.act(tick_key(key, tick - 1), (), timestep.observation)
        return world.step(tick_key(key, tick), state, action, params)

    tick = jnp.int32(FIRST_TICK + 1)
    compiled, compile_s = compile_now(jax.jit(step, donate_argnums=(1, 2)), tick, state, timestep, params, policy)
    seconds = []
    for number in range(TICKS):
        began = time.perf_counter()
        state, timestep = jax.block_until_ready(compiled(tick + number, state, timestep, params, policy))
        seconds.append(time.perf_counter() - began)
    world.check_flags(state)
    memory = compiled.memory_analysis()
    return {
        "case": case,
        "population_s": population_s,
        "compile_s": compile_s,
        "seconds_per_tick": seconds,
        "awake": int(timestep.observation.active.sum()),
        "stimuli": int(state.num_stimuli),
        "scratch_mb": memory.temp_size_in_bytes / 1e6,
        "personas_x_stimuli_mb": personas * stimuli / 1e6,
        "peak_memory_gib": (peak_memory_bytes() or 0) / 2**30,
    }


def main(argv: list[str] | None = None) -> int:
    """Run each case in a process of its own and print a table; results go to ``--out``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "cases", nargs="*", default=list(CASES), help=f"recommender:NxS[:D] (default {' '.join(CASES)})"
    )
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks"))
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    use_every_cpu()
    if args.inside:
        print(json.dumps(run_case(args.cases[0])))
        return 0
    results = []
    print("| case | s / tick | awake | scratch, MB | personas x stimuli bytes, MB | peak memory, GiB | compile, s |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for case in args.cases:
        command = [sys.executable, "-m", "benchmarks.scale", "--inside", case]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
        results.append(found)
        cells = (min(found["seconds_per_tick"]), found["scratch_mb"], found["personas_x_stimuli_mb"])
        print(
            f"| {case} | {cells[0]:.2f} | {found['awake']:,} | {cells[1]:.0f} | {cells[2]:.0f} | "
            f"{found['peak_memory_gib']:.2f} | {found['compile_s']:.1f} |",
            flush=True,
        )
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "scale.json").write_text(json.dumps({"machine": machine_facts(), "cases": results}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
