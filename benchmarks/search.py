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
from benchmarks.harness import machine_facts, measure, use_every_cpu
from jaxworld.core.errors import MissingExtraError
from jaxworld.core.random import world_keys
from jaxworld.core.rollout import rollout
from jaxworld.study.search import Evaluator, OpenAIES, Strategy, from_evosax, make_array_policy, world_objective
from jaxworld.study.search.array_policies import stack

PARAMETERS, POPULATION = 1_000, 256
CANDIDATES, WORLDS, STEPS = 64, 64, 100
REPEATS = 5


def strategies() -> dict[str, Strategy]:
    """Ours, and some of evosax if it is installed."""
    made: dict[str, Strategy] = {"openai_es (ours)": OpenAIES(POPULATION, 0.1, optax.adam(0.05))}
    try:
        made["Open_ES (evosax)"] = from_evosax("Open_ES", POPULATION, optimizer=optax.adam(0.05))
        for name in ("PGPE", "SNES", "Sep_CMA_ES"):
            made[f"{name} (evosax)"] = from_evosax(name, POPULATION)
    except MissingExtraError as error:
        print(error, file=sys.stderr)
    return made


def ask_and_tell(strategy: Strategy) -> dict[str, float]:
    """Milliseconds of a warm ask and tell."""
    state = jax.jit(strategy.init)(jax.random.key(0), jnp.zeros(PARAMETERS, jnp.float32))
    ask, tell = jax.jit(strategy.ask), jax.jit(strategy.tell)
    population, state = ask(jax.random.key(1), state)
    fitness = jax.random.normal(jax.random.key(2), (POPULATION,), jnp.float32)
    asking = measure(lambda: ask(jax.random.key(1), state), REPEATS)
    telling = measure(lambda: tell(jax.random.key(3), state, population, fitness), REPEATS)
    return {"ask_ms": 1e3 * asking.wall_s, "tell_ms": 1e3 * telling.wall_s}


def evaluation() -> dict[str, float]:
    """World-steps per second of the evaluator, and of one bare vmap over the same pairs on one device."""
    world = jaxworld.make("core/bandit", num_agents=4)
    population = stack([make_array_policy("mlp", world, seed=seed) for seed in range(CANDIDATES)])
    seeds = np.arange(WORLDS, dtype=np.uint64)
    evaluator = Evaluator(world_objective(world, STEPS), block=256)
    ours = measure(lambda: evaluator.scores(population, seeds), REPEATS)

    def one(policy: Any, key: jax.Array) -> jax.Array:
        return rollout(world, policy, key, STEPS).summary.total_reward.mean()

    bare = jax.jit(jax.vmap(jax.vmap(one, in_axes=(None, 0)), in_axes=(0, None)))
    keys = world_keys(seeds)
    floor = measure(lambda: bare(population, keys), REPEATS)
    steps = CANDIDATES * WORLDS * STEPS
    return {"evaluator_steps_per_s": steps / ours.wall_s, "bare_vmap_steps_per_s": steps / floor.wall_s}


def main() -> None:
    """Print the table, and everything as one JSON line."""
    use_every_cpu()
    costs = {name: ask_and_tell(strategy) for name, strategy in strategies().items()}
    print(f"{PARAMETERS:,} parameters, {POPULATION} candidates; wall milliseconds, warm")
    for name, cost in costs.items():
        print(f"  {name:<22} ask {cost['ask_ms']:8.2f}   tell {cost['tell_ms']:8.2f}")
    speed = evaluation()
    print(f"{CANDIDATES} candidates × {WORLDS} worlds × {STEPS} steps; world-steps per second")
    for name, value in speed.items():
        print(f"  {name:<22} {value:14,.0f}")
    print(json.dumps({"machine": machine_facts(), "strategies": costs, "evaluation": speed}))


if __name__ == "__main__":
    main()
