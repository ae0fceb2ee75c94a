"""A new substrate is a map, a table and the few rules that are its own."""

from __future__ import annotations

import inspect
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import check_world
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.grid import Substrate, Window, parse_map
from jaxworld.grid.avatars import newcomers
from jaxworld.grid.board import Board
from jaxworld.grid.layers import Layer
from jaxworld.grid.movement import move
from jaxworld.grid.sites import Sites, happens, look_up, put
from jaxworld.grid.spawning import facing, scatter_over
from jaxworld.grid.substrate import Turn, substrate_config

GARDEN = """
#######
#S.A.S#
#.A.A.#
#S.A.S#
#######
"""


@pytree_dataclass
class Sown:
    flowers: jax.Array


class Garden(Substrate[Sown, jax.Array]):
    """Flowers pay 1 to whoever steps on them and grow again by chance; the parameter is the threshold of it."""

    def __init__(self, mode: str = "local") -> None:
        grid_map = parse_map(GARDEN, "#.SA")
        self.board = Board(grid_map.rows, grid_map.cols)
        self.config = substrate_config("garden", 3, mode, Window(2, 2, 2, 2), grid_map, spawn_points=4)
        self.sites = Sites(self.board, tuple(grid_map.cells("A").tolist()))
        self.spawn = grid_map.cells("S")

    def default_params(self) -> jax.Array:
        return jnp.asarray(2**28, jnp.uint32)

    def own_layers(self) -> tuple[Layer, ...]:
        return (Layer("FLOWERS", ("tulip",)),)

    def start_draws(self) -> dict[str, int]:
        return {"start/outside": 3, "start/facing": 3}

    def step_draws(self) -> dict[str, int]:
        return {"move": 3, "sites": self.sites.size}

    def begin(self, draws: Any, params: jax.Array) -> tuple[Any, Sown]:
        start = newcomers(scatter_over(self.spawn, draws["start/outside"]), facing(draws["start/facing"]))
        return start, Sown(flowers=jnp.ones(self.sites.size, bool))

    def act(self, state: Any, action: jax.Array, draws: Any, params: jax.Array) -> Turn:
        solid = np.append(self.config.map.mask("#").reshape(-1), True)  # type: ignore[union-attr]
        avatars = move(self.board, solid, state.avatars, action, draws["move"])
        flowers, site = state.own.flowers | happens(draws["sites"], params), self.sites.under(avatars)
        picks = look_up(flowers, site)
        own = Sown(flowers=put(flowers, site, picks, 0))
        over, reward = jnp.zeros((), bool), picks.astype(jnp.float32)
        return Turn(avatars=avatars, own=own, lit=state.lit, reward=reward, over=over, events={"picked": picks})

    def paint(self, state: Any, params: jax.Array) -> dict[str, Any]:
        return {**super().paint(state, params), "FLOWERS": self.sites.on_board(state.own.flowers)}


def test_it_takes_under_sixty_lines_and_keeps_the_contract() -> None:
    assert len(inspect.getsource(Garden).splitlines()) + len(inspect.getsource(Sown).splitlines()) < 60
    world = Garden()
    assert "spaces" in check_world(world, eager=False, num_steps=3, batch=2).clauses
    assert set(world.observation_space(world.default_params()).spaces) == {
        "TERRAIN", "AVATARS", "AVATAR_ORIENTATIONS", "FLOWERS",
    }  # fmt: skip
