"""A small substrate no table of sprites knows, for tests: it compiles in a second."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.grid import Substrate, Window, parse_map
from jaxworld.grid.avatars import newcomers
from jaxworld.grid.beams import Beam, beam_cells, cast, pack
from jaxworld.grid.board import Board
from jaxworld.grid.layers import Layer
from jaxworld.grid.movement import move
from jaxworld.grid.spawning import facing, scatter_over
from jaxworld.grid.substrate import Turn, substrate_config

LAYOUT = """
########
#S....S#
#..##..#
#S.....#
########
"""


@pytree_dataclass
class PoolParams:
    """``last``: ``int32[]``, the step with which an episode ends."""

    last: jax.Array


class Pool(Substrate[Any, PoolParams]):
    """Two swimmers, floats that lie where they lie, and a splash ahead; a step pays 1 to whoever splashes."""

    extra_actions = ("splash",)
    beams: Mapping[str, Beam] = {"splash": Beam(2, 0)}
    max_steps = 50

    def __init__(self, observation_mode: str = "local", render_mode: str | None = None) -> None:
        grid_map = parse_map(LAYOUT, "#.S")
        self.board = Board(grid_map.rows, grid_map.cols)
        window = Window(forward=2, backward=1, left=1, right=1)
        self.config = substrate_config("pool", 2, observation_mode, window, grid_map, 3, render_mode)
        self._spawn = grid_map.cells("S")
        self._solid = np.append(grid_map.mask("#").reshape(-1), True)

    def params(self, last: int = 1000) -> PoolParams:
        return PoolParams(last=jnp.asarray(last, jnp.int32))

    def default_params(self) -> PoolParams:
        return self.params()

    def own_layers(self) -> tuple[Layer, ...]:
        return (Layer("FLOATS", ("duck", "ring")),)

    def start_draws(self) -> Mapping[str, int]:
        return {"start/place": 2, "start/facing": 2}

    def step_draws(self) -> Mapping[str, int]:
        return {"move": 2}

    def begin(self, draws: Any, params: PoolParams) -> tuple[Any, Any]:
        return newcomers(scatter_over(self._spawn, draws["start/place"]), facing(draws["start/facing"])), ()

    def act(self, state: Any, action: jax.Array, draws: Any, params: PoolParams) -> Turn:
        avatars = move(self.board, self._solid, state.avatars, action, draws["move"])
        beam, splashes = self.beams["splash"], action == np.int32(7)
        cells = beam_cells(self.board, beam, avatars)
        rays = cast(beam, cells, splashes, jnp.asarray(self._solid)[cells])
        return Turn(
            avatars=avatars,
            own=(),
            lit=pack(rays.lit)[None],
            reward=splashes.astype(jnp.float32),
            over=state.steps + np.int32(1) >= params.last,
            events={"splashed": splashes},
        )

    def paint(self, state: Any, params: PoolParams) -> dict[str, Any]:
        floats = np.zeros(self.board.num_cells, np.uint8)
        floats[[self.board.cols + 3, 3 * self.board.cols + 4]] = (1, 2)
        return {**super().paint(state, params), "FLOATS": floats}
