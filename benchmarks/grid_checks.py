"""Every grid world against the contract and against its laws: ``python -m benchmarks.grid_checks``.

``--contract`` checks every variant in every observation mode, that states hold no floats, and how large they are.
``--invariants`` plays variants with a board at random, many worlds at once, and counts on the device in how many steps
of a world each law is broken; every step is also done with its players in another order. Half of the worlds have the
variant's own numbers, the other half numbers with which more happens. Both run unless one is chosen. The command ends
with 1 if anything is found.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks import harness
from benchmarks.grid_laws import happened, laws
from benchmarks.grid_step import Step
from benchmarks.grid_symmetry import breaks_symmetry, together
from jaxworld.core import check_world, make, tick_key, world_keys
from jaxworld.core.errors import JaxworldError
from jaxworld.core.leaves import named_leaves
from jaxworld.core.pytree import replace
from jaxworld.core.random import multiply_high, purpose_key, register_purpose
from jaxworld.grid import VARIANTS, Coins, CommonsHarvest

PLAY = register_purpose("benchmark/grid_checks/play")
START = register_purpose("benchmark/grid_checks/start")
MODES = ("local", "global", "focal")
SMALL = 1024
"""Bytes that the state of Commons Harvest stays below."""
BLOCK = 100
"""Steps of one call."""


@dataclasses.dataclass
class Kept:
    """What the contract says of one world in one mode; ``problem`` is empty if it keeps it."""

    name: str
    mode: str
    cpu_s: float
    state_bytes: int
    problem: str


@dataclasses.dataclass
class Tally:
    """What random play of one world came to: steps of a world that break each law, and how often things happened."""

    name: str
    worlds: int
    steps: int
    broken: Counter[str]
    counts: Counter[str]
    cpu_s: float = 0.0
    wall_s: float = 0.0


def modes(name: str) -> tuple[str, ...]:
    """Observation modes of a variant; a game without a map has no focal view."""
    return MODES[:2] if name.startswith("real_matrix") else MODES


def check_contract(name: str, mode: str) -> Kept:
    """One variant in one mode."""
    began = time.process_time()
    world = make(f"grid/{name}", observation_mode=mode)
    state, _ = jax.eval_shape(world.reset, jax.random.key(0), world.default_params())
    leaves = named_leaves(state, "state")
    size = sum(leaf.size * leaf.dtype.itemsize for _, leaf in leaves)
    floats = [path for path, leaf in leaves if not jnp.issubdtype(leaf.dtype, jnp.integer) and leaf.dtype != bool]
    problems = [f"{path} is no integer" for path in floats]
    if isinstance(world, CommonsHarvest) and size >= SMALL:
        problems.append(f"the state has {size} bytes")
    try:
        check_world(world, eager=False, thorough=False, num_steps=3, batch=2)
    except JaxworldError as error:
        problems.append(str(error))
    jax.clear_caches()
    return Kept(name, mode, time.process_time() - began, size, "; ".join(problems))


def livelier(world: Any) -> Any:
    """Parameters with which more happens: things grow back at once, nobody is long away, every deed pays."""
    ending: dict[str, Any] = {"ending_minimum": 200, "ending_interval": 50, "ending_probability": 0.5}
    if isinstance(world, Coins):
        return world.params(regrowth=0.05, **ending)
    if isinstance(world, CommonsHarvest):
        rewards = {"zap_reward": 0.25, "zapped_reward": -0.5}
        return world.params(regrowth=(0.01, 0.05, 0.1, 0.2), respawn_delay=3, zap_cooldown=0, **rewards, **ending)
    delays = {"regrowth_delay": 2, "freeze": 3, "respawn_delay": 2, "cooldown": 0}
    return world.params(regrowth=0.2, gathering_reward=0.125, **delays, **ending)


def play(world: Any, worlds: int, steps: int, block: int = BLOCK, seed: int = 0) -> Iterator[Tally]:
    """Random play of worlds ``seed`` and on, a tally for each block of steps."""
    steps_of = [min(block, steps - first) for first in range(0, steps, block)]
    params = jax.tree.map(
        lambda own, lively: jnp.stack([own, lively])[np.arange(worlds) % 2], world.default_params(), livelier(world)
    )
    if isinstance(world, Coins):  # an even threshold leaves the lowest bit of a word free for either colour
        params = replace(params, regrowth=params.regrowth & np.uint32(2**32 - 2))
    keys = world_keys(range(seed, seed + worlds))
    states = jax.jit(jax.vmap(lambda key, params: world.reset(tick_key(key, 0), params)[0]))(keys, params)
    runs = {size: jax.jit(lambda *given, size=size: _block(world, size, *given)) for size in set(steps_of)}
    for number, size in enumerate(steps_of):
        cpu, wall = time.process_time(), time.perf_counter()
        states, sums = runs[size](keys, states, params, jnp.asarray(1 + number * block, jnp.uint32))
        broken, counts = ({name: int(count) for name, count in part.items()} for part in jax.device_get(sums))
        cost = (time.process_time() - cpu, time.perf_counter() - wall)
        yield Tally(world.config.variant, worlds, size, Counter(broken), Counter(counts), *cost)


def _block(world: Any, steps: int, keys: jax.Array, states: Any, params: Any, first: jax.Array) -> Any:
    """Steps of all worlds; those that end begin again. States, and sums over steps and worlds."""
    players, actions = world.num_agents, len(world.action_names)

    def one(key: jax.Array, state: Any, words: jax.Array, params: Any) -> Any:
        action = multiply_high(words[0], jnp.asarray(actions, jnp.uint32)).astype(jnp.int32)
        draws = world.draws(key)
        made, reward, events = world.advance(state, action, draws, params)
        step = Step(world, params, state, action, draws, made, reward, events)
        broken = {**laws(step), **breaks_symmetry(step, words[1])}
        several = together(step).sum(dtype=jnp.int32) > 1
        counts = {**happened(step), "back together": several.astype(jnp.int32)}
        return made, ({name: law.astype(jnp.int32) for name, law in broken.items()}, counts)

    def restart(keys: jax.Array, made: Any) -> Any:
        fresh = jax.vmap(lambda key, params: world.reset(purpose_key(key, START), params)[0])(keys, params)
        over = made.ended

        def chosen(new: jax.Array, old: jax.Array) -> jax.Array:
            return jnp.where(over.reshape(-1, *(1,) * (new.ndim - 1)), new, old)

        return jax.tree.map(chosen, fresh, made)

    def step(states: Any, tick: jax.Array) -> Any:
        here = jax.vmap(tick_key, in_axes=(0, None))(keys, tick)
        words = jax.random.bits(purpose_key(here[0], PLAY), (keys.shape[0], 2, players), jnp.uint32)
        made, sums = jax.vmap(one)(here, states, words, params)
        made = jax.lax.cond(made.ended.any(), restart, lambda keys, made: made, here, made)
        return made, jax.tree.map(lambda leaf: leaf.sum(dtype=jnp.int32), sums)

    states, sums = jax.lax.scan(step, states, first + jnp.arange(steps, dtype=jnp.uint32))
    return states, jax.tree.map(lambda leaf: leaf.sum(dtype=jnp.int32), sums)


def check_invariants(name: str, worlds: int, steps: int) -> Tally:
    """Random play of one variant, with seeds of its own: games that differ in payoffs only move alike on the same."""
    whole = Tally(name, worlds, 0, Counter(), Counter())
    seed = worlds * list(VARIANTS).index(name)
    for part in play(make(f"grid/{name}"), worlds, steps, seed=seed):
        whole.steps += part.steps
        whole.broken.update(part.broken)
        whole.counts.update(part.counts)
        whole.cpu_s, whole.wall_s = whole.cpu_s + part.cpu_s, whole.wall_s + part.wall_s
    jax.clear_caches()
    return whole


def line(found: Kept | Tally) -> str:
    """One result in one line, and what is broken below it."""
    if isinstance(found, Kept):
        verdict = found.problem or "kept"
        return f"{found.name:<51} {found.mode:<7} {found.cpu_s:6.1f} CPU s  state {found.state_bytes:5,} B  {verdict}"
    counts = ", ".join(f"{name} {count:,}" for name, count in found.counts.items())
    title = f"{found.name:<51} {found.worlds * found.steps:>12,} steps {found.cpu_s:7.1f} CPU s"
    broken = [f"  BROKEN in {count:,} steps: {law}" for law, count in found.broken.items() if count]
    return "\n".join(
        [f"{title}  {sum(found.broken.values()):,} violations of {len(found.broken)} laws", f"  {counts}", *broken]
    )


def summary(kept: Sequence[Kept], tallies: Sequence[Tally]) -> str:
    """Totals."""
    lines = []
    if kept:
        bad = sum(bool(one.problem) for one in kept)
        lines.append(f"contract: {len(kept)} worlds, {bad} broken, {sum(one.cpu_s for one in kept) / 60:.1f} CPU min")
    if tallies:
        steps = sum(one.worlds * one.steps for one in tallies)
        bad = sum(sum(one.broken.values()) for one in tallies)
        minutes = sum(one.cpu_s for one in tallies) / 60
        lines.append(f"invariants: {len(tallies)} variants, {steps:,} steps, {bad:,} violations, {minutes:.1f} CPU min")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check, print and write everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grid_checks", description=__doc__.split("\n")[0])
    parser.add_argument("--worlds", type=int, default=1024, help="worlds at once (default: 1024)")
    parser.add_argument("--steps", type=int, default=1000, help="steps of each (default: 1000)")
    parser.add_argument("--names", nargs="+", default=list(VARIANTS), choices=list(VARIANTS), metavar="NAME")
    parser.add_argument("--contract", action="store_true", help="only this, unless --invariants is given too")
    parser.add_argument("--invariants", action="store_true", help="only this, unless --contract is given too")
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks"))
    options = parser.parse_args(arguments)
    both = options.contract == options.invariants
    facts: dict[str, Any] = {"machine": harness.machine_facts()}
    kept: list[Kept] = []
    tallies: list[Tally] = []
    if options.contract or both:
        # The programs run for milliseconds: compiling them fast is what counts.
        jax.config.update("jax_disable_most_optimizations", True)
        for name in options.names:
            for mode in modes(name):
                kept.append(check_contract(name, mode))
                print(line(kept[-1]), flush=True)
        jax.config.update("jax_disable_most_optimizations", False)
    if options.invariants or both:
        for name in options.names:
            if not name.startswith("real_matrix"):
                tallies.append(check_invariants(name, options.worlds, options.steps))
                print(line(tallies[-1]), flush=True)
    print(summary(kept, tallies))
    facts |= {"contract": [vars(one) for one in kept], "invariants": [vars(one) for one in tallies]}
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "grid_checks.json").write_text(json.dumps(facts, indent=1, default=str) + "\n")
    return 1 if any(one.problem for one in kept) or any(one.broken.total() for one in tallies) else 0


if __name__ == "__main__":
    sys.exit(main())
