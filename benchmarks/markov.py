"""Games with an exact graph, beside others: building graphs, stepping worlds, iterating values.

python -m benchmarks.markov
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxworld
from benchmarks import markov_peers as peers
from benchmarks.floors import Rates, Work, measure_rates
from benchmarks.harness import Timing, machine_facts, measure, use_every_cpu
from benchmarks.rows import Effort, Row, as_json, text_table
from jaxworld.core import AutoReset, RandomPolicy, TimeStep, World, rollout, world_keys
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.markov import Pursuit
from jaxworld.markov.graph import Graph, build_graph
from jaxworld.markov.solve import joint_optimum
from jaxworld.study import batching

BUILDS = ((5, 1), (9, 1), (15, 1), (21, 1), (5, 2))
"""Rows of the grid and pursuers; the first two for a quick look."""
ONCE_FROM = 5_000_000
"""Edges of a graph that is timed once only."""
STEPS, DISCOUNT, TOLERANCE = 100, 0.95, 1e-8


@pytree_dataclass
class Everything:
    """Adds up what a step returns, so that no part of it can be left out: all players' bits, and rewards."""

    def init(self, timestep: TimeStep) -> tuple[jax.Array, jax.Array]:
        return timestep.observation.sum(dtype=jnp.int32), timestep.reward

    def update(self, carry: tuple[jax.Array, jax.Array], timestep: TimeStep, action: Any) -> tuple[Any, None]:
        del action
        return (carry[0] + timestep.observation.sum(dtype=jnp.int32), carry[1] + timestep.reward), None

    def final(self, carry: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        return carry


def rows(effort: Effort, rates: Rates) -> list[Row]:
    """Builds beside Storm's, steps beside PettingZoo's and MASA's, values beside QuantEcon's."""
    builds = [build(size, pursuers, effort, rates) for size, pursuers in (BUILDS[:2] if effort.quick else BUILDS)]
    return [*builds, *steps(effort, rates), *values(effort, rates)]


def build(size: int, num_pursuers: int, effort: Effort, rates: Rates) -> Row:
    """The exact joint graph of pursuit; both sides are checked to have found the same one."""
    print(f"... pursuit {size}, {num_pursuers} pursuers", file=sys.stderr, flush=True)
    began = time.perf_counter()
    graph = build_graph(Pursuit(size, num_pursuers))
    first = time.perf_counter() - began
    repeats = effort.repeats if graph.num_edges < ONCE_FROM else 1
    ours = measure(lambda: build_graph(Pursuit(size, num_pursuers)).target, repeats, warm_up=False)
    explore, timings = peers.storm_build(size, num_pursuers), {}
    if explore is not None:
        assert peers.same_model(explore(), graph), "Storm found another graph"
        timings["Storm, PRISM program"] = measure(explore, repeats, warm_up=False)
    speeds = [f"{name} {graph.num_states / timing.wall_s:,.0f}" for name, timing in {"ours": ours, **timings}.items()]
    return Row(
        "markov",
        f"exact graph, pursuit {size} × {size}" + (f", {num_pursuers} pursuers" if num_pursuers > 1 else ""),
        "graph",
        ours,
        timings,
        floor_s=Work(bytes=graph.num_bytes, words=0).floor(rates),
        note=f"{graph.num_states:,} states, {graph.num_edges:,} edges; states a second of wall time: "
        f"{'; '.join(speeds)}; our first build in a process took {first:.1f} s. The floor is writing the arrays",
    )


def steps(effort: Effort, rates: Rates) -> list[Row]:
    """Uniform play, restarts included."""
    size, calls = 15, 200 if effort.quick else 3000
    timed = partial(_timed, repeats=max(effort.repeats, 1))
    pursuit, chicken, hunt = (
        timed(peers.pettingzoo_pursuit, size, calls),
        timed(peers.masa_game, "matrix.chicken", "ChickenMatrix", calls),
        timed(peers.masa_game, "tabular.markov_stag_hunt", "MarkovStagHunt", calls),
    )
    return [
        play(Pursuit(size), "PettingZoo, its own pursuit", pursuit, effort, rates, 2 * 2 + 2),
        play(jaxworld.make("markov/chicken"), "MASA, same game", chicken, effort, rates, 2),
        play(jaxworld.make("markov/stag_hunt"), "MASA, same game", hunt, effort, rates, 2 + 2 * 2 + 3 * 2),
    ]


def _timed(function: Any, *arguments: Any, repeats: int) -> Timing | None:
    found: Timing | None = function(*arguments, repeats)
    return found


def play(game: Any, name: str, peer: Timing | None, effort: Effort, rates: Rates, words: int) -> Row:
    """Many worlds over all devices, and one alone; ``words`` are the random words a step cannot do without."""
    print(f"... playing {game.name}", file=sys.stderr, flush=True)
    world = AutoReset(game)
    batched = _batch(world, 256 if effort.quick else 2048, effort.repeats)
    alone = _batch(world, 1, effort.repeats)
    grid = f" {game.config.size} × {game.config.size}" if isinstance(game, Pursuit) else ""
    return Row(
        "markov",
        f"random play, {game.name.replace('_', ' ')}{grid}",
        "world-step",
        batched,
        {"jaxworld, one world": alone, **({} if peer is None else {name: peer})},
        floor_s=Work(bytes=game.num_bits, words=words).floor(rates),
        note="the bits all players observe are read at every step; peers step one world in Python",
    )


def _batch(world: World[Any, Any, Any], worlds: int, repeats: int) -> Timing:
    policy, mesh = RandomPolicy(world), batching.world_mesh()
    block = batching.default_block(2)
    padded = batching.padded_worlds(worlds, mesh, block) if worlds > 1 else 1

    def run(key: jax.Array, params: Any) -> tuple[jax.Array, jax.Array]:
        return rollout(world, policy, key, STEPS, params, reducer=Everything()).summary

    keys, params = world_keys(range(padded)), world.default_params()
    if worlds == 1:
        single = jax.jit(run)
        return measure(lambda: single(keys[0], params), max(repeats, 5)).per(STEPS)
    mapped = batching.map_worlds(run, mesh, block)
    keys, params = batching.distribute(keys, mesh), batching.replicate(params, mesh)
    return measure(lambda: mapped(keys, params), repeats).per(padded * STEPS)


def values(effort: Effort, rates: Rates) -> list[Row]:
    """Best joint play for player 0 at a discount of 0.95."""
    games = {"pursuit 9 × 9": Pursuit(9)} if effort.quick else {"pursuit 15 × 15": Pursuit(15)}
    if not effort.quick:
        games["stag hunt 3 × 3"] = jaxworld.make("markov/stag_hunt", height=3, width=3)
    return [value(name, build_graph(game), effort, rates) for name, game in games.items()]


def value(name: str, graph: Graph, effort: Effort, rates: Rates) -> Row:
    """Value iteration to the same accuracy; what the solvers prepare beforehand is not timed for the peers."""
    print(f"... values of {name}", file=sys.stderr, flush=True)
    found = joint_optimum(graph, 0, DISCOUNT, tolerance=TOLERANCE)
    ours = measure(lambda: joint_optimum(graph, 0, DISCOUNT, tolerance=TOLERANCE).value, effort.repeats)
    problem, timings = peers.quantecon_problem(graph, 0, DISCOUNT), {}
    if problem is not None:
        for method in ("value_iteration", "modified_policy_iteration"):
            solve = partial(problem.solve, method, epsilon=TOLERANCE, max_iter=100_000)
            assert np.abs(solve().v - found.value).max() < 1e-6, "QuantEcon found other values"
            label = f"quantecon, {method.replace('_', ' ')}"
            timings[label] = measure(lambda solve=solve: solve().v, effort.repeats, warm_up=False)
    return Row(
        "markov",
        f"discounted values, {name}",
        "solve",
        ours,
        timings,
        floor_s=Work(bytes=12 * graph.num_edges, words=0).floor(rates),
        note="ours iterates values in SciPy until bounds from both sides are 1e-8 apart; the floor is reading each "
        "edge once",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rows twice, by CPU and by wall time, and write them to ``markov.json``."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.markov", description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small work, once each: a look, not a measurement")
    parser.add_argument("--out", type=Path, default=Path("out/benchmarks"), metavar="DIR", help="default %(default)s")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    use_every_cpu()
    effort = Effort(options.quick)
    rates = measure_rates(effort.repeats, scale=16 if effort.quick else 1)
    found = rows(effort, rates)
    for kind, title in (("cpu_s", "CPU time, summed over threads"), ("wall_s", "wall time")):
        print(title, text_table(found, kind), "", sep="\n")
    path = options.out / "markov.json"
    content = {"machine": machine_facts(), "rates": vars(rates), "rows": [as_json(row, "cpu_s") for row in found]}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
