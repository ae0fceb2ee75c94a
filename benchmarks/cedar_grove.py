"""What noise on the reading of the forest does in Cedar Grove: nothing to who does not read it, something to who does.

python -m benchmarks.cedar_grove [GAMES]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import jaxworld
from benchmarks.harness import machine_facts
from jaxworld.commons.cards import CardPlayers, CedarGrove
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.random import world_keys
from jaxworld.core.rollout import rollout
from jaxworld.metrics.intervals import Interval, mean_interval, paired_difference

POPULATIONS = {
    "axe": ("axe",) * 4,
    "keeper": ("keeper",) * 4,
    "mirror": ("mirror",) * 4,
    "random": ("random",) * 4,
    "one of each": ("axe", "keeper", "mirror", "random"),
    "exact_counter": ("exact_counter",) * 4,
    "bucket_counter": ("bucket_counter",) * 4,
}
NOISE = (0.0, 0.1, 0.25, 0.5, 1.0)
CHUNK = 1000


@pytree_dataclass
class GameLog:
    """Keeps what was played and felled in every round, ``int32[T, N]`` each, and the forest, ``int32[T]``."""

    def init(self, timestep: Any) -> tuple[()]:
        return ()

    def update(self, carry: tuple[()], timestep: Any, action: Any) -> tuple[tuple[()], Any]:
        info = timestep.info
        return carry, {"played": info.played, "wood": info.wood, "forest": info.forest}

    def final(self, carry: tuple[()]) -> None:
        return None


def make_world(agents: Sequence[str]) -> CedarGrove:
    """The standard grove; counters of buckets are told buckets."""
    reading: dict[str, Any] = {"noise": 0.0}
    if "bucket_counter" in agents:
        reading["resolution"] = "bucket"
    return jaxworld.make("commons/cedar_grove", observability={"forestCount": reading})


@partial(jax.jit, static_argnums=(0, 1))
def _play(world: CedarGrove, policy: CardPlayers, keys: jax.Array, params: Any) -> Any:
    def game(key: jax.Array, params: Any) -> Any:
        return rollout(world, policy, key, world.config.num_rounds, params, reducer=GameLog()).outputs

    over_games = jax.vmap(game, in_axes=(0, None))
    return jax.vmap(over_games, in_axes=(None, 0))(keys, params)


def games(agents: Sequence[str], seeds: Sequence[int] | np.ndarray, noise: Sequence[float] = NOISE) -> dict[str, Any]:
    """Logs of the same games at every level of noise, leading axes ``[noise, game, round]``."""
    world, policy = make_world(agents), CardPlayers(tuple(agents))
    levels = [world.params(noise=level) for level in noise]
    params = jax.tree.map(lambda *leaves: jnp.stack(leaves), *levels)
    parts = [
        jax.device_get(_play(world, policy, world_keys(seeds[first : first + CHUNK]), params))
        for first in range(0, len(seeds), CHUNK)
    ]
    return {name: np.concatenate([part[name] for part in parts], axis=1) for name in parts[0]}


def summarise(log: dict[str, Any]) -> dict[str, Any]:
    """Mean wood of all players in a game by level of noise, its paired change, and the share of games that differ."""
    total = log["wood"].sum(axis=(2, 3)).astype(np.float64)
    differs = [np.zeros(total.shape[1], bool) for _ in total]
    for values in log.values():
        flat = values.reshape(*total.shape, -1)
        differs = [changed | (level != flat[0]).any(axis=1) for changed, level in zip(differs, flat, strict=True)]
    return {
        "wood": [half_width(mean_interval(level)) for level in total],
        "change": [half_width(paired_difference(level, total[0])) for level in total],
        "games_that_differ": [float(changed.mean()) for changed in differs],
    }


def half_width(interval: Interval) -> tuple[float, float]:
    """Mean and half width of an interval."""
    return float(interval.mean), float(interval.high - interval.mean)


def main(count: int = 20_000) -> None:
    """Print the table, and everything as one JSON line."""
    figures = {name: summarise(games(agents, np.arange(count))) for name, agents in POPULATIONS.items()}
    print(f"{count:,} games; wood of all four players [95 % half width]; games whose log differs from noise 0")
    for name, figure in figures.items():
        print(name)
        for level, (wood, change, differ) in zip(NOISE, zip(*figure.values(), strict=True), strict=True):
            shown = f"{wood[0]:7.2f} [{wood[1]:.2f}]   change {change[0]:+6.2f} [{change[1]:.2f}]"
            print(f"  noise {level:<5} {shown}   differ {100 * differ:6.2f} %")
    print(json.dumps({"machine": machine_facts(), "games": count, "figures": figures}))


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]))
