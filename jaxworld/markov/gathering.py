"""Gathering: two players pick apples and can send each other away for a while."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.markov.bits import hot_index, one_hot
from jaxworld.markov.chance import Factors, Picks, coin, only_if, threshold
from jaxworld.markov.game import GameConfig, MarkovGame
from jaxworld.markov.moves import ACTION_NAMES, LEFT, OFFSETS, RIGHT, STAY, move_table

BEAM = 5
REGROW = ("chance", "timer")
MAX_SITES = 10


@dataclasses.dataclass(frozen=True)
class GatheringConfig(GameConfig):
    """Static configuration.

    Attributes:
        height, width: of the grid.
        sites: cells where apples grow, in order.
        reach: cells a beam goes.
        removal: steps a player that was hit is away, T.
        regrow: ``"chance"`` or ``"timer"``.
        regrow_steps: steps until an apple is back, with ``"timer"``.
    """

    height: int
    width: int
    sites: tuple[int, ...]
    reach: int
    removal: int
    regrow: str
    regrow_steps: int


@pytree_dataclass
class GatheringParams:
    """``regrowth``: ``uint32[2]``, threshold of an apple's chance to be back; ``apple``: ``float32[]``, its worth."""

    regrowth: jax.Array
    apple: jax.Array


@pytree_dataclass
class GatheringPublic:
    """The public state.

    Attributes:
        cell: ``int32[2]``, -1 for a player that is away.
        facing: ``int32[2]``, a direction 0 to 3, -1 for a player that is away.
        away: ``int32[2]``, steps until it is back, 0 for a player that is there.
        wait: ``int32[sites]``, 0 for a ripe apple; else 1, or with a timer the steps until it is ripe.
    """

    cell: jax.Array
    facing: jax.Array
    away: jax.Array
    wait: jax.Array


