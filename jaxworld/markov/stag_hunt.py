"""Markov stag hunt: plants can be gathered alone, the stag only together."""

from __future__ import annotations

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.markov.bits import hot_index, one_hot
from jaxworld.markov.chance import Factors, Picks, Uniform, coin, only_if, threshold
from jaxworld.markov.game import GameConfig, MarkovGame
from jaxworld.markov.moves import ACTION_NAMES, move_table


@dataclasses.dataclass(frozen=True)
class StagHuntConfig(GameConfig):
    """Static configuration: rows and columns, players, plants, and how many hunters a stag takes."""

    height: int
    width: int
    num_players: int
    num_plants: int
    min_hunters: int


@pytree_dataclass
class StagHuntParams:
    """Numbers of the law.

    Attributes:
        move: ``uint32[2]``, threshold of the chance that the stag moves.
        axis: ``uint32[2]``, threshold of the chance that it moves along a column when it could go either way.
        plant, stag, maul: ``float32[]``, rewards of a plant, of a hunt for each hunter, and of being mauled.
    """

    move: jax.Array
    axis: jax.Array
    plant: jax.Array
    stag: jax.Array
    maul: jax.Array


@pytree_dataclass
class StagHuntPublic:
    """The public state.

    Attributes:
        cell: ``int32[A]``, where the players are.
        plants: ``bool[cells]``.
        stag: ``int32[]``, its cell; -1 while it is to come back within a step.
    """

    cell: jax.Array
    plants: jax.Array
    stag: jax.Array


