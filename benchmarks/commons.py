"""The commons beside others: one rule of the stock for everybody, and ten built-in agents who read it with noise."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.floors import Rates
from benchmarks.harness import Timing, measure
from benchmarks.rows import Effort, Row
from jaxworld.commons import QuadraticPopulation, Roster, make_commons, make_quadratic, make_roster, run_noise_levels
from jaxworld.commons.presets import NOISY_STOCK
from jaxworld.core.random import entity_bits, index_identity
from jaxworld.observe.normal import standard_normal
from jaxworld.study.experiments.commons.levels import CatchFigures

PLAYERS, TURNS, LEVELS = 6, 100, np.arange(21) * 0.05
REGROWTH, CAP, COLLAPSE = np.float32(0.6), np.float32(0.05), np.float32(0.05)
ROSTER = Roster(
    "greedy", "pulse", "racer", "conservative", "msy", "constant", "tit_for_tat", "free_rider", "bucket", "trend"
)


def rows(effort: Effort, rates: Rates) -> list[Row]:
    """A sweep of noise over one rule, and over ten kinds of agents."""
    normals = _normal_rate(256 if effort.quick else 2048, effort.repeats)
    return [quadratic_sweep(effort, normals), roster_sweep(effort, normals)]


def quadratic_sweep(effort: Effort, normals: float) -> Row:
    """Six players with a quadratic rule at 21 levels of noise; the levels share their draws."""
    seeds = 128 if effort.quick else 2000
    world = make_commons(PLAYERS, regrowth=float(REGROWTH), harvest_cap=float(CAP), observability=NOISY_STOCK)
    population = make_quadratic(world, _rows())
    turns = len(LEVELS) * seeds * PLAYERS * TURNS
    return Row(
        "commons",
        "quadratic rule, 21 levels of noise",
        "agent-turn",
        measure(partial(_play, world, population, seeds), effort.repeats).per(turns),
        {
            "NumPy, all worlds at once": numpy_sweep(seeds, effort.repeats),
            "Python loop": python_loop(effort.repeats),
        },
        # One normal for each player, seed and turn serves all levels.
        floor_s=1 / (normals * len(LEVELS)),
        note="noise drawn inside, once for all levels; NumPy draws once for all levels too. The floor is the normal "
        "draws alone, measured in this run. Measured elsewhere, on two other cores and with the noise drawn "
        "beforehand: 141 million agent-turns a second of wall time",
    )


def roster_sweep(effort: Effort, normals: float) -> Row:
    """Ten kinds of built-in agents, each world with noise of its own."""
    seeds = 64 if effort.quick else 2000
    world = make_commons(len(ROSTER), regrowth=float(REGROWTH), observability={"commonsStock": {"noise": 0.3}})
    policy = make_roster(world, ROSTER)
    turns = seeds * len(ROSTER) * TURNS
    ours = measure(lambda: _figures(world, policy, np.asarray([0.3]), seeds), effort.repeats)
    return Row(
        "commons",
        "ten built-in agents, noise drawn for each world",
        "agent-turn",
        ours.per(turns),
        {
            "NumPy, each rule for its seat": numpy_roster(seeds, effort.repeats),
            "Python loop, quadratic rule": python_loop(effort.repeats),
        },
        floor_s=1 / normals,
        note="both compute each rule for its own seat alone. The floor is the normal draws alone. Measured "
        "elsewhere, on two other cores: 13.2 million agent-turns a second of wall time",
    )


def _rows() -> np.ndarray:
    """Two that take all from a threshold on, two above a reserve, two an equal part of the surplus."""
    pulse, racer = (1.0, 0.0, 0.0, 0.5), (-0.25, 1.0, 0.0, 0.0)
    modest = (-0.5 / PLAYERS, 1.0 / PLAYERS, 0.0, 0.0)
    return np.asarray([pulse, pulse, racer, racer, modest, modest], np.float32)


def _play(world: Any, population: QuadraticPopulation, seeds: int) -> Any:
    return _figures(world, population, LEVELS, seeds)


def _figures(world: Any, policy: Any, levels: np.ndarray, seeds: int) -> Any:
    return run_noise_levels(world, policy, levels, np.arange(seeds), TURNS, reducer=CatchFigures())


def numpy_sweep(seeds: int, repeats: int, levels: np.ndarray = LEVELS) -> Timing:
    """The rule on one array of all levels and worlds; a turn's normals are drawn once for all levels."""
    generator = np.random.default_rng(0)
    constant, slope, curve, threshold = (_rows()[:, column] for column in range(4))
    sigma = levels.astype(np.float32)[:, None, None]

    def run() -> np.ndarray:
        first = generator.uniform(0.4, 1.0, seeds).astype(np.float32)
        stock = np.broadcast_to(first, (len(levels), seeds)).copy()
        alive, total = np.ones(stock.shape, bool), np.zeros((*stock.shape, PLAYERS), np.float32)
        for _ in range(TURNS):
            normal = generator.standard_normal((seeds, PLAYERS), dtype=np.float32)
            share = stock[..., None] * (np.float32(1) + sigma * normal)
            wanted = np.clip(constant + share * (slope + share * curve), np.float32(0), CAP)
            wanted = np.where((share >= threshold) & alive[..., None], wanted, np.float32(0))
            demand = wanted.sum(axis=-1)
            served = np.minimum(np.float32(1), stock / np.maximum(demand, np.float32(1e-30)))
            harvest = wanted * served[..., None]
            left = np.maximum(stock - harvest.sum(axis=-1), np.float32(0))
            grown = np.minimum(left + REGROWTH * left * (np.float32(1) - left), np.float32(1))
            total += harvest
            stock = np.where(alive, grown, stock)
            alive &= stock >= COLLAPSE
        return total

    return measure(run, repeats).per(len(levels) * seeds * PLAYERS * TURNS)