class Gathering(MarkovGame[GatheringPublic, GatheringParams]):
    """Two players on a grid with apples, after Leibo et al. (arXiv 1702.03037), with every countdown public.

    Actions 0 to 3 move and face left, right, up, down; 4 stays; 5 fires a beam straight ahead. A step:

    1. players move; if both head for one cell, or would swap, both keep theirs;
    2. beams hit a player up to ``reach`` cells ahead, both if both fire;
    3. a player on a ripe apple picks it, even if it was hit;
    4. apples grow on empty sites nobody stands on: each by chance, or after a countdown;
    5. who was hit goes away for ``removal`` steps; who was away comes back to its corner (player 0 to the first cell,
       facing right, player 1 to the last, facing left), or to the other corner if its own is taken.

    - labels: ``tagged_i`` and ``unsafe_i`` (player i was hit in the last step), ``unsafe`` if anybody was.
    - termination: never.
    - bits: for each player its cell, direction and countdown, then the sites (or their countdowns).

    Args:
        height, width: of the grid, at least 2 cells in all and at most 256.
        sites: cells where apples grow; the middle row by default.
        reach: cells a beam goes, at least 1.
        removal: steps away, 1 to 16.
        regrow: ``"chance"``, or ``"timer"`` for a public countdown.
        regrow_steps: steps until an apple is back, with ``"timer"``.
        bookkeeping: keep a private record in the state.

    Raises:
        ConfigurationError: for sizes or sites that cannot work.
    """

    name = "gathering"
    action_names = (*ACTION_NAMES, "beam")
    label_names = ("tagged_0", "tagged_1", "unsafe", "unsafe_0", "unsafe_1")
    num_actions = (6, 6)
    config: GatheringConfig

    def __init__(
        self,
        height: int = 3,
        width: int = 3,
        sites: Sequence[int] | None = None,
        reach: int = 2,
        removal: int = 2,
        regrow: str = "chance",
        regrow_steps: int = 3,
        bookkeeping: bool = True,
    ) -> None:
        height, width = checks.whole("height", height, 1, 32), checks.whole("width", width, 1, 32)
        cells = height * width
        require(2 <= cells <= 256, "width", width, "use 2 to 256 cells in all: two players need two corners")
        middle = range(height // 2 * width, (height // 2 + 1) * width)
        chosen = tuple(sorted({checks.whole("sites", cell, 0, cells - 1) for cell in middle if sites is None}))
        if sites is not None:
            chosen = tuple(sorted({checks.whole("sites", cell, 0, cells - 1) for cell in sites}))
        require(1 <= len(chosen) <= MAX_SITES, "sites", chosen, f"use 1 to {MAX_SITES} cells")
        require(regrow in REGROW, "regrow", regrow, f"use one of {', '.join(REGROW)}")
        self.config = GatheringConfig(
            bookkeeping=checks.flag("bookkeeping", bookkeeping),
            height=height,
            width=width,
            sites=chosen,
            reach=checks.whole("reach", reach, 1, 32),
            removal=checks.whole("removal", removal, 1, 16),
            regrow=regrow,
            regrow_steps=checks.whole("regrow_steps", regrow_steps, 1, 16),
        )
        self._moves = move_table(height, width)
        self._corners = np.asarray([0, cells - 1], np.int32)
        self._site_bits = 1 if regrow == "chance" else self.config.regrow_steps
        self.num_bits = 2 * (cells + 4 + self.config.removal) + len(chosen) * self._site_bits

    def params(self, regrowth: float = 0.1, apple: float = 1.0) -> GatheringParams:
        """Parameters with this chance of an apple to be back in a step, and this worth of one.

        Raises:
            ConfigurationError: for a chance outside 0 to 1, or a worth that is no finite number.
        """
        worth = checks.number("apple", apple, -1e6, 1e6)
        return GatheringParams(
            regrowth=jnp.asarray(threshold("regrowth", regrowth)), apple=jnp.asarray(worth, jnp.float32)
        )

    def default_params(self) -> GatheringParams:
        return self.params()

    def state_bound(self) -> int:
        config = self.config
        player = 4 * config.height * config.width + config.removal
        site = 2 if config.regrow == "chance" else config.regrow_steps + 1
        return int(player**2 * site ** len(config.sites))

    def start_chance(self, params: GatheringParams) -> Factors:
        del params
        return ()

    def start(self, picks: Picks, params: GatheringParams) -> GatheringPublic:
        del picks, params
        return GatheringPublic(
            cell=jnp.asarray(self._corners),
            facing=jnp.asarray([RIGHT, LEFT], jnp.int32),
            away=jnp.zeros(2, jnp.int32),
            wait=jnp.zeros(len(self.config.sites), jnp.int32),
        )

    def chance(self, public: GatheringPublic, action: jax.Array, params: GatheringParams) -> Factors:
        """One factor a site: outcome 0 grows an apple where one can grow by chance."""
        if self.config.regrow == "timer":
            return ()
        stands = self._stands(self._moved(public, action))
        grows = (public.wait > 0) & ~stands.any(axis=0)
        return tuple(only_if(grows[site], coin(params.regrowth)) for site in range(len(self.config.sites)))

    def advance(
        self, public: GatheringPublic, action: jax.Array, picks: Picks, params: GatheringParams
    ) -> tuple[GatheringPublic, jax.Array]:
        there = public.away == 0
        facing = jnp.where(there & (action < np.int32(STAY)), action, public.facing)
        cell = self._moved(public, action)
        hit = self._hits(cell, facing, there, (action == np.int32(BEAM)) & there)[::-1]
        stands = self._stands(cell)
        picked = stands & (public.wait == 0)[None, :]
        reward = picked.any(axis=1).astype(jnp.float32) * params.apple
        wait = self._grown(public.wait, stands.any(axis=0), picks)
        return self._sent(replace(public, cell=cell, facing=facing, wait=wait), there, hit), reward

    def terminal(self, public: GatheringPublic) -> jax.Array:
        del public
        return jnp.zeros((), bool)

    def labels(self, public: GatheringPublic) -> jax.Array:
        tagged = public.away == np.int32(self.config.removal)
        return jnp.concatenate([tagged, tagged.any()[None], tagged])

    def encode(self, public: GatheringPublic) -> jax.Array:
        cells, removal = self.config.height * self.config.width, self.config.removal
        planes = [one_hot(public.cell, cells), one_hot(public.facing, 4), one_hot(public.away - np.int32(1), removal)]
        if self.config.regrow == "timer":
            apples = one_hot(public.wait - np.int32(1), self._site_bits).reshape(-1)
        else:
            apples = public.wait == 0
        return jnp.concatenate([jnp.concatenate(planes, axis=1).reshape(-1), apples])

    def decode(self, bits: jax.Array) -> GatheringPublic:
        cells, removal = self.config.height * self.config.width, self.config.removal
        split = 2 * (cells + 4 + removal)
        players, apples = bits[:split].reshape(2, -1), bits[split:]
        if self.config.regrow == "timer":
            wait = hot_index(apples.reshape(-1, self._site_bits)) + np.int32(1)
        else:
            wait = (~apples).astype(jnp.int32)
        return GatheringPublic(
            cell=hot_index(players[:, :cells]),
            facing=hot_index(players[:, cells : cells + 4]),
            away=hot_index(players[:, cells + 4 :]) + np.int32(1),
            wait=wait,
        )

    def _moved(self, public: GatheringPublic, action: jax.Array) -> jax.Array:
        """New cells: clipped moves, and neither moves where they would meet or swap."""
        there, cell = public.away == 0, public.cell
        target = jnp.asarray(self._moves)[jnp.maximum(cell, np.int32(0)), jnp.minimum(action, np.int32(STAY))]
        target = jnp.where(there, target, np.int32(-1))
        meets = target[0] == target[1]
        swaps = (target == cell[::-1]).all()
        return jnp.where((meets | swaps) & there.all(), cell, target)

    def _stands(self, cell: jax.Array) -> jax.Array:
        """``bool[2, sites]``: who stands on which site."""
        return cell[:, None] == jnp.asarray(np.asarray(self.config.sites, np.int32))[None, :]

    def _hits(self, cell: jax.Array, facing: jax.Array, there: jax.Array, fires: jax.Array) -> jax.Array:
        """``bool[2]``: whether each player hits the other one."""
        width = np.int32(self.config.width)
        rows, columns = cell // width, cell % width
        ways = jnp.asarray(OFFSETS)[jnp.maximum(facing, np.int32(0))]
        away = jnp.stack([rows[::-1] - rows, columns[::-1] - columns], axis=1)
        steps = (away * ways).sum(axis=1, dtype=jnp.int32)
        straight = (away == ways * steps[:, None]).all(axis=1)
        return fires & there.all() & straight & (steps >= 1) & (steps <= np.int32(self.config.reach))

    def _sent(self, public: GatheringPublic, there: jax.Array, hit: jax.Array) -> GatheringPublic:
        """Those who were hit go, those whose time is over come back."""
        corners = jnp.asarray(self._corners)
        back = public.away == 1
        taken = public.cell[::-1] == corners
        corner = jnp.where(taken, corners[::-1], corners)
        facing = jnp.asarray([RIGHT, LEFT], jnp.int32)
        gone = hit | (~there & ~back)
        absent = np.int32(-1)
        return replace(
            public,
            cell=jnp.where(gone, absent, jnp.where(back, corner, public.cell)),
            facing=jnp.where(gone, absent, jnp.where(back, facing, public.facing)),
            away=jnp.where(hit, np.int32(self.config.removal), jnp.maximum(public.away - np.int32(1), np.int32(0))),
        )

    def _grown(self, wait: jax.Array, stood_on: jax.Array, picks: Picks) -> jax.Array:
        """Waits after the step: a ripe apple somebody stands on is picked, an empty site nobody stands on may grow."""
        zero, one = np.int32(0), np.int32(1)
        if self.config.regrow == "timer":
            picked, later = (
                np.int32(self.config.regrow_steps),
                jnp.where(wait > 1, wait - one, jnp.where(stood_on, one, zero)),
            )
        else:
            picked, later = one, jnp.where(~stood_on & (jnp.stack(picks) == 0), zero, one)
        return jnp.where(wait > 0, later, jnp.where(stood_on, picked, zero))
