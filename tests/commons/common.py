"""Worlds and compiled turns that the tests of the commons share."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.commons import CommonsAction, CommonsWorld, make_commons
from jaxworld.core.random import tick_key, world_key

PLAYERS = 5
LONGEST = 15


@functools.cache
def harvest_world() -> CommonsWorld:
    return make_commons(PLAYERS)


@functools.cache
def seneca_world() -> CommonsWorld:
    return make_commons(PLAYERS, seneca=True)


@functools.cache
def unit_world() -> CommonsWorld:
    return make_commons(PLAYERS, whole_units=True)


@functools.cache
def _compiled(world: CommonsWorld) -> Any:
    def run(key: jax.Array, params: Any, requests: jax.Array) -> Any:
        first = world.reset(tick_key(key, 0), params)

        def turn(state: Any, row: Any) -> Any:
            tick, request = row
            moment = world.step(tick_key(key, tick), state, CommonsAction(request=request), params)
            return moment[0], moment

        ticks = jnp.arange(1, LONGEST + 1, dtype=jnp.int32)
        return first, lax.scan(turn, first[0], (ticks, requests))[1]

    return jax.jit(run)


def trace(world: CommonsWorld, params: Any, requests: Any, seed: int = 0) -> list[Any]:
    """States and time steps of a run with plain requests ``[T, N]``, the reset first, on the host.

    All runs of a world are one compiled program of ``LONGEST`` turns, of which the first T are returned.
    """
    rows = np.asarray(requests, np.float32)
    padded = np.zeros((LONGEST, rows.shape[1]), np.float32)
    padded[: len(rows)] = rows
    first, later = jax.device_get(_compiled(world)(world_key(seed), params, padded))
    return [first, *(jax.tree.map(lambda leaf: leaf[tick], later) for tick in range(len(rows)))]  # noqa: B023
