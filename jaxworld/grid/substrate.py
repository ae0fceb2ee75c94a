"""What all grid worlds are: players on a board, a step made of shared parts, and views of named grids."""

from __future__ import annotations

import dataclasses
import functools
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.episodes import select
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.pytree import as_arrays, pytree_dataclass
from jaxworld.core.spaces import Box, Composite, Discrete, Space
from jaxworld.core.timestep import TimeStep, make_timestep
from jaxworld.core.world import World
from jaxworld.grid.avatars import Avatars
from jaxworld.grid.beams import Beam, beam_cells, unpack
from jaxworld.grid.board import COMPASS, Board
from jaxworld.grid.draws import Draws, draw
from jaxworld.grid.layers import Layer, Packing, category_ids, scatter_categories
from jaxworld.grid.maps import WALL, GridMap
from jaxworld.grid.movement import BASIC_ACTIONS
from jaxworld.grid.rendering import check_render_mode, draw_map, draw_traced, make_atlas
from jaxworld.grid.sprites import SIZE
from jaxworld.grid.views import Window, check_mode, check_window, focal_window, see_map, see_window

OwnT = TypeVar("OwnT")
GridParamsT = TypeVar("GridParamsT")

MAX_PLAYERS = 64


@pytree_dataclass
class GridState:
    """All a grid world is; integers and booleans throughout.

    Attributes:
        avatars: the players' bodies.
        own: what only this substrate has.
        lit: ``uint32[B, A]``, a bit for each cell of each player's footprint in which beam b was seen in this step.
        steps: ``int32[]``, steps taken.
        ended: ``bool[]``, whether the episode is over.
    """

    avatars: Avatars
    own: Any
    lit: jax.Array
    steps: jax.Array
    ended: jax.Array


@pytree_dataclass
class GridInfo:
    """For observers: ``collective_reward float32[]``, and the step's ``events``, by name."""

    collective_reward: jax.Array
    events: dict[str, jax.Array]


@pytree_dataclass
class Turn:
    """What one step made of a world: the parts of the next state, ``reward float32[A]``, ``over bool[]``, events."""

    avatars: Avatars
    own: Any
    lit: jax.Array
    reward: jax.Array
    over: jax.Array
    events: dict[str, jax.Array]


@dataclasses.dataclass(frozen=True)
class SubstrateConfig:
    """Static configuration all substrates have.

    Attributes:
        variant: name without the family.
        num_players: players A.
        observation_mode: ``"local"`` (the window), ``"global"`` (the map, north up), ``"focal"`` (a window around the
            player in which the whole map fits).
        view: the local window.
        map: the layout, or None if the substrate draws one each episode.
        render_mode: None, ``"rgb_array"`` or ``"human"``.
    """

    variant: str
    num_players: int
    observation_mode: str
    view: Window
    map: GridMap | None
    render_mode: str | None = None


