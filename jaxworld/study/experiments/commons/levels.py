"""All levels of noise of one seeded commons as one world of a sweep.

Noise is drawn by world, tick and seat. Runs that differ in its level only share every draw, so they are run side by
side and each draw is made once. A row of the sweep is then a seed, with every figure at every level in it: differences
between levels are paired by construction.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons import CommonsParams, CommonsWorld
from jaxworld.commons.observation import STOCK
from jaxworld.core.pytree import pytree_dataclass, replace, static_field
from jaxworld.core.rollout import Reducer
from jaxworld.core.timestep import TimeStep
from jaxworld.core.world import World
from jaxworld.core.wrapper import Wrapper
from jaxworld.metrics import host
from jaxworld.study.sweep.families import Ranges, parameter_ranges

_ENTRY = re.compile(r"(?P<name>.+)\[(?P<level>\d+)(?:,(?P<player>\d+))?\]")


@dataclasses.dataclass(frozen=True)
class LevelsConfig:
    """``world``: the commons, whose stock is read with noise, 0 included."""

    world: World[Any, Any, Any]


@pytree_dataclass
class LevelsParams:
    """Parameters of a commons at many levels of noise.

    Attributes:
        world: of the commons.
        policy: numbers of the policy that a sweep varies, a pytree.
        levels: ``float32[L]``, standard deviations as shares of the stock.
        reaches: ``float32[G, N]``, whose readings are noisy: the level is multiplied with a row of it.
        reach: ``int32[]``, which row.
    """

    world: CommonsParams
    policy: Any
    levels: Any
    reaches: Any
    reach: Any


def make_levels_params(
    world: World[Any, Any, Any], levels: Sequence[float], *, policy: Any = (), reaches: np.ndarray | None = None
) -> LevelsParams:
    """Parameters with the commons' own; the noise reaches everybody unless ``reaches [G, N]`` says otherwise."""
    everyone = np.ones((1, world.num_agents), np.float32)
    return LevelsParams(
        world=world.default_params(),
        policy=policy,
        levels=np.asarray(levels, np.float32),
        reaches=everyone if reaches is None else reaches.astype(np.float32),
        reach=np.int32(0),
    )


@pytree_dataclass
class LevelsState:
    """``world``: the state of the commons at every level, leaves ``[L, ...]``."""

    world: Any


class LevelsWorld(Wrapper):
    """A commons at L levels at once. Observations, rewards, flags and info have a leading axis L.

    It is for sweeps, together with :class:`LevelsPolicy` and :class:`LevelsReducer`.
    """

    def __init__(self, world: CommonsWorld) -> None:
        self.config = LevelsConfig(world)

    def default_params(self) -> LevelsParams:
        """One level, without noise."""
        return make_levels_params(self.world, (0.0,))

    def parameter_ranges(self) -> Ranges:
        """Those of the commons, and of the levels."""
        own = {f"world.{name}": ends for name, ends in parameter_ranges(self.world).items()}
        return {**own, "levels": (0.0, 1e6)}

    def reset(self, key: jax.Array, params: LevelsParams) -> tuple[LevelsState, TimeStep]:
        state, timestep = jax.vmap(lambda level: self.world.reset(key, at_level(params, level)))(_levels(params))
        return LevelsState(world=state), timestep

    def step(self, key: jax.Array, state: LevelsState, action: Any, params: LevelsParams) -> tuple[Any, TimeStep]:
        def one(level: jax.Array, state: Any, action: Any) -> tuple[Any, TimeStep]:
            return self.world.step(key, state, action, at_level(params, level))

        made, timestep = jax.vmap(one)(_levels(params), state.world, action)
        return LevelsState(world=made), timestep


def _levels(params: LevelsParams) -> jax.Array:
    return jnp.asarray(params.levels)


def at_level(params: LevelsParams, level: jax.Array) -> CommonsParams:
    """Parameters of the commons at one level, ``float32[]``."""
    noise = level * jnp.asarray(params.reaches)[params.reach]
    observed = {**params.world.observe, STOCK: replace(params.world.observe[STOCK], noise=noise)}
    return replace(params.world, observe=observed)


Tune = Callable[[Any, Any, CommonsParams], Any]
"""``tune(policy, numbers, params)``: the policy with the numbers of a point of the sweep in it."""


def as_it_is(policy: Any, numbers: Any, params: CommonsParams) -> Any:
    """Nothing is tuned."""
    del numbers, params
    return policy


