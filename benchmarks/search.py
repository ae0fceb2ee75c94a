"""What a search costs: asking and telling, and evaluating against a bare batch of rollouts.

python -m benchmarks.search
"""

from __future__ import annotations

import json
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

import jaxworld
from benchmarks.floors import Rates, Work
from benchmarks.harness import Timing, machine_facts, measure, use_every_cpu
from benchmarks.rows import Effort, Row
from jaxworld.core.errors import MissingExtraError
from jaxworld.core.random import world_keys
from jaxworld.core.rollout import rollout
from jaxworld.study.search import Evaluator, OpenAIES, Strategy, from_evosax, make_array_policy, world_objective
from jaxworld.study.search.array_policies import stack

PARAMETERS, POPULATION = 1_000, 256
CANDIDATES, WORLDS, STEPS = 64, 64, 100
REPEATS = 5
OURS = "openai_es (ours)"


def strategies() -> dict[str, Strategy]:
    """Ours, and some of evosax if it is installed."""
    made: dict[str, Strategy] = {OURS: OpenAIES(POPULATION, 0.1, optax.adam(0.05))}
    try:
        made["Open_ES (evosax)"] = from_evosax("Open_ES", POPULATION, optimizer=optax.adam(0.05))
        for name in ("PGPE", "SNES", "Sep_CMA_ES"):
            made[f"{name} (evosax)"] = from_evosax(name, POPULATION)
    except MissingExtraError as error:
        print(error, file=sys.stderr)
    return made


def rows(effort: Effort, rates: Rates) -> list[Row]:
    """What the table of all families shows: a generation, and an evaluation over a bare vmap."""
    made = {name: ask_and_tell(strategy, effort.repeats) for name, strategy in strategies().items()}
    generation = {name: _sum(ask, tell) for name, (ask, tell) in made.items()}
    # A normal number takes two words at best, and the population is written and read once each.
    numbers = PARAMETERS * POPULATION // 2
    work = Work(bytes=2 * 4 * PARAMETERS * POPULATION, words=2 * numbers)
    what = f"a generation, {POPULATION} candidates of {PARAMETERS:,} parameters"
    evaluator, bare = evaluation(effort.repeats)
    return [
        Row("search", what, "ask and tell", generation.pop(OURS), generation, floor_s=work.floor(rates)),
        Row("search", "evaluating policies", "world-step", evaluator, {"bare vmap, one device": bare}),
    ]


def _sum(first: Timing, second: Timing) -> Timing:
    return Timing(first.wall_s + second.wall_s, first.cpu_s + second.cpu_s, first.repeats)


def ask_and_tell(strategy: Strategy, repeats: int = REPEATS) -> tuple[Timing, Timing]:
    """A warm ask and a warm tell."""
    state = jax.jit(strategy.init)(jax.random.key(0), jnp.zeros(PARAMETERS, jnp.float32))
    ask, tell = jax.jit(strategy.ask), jax.jit(strategy.tell)
    population, state = ask(jax.random.key(1), state)
    fitness = jax.random.normal(jax.random.key(2), (POPULATION,), jnp.float32)
    asking = measure(lambda: ask(jax.random.key(1), state), repeats)
    telling = measure(lambda: tell(jax.random.key(3), state, population, fitness), repeats)
    return asking, telling


def evaluation(repeats: int = REPEATS) -> tuple[Timing, Timing]:
    """A world-step of the evaluator, and of one bare vmap over the same pairs on one device."""
    world = jaxworld.make("core/bandit", num_agents=4)
    population = stack([make_array_policy("mlp", world, seed=seed) for seed in range(CANDIDATES)])
    seeds = np.arange(WORLDS, dtype=np.uint64)
    evaluator = Evaluator(world_objective(world, STEPS), block=256)
    ours = measure(lambda: evaluator.scores(population, seeds), repeats)

    def one(policy: Any, key: jax.Array) -> jax.Array:
        return rollout(world, policy, key, STEPS).summary.total_reward.mean()

    bare = jax.jit(jax.vmap(jax.vmap(one, in_axes=(None, 0)), in_axes=(0, None)))
    keys = world_keys(seeds)
    floor = measure(lambda: bare(population, keys), repeats)
    steps = CANDIDATES * WORLDS * STEPS
    return ours.per(steps), floor.per(steps)


def main() -> None:
    """Print the table, and everything as one JSON line."""
    use_every_cpu()
    costs = {
        name: {"ask_ms": 1e3 * ask.wall_s, "tell_ms": 1e3 * tell.wall_s}
        for name, (ask, tell) in ((name, ask_and_tell(strategy)) for name, strategy in strategies().items())
    }
    print(f"{PARAMETERS:,} parameters, {POPULATION} candidates; wall milliseconds, warm")
    for name, cost in costs.items():
        print(f"  {name:<22} ask {cost['ask_ms']:8.2f}   tell {cost['tell_ms']:8.2f}")
    names = ("evaluator_steps_per_s", "bare_vmap_steps_per_s")
    speed = {name: 1 / timing.wall_s for name, timing in zip(names, evaluation(), strict=True)}
    print(f"{CANDIDATES} candidates × {WORLDS} worlds × {STEPS} steps; world-steps per second")
    for name, value in speed.items():
        print(f"  {name:<22} {value:14,.0f}")
    print(json.dumps({"machine": machine_facts(), "strategies": costs, "evaluation": speed}))


if __name__ == "__main__":
    main()
