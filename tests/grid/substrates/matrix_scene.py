"""Small scenes of The Matrix for tests: worlds compiled once, states set by hand, chance left out."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from jaxworld.grid import GridState, TheMatrix
from jaxworld.grid.avatars import Avatars
from jaxworld.grid.draws import NEVER
from jaxworld.grid.substrates.matrix_law import MatrixOwn

NOOP, FORWARD, BACKWARD, LEFT, RIGHT, TURN_LEFT, TURN_RIGHT, INTERACT = range(8)
NORTH, EAST, SOUTH, WEST = range(4)
MAP = """
###########
#S.......S#
#.........#
#...1.2...#
#.........#
#.........#
#?........#
#.........#
#S.......S#
###########
"""
ROCK_MAP = MAP.replace("1.2", "1.3")


@dataclasses.dataclass(frozen=True)
class Scene:
    """A world whose step is compiled once, and its default parameters."""

    world: TheMatrix
    params: Any
    compiled: Any

    def cell(self, row: int, col: int) -> int:
        return row * self.world.board.cols + col

    def site(self, row: int, col: int) -> int:
        return self.world.sites.cells.index(self.cell(row, col))

    def state(
        self,
        players: Sequence[tuple[int, int, int]],
        inventory: Mapping[int, Sequence[int]] | None = None,
        waiting: Mapping[int, int] | None = None,
        health: Mapping[int, int] | None = None,
    ) -> GridState:
        """Players at (row, col, facing), in the south if not given; with an inventory they are ready."""
        count, classes, sites = self.world.num_agents, self.world.num_classes, self.world.sites.size
        placed = [*players, *[(8, 2 + index, NORTH) for index in range(len(players), count)]]
        rest = np.zeros(count, np.int32)
        own = MatrixOwn(
            inventory=np.ones((count, classes), np.int32),
            ready=np.zeros(count, bool),
            capped=np.zeros(count, bool),
            countdown=np.full(count, -1, np.int32),
            pair=np.zeros((count, 2, classes), np.int32),
            as_row=np.zeros(count, bool),
            kinds=np.minimum(self.world._kinds, classes),
            waiting=np.zeros(sites, np.int32),
            health=np.full(sites, 3, np.int32),
        )
        for player, counts in (inventory or {}).items():
            own.inventory[player] = counts
            own.ready[player] = own.capped[player] = True
        for values, given in ((own.waiting, waiting), (own.health, health)):
            for site, value in (given or {}).items():
                values[site] = value
        avatars = Avatars(
            cell=np.array([self.cell(row, col) for row, col, _ in placed], np.int32),
            orientation=np.array([facing for _, _, facing in placed], np.int32),
            absence=rest,
            frozen=rest,
            cooldown=rest,
        )
        return GridState(
            avatars=avatars,
            own=own,
            lit=np.zeros((1, count), np.uint32),
            steps=np.zeros((), np.int32),
            ended=np.zeros((), bool),
        )

    def draws(self, **words: Any) -> dict[str, np.ndarray]:
        """Words with which nothing happens by chance, and the first player goes first; ``sites`` may be a mapping."""
        made = {name: np.zeros(size, np.uint32) for name, size in self.world.step_draws().items()}
        made["sites"][:] = made["end"][:] = NEVER
        for name, given in words.items():
            if isinstance(given, Mapping):
                for place, word in given.items():
                    made[name][place] = word
            else:
                made[name][:] = given
        return made

    def step(self, state: Any, actions: Mapping[int, int], params: Any = None, **words: Any) -> Any:
        """(state, reward, events, observation) after one step; players without an action do nothing."""
        chosen = np.zeros(self.world.num_agents, np.int32)
        for player, action in actions.items():
            chosen[player] = action
        arguments = state, chosen, self.draws(**words), self.params if params is None else params
        return jax.device_get(self.compiled(*arguments))

    def play(self, state: Any, script: Iterable[Mapping[int, int]], params: Any = None, **words: Any) -> list[Any]:
        """The same for several steps: entry t is what step t led to, entry 0 is None."""
        made: list[Any] = [None]
        for actions in script:
            made.append(self.step(state, actions, params, **words))
            state = made[-1][0]
        return made

    def own_cell(self, observation: Any, name: str) -> np.ndarray:
        """What each player sees in a grid in its own cell."""
        view = self.world.config.view
        return observation[name][:, view.forward, view.left]


@functools.cache
def scene(game: str = "prisoners_dilemma", kind: str = "arena", num_players: int = 4) -> Scene:
    world = TheMatrix(game, kind, num_players, map=ROCK_MAP if game == "running_with_scissors" else MAP)

    def step(state: GridState, action: Any, draws: Any, params: Any) -> Any:
        made, reward, events = world.advance(state, action, draws, params)
        return made, reward, events, world.observe(made, params)

    return Scene(world=world, params=world.default_params(), compiled=jax.jit(step))


def script(steps: int, **moments: Mapping[int, int]) -> list[Mapping[int, int]]:
    """Actions of so many steps, given as ``step_1={player: action}``."""
    return [moments.get(f"step_{step}", {}) for step in range(1, steps + 1)]
