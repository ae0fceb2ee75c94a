"""Searching a harvesting policy against each kind of others, beside what is sustainable and what is best."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons import AGENT_TYPES, CommonsFigures, CommonsTally, CommonsWorld, make_commons, make_roster
from jaxworld.commons.presets import NOISY_STOCK
from jaxworld.core.pytree import replace
from jaxworld.core.random import tick_key, world_key, world_keys
from jaxworld.metrics.intervals import Interval
from jaxworld.study.experiments.harvest.optimum import Rules, best_response, most_of_all
from jaxworld.study.experiments.harvest.policy import Harvesters, RowCodec, row_units
from jaxworld.study.experiments.harvest.settings import PLAYING, TOGETHER, HarvestSettings
from jaxworld.study.search.choose import make_strategy
from jaxworld.study.search.evaluate import RolloutObjective, held_out_seeds
from jaxworld.study.search.run import SearchResult, search
from jaxworld.study.search.settings import SearchProgress, SearchSettings

_KINDS = tuple(kind for kind in AGENT_TYPES if kind in PLAYING)
_BALANCED = ("pulse", "racer", "conservative", "msy", "tit_for_tat", "bucket")
READS_ONLY_STOCK = ("greedy", "pulse", "racer", "conservative", "msy", "constant", "bucket")
"""What these ask for depends on nothing but the stock, so the best response to them can be computed."""


@dataclasses.dataclass(frozen=True)
class HarvestResult:
    """What was found. Amounts are in equal shares of the maximum sustainable yield of the run, ``T r K / 4 N``.

    Attributes:
        settings: what was asked for.
        summary: by others: interval ``found`` on held-out worlds, ``start`` (a policy that takes one share a turn),
            ``sustainable`` (1 by definition), ``best`` (the best response by dynamic programming, None where the others
            do not read the stock alone, or read it with noise), ``bound`` (no player can get more), ``share_of_best``,
            and the ``rule`` found.
        rows: one row a held-out world and others.
        policies: the rules found, by others.
        searches: by others.
    """

    settings: HarvestSettings
    summary: dict[str, Any]
    rows: dict[str, np.ndarray]
    policies: dict[str, Any]
    searches: dict[str, SearchResult]


def run_harvest(
    settings: HarvestSettings,
    *,
    progress: Callable[[str, SearchProgress], None] | None = None,
    folder: str | Path | None = None,
) -> HarvestResult:
    """One search for each kind of others, all scored on the same held-out worlds.

    Args:
        settings: what to run.
        progress: called with the others' name and where that search stands.
        folder: keeps a checkpoint for each.
    """
    strategy = make_strategy(
        settings.strategy, settings.population_size, sigma=settings.sigma, learning_rate=settings.learning_rate
    )
    budget = SearchSettings(
        generations=settings.generations, worlds=settings.worlds, held_out_worlds=settings.held_out_worlds,
        held_out_every=max(1, settings.generations // 10), seed=settings.seed, held_out_seed=settings.seed,
    )  # fmt: skip
    world = make_world(settings)
    first = {"row": jnp.asarray(_fair_row(settings) / row_units(settings.harvest_cap))}
    seeds = held_out_seeds(settings.seed, settings.held_out_worlds)
    stocks = first_stocks(world, seeds)
    searches, summary = {}, {}
    for name in settings.others:
        told = None if progress is None else partial(progress, name)
        place = None if folder is None else Path(folder) / name
        objective = make_objective(settings, world, name)
        searches[name] = search(objective, first, strategy, budget, folder=place, progress=told)
        summary[name] = _summarised(settings, world, name, searches[name], stocks)
    policies = {name: {"row": np.asarray(found.policy.row)} for name, found in searches.items()}
    return HarvestResult(settings, summary, _rows(searches, seeds, stocks), policies, searches)


def make_world(settings: HarvestSettings) -> CommonsWorld:
    """The commons of all searches."""
    stock = {name: {**options, "noise": settings.noise} for name, options in NOISY_STOCK.items()}
    return make_commons(
        settings.players, regrowth=settings.regrowth, harvest_cap=settings.harvest_cap, observability=stock
    )


def make_players(settings: HarvestSettings, world: CommonsWorld, name: str) -> Harvesters:
    """Everybody: the searched player on seat 0, or on all. All rosters are one compiled program."""
    size = settings.players
    kinds = [name] * size if name in PLAYING else [_BALANCED[max(seat - 1, 0) % len(_BALANCED)] for seat in range(size)]
    made = make_roster(world, kinds).exchangeable(_KINDS)
    mine = np.ones(size, bool) if name == TOGETHER else np.arange(size) == 0
    return Harvesters(players=made, mine=jnp.asarray(mine), row=jnp.asarray(_fair_row(settings)))


def make_objective(settings: HarvestSettings, world: CommonsWorld, name: str) -> RolloutObjective:
    """Mean catch of the seats that play the searched policy."""
    players = make_players(settings, world, name)
    return RolloutObjective(
        world=world,
        num_steps=settings.turns,
        score=_catch_of_first if name != TOGETHER else _catch_of_all,
        reducer=CommonsFigures(),
        params=world.default_params(),
        codec=RowCodec(policy=players, unit=jnp.asarray(row_units(settings.harvest_cap))),
    )


def _catch_of_first(tally: CommonsTally) -> jax.Array:
    return tally.harvest[0] / _share(tally)


def _catch_of_all(tally: CommonsTally) -> jax.Array:
    return tally.harvest.mean() / _share(tally)


def _share(tally: CommonsTally) -> jax.Array:
    """An equal share of the maximum sustainable yield of the run."""
    return tally.maximum_yield * tally.turns.astype(jnp.float32) * np.float32(1 / tally.harvest.shape[0])


def _fair_row(settings: HarvestSettings) -> np.ndarray:
    """An equal share of the maximum sustainable yield, whatever the stock."""
    return np.asarray([settings.regrowth / (4 * settings.players), 0, 0, 0], np.float32)


def first_stocks(world: CommonsWorld, seeds: np.ndarray) -> np.ndarray:
    """``float64[W]``: the stock each world starts with, as a share of capacity."""
    params = world.default_params()
    start = jax.jit(jax.vmap(lambda key: world.reset(tick_key(key, 0), params)[1].info.stock))
    return np.asarray(start(world_keys(seeds)), np.float64) / float(params.capacity)


def demand_of_others(settings: HarvestSettings, world: CommonsWorld, name: str, stocks: np.ndarray) -> np.ndarray:
    """What the others of such a roster ask for at each stock, ``float64[S]`` in shares of capacity."""
    players, params = make_players(settings, world, name), world.default_params()
    key = world_key(0)

    def asked(stock: jax.Array) -> jax.Array:
        at = replace(params, initial_low=stock, initial_high=stock)
        _, timestep = world.reset(tick_key(key, 0), at)
        action, _ = players.act(key, players.init(key, at), timestep.observation)
        return jnp.where(players.mine, np.float32(0), action.request).sum()

    asking = jax.jit(jax.vmap(asked))
    return np.asarray(asking(jnp.asarray(stocks, jnp.float32)), np.float64) / float(params.capacity)


def _summarised(
    settings: HarvestSettings, world: CommonsWorld, name: str, found: SearchResult, stocks: np.ndarray
) -> dict[str, Any]:
    best, bound = references(settings, world, name, stocks)
    score = _plain(found.score)
    row = np.asarray(found.policy.row, np.float64)
    return {
        "found": score,
        "start": float(found.curve["mean"][0]),
        "sustainable": 1.0,
        "best": best,
        "bound": bound,
        "share_of_best": None if best is None else score["mean"] / best,
        "rule": dict(zip(("a0", "a1", "a2", "theta"), row.tolist(), strict=True)),
    }


def references(
    settings: HarvestSettings, world: CommonsWorld, name: str, stocks: np.ndarray
) -> tuple[float | None, float]:
    """``(best, bound)`` on average over worlds: the best response, None if it is not known, and what nobody can exceed.

    All together demand up to N times the cap. A single player is bound by its cap, and by what there is less what
    others take who take the same whatever they see.
    """
    size, cap, turns = settings.players, settings.harvest_cap, settings.turns
    share = turns * settings.regrowth / (4 * size)
    collapse = float(world.default_params().collapse_share)
    together = name == TOGETHER
    rules = Rules(settings.regrowth, size * cap if together else cap, collapse, turns)
    bound = np.minimum(most_of_all(rules, stocks), turns * rules.cap)
    best = None
    if together or (name in READS_ONLY_STOCK and settings.noise == 0):

        def others(stock: np.ndarray) -> np.ndarray:
            return np.zeros_like(stock) if together else demand_of_others(settings, world, name, stock)

        best = float(best_response(rules, others)(stocks).mean())
    owners = size if together else 1
    return None if best is None else best / share / owners, float(bound.mean()) / share / owners


def _rows(searches: Mapping[str, SearchResult], seeds: np.ndarray, stocks: np.ndarray) -> dict[str, np.ndarray]:
    size = len(seeds)
    return {
        "others": np.repeat(list(searches), size),
        "world": np.tile(np.arange(size, dtype=np.int32), len(searches)),
        "seed_of_world": np.tile(seeds, len(searches)),
        "first_stock": np.tile(stocks, len(searches)),
        "catch": np.concatenate([found.held_out[0] for found in searches.values()]),
    }


def _plain(band: Interval) -> dict[str, float]:
    return {end: float(getattr(band, end)) for end in ("mean", "low", "high")}
