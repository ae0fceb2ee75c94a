"""Random social worlds through the independent auditor: ``python -m benchmarks.audit --worlds 1000``.

Every world has its own channels, recommenders, people, ties, personas' traits, budgets, thresholds and schedule, all
drawn from one seed. Worlds of one static shape run at once; each one's trace is audited row by row. The command ends
with 1 if anything is found.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.core.random import purpose_key, register_purpose, world_key
from jaxworld.social import SocialParams, SocialWorld, TurnBatch, make_params, make_policy
from jaxworld.social.audit import Report, audit
from jaxworld.social.build import configure
from jaxworld.social.policies import RuleBasedPolicy, make_traits
from jaxworld.social.population import make_population
from jaxworld.social.state import raise_on_overflow
from jaxworld.social.trace import ArrayRows, run_arrays, trace_header
from jaxworld.social.vocabulary import Action, InterventionKind

RESTLESS = register_purpose("benchmark/restless")
SUBSETS = ((), ("feed",), ("forum",), ("wom",), ("feed", "forum"), ("feed", "wom"), ("forum", "wom"),
           ("feed", "forum", "wom"))  # fmt: skip
FEEDS = (
    "random",
    "reddit_hot",
    "twhin",
    "twitter",
    "chronological",
    "following_only",
    "random+reddit_hot",
    "following_only+random",
)
FORUMS = (("reddit_global", "reddit_hot"), ("community_scoped", "reddit_hot"), ("reddit_global", "random"))
STEPS, CLAIMS, ACTS, MOST, WIDEST, DIMENSIONS = 9, 2, 3, 4, 9, 4
UNITS = {"hour": 24, "day": 7, "week": 1}
TRAITS = ("post", "reply", "follow", "share", "approve", "dissent", "quote", "reject")


@pytree_dataclass
class RestlessPolicy:
    """Rule-based personas of whom some attempt any action at all, so that some of it is rejected."""

    inner: RuleBasedPolicy
    restless: jax.Array

    def init(self, key: jax.Array, params: SocialParams) -> tuple[()]:
        return self.inner.init(key, params)

    def act(self, key: jax.Array, carry: tuple[()], observation: Any) -> tuple[TurnBatch, tuple[()]]:
        turns, carry = self.inner.act(key, carry, observation)
        bits = jax.random.bits(purpose_key(key, RESTLESS), (2, *turns.action.shape), jnp.uint32)
        other = jnp.mod(bits[0], np.uint32(len(Action))).astype(jnp.int32)
        moved = (bits[1] >> np.uint32(16)).astype(jnp.int32) < self.restless
        return replace(turns, action=jnp.where(moved, other, turns.action)), carry


@dataclasses.dataclass(frozen=True)
class Shape:
    """What worlds that run together share.

    Attributes:
        options: fields of ``SocialConfig``.
        pairs: ``int[E, 2]``, who is tied to whom.
        follows: ``int[F, 2]``.
        num_personas: N.
    """

    options: dict[str, Any]
    pairs: np.ndarray
    follows: np.ndarray
    num_personas: int


def draw_shape(rng: np.random.Generator, index: int) -> Shape:
    """The shape of number ``index``: all subsets of channels take turns, everything else is drawn."""
    number = int(rng.integers(6, 15))
    every = np.stack(np.triu_indices(number, 1), axis=1)
    pairs = every[rng.choice(len(every), size=min(2 * number, len(every)), replace=False)]
    directed = rng.permutation([(i, j) for i in range(number) for j in range(number) if i != j])
    channels = SUBSETS[index % len(SUBSETS)]
    preset, forum = _take_turns(FORUMS, "forum", index)
    flags = ("hide_own", "hide_seen", "idempotent_engagement", "word_of_mouth_from_rejected", "survey_gated")
    options: dict[str, Any] = {
        "channels": channels,
        "survey": bool(rng.random() < 0.6) or not channels,
        "feed_recommender": _take_turns(FEEDS, "feed", index),
        "forum_preset": preset,
        "forum_recommender": forum,
        "tick_unit": list(UNITS)[rng.integers(len(UNITS))],
        "fan": ("degree", "none", "log_followers")[rng.integers(3)],
        "network_first": bool(rng.random() < 0.7),
        **{flag: bool(rng.random() < 0.3) for flag in flags},
    }
    return Shape(options, pairs, directed[:number], number)


def _take_turns(options: Sequence[Any], channel: str, index: int) -> Any:
    """Every option in turn, counting only the shapes that have the channel."""
    turn = sum(channel in SUBSETS[number % len(SUBSETS)] for number in range(index))
    return options[turn % len(options)]


def draw_world(rng: np.random.Generator, shape: Shape) -> tuple[SocialWorld, SocialParams, RestlessPolicy]:
    """One world of a shape: its people, parameters and personas."""
    number = shape.num_personas
    people = make_population(
        [f"p-{index:06d}" for index in range(number)],
        ties=shape.pairs,
        strengths=rng.integers(1, 1001, len(shape.pairs)),
        involvement=rng.uniform(0.2, 2.0, number),
        community=_communities(rng, number),
        follows=shape.follows,
        vectors=rng.normal(size=(number, DIMENSIONS)),
    )
    rows = (len(shape.options["channels"]) + 1) * number
    config = configure(
        people, **shape.options, num_claims=CLAIMS, max_budget=MOST, max_window=WIDEST, stimulus_capacity=512,
        max_publications=rows, max_follows=rows, max_followees=number, max_peers_told=3, num_interventions=ACTS,
    )  # fmt: skip
    params = make_params(config, people, **_numbers(rng, UNITS[config.tick_unit]))
    traits = {name: rng.uniform(0, 0.3) for name in TRAITS} | {"sentiment": rng.uniform(0.2, 0.7)}
    policy = make_policy(config, params, traits=make_traits(number, traits))
    restless = np.int32(rng.integers(0, 20_000))
    return SocialWorld(config), params, RestlessPolicy(inner=policy, restless=restless)  # type: ignore[arg-type]


def _communities(rng: np.random.Generator, number: int) -> np.ndarray:
    """Three communities, and in half of the worlds some personas without one."""
    made = np.concatenate([np.arange(3), rng.integers(0, 3, number - 3)])
    alone = np.arange(number) >= (3 if rng.random() < 0.5 else number)
    return np.where(alone & (rng.random(number) < 0.3), -1, made)


def _numbers(rng: np.random.Generator, period: int) -> dict[str, Any]:
    """Random arguments of ``make_params``."""
    budget = int(rng.integers(1, MOST + 1))
    horizon = int(rng.integers(4, STEPS + 2))
    kinds = [kind.name.lower() for kind in InterventionKind]
    schedule = [
        (int(rng.integers(horizon)), kinds[rng.integers(len(kinds))], int(rng.integers(1, 4))) for _ in range(ACTS)
    ]
    effects = {
        kind: {name: round(float(rng.uniform(low, 0.6)), 4) for name, low in _EFFECTS.items()}
        for kind in kinds
        if rng.random() < 0.5
    }
    return {
        "budget": budget,
        "window": int(rng.integers(budget, WIDEST + 1)),
        "last_slot_attention": float(rng.choice([0, 0.37, 0.5, 1, rng.random()])),
        "attention_floor": float(rng.choice([0, 0, 0.5, rng.random()])),
        "rhythm": rng.uniform(0.4, 1.0, period),
        "activation_rate": float(rng.uniform(0.5, 1)),
        "epsilon": float(rng.random()),
        "sentiment_threshold": float(rng.uniform(0.2, 0.9)),
        "tie_threshold": float(rng.choice([0.0, 0.3, rng.random()])),
        "peers_told": int(rng.choice([0, 1, 1, 2, 2, 3])),
        "launch_reach": float(rng.random()),
        "survey_every": int(rng.integers(1, 5)),
        "horizon": horizon,
        "interventions": tuple(schedule),
        "intervention_effects": effects,
    }


_EFFECTS = {"activation": -0.3, "reach": 0.0, "attention": -0.4}


def traces(
    seed: int, num_worlds: int, shapes: Sequence[int], **compiler: Any
) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    """Header and ticks of random worlds.

    Args:
        seed: everything follows from it.
        num_worlds: in all, spread over the shapes.
        shapes: numbers of the shapes; a program is compiled for each.
        **compiler: arguments of ``jax.jit``.
    """
    for place, index in enumerate(shapes):
        rng = np.random.default_rng([seed, index])
        shape = draw_shape(rng, index)
        drawn = [draw_world(rng, shape) for _ in range(place, num_worlds, len(shapes))]
        if drawn:
            yield from _run(seed + 100_000 * (index + 1), drawn, compiler)


def _run(seed: int, drawn: Sequence[Any], compiler: dict[str, Any]) -> Iterator[tuple[dict[str, Any], list[Any]]]:
    world = drawn[0][0]
    seeds = [seed + number for number in range(len(drawn))]
    params, policies = (
        jax.tree.map(lambda *leaves: np.stack(leaves), *column) for column in zip(*(d[1:] for d in drawn), strict=True)
    )

    def one(key: jax.Array, params: SocialParams, policy: RestlessPolicy) -> Any:
        return run_arrays(world, policy, key, STEPS, params)

    keys = jnp.stack([world_key(seed) for seed in seeds])
    runs = jax.device_get(jax.jit(jax.vmap(one), **compiler)(keys, params, policies))
    raise_on_overflow(runs.overflow, world.config)
    for place, (world_seed, (_, of_one, _)) in enumerate(zip(seeds, drawn, strict=True)):
        header = trace_header(world.config, of_one, seed=world_seed)
        run = jax.tree.map(lambda leaf, at=place: leaf[at], runs)
        yield header, list(ArrayRows(run, header).ticks())


def main(arguments: Sequence[str] | None = None) -> int:
    """Audit random worlds and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.audit", description=__doc__.split("\n")[0])
    parser.add_argument("--worlds", type=int, default=1_000, help="random worlds (default: 1000)")
    parser.add_argument("--shapes", type=int, default=16, help="static shapes, one compilation each (default: 16)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    began, auditing = time.perf_counter(), 0.0
    rows, events, found = 0, Counter[str](), 0
    # The programs run for a second or two: compiling them fast is what counts.
    compiler = {"compiler_options": {"xla_backend_optimization_level": 0}}
    for number, (header, ticks) in enumerate(traces(options.seed, options.worlds, range(options.shapes), **compiler)):
        start = time.perf_counter()
        report: Report = audit(header, ticks)
        auditing += time.perf_counter() - start
        rows, found = rows + report.num_rows, found + report.num_findings
        events.update(row["event"] for _, tick in ticks for row in tick)
        for finding in report.findings[:5]:
            print(
                f"world {number} {header['world']['channels']} {header['world']['feed_recommender']}: {finding}",
                flush=True,
            )
    elapsed = time.perf_counter() - began
    print(f"{options.worlds:,} worlds, {rows:,} rows: {found:,} findings")
    print(", ".join(f"{name} {count:,}" for name, count in sorted(events.items())))
    print(f"{elapsed:.0f} s in all, {auditing:.1f} s of it auditing ({auditing / max(rows, 1) * 1e6:.1f} us a row)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
