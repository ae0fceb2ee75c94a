"""What the other players do, as tables over the states of the game's graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxworld.core.checks import numeric_array
from jaxworld.core.errors import require
from jaxworld.core.random import (
    entity_bits,
    index_identity,
    key_words,
    purpose_key,
    register_purpose,
    tick_key,
    world_key,
)
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.solve import level_policies, uniform_policies
from jaxworld.study.experiments.best_response.settings import BestResponseSettings

RANDOM = register_purpose("best_response/random")


def others_tables(settings: BestResponseSettings, graph: Graph, name: str) -> list[np.ndarray]:
    """``float64[S, A_i]`` of every player i; the searched player's own table is never played.

    Raises:
        ConfigurationError: for probabilities that do not fit the game.
    """
    if name.startswith("level"):
        level = int(name.removeprefix("level"))
        return level_policies(graph, level, discount=settings.discount)[level]
    made = uniform_policies(graph)
    if name == "uniform":
        return made
    if name == "random":
        return _random_tables(settings.seed, graph)
    for player, count in enumerate(graph.num_actions):
        if player != settings.player:
            made[player] = _table(settings, graph, name, count)
    return made


def answers_nothing(name: str) -> bool:
    """Whether such others do the same whatever happened."""
    return name in ("uniform", "mixed")


def last_actions(graph: Graph) -> np.ndarray:
    """``int64[S, A]``: what everybody did last, -1 before the first round.

    The public bits of these games begin with one bit for each action of each player.
    """
    bits, ends = graph.bits(), np.cumsum(graph.num_actions)
    parts = [bits[:, end - count : end] for end, count in zip(ends, graph.num_actions, strict=True)]
    return np.stack([np.where(part.any(axis=1), part.argmax(axis=1), -1) for part in parts], axis=1)


def _table(settings: BestResponseSettings, graph: Graph, name: str, count: int) -> np.ndarray:
    """One other player's ``float64[S, count]``."""
    last = last_actions(graph)
    if name == "mirror":
        seen = np.maximum(last[:, settings.player], 0)
        own = graph.num_actions[settings.player]
        require(
            own <= count, "opponents", name, f"they have {count} actions and cannot do all {own} of the searched player"
        )
        return np.asarray(np.eye(count)[seen])
    if name == "mixed":
        halves = 0.5 ** np.arange(count)
        wanted = settings.mixed or tuple(halves / halves.sum())
        row = _probabilities("mixed", wanted, (count,), f"give {count} probabilities that sum to 1")
        return np.broadcast_to(row, (graph.num_states, count)).copy()
    rows = graph.num_joint_actions + 1
    remedy = f"give {rows} rows, one at first and one after each joint action, of {count} probabilities that sum to 1"
    table = _probabilities("table", settings.table, (rows, count), remedy)
    place = np.where(last[:, 0] < 0, 0, 1 + graph.joint_of(np.maximum(last, 0)))
    return np.asarray(table[place])


def _random_tables(seed: int, graph: Graph) -> list[np.ndarray]:
    """Rows that are uniform among all distributions: exponentials over their sum."""
    sizes = np.asarray(graph.num_actions) * graph.num_states
    words = key_words(purpose_key(tick_key(world_key(seed), 0), RANDOM))
    bits = entity_bits(words, index_identity(np.arange(sizes.sum(), dtype=np.uint32)), 1)[0]
    drawn = np.split(-np.log((np.asarray(bits, np.float64) + 0.5) * 2.0**-32), np.cumsum(sizes)[:-1])
    tables = [part.reshape(graph.num_states, -1) for part in drawn]
    return [table / table.sum(axis=1, keepdims=True) for table in tables]


def _probabilities(field: str, value: Any, shape: tuple[int, ...], remedy: str) -> np.ndarray:
    made = numeric_array(field, value)
    fits = made.shape == shape and bool((made >= 0).all()) and bool(np.abs(made.sum(axis=-1) - 1).max() <= 1e-6)
    require(fits, field, value, remedy)
    return made / made.sum(axis=-1, keepdims=True)