class Substrate(World[GridState, GridParamsT, jax.Array], Generic[OwnT, GridParamsT]):
    """Players on a board.

    - action: ``int32[A]``; 0 to 6 are :data:`~jaxworld.grid.movement.BASIC_ACTIONS`, then the substrate's own. A
      number beyond the last action does nothing.
    - observation: a dict. Grids ``uint8[A, rows, cols]`` of categories (``TERRAIN``, ``AVATARS``,
      ``AVATAR_ORIENTATIONS``, the substrate's own, and ``SELF`` in global mode), numbered by
      :attr:`object_observation_ids`, 0 for nothing; and what is not seen but known, ``[A, ...]``. A player off the
      board sees zeros. With a render mode also ``RGB uint8[A, rows * 8, cols * 8, 3]``, the same as a picture.
    - reward: ``float32[A]``.
    - termination: of all players at once, by chance or by the rules. Limits of steps are ``EpisodeCap``'s.
    - info: :class:`GridInfo`.

    A substrate says which random words a start and a step need, what a start and a step do with them, and how its own
    things are painted; moving, viewing, numbering, ending and stopping are done here.
    """

    extra_actions: ClassVar[tuple[str, ...]] = ()
    """Names of the actions from 7 on."""
    max_steps: int = 5000
    """Steps after which the original cuts an episode, for ``EpisodeCap``."""
    beams: Mapping[str, Beam] = {}
    """Beams by name, in the order in which they are painted."""
    config: SubstrateConfig
    board: Board

    @abstractmethod
    def start_draws(self) -> Mapping[str, int]:
        """Names of the random words of a start, and how many each needs."""

    @abstractmethod
    def step_draws(self) -> Mapping[str, int]:
        """Names of the random words of a step, and how many each needs."""

    @abstractmethod
    def begin(self, draws: Draws, params: GridParamsT) -> tuple[Avatars, OwnT]:
        """Players and own things as an episode begins."""

    @abstractmethod
    def act(self, state: GridState, action: jax.Array, draws: Draws, params: GridParamsT) -> Turn:
        """One step of a world that has not ended."""

    def own_layers(self) -> tuple[Layer, ...]:
        """Grids of its own that are painted on the board."""
        return ()

    def viewer_layers(self) -> tuple[Layer, ...]:
        """Grids of its own that depend on who looks, made by :meth:`perceive`."""
        return ()

    def terrain(self) -> tuple[str, ...]:
        """Categories of the ground."""
        return ("wall",)

    def paint(self, state: GridState, params: GridParamsT) -> dict[str, jax.Array | np.ndarray]:
        """Categories ``[num_cells]`` of the ground and of own layers, by layer name."""
        del state, params
        return {"TERRAIN": self._map().mask(WALL).reshape(-1).astype(np.uint8)}

    def paint_avatars(self, state: GridState, params: GridParamsT) -> dict[str, jax.Array]:
        """Categories ``[A]`` of own layers in the cells of avatars, by layer name."""
        del state, params
        return {}

    def perceive(self, grids: dict[str, jax.Array], viewer: jax.Array) -> dict[str, jax.Array]:
        """Viewer layers by name, from what player ``viewer int32[]`` (counted from 1) sees, grids ``[rows, cols]``."""
        del grids, viewer
        return {}

    def scalars(self, state: GridState, params: GridParamsT) -> dict[str, jax.Array]:
        """Observations ``[A, ...]`` that are no grids, by name."""
        del state, params
        return {}

    def scalar_spaces(self, params: GridParamsT) -> dict[str, Space]:
        """Their spaces."""
        del params
        return {}

    # What follows is the same for all.

    @property
    def num_agents(self) -> int:
        return self.config.num_players

    @property
    def action_names(self) -> tuple[str, ...]:
        """Names of all actions."""
        return BASIC_ACTIONS + self.extra_actions

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Every grid of an observation in this mode, in order."""
        players = tuple(f"player_{index}" for index in range(self.num_agents))
        common = (Layer("TERRAIN", self.terrain()), Layer("AVATARS", players), Layer("AVATAR_ORIENTATIONS", COMPASS))
        beams = (Layer("BEAMS", tuple(self.beams)),) if self.beams else ()
        own = (Layer("SELF", ("self",)),) if self.config.observation_mode == "global" else ()
        return (*common, *self.own_layers(), *beams, *self.viewer_layers(), *own)

    @property
    def object_observation_ids(self) -> Mapping[str, Mapping[str, int]]:
        """The number of each category of each grid, read-only."""
        return category_ids(self.layers)

    @property
    def window(self) -> Window:
        """The window that is cut in local and focal mode."""
        return focal_window(self.board) if self.config.observation_mode == "focal" else self.config.view

    @property
    def grid_shape(self) -> tuple[int, int]:
        """Rows and columns of each grid of an observation."""
        if self.config.observation_mode == "global":
            return self.board.rows, self.board.cols
        return self.window.shape

    def action_space(self, params: GridParamsT) -> Discrete:
        del params
        return Discrete(len(self.action_names), (self.num_agents,), names=self.action_names)

    def observation_space(self, params: GridParamsT) -> Composite:
        shape = (self.num_agents, *self.grid_shape)
        grids: dict[str, Space | None] = {
            layer.name: Box(0, len(layer.categories), shape, layer.dtype) for layer in self.layers
        }
        if self.config.render_mode is not None:
            grids["RGB"] = Box(0, 255, (self.num_agents, *(SIZE * side for side in self.grid_shape), 3), np.uint8)
        return Composite(None, {**grids, **self.scalar_spaces(params)})

    def reset(self, key: jax.Array, params: GridParamsT) -> tuple[GridState, TimeStep]:
        params = as_arrays(params)
        state = self._start(key, params)
        events = {name: jnp.zeros(shape, dtype) for name, shape, dtype in _event_shapes(self)}
        return state, self._moment(state, jnp.zeros(self.num_agents, jnp.float32), events, params)

    def step(
        self, key: jax.Array, state: GridState, action: jax.Array, params: GridParamsT
    ) -> tuple[GridState, TimeStep]:
        params = as_arrays(params)
        made, reward, events = self.advance(state, action, self.draws(key), params)
        return made, self._moment(made, reward, events, params)

    def _start(self, key: jax.Array, params: GridParamsT) -> GridState:
        avatars, own = self.begin(draw(key, self.start_draws()), params)
        return GridState(
            avatars=avatars,
            own=own,
            lit=jnp.zeros((len(self.beams), self.num_agents), jnp.uint32),
            steps=jnp.zeros((), jnp.int32),
            ended=jnp.zeros((), bool),
        )

    def draws(self, key: jax.Array) -> Draws:
        """The random words of one step, from the key of its tick."""
        return draw(key, self.step_draws())

    def advance(
        self, state: GridState, action: jax.Array, draws: Draws, params: GridParamsT
    ) -> tuple[GridState, jax.Array, dict[str, jax.Array]]:
        """One step without chance: the next state, rewards ``float32[A]`` and events, given the random words."""
        turn = self.act(state, self._checked(action), draws, params)
        made = GridState(
            avatars=turn.avatars, own=turn.own, lit=turn.lit, steps=state.steps + np.int32(1), ended=turn.over
        )
        quiet = (state, *jax.tree.map(jnp.zeros_like, (turn.reward, turn.events)))
        return select(state.ended, quiet, (made, turn.reward, turn.events))

    def observe(self, state: GridState, params: GridParamsT) -> dict[str, jax.Array]:
        """What everybody sees and knows: ``[A, ...]`` by name."""
        words = self._words(state, params)
        if self.config.observation_mode == "global":
            seen = [see_map(self.board, word, state.avatars) for word in words]
        else:
            seen = [see_window(self.board, self.window, word, state.avatars) for word in words]
        grids = self._packing().unpack(seen)
        viewers = jnp.arange(1, self.num_agents + 1, dtype=jnp.int32)
        grids.update(jax.vmap(self._perceived)(grids, viewers))
        shown = {layer.name: grids[layer.name] for layer in self.layers}
        if self.config.render_mode is not None:
            north_up = self.config.observation_mode == "global"
            facing = jnp.zeros(self.num_agents, jnp.int32) if north_up else state.avatars.orientation
            shown["RGB"] = draw_traced(make_atlas(self.layers), shown, facing)
        return {**shown, **self.scalars(state, params)}

    def picture(self, state: GridState, params: GridParamsT) -> dict[str, jax.Array]:
        """The whole map, north up, as nobody in particular sees it: ``[rows, cols]`` by layer name."""
        grids = self._packing().unpack(self._words(state, params))
        return {name: grid.reshape(self.board.rows, self.board.cols) for name, grid in grids.items()}

    def render(self, state: GridState, params: GridParamsT) -> np.ndarray | None:
        """Host: the whole map, north up, ``uint8[rows * 8, cols * 8, 3]``; None without a render mode."""
        return None if self.config.render_mode is None else self.global_picture(state, params)

    def global_picture(self, state: GridState, params: GridParamsT) -> np.ndarray:
        """Host: that picture in any render mode, made when it is asked for."""
        return draw_map(self, state, params)

    def _checked(self, action: jax.Array) -> jax.Array:
        action = jnp.asarray(action)
        fits = action.shape == (self.num_agents,) and jnp.issubdtype(action.dtype, jnp.integer)
        found = f"{action.dtype.name}[{', '.join(map(str, action.shape))}]"
        require(fits, "action", found, f"give a whole number for each of the {self.num_agents} players: int32[A]")
        return action.astype(jnp.int32)

    def _moment(
        self, state: GridState, reward: jax.Array, events: dict[str, jax.Array], params: GridParamsT
    ) -> TimeStep:
        info = GridInfo(collective_reward=reward.sum(), events=events)
        terminated = jnp.broadcast_to(state.ended, (self.num_agents,))
        observation = self.observe(state, params)
        return make_timestep(observation, self.num_agents, reward=reward, terminated=terminated, info=info)

    def _packing(self) -> Packing:
        made_later = {layer.name for layer in self.viewer_layers()} | {"SELF"}
        return Packing(tuple(layer for layer in self.layers if layer.name not in made_later))

    def _words(self, state: GridState, params: GridParamsT) -> list[jax.Array]:
        avatars, packing = state.avatars, self._packing()
        painted = self.paint(state, params)
        if self.beams:
            painted["BEAMS"] = self._lit_cells(state)
        bodies = {
            "AVATARS": jnp.arange(1, self.num_agents + 1, dtype=jnp.int32),
            "AVATAR_ORIENTATIONS": avatars.orientation + np.int32(1),
            **self.paint_avatars(state, params),
        }
        words = packing.pack(painted, self.board.num_cells)
        return packing.add_at(words, avatars.cell, bodies, avatars.present)

    def _lit_cells(self, state: GridState) -> jax.Array:
        parts = []
        for number, beam in enumerate(self.beams.values()):
            cells = beam_cells(self.board, beam, state.avatars)
            parts.append((cells, np.uint32(number + 1), unpack(state.lit[number], beam.num_cells)))
        cells = jnp.concatenate([cells.reshape(-1) for cells, _, _ in parts])
        lit = jnp.concatenate([lit.reshape(-1) for _, _, lit in parts])
        kinds = np.concatenate([np.full(cells.size, kind, np.uint32) for cells, kind, _ in parts])
        return scatter_categories(self.board.num_cells, cells, kinds, lit)

    def _perceived(self, grids: dict[str, jax.Array], viewer: jax.Array) -> dict[str, jax.Array]:
        made = self.perceive(grids, viewer)
        if self.config.observation_mode == "global":
            made["SELF"] = (grids["AVATARS"] == viewer.astype(grids["AVATARS"].dtype)).astype(jnp.uint8)
        return made

    def _map(self) -> GridMap:
        if self.config.map is None:
            raise ConfigurationError("map", None, "this substrate draws its map: override paint")
        return self.config.map


@functools.lru_cache(maxsize=256)
def _event_shapes(world: Substrate[Any, Any]) -> tuple[tuple[str, tuple[int, ...], np.dtype], ...]:
    """Name, shape and dtype of each event of a step, found once for a world by tracing one."""

    def events(key: jax.Array) -> dict[str, jax.Array]:
        params = as_arrays(world.default_params())
        still = jnp.zeros(world.num_agents, jnp.int32)
        return world.act(world._start(key, params), still, world.draws(key), params).events

    found = jax.eval_shape(events, jax.random.key(0, impl="threefry2x32"))
    return tuple((name, leaf.shape, leaf.dtype) for name, leaf in found.items())


def substrate_config(
    variant: str,
    num_players: int,
    observation_mode: str,
    view: Window,
    grid_map: GridMap | None,
    spawn_points: int,
    render_mode: str | None = None,
) -> SubstrateConfig:
    """Checked static configuration.

    Raises:
        ConfigurationError: for a number of players the map cannot hold, an unknown mode or a view that is none.
    """
    players = checks.whole("num_players", num_players, 1, MAX_PLAYERS)
    remedy = f"use at most {spawn_points}, or a map with more spawn points"
    require(players <= spawn_points, "num_players", players, remedy)
    return SubstrateConfig(
        variant=variant,
        num_players=players,
        observation_mode=check_mode(observation_mode),
        view=check_window(view),
        map=grid_map,
        render_mode=check_render_mode(render_mode),
    )
