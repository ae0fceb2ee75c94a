"""Coins: two players, two colours, and a penalty for whose coin the other takes."""

from __future__ import annotations

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.core.random import uniform_index
from jaxworld.core.spaces import Box, Space
from jaxworld.grid.avatars import Avatars, newcomers
from jaxworld.grid.board import Board
from jaxworld.grid.draws import Draws
from jaxworld.grid.endings import IntervalEnding, ends, interval_ending
from jaxworld.grid.layers import Layer
from jaxworld.grid.movement import move
from jaxworld.grid.sites import Sites, happens, look_up, put
from jaxworld.grid.spawning import facing
from jaxworld.grid.substrate import GridState, Substrate, Turn, substrate_config
from jaxworld.grid.views import WIDE, Window

COLOURS = ("red", "blue", "yellow", "green", "purple")
SHORTEST, LONGEST = 10, 15
"""Rows and columns inside the wall are uniform from 10 to 15."""
_SIDE = LONGEST + 2


@pytree_dataclass
class CoinsOwn:
    """What only Coins has.

    Attributes:
        size: ``int32[2]``, rows and columns inside the wall in this episode.
        colours: ``uint8[2]``, each player's colour, numbered from 1.
        coins: ``uint8[225]``, what lies on each site of the largest map: nothing, a coin of player 1's, of player 2's.
        mismatched: ``bool[2]``, who took a coin of the other's colour in this step.
    """

    size: jax.Array
    colours: jax.Array
    coins: jax.Array
    mismatched: jax.Array


@pytree_dataclass
class CoinsParams:
    """Numbers of the law.

    Attributes:
        regrowth: ``uint32[]``, threshold of the chance that a coin appears on an empty site in a step.
        reward: ``float32[]``, for taking a coin of any colour.
        mismatch: ``float32[]``, for the other player when one takes a coin of the other's colour.
        ending: when an episode may end.
    """

    regrowth: jax.Array
    reward: jax.Array
    mismatch: jax.Array
    ending: IntervalEnding


