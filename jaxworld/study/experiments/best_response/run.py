"""Searching the best answer to each kind of others, beside what the best answer is worth."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import whole
from jaxworld.markov import MatrixGame, build_graph, make_game
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.table_policy import make_table_policy
from jaxworld.study.experiments.best_response.exact import (
    Response,
    best_in_graph,
    best_in_table,
    time_in_actions,
    value_in_graph,
)
from jaxworld.study.experiments.best_response.others import answers_nothing, others_tables
from jaxworld.study.experiments.best_response.play import OwnMean, RoundMean, Seated, choices_of
from jaxworld.study.experiments.best_response.settings import BestResponseSettings
from jaxworld.study.search.array_policies import make_array_policy
from jaxworld.study.search.choose import make_strategy
from jaxworld.study.search.evaluate import RolloutObjective, held_out_seeds
from jaxworld.study.search.run import SearchResult, search
from jaxworld.study.search.settings import SearchProgress, SearchSettings

FROM_TABLE, FROM_GRAPH = "payoff table", "exact graph"


@dataclasses.dataclass(frozen=True)
class BestResponseResult:
    """What was found. Amounts are means of what a round pays, round t weighed by ``discount**t``.

    Attributes:
        settings: what was asked for.
        summary: by others: interval ``found`` on held-out worlds; ``best``, the closed form, and where it is
            ``computed`` from; interval ``gap`` between them; ``found_exact``, what the policy found is worth on the
            graph, and ``gap_exact``; ``start``, the first policy on held-out worlds; ``plays`` and ``best_plays``, the
            share of rounds in which each action is taken; ``cut``, the most that stopping after ``steps`` can matter.
        rows: one row a held-out world and others.
        policies: the networks found, by others.
        searches: by others.
    """

    settings: BestResponseSettings
    summary: dict[str, Any]
    rows: dict[str, np.ndarray]
    policies: dict[str, Any]
    searches: dict[str, SearchResult]


def run_best_response(
    settings: BestResponseSettings,
    *,
    progress: Callable[[str, SearchProgress], None] | None = None,
    folder: str | Path | None = None,
) -> BestResponseResult:
    """One search for each kind of others, all scored on the same held-out worlds.

    Args:
        settings: what to run.
        progress: called with the others' name and where that search stands.
        folder: keeps a checkpoint for each.

    Raises:
        ConfigurationError: for options the game does not have, or others that do not fit it.
    """
    game, params, graph = make_repeated_game(settings)
    strategy = make_strategy(
        settings.strategy, settings.population_size, sigma=settings.sigma, learning_rate=settings.learning_rate
    )
    budget = SearchSettings(
        generations=settings.generations, worlds=settings.worlds, held_out_worlds=settings.held_out_worlds,
        held_out_every=max(1, settings.generations // 20), seed=settings.seed, held_out_seed=settings.seed,
    )  # fmt: skip
    everybody = {name: others_tables(settings, graph, name) for name in settings.opponents}
    first = make_array_policy(settings.policy, game, params, seed=settings.seed, hidden=(settings.hidden,))
    searches, summary = {}, {}
    for name, tables in everybody.items():
        objective = RolloutObjective(
            world=game,
            num_steps=settings.steps,
            score=OwnMean(settings.player),
            reducer=RoundMean(discount=jnp.asarray(settings.discount, jnp.float32)),
            params=params,
            codec=Seated(player=settings.player, others=make_table_policy(graph, tables)),
        )
        told = None if progress is None else partial(progress, name)
        place = None if folder is None else Path(folder) / name
        searches[name] = search(objective, first, strategy, budget, folder=place, progress=told)
        best = closed_form(settings, game, params, graph, name, tables)
        summary[name] = _summarised(settings, game, graph, tables, best, searches[name])
    policies = {name: found.candidate for name, found in searches.items()}
    return BestResponseResult(settings, summary, _rows(settings, searches), policies, searches)


def make_repeated_game(settings: BestResponseSettings) -> tuple[Any, Any, Graph]:
    """The game, its parameters and its graph.

    Raises:
        ConfigurationError: for options the game does not have, or a player it does not have.
    """
    options = dict(settings.options)
    if settings.payoffs is not None:
        options["payoffs"] = settings.payoffs
    game, params = make_game(settings.game, settings.size, options)
    whole("player", settings.player, 0, game.num_agents - 1)
    return game, params, build_graph(game, params)


def closed_form(
    settings: BestResponseSettings, game: Any, params: Any, graph: Graph, name: str, tables: list[np.ndarray]
) -> tuple[str, Response]:
    """Where the best response is computed from, and the response itself."""
    if not (isinstance(game, MatrixGame) and answers_nothing(name)):
        return FROM_GRAPH, best_in_graph(graph, settings.player, tables, settings.discount)
    payoffs = np.asarray(params.payoff, np.float64).reshape(*game.num_actions, game.num_agents)
    value, action = best_in_table(payoffs, settings.player, [table[0] for table in tables])
    return FROM_TABLE, Response(value=value, choice=np.full(graph.num_states, action))


def _summarised(
    settings: BestResponseSettings,
    game: Any,
    graph: Graph,
    tables: list[np.ndarray],
    best: tuple[str, Response],
    found: SearchResult,
) -> dict[str, Any]:
    player, discount = settings.player, settings.discount
    source, response = best
    choice = choices_of(found.candidate, graph, player)
    exact = value_in_graph(graph, player, tables, choice, discount)
    score = {end: float(getattr(found.score, end)) for end in ("mean", "low", "high")}
    gap = {"mean": "mean", "low": "high", "high": "low"}
    names = game.action_names or tuple(f"action_{number}" for number in range(graph.num_actions[player]))

    def times(choice: np.ndarray) -> dict[str, float]:
        return dict(zip(names, time_in_actions(graph, player, tables, choice, discount).tolist(), strict=True))

    return {
        "found": score,
        "best": response.value,
        "computed": source,
        "gap": {end: response.value - score[other] for end, other in gap.items()},
        "found_exact": exact,
        "gap_exact": max(response.value - exact, 0.0),  # both are right to about 1e-10
        "start": float(found.curve["mean"][0]),
        "plays": times(choice),
        "best_plays": times(response.choice),
        "cut": discount**settings.steps * float(np.ptp(graph.reward[:, :, player])),
    }


def _rows(settings: BestResponseSettings, searches: dict[str, SearchResult]) -> dict[str, np.ndarray]:
    size = settings.held_out_worlds
    return {
        "others": np.repeat(list(searches), size),
        "world": np.tile(np.arange(size, dtype=np.int32), len(searches)),
        "seed_of_world": np.tile(held_out_seeds(settings.seed, size), len(searches)),
        "round_mean": np.concatenate([found.held_out[0] for found in searches.values()]),
    }
