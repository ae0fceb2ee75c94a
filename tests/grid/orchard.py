"""A small orchard for tests: one world, one compiled step, states set by hand."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.grid import CommonsHarvest, GridState
from jaxworld.grid.avatars import newcomers
from jaxworld.grid.draws import NEVER
from jaxworld.grid.substrates.commons_harvest import FRESH, HarvestOwn

MAP = """
############
#SA.....AAS#
#.AA...AAAS#
#.A.....A..#
#...####...#
#..........#
#.A......A.#
#AAS....SAA#
############
"""
NOOP, FORWARD, BACKWARD, LEFT, RIGHT, TURN_LEFT, TURN_RIGHT, ZAP = range(8)
NORTH, EAST, SOUTH, WEST = range(4)
PLAYERS = 4

WORLD = CommonsHarvest("open", num_players=PLAYERS, map=MAP)
PARAMS = WORLD.params(regrowth=(0.0, 0.1, 0.2, 0.4), ending_probability=1.0)


@functools.cache
def compiled() -> Any:
    """``advance`` of the small orchard with everything it can see after the step, compiled once."""

    def step(state: GridState, action: Any, draws: Any, params: Any) -> Any:
        made, reward, events = WORLD.advance(state, action, draws, params)
        return made, reward, events, WORLD.observe(made, params)

    return jax.jit(step)


def cell(row: int, col: int) -> int:
    return row * WORLD.board.cols + col


def orchard(
    players: Sequence[tuple[int, int, int]], eaten: Sequence[tuple[int, int]] = (), steps: int = 0
) -> GridState:
    """A state with players at (row, col, facing); those not given stand in the west, out of the way."""
    places = [*players, *[(2 + index, 1, NORTH) for index in range(len(players), PLAYERS)]]
    avatars = newcomers(
        jnp.asarray([cell(row, col) for row, col, _ in places], jnp.int32),
        jnp.asarray([facing for _, _, facing in places], jnp.int32),
    )
    live = np.ones(WORLD.sites.size, bool)
    for row, col in eaten:
        live[WORLD.sites.cells.index(cell(row, col))] = False
    own = HarvestOwn(live=jnp.asarray(live), density=jnp.full(WORLD.sites.size, FRESH, jnp.uint8))
    return GridState(
        avatars=avatars,
        own=own,
        lit=jnp.zeros((1, PLAYERS), jnp.uint32),
        steps=jnp.asarray(steps, jnp.int32),
        ended=jnp.zeros((), bool),
    )


def quiet(**changes: Any) -> dict[str, jax.Array]:
    """Random words with which nothing grows or ends, players move in order, and come back to the first free point."""
    words = {name: np.zeros(size, np.uint32) for name, size in WORLD.step_draws().items()}
    words["move"] = np.arange(PLAYERS, dtype=np.uint32)
    words["sites"][:] = NEVER
    words["end"][:] = NEVER
    words.update({name: np.asarray(value, np.uint32) for name, value in changes.items()})
    return {name: jnp.asarray(value) for name, value in words.items()}


def play(
    state: GridState,
    actions: Mapping[int, int] | Sequence[int],
    draws: dict[str, jax.Array] | None = None,
    params: Any = PARAMS,
) -> tuple[Any, np.ndarray, Any, Any]:
    """One step: actions by player (nothing for the others). State, rewards, events and observation, on the host."""
    chosen = np.zeros(PLAYERS, np.int32)
    for player, action in dict(actions if isinstance(actions, Mapping) else enumerate(actions)).items():
        chosen[player] = action
    return jax.device_get(compiled()(state, jnp.asarray(chosen), quiet() if draws is None else draws, params))
