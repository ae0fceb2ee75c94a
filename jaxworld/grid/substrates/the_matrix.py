"""The Matrix: a payoff table played with what one has gathered, by meeting somebody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.pytree import replace
from jaxworld.core.random import uniform_index
from jaxworld.core.spaces import Box, Space
from jaxworld.grid.avatars import Avatars, fire_or_cool, newcomers, readiness, remove, thaw
from jaxworld.grid.beams import Beam, beam_cells, footprint, pack
from jaxworld.grid.board import Board
from jaxworld.grid.draws import Draws, order_of_play
from jaxworld.grid.endings import ends, interval_ending
from jaxworld.grid.layers import Layer
from jaxworld.grid.maps import FLOOR, RANDOM_RESOURCE, RESOURCES, SPAWN, WALL, load_map, parse_map
from jaxworld.grid.movement import BASIC_ACTIONS, move
from jaxworld.grid.sites import Sites, happens, look_up, put
from jaxworld.grid.spawning import facing, respawn, scatter_over
from jaxworld.grid.substrate import GridState, Substrate, Turn, substrate_config
from jaxworld.grid.substrates.matrix_beams import MOST_HEALTH, NOBODY, Aims, Shots, fire_volley
from jaxworld.grid.substrates.matrix_games import COLOURS, check_edges, check_game, check_payoffs, result_colour
from jaxworld.grid.substrates.matrix_law import (
    IDLE,
    MatrixOwn,
    MatrixParams,
    gather,
    interact,
    lose_all,
    pay,
    result,
)
from jaxworld.grid.substrates.matrix_variants import MatrixConfig, kind_of, layout_of, row_players
from jaxworld.grid.views import Window

INTERACT = len(BASIC_ACTIONS)
_BEAM = Beam(length=3, radius=1)


class TheMatrix(Substrate[MatrixOwn, MatrixParams]):
    """Players gather resources of K classes and play a matrix game by firing at one another.

    One's strategy is the mixture of what one has: with inventories r and q the row player gets r' A q / (|r| |q|) and
    the column player r' B q / (|r| |q|). Whoever fires is the row player; in Bach-or-Stravinsky roles are settled
    beforehand, and only players of different roles interact. Both must have gathered something. If they interact in
    step T, they stand still and show the colours of their results in T+1 ... T+16; in T+17 both are paid, lose what
    they had and are removed. They come back after a delay (in T+68 in an arena, T+23 in a repeated game); a one-shot
    game ends with step T+18. A row player that wins or ties loses its inventory in T already, as in the original.

    A beam also wears resources down: the third hit destroys one and passes. Those gathered or destroyed come back by
    chance after a delay, never under somebody; in repeated games all come back while nobody is on the board.

    - action 7: ``interact``.
    - grids: ``RESOURCES`` by class; ``AVATAR_STATES``, ready or not, seen a step after the first pickup;
      ``INTERACTION_RESULT`` by colour; ``AVATAR_ROLES``: self and other, in Bach-or-Stravinsky whose fan; ``BEAMS``.
    - ``INVENTORY``: ``float32[A, K]``. ``READY_TO_SHOOT``: ``float32[A]``, also while away.
    - ``INTERACTION_INVENTORIES``: ``float32[A, 2, K]``: one's own and the partner's in the step of an interaction,
      -1 in others, 0 at the start.
    - events: ``collected int32[A]`` (class, 0 for none), ``fired bool[A]``, ``destroyed int32[A]`` (how many), and
      ``partner int32[A]``, with whom an interaction begins (from 0; -1 for nobody).
    - draw ``tie``: ``uint32[A]``; in a tie of Bach-or-Stravinsky the row player wins if its word is below 2**31.

    Rules and numbers are those of Melting Pot's ``*_in_the_matrix__*`` (Leibo et al. 2021, arXiv 2107.06857; version
    2.4.1); the maps are our own, of the same size and with the same numbers of things.

    Args:
        game: one of :data:`~jaxworld.grid.substrates.matrix_games.GAMES`.
        kind: ``"arena"``, ``"repeated"`` or ``"one_shot"``, see :data:`~.matrix_variants.KINDS`.
        num_players: players; those of the kind if None.
        observation_mode: ``"local"``, ``"global"`` or ``"focal"``.
        view: the local window; that of the kind if None.
        map: a layout of ``#.S?`` and the classes ``12`` or ``123``; the variant's own if None.
        payoff: default tables other than the game's: one ``K x K`` (the column player's is its transpose) or two.
        roles: each player's, where the game has any; the first half are row players if None.
        render_mode: None, ``"rgb_array"`` or ``"human"``.

    Raises:
        ConfigurationError: for an unknown game, kind, mode, role or view, tables of another size, or a map that
            cannot work.
    """

    extra_actions = ("interact",)
    config: MatrixConfig

    def __init__(
        self,
        game: str = "prisoners_dilemma",
        kind: str = "repeated",
        num_players: int | None = None,
        observation_mode: str = "local",
        view: Window | None = None,
        map: str | Sequence[str] | None = None,
        payoff: Any = None,
        roles: Sequence[str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.game = check_game(game)
        self.kind = kind_of(game, kind)
        self.max_steps = self.kind.max_steps
        num_classes = len(self.game.strategies)
        resources = RESOURCES[:num_classes] + RANDOM_RESOURCE
        layout = load_map(layout_of(game, kind)) if map is None else map
        grid_map = parse_map(layout, WALL + FLOOR + SPAWN + resources, {SPAWN: 1, resources: 1})
        self._points = grid_map.cells(SPAWN)
        players = self.kind.players if num_players is None else num_players
        window = self.kind.view if view is None else view
        common = substrate_config(
            f"{game}_in_the_matrix_{kind}",
            players,
            observation_mode,
            window,
            grid_map,
            len(self._points),
            render_mode,
        )
        tables = self.game.payoffs if payoff is None else check_payoffs(payoff, num_classes)
        self.config = MatrixConfig(
            **vars(common),
            game=game,
            kind=kind,
            row_players=row_players(self.game, common.num_players, roles),
            payoffs=tuple(tuple(tuple(row) for row in table) for table in tables.tolist()),
        )
        self.beams = {"interact": _BEAM}
        self.board = Board(grid_map.rows, grid_map.cols)
        self.sites = Sites(self.board, tuple(grid_map.cells(resources).tolist()))
        symbols = "".join(grid_map.text)
        self._kinds = np.array([resources.index(symbols[cell]) + 1 for cell in self.sites.cells], np.uint8)
        self._solid = np.append(grid_map.mask(WALL).reshape(-1), True)

    @property
    def num_classes(self) -> int:
        """Classes of resources K, which are the strategies of the game."""
        return len(self.game.strategies)

    def params(
        self,
        payoffs: Any = None,
        result_edges: Sequence[float] | None = None,
        regrowth: float | None = None,
        regrowth_delay: int | None = None,
        freeze: int = 16,
        respawn_delay: int | None = None,
        cooldown: int = 2,
        health: int = 3,
        gathering_reward: float = 0.0,
        unready_reward: float = 0.0,
        ending_minimum: int = 1000,
        ending_interval: int = 100,
        ending_probability: float | None = None,
    ) -> MatrixParams:
        """Parameters with these numbers; the variant's own where None.

        Args:
            payoffs: one ``K x K`` table of the row player (the column player's is its transpose) or both tables.
            result_edges: at most 4 ascending payoffs at which the colour of a result changes.
            regrowth: chance that a resource comes back in a step, after ``regrowth_delay`` steps.
            regrowth_delay: see there.
            freeze: steps for which an interaction shows its result.
            respawn_delay: observations missed after the step of a removal.
            cooldown: steps between two beams.
            health: hits that destroy a resource, 1 to 255.
            gathering_reward: for each resource gathered.
            unready_reward: for firing at somebody who is not ready.
            ending_minimum: first step, in multiples of ``ending_interval`` less 1, with which an episode may end.
            ending_interval: see there.
            ending_probability: chance of an end in each of these steps.

        Raises:
            ConfigurationError: for tables of another size, edges that do not ascend, probabilities outside 0 to 1,
                steps below 0, or rewards that are no numbers.
        """
        kind = self.kind
        tables = self.config.payoffs if payoffs is None else check_payoffs(payoffs, self.num_classes)
        steps = {
            "regrowth_delay": kind.regrowth_delay if regrowth_delay is None else regrowth_delay,
            "freeze": freeze,
            "respawn_delay": kind.respawn_delay if respawn_delay is None else respawn_delay,
            "cooldown": cooldown,
        }
        made = {name: checks.whole(name, value, 0, 2**30) for name, value in steps.items()}
        made["health"] = checks.whole("health", health, 1, MOST_HEALTH)
        rewards = {"gathering_reward": gathering_reward, "unready_reward": unready_reward}
        ending = kind.ending if ending_probability is None else ending_probability
        return MatrixParams(
            payoffs=jnp.asarray(tables, jnp.float32),
            result_edges=jnp.asarray(check_edges(self.game.edges if result_edges is None else result_edges)),
            regrowth=jnp.asarray(checks.threshold("regrowth", kind.regrowth if regrowth is None else regrowth)),
            ending=interval_ending(ending_minimum, ending_interval, ending),
            **{name: jnp.asarray(value, jnp.int32) for name, value in made.items()},
            **{
                name: jnp.asarray(checks.number(name, value, -1e6, 1e6), jnp.float32) for name, value in rewards.items()
            },
        )

    def default_params(self) -> MatrixParams:
        return self.params()

    def own_layers(self) -> tuple[Layer, ...]:
        classes = tuple(f"class_{number + 1}" for number in range(self.num_classes))
        colours = COLOURS[: len(self.game.edges) + 1]
        roles = () if self.game.roles is None else (Layer("AVATAR_ROLES", self.game.roles),)
        states = Layer("AVATAR_STATES", ("not_ready", "ready"))
        return (Layer("RESOURCES", classes), states, Layer("INTERACTION_RESULT", colours), *roles)

    def viewer_layers(self) -> tuple[Layer, ...]:
        return (Layer("AVATAR_ROLES", ("self", "other")),) if self.game.roles is None else ()

    def start_draws(self) -> Mapping[str, int]:
        return {"start/cell": self.num_agents, "start/facing": self.num_agents, "start/kind": self.sites.size}

    def step_draws(self) -> Mapping[str, int]:
        players = self.num_agents
        orders = {"move": players, "beam": players, "tie": players}
        return {**orders, "respawn": players, "turn": players, "sites": self.sites.size, "end": 1}

    def begin(self, draws: Draws, params: MatrixParams) -> tuple[Avatars, MatrixOwn]:
        players, classes, sites = self.num_agents, self.num_classes, self.sites.size
        drawn = uniform_index(draws["start/kind"], jnp.asarray(classes, jnp.uint32)).astype(jnp.uint8) + np.uint8(1)
        own = MatrixOwn(
            inventory=jnp.ones((players, classes), jnp.int32),
            ready=jnp.zeros(players, bool),
            capped=jnp.zeros(players, bool),
            countdown=jnp.full(players, IDLE),
            pair=jnp.zeros((players, 2, classes), jnp.int32),
            as_row=jnp.zeros(players, bool),
            kinds=jnp.where(self._kinds > classes, drawn, self._kinds),
            waiting=jnp.zeros(sites, jnp.int32),
            health=jnp.full(sites, params.health),
        )
        return newcomers(scatter_over(self._points, draws["start/cell"]), facing(draws["start/facing"])), own

    def act(self, state: GridState, action: jax.Array, draws: Draws, params: MatrixParams) -> Turn:
        before: MatrixOwn = state.own
        due = state.avatars.present & (before.countdown == np.int32(0))
        reward = pay(before, due, params.payoffs)
        own = replace(
            lose_all(before, due),
            capped=before.ready & (before.countdown == IDLE),
            countdown=jnp.maximum(before.countdown - state.avatars.present.astype(jnp.int32), IDLE),
        )
        avatars = move(self.board, self._solid, thaw(state.avatars), action, draws["move"])
        site = self.sites.under(avatars)
        takes = look_up(before.waiting == np.int32(0), site)
        own = gather(own, self._class_at(own, site, takes))
        fires, avatars = fire_or_cool(avatars, action == INTERACT, avatars.mobile, params.cooldown)
        shots, health, destroyed = self._shoot(own, avatars, fires, draws["beam"], params)
        unready = self._hits_unready(own, shots.victim)
        partner, own = interact(own, shots.victim, self.config.row_players, self._ties(draws), params)
        freeze = jnp.where(partner == NOBODY, avatars.frozen, params.freeze + np.int32(2))
        avatars = replace(avatars, frozen=freeze)
        _, avatars = respawn(self.board, self._points, avatars, params.respawn_delay, draws["respawn"], draws["turn"])
        sprouts = self._sprouts(state, draws["sites"], params)
        finds = look_up(sprouts, site)  # who has just come to where one sprouts takes it, after the beams
        own = gather(own, self._class_at(own, site, finds))
        gone = put(destroyed, site, takes | finds, 1)
        taken = self._class_at(own, site, takes | finds)
        waits = own.waiting + (own.waiting > np.int32(0)).astype(jnp.int32)
        return Turn(
            avatars=remove(avatars, due),
            own=replace(
                own,
                waiting=jnp.where(gone, np.int32(1), jnp.where(sprouts, np.int32(0), waits)),
                health=health,
            ),
            lit=pack(shots.lit)[None, :],
            reward=reward
            + params.gathering_reward * (taken > np.int32(0)).astype(jnp.float32)
            + params.unready_reward * unready.astype(jnp.float32),
            over=self._over(state, draws, params),
            events={"collected": taken, "fired": fires, "destroyed": shots.destroyed, "partner": partner},
        )

    def paint(self, state: GridState, params: MatrixParams) -> dict[str, jax.Array | np.ndarray]:
        there = jnp.where(state.own.waiting == np.int32(0), state.own.kinds, np.uint8(0))
        return {**super().paint(state, params), "RESOURCES": self.sites.on_board(there)}

    def paint_avatars(self, state: GridState, params: MatrixParams) -> dict[str, jax.Array]:
        own: MatrixOwn = state.own
        colour = result_colour(*result(own.pair, own.as_row, params.payoffs), params.result_edges)
        shown = (own.countdown > IDLE) & (own.countdown < params.freeze)
        painted = {
            "AVATAR_STATES": np.int32(1) + own.capped.astype(jnp.int32),
            "INTERACTION_RESULT": jnp.where(shown, jnp.minimum(colour, len(self.game.edges) + 1), np.int32(0)),
        }
        if self.config.row_players:
            painted["AVATAR_ROLES"] = jnp.where(np.array(self.config.row_players), np.int32(1), np.int32(2))
        return painted

    def perceive(self, grids: dict[str, jax.Array], viewer: jax.Array) -> dict[str, jax.Array]:
        if self.config.row_players:
            return {}
        seen = grids["AVATARS"]
        own = seen == viewer.astype(seen.dtype)
        somebody = jnp.where(own, np.uint8(1), np.uint8(2))
        return {"AVATAR_ROLES": jnp.where(seen > np.uint8(0), somebody, np.uint8(0))}

    def scalars(self, state: GridState, params: MatrixParams) -> dict[str, jax.Array]:
        own: MatrixOwn = state.own
        starts = (own.countdown == params.freeze)[:, None, None]
        met = jnp.where(starts, own.pair.astype(jnp.float32), np.float32(-1))
        return {
            "INVENTORY": own.inventory.astype(jnp.float32),
            "READY_TO_SHOOT": readiness(state.avatars, params.cooldown),
            "INTERACTION_INVENTORIES": jnp.where(state.steps == np.int32(0), np.float32(0), met),
        }

    def scalar_spaces(self, params: MatrixParams) -> dict[str, Space]:
        del params
        players, classes = self.num_agents, self.num_classes
        return {
            "INVENTORY": Box(1, np.inf, (players, classes)),
            "READY_TO_SHOOT": Box(0, 1, (players,)),
            "INTERACTION_INVENTORIES": Box(-1, np.inf, (players, 2, classes)),
        }

    def _class_at(self, own: MatrixOwn, site: jax.Array, where: jax.Array) -> jax.Array:
        """``int32[A]``: the class of each one's site where ``where bool[A]`` holds, else 0."""
        return jnp.where(where, look_up(own.kinds, site).astype(jnp.int32), np.int32(0))

    def _ties(self, draws: Draws) -> jax.Array:
        """``bool[A]``: who wins a tie as row player: everybody, but by a coin where roles are settled beforehand."""
        heads = draws["tie"] < np.uint32(2**31)
        return heads if self.config.row_players else jnp.ones_like(heads)

    def _shoot(
        self, own: MatrixOwn, avatars: Avatars, fires: jax.Array, words: jax.Array, params: MatrixParams
    ) -> tuple[Shots, jax.Array, jax.Array]:
        """What each player's beam did, in the order of players; health of sites; which resources were destroyed."""
        places = order_of_play(words)
        order = jnp.zeros_like(places).at[places].set(np.arange(self.num_agents, dtype=np.int32))
        shooters = jax.tree.map(lambda values: values[order], avatars)
        cells = beam_cells(self.board, _BEAM, shooters)
        spots = footprint(self.board, _BEAM)
        row = shooters.orientation * np.int32(self.board.num_cells + 1) + shooters.cell
        standing = shooters.standing()
        aims = Aims(
            cells=cells,
            solid=jnp.asarray(self._solid[spots])[row] | (cells[:, :, None] == standing[None, None, :]).any(axis=-1),
            site=jnp.asarray(self.sites.number()[spots])[row],
            standing=standing,
            fires=fires[order],
        )
        there = own.waiting == np.int32(0)
        shots, health, gone = fire_volley(_BEAM, aims, jnp.where(there, own.health, np.int32(0)), params.health)
        victim = jnp.where(shots.victim == NOBODY, NOBODY, order[jnp.maximum(shots.victim, np.int32(0))])
        by_player = Shots(lit=shots.lit[places], destroyed=shots.destroyed[places], victim=victim[places])
        return by_player, jnp.where(there, health, own.health), gone

    def _hits_unready(self, own: MatrixOwn, victim: jax.Array) -> jax.Array:
        """``bool[A]``: who fires at somebody who has gathered nothing."""
        other = jnp.maximum(victim, np.int32(0))
        return (victim != NOBODY) & (own.countdown[other] == IDLE) & ~own.ready[other]

    def _sprouts(self, state: GridState, words: jax.Array, params: MatrixParams) -> jax.Array:
        """``bool[S]``: where a resource comes back. Who counts as standing there is who did before this step."""
        waiting = state.own.waiting
        site = self.sites.under(state.avatars)
        taken = put(jnp.zeros(self.sites.size, bool), site, state.avatars.present, 1)
        sprouts = (waiting > params.regrowth_delay) & happens(words, params.regrowth) & ~taken
        if self.config.kind != "repeated":
            return sprouts
        return (waiting > np.int32(0)) & (sprouts | ~state.avatars.present.any())

    def _over(self, state: GridState, draws: Draws, params: MatrixParams) -> jax.Array:
        by_chance = ends(params.ending, state.steps + np.int32(1), draws["end"][0])
        if self.config.kind != "one_shot":
            return by_chance
        return by_chance | (state.avatars.absence == np.int32(1)).any()
