"""Real Matrix: the games of The Matrix without a map. Two players choose strategies directly."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.episodes import select
from jaxworld.core.errors import require
from jaxworld.core.pytree import as_arrays, pytree_dataclass
from jaxworld.core.spaces import Box, Composite, Discrete, Space
from jaxworld.core.timestep import TimeStep, make_timestep
from jaxworld.core.world import World
from jaxworld.grid.draws import Draws, draw
from jaxworld.grid.rendering import check_render_mode
from jaxworld.grid.sprites import SIZE
from jaxworld.grid.substrate import GridInfo
from jaxworld.grid.substrates.matrix_games import check_game, check_payoffs
from jaxworld.grid.substrates.matrix_picture import draw_tables

MODES = ("local", "global")
_DEFAULT_GAME = "prisoners_dilemma"


@dataclasses.dataclass(frozen=True)
class RealMatrixConfig:
    """Static configuration.

    Attributes:
        variant: name without the family.
        strategies: names of the K strategies.
        observation_mode: ``"local"`` or ``"global"``.
        payoffs: the default tables, row's and column's.
        render_mode: None, ``"rgb_array"`` or ``"human"``.
    """

    variant: str
    strategies: tuple[str, ...]
    observation_mode: str
    payoffs: tuple[tuple[tuple[float, ...], ...], ...]
    render_mode: str | None


@pytree_dataclass
class RealMatrixParams:
    """Numbers of the law.

    Attributes:
        payoffs: ``float32[2, K, K]``, the row and the column player's table, by (row, column) strategy.
        stop: ``uint32[]``, threshold of the chance that a round is the last.
    """

    payoffs: jax.Array
    stop: jax.Array


@pytree_dataclass
class RealMatrixState:
    """All there is.

    Attributes:
        last: ``int32[2]``, the last choices, numbered from 1; 0 before the first.
        steps: ``int32[]``, rounds played.
        ended: ``bool[]``.
    """

    last: jax.Array
    steps: jax.Array
    ended: jax.Array


class RealMatrix(World[RealMatrixState, RealMatrixParams, jax.Array]):
    """A matrix game of two players, round after round: player 0 chooses a row, player 1 a column.

    Our own design: the original has no such substrate. Payoff tables are those of The Matrix.

    - action: ``int32[2]``, a strategy each, from 0; a number out of range counts as the nearest strategy.
    - observation: ``PAYOFFS float32[2, 2, K, K]`` and ``LAST_ACTIONS int32[2, 2]``, numbered from 1, 0 before the first
      round. In local mode each player sees (own, other): both tables with its own strategy on the first axis, and its
      own choice first. In global mode both see (row player's, column player's), rows first. There are no grids. With
      a render mode also ``RGB uint8[2, 8 K, 8 K, 3]``, those tables as colours.
    - reward: ``float32[2]``, what the tables say.
    - termination: after each round with probability ``1 - continuation``; never by default. Limits of steps are
      ``EpisodeCap``'s, which takes ``max_steps`` for instance.

    Args:
        game: one of :data:`~jaxworld.grid.substrates.matrix_games.GAMES`; prisoners_dilemma if neither it nor a
            payoff is given.
        payoff: default tables other than the game's: one ``K x K`` (the column player's is its transpose) or two.
            Without a game K may be any number from 2 on.
        observation_mode: ``"local"`` or ``"global"``.
        render_mode: None, ``"rgb_array"`` or ``"human"``.

    Raises:
        ConfigurationError: for an unknown game or mode (a game without a map has no focal view), or tables that are
            not square, not finite, or not of the game's size.
    """

    max_steps = 100
    """Rounds of an episode, for ``EpisodeCap``."""
    config: RealMatrixConfig

    def __init__(
        self,
        game: str | None = None,
        payoff: Any = None,
        observation_mode: str = "local",
        render_mode: str | None = None,
    ) -> None:
        remedy = f"use {' or '.join(MODES)}: a game without a map has no other view"
        require(observation_mode in MODES, "observation_mode", observation_mode, remedy)
        if game is None and payoff is not None:
            title, tables = "custom", check_payoffs(payoff)
            strategies = tuple(f"strategy_{number + 1}" for number in range(tables.shape[-1]))
        else:
            title = _DEFAULT_GAME if game is None else game
            known = check_game(title)
            strategies = known.strategies
            tables = known.payoffs if payoff is None else check_payoffs(payoff, len(strategies))
        self.config = RealMatrixConfig(
            variant=f"real_matrix_{title}",
            strategies=strategies,
            observation_mode=observation_mode,
            payoffs=tuple(tuple(tuple(row) for row in table) for table in tables.tolist()),
            render_mode=check_render_mode(render_mode),
        )

    def params(self, payoffs: Any = None, continuation: float = 1.0) -> RealMatrixParams:
        """Parameters with these numbers.

        Args:
            payoffs: one ``K x K`` table of the row player (the column player's is its transpose) or both tables.
            continuation: chance that the game goes on after a round.

        Raises:
            ConfigurationError: for tables of another size, or a probability outside 0 to 1.
        """
        tables = self.config.payoffs if payoffs is None else check_payoffs(payoffs, len(self.config.strategies))
        stop = checks.threshold("continuation", 1.0 - checks.number("continuation", continuation, 0.0, 1.0))
        return RealMatrixParams(payoffs=jnp.asarray(tables, jnp.float32), stop=jnp.asarray(stop))

    def default_params(self) -> RealMatrixParams:
        return self.params()

    @property
    def num_agents(self) -> int:
        return 2

    @property
    def action_names(self) -> tuple[str, ...]:
        """Names of the strategies."""
        return self.config.strategies

    @property
    def object_observation_ids(self) -> Mapping[str, Mapping[str, int]]:
        """Empty: there are no grids."""
        return {}

    def action_space(self, params: RealMatrixParams) -> Discrete:
        del params
        return Discrete(len(self.action_names), (2,), names=self.action_names)

    def observation_space(self, params: RealMatrixParams) -> Composite:
        del params
        size = len(self.action_names)
        spaces: dict[str, Space | None] = {
            "PAYOFFS": Box(-1e6, 1e6, (2, 2, size, size)),
            "LAST_ACTIONS": Box(0, size, (2, 2), np.int32),
        }
        if self.config.render_mode is not None:
            spaces["RGB"] = Box(0, 255, (2, size * SIZE, size * SIZE, 3), np.uint8)
        return Composite(None, spaces)

    def reset(self, key: jax.Array, params: RealMatrixParams) -> tuple[RealMatrixState, TimeStep]:
        del key
        zero = jnp.zeros((), jnp.int32)
        state = RealMatrixState(last=jnp.zeros(2, jnp.int32), steps=zero, ended=jnp.zeros((), bool))
        return state, self._moment(state, jnp.zeros(2, jnp.float32), as_arrays(params))

    def step(
        self, key: jax.Array, state: RealMatrixState, action: jax.Array, params: RealMatrixParams
    ) -> tuple[RealMatrixState, TimeStep]:
        params = as_arrays(params)
        made, reward, _ = self.advance(state, action, self.draws(key), params)
        return made, self._moment(made, reward, params)

    def draws(self, key: jax.Array) -> Draws:
        """The random word of one round, from the key of its tick."""
        return draw(key, {"end": 1})

    def advance(
        self, state: RealMatrixState, action: jax.Array, draws: Draws, params: RealMatrixParams
    ) -> tuple[RealMatrixState, jax.Array, dict[str, jax.Array]]:
        """One round without chance: the next state, rewards ``float32[2]`` and no events, given the random word."""
        chosen = jnp.clip(jnp.asarray(action).astype(jnp.int32), 0, len(self.action_names) - 1)
        reward = params.payoffs[:, chosen[0], chosen[1]]
        made = RealMatrixState(
            last=chosen + np.int32(1), steps=state.steps + np.int32(1), ended=draws["end"][0] < params.stop
        )
        made, reward = select(state.ended, (state, jnp.zeros_like(reward)), (made, reward))
        return made, reward, {}

    def observe(self, state: RealMatrixState, params: RealMatrixParams) -> dict[str, jax.Array]:
        """What both players see: ``[2, ...]`` by name."""
        row, column = params.payoffs[0], params.payoffs[1]
        views = [jnp.stack([row, column]), jnp.stack([column.T, row.T])]
        last = [state.last, state.last[::-1]]
        if self.config.observation_mode == "global":
            views, last = [views[0]] * 2, [last[0]] * 2
        seen = {"PAYOFFS": jnp.stack(views), "LAST_ACTIONS": jnp.stack(last)}
        if self.config.render_mode is not None:
            seen["RGB"] = jax.vmap(draw_tables)(seen["PAYOFFS"], seen["LAST_ACTIONS"])
        return seen

    def render(self, state: RealMatrixState, params: RealMatrixParams) -> np.ndarray | None:
        """Host: the tables with the row player's strategies as rows, ``uint8[8 K, 8 K, 3]``; None without a mode."""
        return None if self.config.render_mode is None else self.global_picture(state, params)

    def global_picture(self, state: RealMatrixState, params: RealMatrixParams) -> np.ndarray:
        """Host: that picture in any render mode, made when it is asked for."""
        return np.asarray(draw_tables(jnp.asarray(params.payoffs), jnp.asarray(state.last)))

    def _moment(self, state: RealMatrixState, reward: jax.Array, params: RealMatrixParams) -> TimeStep:
        info = GridInfo(collective_reward=reward.sum(), events={})
        ended = jnp.broadcast_to(state.ended, (2,))
        return make_timestep(self.observe(state, params), 2, reward=reward, terminated=ended, info=info)