class StagHunt(MarkovGame[StagHuntPublic, StagHuntParams]):
    """Players on a grid with plants and one stag; the law and numbers of ``markov_stag_hunt`` of MASA-Safe-RL.

    (github.com/sacktock/MASA-Safe-RL, Apache-2.0; without its plane of who was mauled, which the other planes show.)
    A step: players move (they may share a cell); those on a plant harvest it; enough players on the stag hunt it,
    fewer are mauled and the game is over. Otherwise the stag may take a step towards the nearest player (the first of
    several), along an axis by a coin if both differ, unless something is there. Then plants and after them the stag
    come back on free cells, all alike. Players start anywhere.

    - labels: ``mauled_i`` and ``unsafe_i`` of each player, ``unsafe`` if anybody was mauled.
    - termination: when anybody is mauled, for all.
    - bits: one plane of cells a player, one of plants, one of the stag.

    Args:
        height, width: of the grid; players, plants and the stag must fit on different cells.
        num_players: 1 to 6.
        num_plants: 0 to 8.
        min_hunters: players a stag takes.
        bookkeeping: keep a private record in the state.

    Raises:
        ConfigurationError: for sizes that cannot work.
    """

    name = "stag_hunt"
    action_names = ACTION_NAMES
    config: StagHuntConfig

    def __init__(
        self,
        height: int = 5,
        width: int = 5,
        num_players: int = 2,
        num_plants: int = 2,
        min_hunters: int = 2,
        bookkeeping: bool = True,
    ) -> None:
        players, plants = checks.whole("num_players", num_players, 1, 6), checks.whole("num_plants", num_plants, 0, 8)
        self.config = StagHuntConfig(
            bookkeeping=checks.flag("bookkeeping", bookkeeping),
            height=checks.whole("height", height, 1, 32),
            width=checks.whole("width", width, 1, 32),
            num_players=players,
            num_plants=plants,
            min_hunters=checks.whole("min_hunters", min_hunters, 1, 6),
        )
        cells = self.config.height * self.config.width
        needed = players + plants + 1
        shape = (self.config.height, self.config.width)
        require(cells >= needed, "height", shape, f"use at least {needed} cells: players, plants and the stag must fit")
        self.cells = cells
        self.num_settling = plants + 2
        self.num_actions = (len(ACTION_NAMES),) * players
        self.num_bits = cells * (players + 2)
        each = range(players)
        self.label_names = (*(f"mauled_{i}" for i in each), "unsafe", *(f"unsafe_{i}" for i in each))
        self._moves = move_table(self.config.height, self.config.width)

    def params(
        self, move: float = 0.2, axis: float = 0.5, plant: float = 2.0, stag: float = 10.0, maul: float = -2.0
    ) -> StagHuntParams:
        """Parameters with these numbers.

        Args:
            move: chance that the stag moves.
            axis: chance that it moves along a column when it could go either way.
            plant, stag, maul: rewards of a plant, a hunt and of being mauled.

        Raises:
            ConfigurationError: for a chance outside 0 to 1, or rewards that are not finite numbers.
        """
        rewards = {"plant": plant, "stag": stag, "maul": maul}
        made = {
            field: jnp.asarray(checks.number(field, value, -1e6, 1e6), jnp.float32) for field, value in rewards.items()
        }
        odds = {"move": jnp.asarray(threshold("move", move)), "axis": jnp.asarray(threshold("axis", axis))}
        return StagHuntParams(**odds, **made)

    def default_params(self) -> StagHuntParams:
        return self.params()

    def state_bound(self) -> int:
        """Live states are counted exactly; those of a maul have plants missing and the stag under a player."""
        cells, players, plants = self.cells, self.config.num_players, self.config.num_plants
        live = 0
        for places in range(1, players + 1):
            spread = math.perm(cells, places) * _partitions(players, places)
            live += spread * math.comb(cells - places, plants) * (cells - places - plants)
        left = sum(math.comb(cells, plants - gone) for gone in range(min(plants, players) + 1))
        return live + (cells**players * players * left if self.config.min_hunters > 1 else 0)

    def start_chance(self, params: StagHuntParams) -> Factors:
        del params
        count = jnp.asarray(self.cells, jnp.int32)
        return tuple(Uniform(count=count, size=self.cells) for _ in range(self.num_agents))

    def start(self, picks: Picks, params: StagHuntParams) -> StagHuntPublic:
        del params
        return StagHuntPublic(
            cell=jnp.stack(picks), plants=jnp.zeros(self.cells, bool), stag=jnp.full((), -1, jnp.int32)
        )

    def chance(self, public: StagHuntPublic, action: jax.Array, params: StagHuntParams) -> Factors:
        """None: what players do is certain, and all chance comes after it."""
        del public, action, params
        return ()

    def advance(
        self, public: StagHuntPublic, action: jax.Array, picks: Picks, params: StagHuntParams
    ) -> tuple[StagHuntPublic, jax.Array]:
        del picks
        cell = jnp.asarray(self._moves)[public.cell, action]
        forages = public.plants[cell]
        on_stag = cell == public.stag
        hunted = on_stag.sum(dtype=jnp.int32) >= np.int32(self.config.min_hunters)
        zero = np.float32(0)
        reward = jnp.where(forages, params.plant, zero)
        reward = reward + jnp.where(on_stag, jnp.where(hunted, params.stag, params.maul), zero)
        plants = public.plants & ~one_hot(cell, self.cells).any(axis=0)
        return StagHuntPublic(cell=cell, plants=plants, stag=jnp.where(hunted, np.int32(-1), public.stag)), reward

    def settle_chance(self, stage: int, public: StagHuntPublic, params: StagHuntParams) -> Factors:
        """First whether the stag moves (0) and whether along a column (0), then on which free cell each comes back."""
        if stage == 0:
            there = public.stag >= 0
            return tuple(only_if(there, coin(odds)) for odds in (params.move, params.axis))
        free = self._free(public).sum(dtype=jnp.int32)
        return (Uniform(count=jnp.where(self._missing(stage, public), free, np.int32(1)), size=self.cells),)

    def settle(self, stage: int, public: StagHuntPublic, picks: Picks, params: StagHuntParams) -> StagHuntPublic:
        del params
        free = self._free(public)
        if stage == 0:
            moves = (public.stag >= 0) & (picks[0] == 0)
            return replace(public, stag=jnp.where(moves, self._chase(public, ~free, picks[1] == 0), public.stag))
        place = free & (jnp.cumsum(free, dtype=jnp.int32) == picks[0] + np.int32(1))
        missing = self._missing(stage, public)
        if stage <= self.config.num_plants:
            return replace(public, plants=public.plants | (place & missing))
        return replace(public, stag=jnp.where(missing, hot_index(place), public.stag))

    def terminal(self, public: StagHuntPublic) -> jax.Array:
        return self._mauled(public).any()

    def labels(self, public: StagHuntPublic) -> jax.Array:
        mauled = self._mauled(public)
        return jnp.concatenate([mauled, mauled.any()[None], mauled])

    def encode(self, public: StagHuntPublic) -> jax.Array:
        return jnp.concatenate(
            [one_hot(public.cell, self.cells).reshape(-1), public.plants, one_hot(public.stag, self.cells)]
        )

    def decode(self, bits: jax.Array) -> StagHuntPublic:
        planes = bits.reshape(-1, self.cells)
        return StagHuntPublic(cell=hot_index(planes[:-2]), plants=planes[-2], stag=hot_index(planes[-1]))

    def _mauled(self, public: StagHuntPublic) -> jax.Array:
        """``bool[A]``: players on the stag's cell, too few of them."""
        here = public.cell == public.stag
        return here & (here.sum(dtype=jnp.int32) < np.int32(self.config.min_hunters))

    def _missing(self, stage: int, public: StagHuntPublic) -> jax.Array:
        if stage <= self.config.num_plants:
            return public.plants.sum(dtype=jnp.int32) < np.int32(self.config.num_plants)
        return public.stag < 0

    def _free(self, public: StagHuntPublic) -> jax.Array:
        """``bool[cells]``: cells with nothing on them."""
        return ~(one_hot(public.cell, self.cells).any(axis=0) | public.plants | one_hot(public.stag, self.cells))

    def _chase(self, public: StagHuntPublic, taken: jax.Array, along_column: jax.Array) -> jax.Array:
        """``int32[]``: where the stag goes if it moves; it stays if the cell is ``taken bool[cells]``."""
        width, cell, stag = np.int32(self.config.width), public.cell, public.stag
        rows, columns = cell // width - stag // width, cell % width - stag % width
        nearest = jnp.argmin(jnp.abs(rows) + jnp.abs(columns))
        row, column = jnp.sign(rows[nearest]), jnp.sign(columns[nearest])
        both = (row != 0) & (column != 0)
        row = jnp.where(both & ~along_column, np.int32(0), row)
        column = jnp.where(both & along_column, np.int32(0), column)
        target = stag + row * width + column
        return jnp.where(taken[target], stag, target)


def _partitions(items: int, parts: int) -> int:
    """Ways to split items into so many groups (Stirling numbers of the second kind)."""
    signs = ((-1) ** (parts - used) * math.comb(parts, used) * used**items for used in range(parts + 1))
    return sum(signs) // math.factorial(parts)
