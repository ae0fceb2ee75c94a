"""Many levels of noise on the same seeds in one compiled call.

Noise is drawn by world, tick and seat, so worlds that differ only in its level share every draw: each is made once and
used at all levels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.commons.figures import CommonsFigures
from jaxworld.commons.observation import STOCK
from jaxworld.commons.params import CommonsParams
from jaxworld.commons.world import CommonsWorld
from jaxworld.core.checks import numeric_array, whole
from jaxworld.core.errors import require
from jaxworld.core.policy import Policy
from jaxworld.core.pytree import replace
from jaxworld.core.random import purpose_key, tick_key, world_keys
from jaxworld.core.rollout import POLICY, Reducer, rollout_start
from jaxworld.core.timestep import TimeStep

BLOCK = 256
"""Worlds of one level that run side by side; all levels of them fit a core's cache."""


def run_noise_levels(
    world: CommonsWorld,
    policy: Policy,
    levels: Any,
    seeds: Any,
    num_turns: int = 100,
    *,
    variable: str = STOCK,
    params: CommonsParams | None = None,
    reducer: Reducer | None = None,
    block: int = BLOCK,
) -> Any:
    """Play every seed at every level.

    Args:
        world: a commons whose configuration gives ``variable`` some noise, 0 included.
        policy: a pytree; who acts.
        levels: ``[L]``, standard deviations as shares of the value; or ``[L, N]``, one for each observer.
        seeds: world seeds ``[W]``.
        num_turns: T.
        variable: whose noise it is.
        params: the other parameters; the world's if None.
        reducer: what is measured; :class:`CommonsFigures` if None.
        block: worlds of one level that run at a time.

    Returns:
        The reducer's summary, leaves ``[L, W, ...]``.

    Raises:
        ConfigurationError: for a variable without noise, or levels that cannot work.
    """
    params = world.default_params() if params is None else params
    known = params.observe.get(variable)
    noisy = known is not None and known.noise is not None
    require(noisy, "variable", variable, f'give it noise: observability={{"{variable}": {{"noise": 0.0}}}}')
    table = numeric_array("levels", levels).astype(np.float32)
    fits = table.ndim == 1 or (table.ndim == 2 and table.shape[1] == world.num_agents)
    require(
        fits and table.size > 0 and bool((table >= 0).all()),
        "levels",
        levels,
        "use numbers of at least 0, [L] or [L, N]",
    )
    whole("num_turns", num_turns, 1, 2**30)
    width = min(whole("block", block, 1, 2**20), len(seeds))
    padded = np.resize(np.asarray(seeds, dtype=object), -(-len(seeds) // width) * width)
    keys = world_keys(padded).reshape(-1, width)
    measured = CommonsFigures() if reducer is None else reducer
    made = _play(world, variable, num_turns, policy, jnp.asarray(table), keys, params, measured)
    return jax.tree.map(lambda leaf: _worlds_last(leaf, len(seeds)), made)


def _worlds_last(leaf: jax.Array, number: int) -> jax.Array:
    """From ``[blocks, L, width, ...]`` to ``[L, W, ...]`` without the padding."""
    moved = jnp.moveaxis(leaf, 0, 1)
    return moved.reshape(moved.shape[0], -1, *moved.shape[3:])[:, :number]


@partial(jax.jit, static_argnums=(0, 1, 2))
def _play(
    world: CommonsWorld,
    variable: str,
    num_turns: int,
    policy: Any,
    levels: jax.Array,
    keys: jax.Array,
    params: CommonsParams,
    reducer: Any,
) -> Any:
    def own(level: jax.Array) -> CommonsParams:
        observed = {**params.observe, variable: replace(params.observe[variable], noise=level)}
        return replace(params, observe=observed)

    def ask(key: jax.Array, tick: jax.Array, memory: Any, timestep: TimeStep) -> Any:
        return policy.act(purpose_key(tick_key(key, tick), POLICY), memory, timestep.observation)

    def begin(level: jax.Array, key: jax.Array, tick: jax.Array) -> tuple[Any, ...]:
        first = rollout_start(world, policy, key, own(level), reducer)
        return first.state, first.reduced, *ask(key, tick, first.policy, first.timestep)

    def turn(level: jax.Array, key: jax.Array, tick: jax.Array, carry: tuple[Any, ...]) -> tuple[Any, ...]:
        state, reduced, action, memory = carry
        state, timestep = world.step(tick_key(key, tick), state, action, own(level))
        return state, reducer.update(reduced, timestep, action)[0], *ask(key, tick, memory, timestep)

    def play(some: jax.Array) -> Any:
        # From turn to turn goes what was asked for, not what was observed, of which most is never looked at. Every
        # world counts its own turns: a number for all, read in the loop, keeps XLA's CPU backend from using vectors.
        def next_turn(carry: tuple[Any, jax.Array], _: None) -> tuple[tuple[Any, jax.Array], None]:
            made, ticks = carry[0], carry[1] + np.int32(1)
            return (_every(turn, (0, None, None, 0), (None, 0, 0, 0))(levels, some, ticks, made), ticks), None

        ticks = jnp.zeros(some.shape, jnp.int32)
        first = _every(begin, (0, None, None), (None, 0, 0))(levels, some, ticks)
        (_, reduced, _, _), _ = lax.scan(next_turn, (first, ticks), None, num_turns)[0]
        return _every(reducer.final, 0, 0)(reduced)

    return lax.map(play, keys)


def _every(function: Callable[..., Any], levels: Any, worlds: Any) -> Callable[..., Any]:
    """``function`` at every level of every world, ``[L, W]``, with the axes of its arguments in both."""
    return jax.vmap(jax.vmap(function, in_axes=worlds), in_axes=levels)
