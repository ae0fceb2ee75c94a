"""The ground floor beside others: random words, and the smallest world against NumPy and a plain Python loop."""

from __future__ import annotations

import random
from typing import Any

import jax
import numpy as np

from benchmarks.floors import Rates, Work
from benchmarks.harness import Timing, measure
from benchmarks.rows import Effort, Row
from jaxworld.core import RandomPolicy, rollout, world_keys
from jaxworld.core.random_walk import RandomWalk
from jaxworld.study import batching

WALKERS, POSITIONS, STEPS, SLIP = 16, 32, 100, 0.1


def rows(effort: Effort, rates: Rates) -> list[Row]:
    """Everything of this floor."""
    return [random_words(effort, rates), random_walk(effort, rates)]


def random_words(effort: Effort, rates: Rates) -> Row:
    """A million 32-bit words keyed to entities."""
    million = 1_000_000
    generator = np.random.Generator(np.random.Philox(0))
    drawn = measure(lambda: generator.integers(0, 2**32, million, dtype=np.uint32), max(effort.repeats, 2))
    return Row(
        "core",
        "random words",
        "million words",
        _rate(million / rates.entity_words),
        {"jax.random.bits": _rate(million / rates.jax_words), "NumPy Philox": drawn},
        note="ours and JAX's are Threefry-2x32; NumPy's are drawn in sequence, keyed to nothing",
    )


def _rate(seconds: float) -> Timing:
    """Rates were measured in CPU seconds of one core, where wall and CPU time are the same."""
    return Timing(seconds, seconds, 1)


def random_walk(effort: Effort, rates: Rates) -> Row:
    """Sixteen walkers under uniform actions for a hundred steps, in many worlds."""
    worlds = 256 if effort.quick else 8192
    work = Work(bytes=2 * (4 + 1) * WALKERS, words=2 * WALKERS)
    return Row(
        "core",
        f"random walk, {WALKERS} walkers",
        "world-step",
        ours(worlds, effort.repeats),
        {
            "NumPy, all worlds at once": numpy_walk(worlds, effort.repeats),
            "Python loop": python_walk(effort.repeats),
        },
        floor_s=work.floor(rates),
    )


def ours(worlds: int, repeats: int) -> Timing:
    """Worlds in blocks over all devices."""
    world = RandomWalk(num_walkers=WALKERS, num_positions=POSITIONS)
    policy, mesh = RandomPolicy(world), batching.world_mesh()
    block = batching.default_block(WALKERS)
    padded = batching.padded_worlds(worlds, mesh, block)

    def run(key: jax.Array, params: Any) -> jax.Array:
        return rollout(world, policy, key, STEPS, params).summary.total_reward

    mapped = batching.map_worlds(run, mesh, block)
    keys = batching.distribute(world_keys(range(padded)), mesh)
    shared = batching.replicate(world.params(SLIP), mesh)
    return measure(lambda: mapped(keys, shared), repeats).per(padded * STEPS)


def numpy_walk(worlds: int, repeats: int) -> Timing:
    """The rule on one array of all worlds, with NumPy's fastest way to draw."""
    generator = np.random.default_rng(0)

    def run() -> np.ndarray:
        position = generator.integers(0, POSITIONS - 1, (worlds, WALKERS), dtype=np.int32)
        arrived, reward = np.zeros(position.shape, bool), np.zeros(position.shape, np.float32)
        for _ in range(STEPS):
            move = generator.integers(0, 3, position.shape, dtype=np.int8).astype(np.int32) - 1
            slips = generator.random(position.shape, dtype=np.float32) < SLIP
            target = (position + np.where(slips, -move, move)) % POSITIONS
            position = np.where(arrived, position, target)
            reward += (position == POSITIONS - 1) & ~arrived
            arrived = position == POSITIONS - 1
        return reward

    return measure(run, repeats).per(worlds * STEPS)


def python_walk(repeats: int) -> Timing:
    """One world as a loop over walkers."""
    dice = random.Random(0)

    def run() -> float:
        position = [dice.randrange(POSITIONS - 1) for _ in range(WALKERS)]
        reward = 0.0
        for _ in range(STEPS):
            for walker, place in enumerate(position):
                if place == POSITIONS - 1:
                    continue
                move = dice.randrange(3) - 1
                place = (place + (-move if dice.random() < SLIP else move)) % POSITIONS
                reward += place == POSITIONS - 1
                position[walker] = place
        return reward

    return measure(run, repeats).per(STEPS)