def numpy_roster(seeds: int, repeats: int) -> Timing:
    """The ten agents on arrays of all worlds, one column an agent, each rule written for its own column."""
    generator = np.random.default_rng(0)
    size, zero, one = len(ROSTER), np.float32(0), np.float32(1)
    fair = np.float32(0.3 / (4 * size))
    shares = np.asarray([0.0, 0.8, 1.5], np.float32) * fair

    def run() -> np.ndarray:
        stock = generator.uniform(0.4, 1.0, seeds).astype(np.float32)
        alive, total = np.ones(seeds, bool), np.zeros((seeds, size), np.float32)
        last, wanted = np.full((seeds, size), fair / 2, np.float32), np.empty((seeds, size), np.float32)
        level, before = np.full(seeds, np.float32(0.8) * fair), stock
        for _ in range(TURNS):
            normal = generator.standard_normal((seeds, size), dtype=np.float32)
            seen = stock[:, None] * (one + np.float32(0.3) * normal)
            others = last.sum(axis=1)
            level = level * np.where(seen[:, 9] >= before, np.float32(1.1), np.float32(0.8))
            level, before = np.maximum(level, np.float32(0.01) * fair), seen[:, 9]
            wanted[:, 0] = CAP
            wanted[:, 1] = np.where(seen[:, 1] >= np.float32(0.5), CAP, zero)
            wanted[:, 2] = seen[:, 2] - np.float32(0.25)
            wanted[:, 3] = (seen[:, 3] - np.float32(0.5)) * np.float32(1 / size)
            wanted[:, 4] = np.float32(0.3 / size) * seen[:, 4] * (one - seen[:, 4])
            wanted[:, 5] = np.float32(0.8) * fair
            wanted[:, 6] = (others - last[:, 6]) * np.float32(1 / (size - 1))
            wanted[:, 7] = (others - last[:, 7]) * np.float32(1.2 / (size - 1)) + np.float32(0.1) * fair
            wanted[:, 8] = shares[np.clip(seen[:, 8] * np.float32(3), 0, 2).astype(np.int32)]
            wanted[:, 9] = level
            asked = np.clip(wanted, zero, CAP) * alive[:, None]
            demand = asked.sum(axis=1)
            last = asked * np.minimum(one, stock / np.maximum(demand, np.float32(1e-30)))[:, None]
            left = np.maximum(stock - last.sum(axis=1), zero)
            stock = np.where(alive, np.minimum(left + REGROWTH * left * (one - left), one), stock)
            total += last
            alive = alive & (stock >= COLLAPSE)
        return total

    return measure(run, repeats).per(seeds * size * TURNS)


def python_loop(repeats: int) -> Timing:
    """One world at one level as a loop over players."""
    dice, table = random.Random(0), _rows().tolist()
    regrowth, cap, collapse = float(REGROWTH), float(CAP), float(COLLAPSE)

    def run() -> list[float]:
        stock, total = dice.uniform(0.4, 1.0), [0.0] * PLAYERS
        for _ in range(TURNS):
            if stock < collapse:
                continue
            wanted = []
            for constant, slope, curve, threshold in table:
                share = stock * (1 + 0.3 * dice.gauss(0, 1))
                ask = min(max(constant + share * (slope + share * curve), 0.0), cap)
                wanted.append(ask if share >= threshold else 0.0)
            demand = sum(wanted)
            served = min(1.0, stock / demand) if demand > 0 else 0.0
            for player, ask in enumerate(wanted):
                total[player] += ask * served
            left = max(stock - demand * served, 0.0)
            stock = min(left + regrowth * left * (1 - left), 1.0)
        return total

    return measure(run, max(repeats, 3)).per(PLAYERS * TURNS)


def _normal_rate(turns: int, repeats: int, entities: int = 16_384) -> float:
    """Normal draws a CPU second, added up as they are made, so that no memory traffic is measured."""
    identity = index_identity(np.arange(entities))

    @jax.jit
    def draw(seed: jax.Array) -> jax.Array:
        def body(total: jax.Array, turn: jax.Array) -> tuple[jax.Array, None]:
            word = entity_bits(jnp.stack([seed, turn]), identity, 1)[0]
            return total + standard_normal(word), None

        return jax.lax.scan(body, jnp.zeros(entities, jnp.float32), jnp.arange(turns // 8, dtype=jnp.uint32))[0]

    seed = jnp.uint32(1)
    return entities * (turns // 8) / measure(lambda: draw(seed), repeats).cpu_s