@pytree_dataclass
class LevelsPolicy:
    """One policy at every level: its numbers have no axis of levels, so none of them can depend on the level.

    Attributes:
        policy: of a commons, a pytree.
        tune: puts the numbers of a point of the sweep into it (static).
    """

    policy: Any
    tune: Tune = static_field(default=as_it_is)

    def init(self, key: jax.Array, params: LevelsParams) -> tuple[Any, Any]:
        """The policy of this point, and an empty memory for each level."""
        policy = self.tune(self.policy, params.policy, params.world)
        memory = policy.init(key, params)
        size = jnp.shape(params.levels)[0]
        return policy, jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (size, *jnp.shape(leaf))), memory)

    def act(self, key: jax.Array, carry: tuple[Any, Any], observation: Any) -> tuple[Any, tuple[Any, Any]]:
        """Actions at every level, with one key: what a policy draws is common to all levels too."""
        policy, memory = carry
        action, memory = jax.vmap(lambda memory, seen: policy.act(key, memory, seen))(memory, observation)
        return action, (policy, memory)


@pytree_dataclass
class LevelsReducer:
    """A reducer at every level: columns ``figure[level]``, the number of the level in brackets."""

    reducer: Reducer

    def init(self, timestep: TimeStep) -> Any:
        return jax.vmap(self.reducer.init)(timestep)

    def update(self, carry: Any, timestep: TimeStep, action: Any) -> tuple[Any, Any]:
        return jax.vmap(self.reducer.update)(carry, timestep, action)

    def final(self, carry: Any) -> Any:
        return jax.vmap(self.reducer.final)(carry)

    def host_columns(self, columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The reducer's own figures at each level."""
        by_level: dict[int, dict[str, np.ndarray]] = {}
        for column, values in columns.items():
            match = _ENTRY.fullmatch(column)
            assert match is not None, f"{column} has no level"
            player = "" if match["player"] is None else f"[{match['player']}]"
            by_level.setdefault(int(match["level"]), {})[match["name"] + player] = values
        own: Any = getattr(self.reducer, "host_columns", dict)
        made = {level: own(entries) for level, entries in sorted(by_level.items())}
        return {f"{name}[{level}]": made[level][name] for name in made[0] for level in made}


@pytree_dataclass
class Catch:
    """``harvest float32[N]``, ``alive bool[]``, ``turns int32[]``, ``most float32[]``: the maximum yield of a turn."""

    harvest: jax.Array
    alive: jax.Array
    turns: jax.Array
    most: jax.Array


@pytree_dataclass
class CatchFigures:
    """The few figures that a study of thousands of populations keeps: ``welfare``, ``gini`` and ``survival``."""

    def init(self, timestep: TimeStep) -> Catch:
        info = timestep.info
        turns = jnp.zeros((), jnp.int32)
        return Catch(harvest=jnp.zeros_like(info.harvest), alive=info.alive, turns=turns, most=info.maximum_yield)

    def update(self, carry: Catch, timestep: TimeStep, action: Any) -> tuple[Catch, None]:
        del action
        made = Catch(
            harvest=carry.harvest + timestep.info.harvest,
            alive=(~timestep.terminated).any(),
            turns=carry.turns + np.int32(1),
            most=timestep.info.maximum_yield,
        )
        return made, None

    def final(self, carry: Catch) -> Catch:
        return carry

    def host_columns(self, columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Ratios in float64, kept as float32: thousands of populations at many levels make a large table."""
        players = sum(name.startswith("harvest[") for name in columns)
        harvest = np.stack([columns[f"harvest[{player}]"] for player in range(players)], axis=-1)
        most = columns["most"].astype(np.float64)
        made = {
            # Four times the largest sustainable catch is r K.
            "welfare": host.welfare(harvest, columns["turns"], 4.0 * most, np.ones_like(most)),
            "gini": host.gini(harvest),
            "survival": columns["alive"],
        }
        return {name: np.asarray(values).astype(np.float32) for name, values in made.items()}


def by_level(rows: Mapping[str, np.ndarray], figure: str) -> np.ndarray:
    """``float64[rows, L]``: a figure at every level."""
    size = sum(name.startswith(f"{figure}[") for name in rows)
    return np.stack([rows[f"{figure}[{level}]"] for level in range(size)], axis=-1).astype(np.float64)


def figure_names(rows: Mapping[str, np.ndarray]) -> list[str]:
    """The figures that have levels."""
    return [name.removesuffix("[0]") for name in rows if name.endswith("[0]")]