class Coins(Substrate[CoinsOwn, CoinsParams]):
    """Two players in a walled room whose size is drawn for each episode, between 10 and 15 rows and columns.

    A coin of either colour appears on each empty site with probability 0.0005 a step, and is taken by whoever stands
    there. It pays its taker 1; if it has the other player's colour, that player loses 2. An episode may end from
    step 399 on, every 100 steps, with probability 0.05.

    - grids: ``COINS`` and ``AVATAR_STATES``, both by colour; two of the five colours are used in an episode.
    - ``MISMATCHED_COIN_COLLECTED_BY_PARTNER``: ``float32[A]``, 1 in the step in which the other player took a coin
      that was not the taker's colour.

    Rules and numbers are those of Melting Pot's ``coins`` (Leibo et al. 2021, arXiv 2107.06857; version 2.4.1).
    Map and colours are drawn for each episode, where that draws them once for each environment built.

    Args:
        observation_mode: ``"local"``, ``"global"`` or ``"focal"``.
        view: the local window.
        render_mode: None, ``"rgb_array"`` or ``"human"``.

    Raises:
        ConfigurationError: for an unknown mode or a view that is none.
    """

    def __init__(self, observation_mode: str = "local", view: Window = WIDE, render_mode: str | None = None) -> None:
        self.config = substrate_config("coins", 2, observation_mode, view, None, 2, render_mode)
        self.board = Board(_SIDE, _SIDE)
        inside = np.arange(1, LONGEST + 1)
        self.sites = Sites(self.board, tuple((inside[:, None] * _SIDE + inside).reshape(-1).tolist()))

    def params(
        self,
        regrowth: float = 0.0005,
        reward: float = 1.0,
        mismatch: float = -2.0,
        ending_minimum: int = 300,
        ending_interval: int = 100,
        ending_probability: float = 0.05,
    ) -> CoinsParams:
        """Parameters with these numbers.

        Raises:
            ConfigurationError: for a probability outside 0 to 1, steps below 1 or rewards that are no numbers.
        """
        rewards = {"reward": reward, "mismatch": mismatch}
        made = {
            name: jnp.asarray(checks.number(name, value, -1e6, 1e6), jnp.float32) for name, value in rewards.items()
        }
        return CoinsParams(
            regrowth=jnp.asarray(checks.threshold("regrowth", regrowth)),
            ending=interval_ending(ending_minimum, ending_interval, ending_probability),
            **made,
        )

    def default_params(self) -> CoinsParams:
        return self.params()

    def own_layers(self) -> tuple[Layer, ...]:
        return (Layer("COINS", COLOURS), Layer("AVATAR_STATES", COLOURS))

    def start_draws(self) -> Mapping[str, int]:
        return {"start/size": 2, "start/colours": 2, "start/corner": 1, "start/facing": 2, "sites": self.sites.size}

    def step_draws(self) -> Mapping[str, int]:
        return {"move": 2, "sites": self.sites.size, "end": 1}

    def begin(self, draws: Draws, params: CoinsParams) -> tuple[Avatars, CoinsOwn]:
        size = np.int32(SHORTEST) + uniform_index(draws["start/size"], jnp.asarray(LONGEST - SHORTEST + 1, jnp.uint32))
        first = uniform_index(draws["start/colours"][0], jnp.asarray(len(COLOURS), jnp.uint32))
        second = uniform_index(draws["start/colours"][1], jnp.asarray(len(COLOURS) - 1, jnp.uint32))
        colours = jnp.stack([first, second + (second >= first).astype(jnp.int32)]) + np.int32(1)
        corners = _corners(size)
        swap = draws["start/corner"][0] >> np.uint32(31) == np.uint32(1)
        own = CoinsOwn(
            size=size,
            colours=colours.astype(jnp.uint8),
            coins=jnp.zeros(self.sites.size, jnp.uint8),
            mismatched=jnp.zeros(2, bool),
        )
        # The original lets its engine run once before the first observation, which gives coins one chance to appear.
        own = self._regrown(own, draws["sites"], params)
        return newcomers(jnp.where(swap, corners[::-1], corners), facing(draws["start/facing"])), own

    def act(self, state: GridState, action: jax.Array, draws: Draws, params: CoinsParams) -> Turn:
        own = state.own
        avatars = move(self.board, self._solid(own.size), state.avatars, action, draws["move"])
        site = self.sites.under(avatars)
        coins = self._regrown(own, draws["sites"], params).coins
        kind = look_up(coins, site)
        takes = kind > np.uint8(0)
        mismatched = takes & (kind != np.arange(1, 3, dtype=np.uint8))
        reward = jnp.where(takes, params.reward, np.float32(0)) + jnp.where(
            mismatched[::-1], params.mismatch, np.float32(0)
        )
        steps = state.steps + np.int32(1)
        return Turn(
            avatars=avatars,
            own=CoinsOwn(size=own.size, colours=own.colours, coins=put(coins, site, takes, 0), mismatched=mismatched),
            lit=state.lit,
            reward=reward,
            over=ends(params.ending, steps, draws["end"][0]),
            events={"took_coin": takes, "took_mismatched_coin": mismatched},
        )

    def paint(self, state: GridState, params: CoinsParams) -> dict[str, jax.Array | np.ndarray]:
        del params
        row, col = _rows_and_cols()
        height, width = state.own.size[0], state.own.size[1]
        walled = (row <= height + np.int32(1)) & (col <= width + np.int32(1))
        colours = jnp.concatenate([jnp.zeros(1, jnp.uint8), state.own.colours])
        return {
            "TERRAIN": walled & self._solid(state.own.size)[:-1],
            "COINS": colours[self.sites.on_board(state.own.coins).astype(jnp.int32)],
        }

    def paint_avatars(self, state: GridState, params: CoinsParams) -> dict[str, jax.Array]:
        del params
        return {"AVATAR_STATES": state.own.colours}

    def scalars(self, state: GridState, params: CoinsParams) -> dict[str, jax.Array]:
        del params
        return {"MISMATCHED_COIN_COLLECTED_BY_PARTNER": state.own.mismatched[::-1].astype(jnp.float32)}

    def scalar_spaces(self, params: CoinsParams) -> dict[str, Space]:
        del params
        return {"MISMATCHED_COIN_COLLECTED_BY_PARTNER": Box(0, 1, (2,))}

    def _solid(self, size: jax.Array) -> jax.Array:
        row, col = _rows_and_cols()
        inside = (row >= np.int32(1)) & (row <= size[0]) & (col >= np.int32(1)) & (col <= size[1])
        return jnp.concatenate([~inside, jnp.ones(1, bool)])

    def _regrown(self, own: CoinsOwn, words: jax.Array, params: CoinsParams) -> CoinsOwn:
        cells = np.asarray(self.sites.cells)
        in_play = (cells // _SIDE <= own.size[0]) & (cells % _SIDE <= own.size[1])
        for corner in _corners(own.size):
            in_play &= cells != corner
        appears = in_play & (own.coins == np.uint8(0)) & happens(words, params.regrowth)
        # Below the threshold the lowest bit is as good as a fresh coin toss, and saves a word for each site.
        kind = (words & np.uint32(1)).astype(jnp.uint8) + np.uint8(1)
        return replace(own, coins=jnp.where(appears, kind, own.coins))


def _corners(size: jax.Array) -> jax.Array:
    """``int32[2]``: the two cells where players start, near the north-east and the south-west corner."""
    height, width = size[0], size[1]
    return jnp.stack(
        [np.int32(2 * _SIDE) + width - np.int32(1), (height - np.int32(1)) * np.int32(_SIDE) + np.int32(2)]
    )


def _rows_and_cols() -> tuple[np.ndarray, np.ndarray]:
    cell = np.arange(_SIDE * _SIDE, dtype=np.int32)
    return cell // np.int32(_SIDE), cell % np.int32(_SIDE)
