"""Commons Harvest: apples grow back where apples are near, and a patch eaten up is gone for good."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.spaces import Box, Space
from jaxworld.grid.avatars import Avatars, fire_or_cool, newcomers, readiness, remove
from jaxworld.grid.beams import Beam, beam_cells, cast, hit, occupied, pack
from jaxworld.grid.board import Board
from jaxworld.grid.draws import Draws
from jaxworld.grid.endings import IntervalEnding, ends, interval_ending
from jaxworld.grid.layers import Layer
from jaxworld.grid.maps import APPLE, FLOOR, INSIDE_SPAWN, SPAWN, WALL, load_map, parse_map
from jaxworld.grid.movement import BASIC_ACTIONS, move
from jaxworld.grid.sites import Sites, count_near, happens, look_up, put
from jaxworld.grid.spawning import facing, respawn, scatter_over
from jaxworld.grid.substrate import GridState, Substrate, Turn, substrate_config
from jaxworld.grid.views import WIDE, Window


@dataclasses.dataclass(frozen=True)
class Variant:
    """What sets the variants apart: the beam, the delay of a return, and regrowth for 0, 1, 2, 3 or more neighbours."""

    beam: Beam
    cooldown: int
    respawn_delay: int
    regrowth: tuple[float, float, float, float]


VARIANTS: Mapping[str, Variant] = {
    "open": Variant(Beam(3, 1), 2, 4, (0.0, 0.0025, 0.005, 0.025)),
    "closed": Variant(Beam(4, 1), 1, 100, (0.0, 0.001, 0.005, 0.025)),
    "partnership": Variant(Beam(4, 1), 1, 100, (0.0, 0.001, 0.005, 0.025)),
}
RADIUS = 2
"""Apples at most this far away count as near: up to 12."""
FIRE_ZAP = len(BASIC_ACTIONS)
FRESH = 4
"""The class of an apple that is there, or was eaten in this step; 0 to 3 are numbers of live neighbours, 3 or more."""
FRESH_ON_BARE = 5
"""The same above ground that looks bare: its last neighbour went in the step before it grew, and nothing has looked at
the ground since, because only eaten apples do."""


@pytree_dataclass
class HarvestOwn:
    """What only Commons Harvest has.

    Attributes:
        live: ``bool[S]``, apples that are there.
        density: ``uint8[S]``, what the regrowth of the next step goes by: live neighbours, 3 for more, or FRESH.
    """

    live: jax.Array
    density: jax.Array


@pytree_dataclass
class HarvestParams:
    """Numbers of the law.

    Attributes:
        regrowth: ``uint32[4]``, threshold of the chance that an eaten apple grows back in a step, for 0, 1, 2 and
            more neighbours.
        apple_reward: ``float32[]``.
        zap_reward, zapped_reward: ``float32[]``, for each player hit, and for being hit.
        zap_cooldown, respawn_delay: ``int32[]``, steps.
        ending: when an episode may end.
    """

    regrowth: jax.Array
    apple_reward: jax.Array
    zap_reward: jax.Array
    zapped_reward: jax.Array
    zap_cooldown: jax.Array
    respawn_delay: jax.Array
    ending: IntervalEnding


class CommonsHarvest(Substrate[HarvestOwn, HarvestParams]):
    """Seven players among patches of apples, with a beam that sends others away for a while.

    An apple pays 1 to whoever enters its cell. Eaten, it grows back with a probability that depends on how many
    apples are left within a distance of 2: none if none are. The number that counts at step s is that at the end of
    step s - 2, as in the original. Who is hit by a beam is away for ``respawn_delay`` observations after the step of
    the hit and comes back on an outer point. Episodes may end from step 1099 on, every 100 steps, with
    probability 0.15.

    ==============  ======  ======  ===========
    variant         open    closed  partnership
    ==============  ======  ======  ===========
    beam            3, 1    4, 1    4, 1         (length, radius)
    cooldown        2       1       1
    respawn delay   4       100     100
    regrowth        0, .0025, .005, .025 (open); 0, .001, .005, .025 (closed, partnership)
    ==============  ======  ======  ===========

    - action 7: ``fire_zap``.
    - grids: ``APPLES``, ``BEAMS``; ``TERRAIN`` tells grass from bare ground, which an eaten apple without live
      neighbours leaves.
    - ``READY_TO_SHOOT``: ``float32[A]``, 1 when ready, 0 while away.

    Rules and numbers are those of Melting Pot's ``commons_harvest__*`` (Leibo et al. 2021, arXiv 2107.06857;
    version 2.4.1); the maps are our own, of the same size and with the same numbers of things.

    Args:
        variant: ``"open"``, ``"closed"`` or ``"partnership"``.
        num_players: players; the first ones start on inside points, one each.
        observation_mode: ``"local"``, ``"global"`` or ``"focal"``.
        view: the local window.
        map: a layout of ``#.SIA``; the variant's own if None.
        render_mode: None, ``"rgb_array"`` or ``"human"``.

    Raises:
        ConfigurationError: for an unknown variant, mode or view, or a map that cannot work.
    """

    extra_actions = ("fire_zap",)

    def __init__(
        self,
        variant: str = "open",
        num_players: int = 7,
        observation_mode: str = "local",
        view: Window = WIDE,
        map: str | Sequence[str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        require(variant in VARIANTS, "variant", variant, f"use one of {', '.join(VARIANTS)}")
        layout = load_map(f"commons_harvest_{variant}") if map is None else map
        grid_map = parse_map(layout, WALL + FLOOR + SPAWN + INSIDE_SPAWN + APPLE, {SPAWN: 1, APPLE: 1})
        self._inside, self._outside = grid_map.cells(INSIDE_SPAWN), grid_map.cells(SPAWN)
        points = len(self._inside) + len(self._outside)
        self.config = substrate_config(
            f"commons_harvest_{variant}", num_players, observation_mode, view, grid_map, points, render_mode
        )
        self.variant = VARIANTS[variant]
        self.beams = {"zap": self.variant.beam}
        self.board = Board(grid_map.rows, grid_map.cols)
        self.sites = Sites(self.board, tuple(grid_map.cells(APPLE).tolist()))
        self._solid = np.append(grid_map.mask(WALL).reshape(-1), True)
        self._adjacency = self.sites.adjacency(RADIUS)

    def params(
        self,
        regrowth: Sequence[float] | None = None,
        apple_reward: float = 1.0,
        zap_reward: float = 0.0,
        zapped_reward: float = 0.0,
        zap_cooldown: int | None = None,
        respawn_delay: int | None = None,
        ending_minimum: int = 1000,
        ending_interval: int = 100,
        ending_probability: float = 0.15,
    ) -> HarvestParams:
        """Parameters with these numbers; the variant's own where None.

        Raises:
            ConfigurationError: for probabilities outside 0 to 1 or not four of them, negative steps, or rewards that
                are no numbers.
        """
        chances = self.variant.regrowth if regrowth is None else tuple(regrowth)
        require(len(chances) == 4, "regrowth", regrowth, "give four probabilities: for 0, 1, 2 and more neighbours")
        steps = {
            "zap_cooldown": self.variant.cooldown if zap_cooldown is None else zap_cooldown,
            "respawn_delay": self.variant.respawn_delay if respawn_delay is None else respawn_delay,
        }
        rewards = {"apple_reward": apple_reward, "zap_reward": zap_reward, "zapped_reward": zapped_reward}
        return HarvestParams(
            regrowth=jnp.asarray(np.stack([checks.threshold("regrowth", chance) for chance in chances])),
            ending=interval_ending(ending_minimum, ending_interval, ending_probability),
            **{name: jnp.asarray(checks.whole(name, value, 0, 2**30), jnp.int32) for name, value in steps.items()},
            **{
                name: jnp.asarray(checks.number(name, value, -1e6, 1e6), jnp.float32) for name, value in rewards.items()
            },
        )

    def default_params(self) -> HarvestParams:
        return self.params()

    def own_layers(self) -> tuple[Layer, ...]:
        return (Layer("APPLES", ("apple",)),)

    def terrain(self) -> tuple[str, ...]:
        return ("wall", "floor", "grass", "bare_grass")

    def start_draws(self) -> Mapping[str, int]:
        players = self.num_agents
        return {"start/inside": players, "start/outside": players, "start/facing": players}

    def step_draws(self) -> Mapping[str, int]:
        players = self.num_agents
        return {"move": players, "respawn": players, "turn": players, "sites": self.sites.size, "end": 1}

    def begin(self, draws: Draws, params: HarvestParams) -> tuple[Avatars, HarvestOwn]:
        del params
        inside = min(len(self._inside), self.num_agents)
        starts = [scatter_over(self._inside, draws["start/inside"][:inside])] if inside else []
        if inside < self.num_agents:
            starts.append(scatter_over(self._outside, draws["start/outside"][inside:]))
        own = HarvestOwn(live=jnp.ones(self.sites.size, bool), density=jnp.full(self.sites.size, FRESH, jnp.uint8))
        return newcomers(jnp.concatenate(starts), facing(draws["start/facing"])), own

    def act(self, state: GridState, action: jax.Array, draws: Draws, params: HarvestParams) -> Turn:
        own, (beam,) = state.own, self.beams.values()
        avatars = move(self.board, self._solid, state.avatars, action, draws["move"])
        fires, avatars = fire_or_cool(avatars, action == FIRE_ZAP, avatars.present, params.zap_cooldown)
        cells = beam_cells(self.board, beam, avatars)
        rays = cast(beam, cells, fires, occupied(self.board, self._solid, avatars)[cells])
        hits = hit(rays, avatars)
        zapped = hits.any(axis=0)
        _, avatars = respawn(self.board, self._outside, avatars, params.respawn_delay, draws["respawn"], draws["turn"])
        sprouts = ~own.live & happens(draws["sites"], self._chance(own.density, params))
        site = self.sites.under(avatars)  # who was zapped is still there, and eats what sprouts under it
        eats = look_up(own.live | sprouts, site)
        reward = (
            jnp.where(eats, params.apple_reward, np.float32(0))
            + params.zap_reward * hits.sum(axis=1).astype(jnp.float32)
            + params.zapped_reward * zapped.astype(jnp.float32)
        )
        near = jnp.minimum(count_near(own.live, self._adjacency), np.int32(3)).astype(jnp.uint8)
        waits_on = ~own.live & ~sprouts  # an apple eaten in this step counts its neighbours in the next one
        grown = jnp.where(near == np.uint8(0), np.uint8(FRESH_ON_BARE), np.uint8(FRESH))
        return Turn(
            avatars=remove(avatars, zapped),
            own=HarvestOwn(
                live=put(own.live | sprouts, site, eats, 0),
                density=jnp.where(waits_on, near, jnp.where(sprouts, grown, own.density)),
            ),
            lit=pack(rays.lit)[None, :],
            reward=reward,
            over=ends(params.ending, state.steps + np.int32(1), draws["end"][0]),
            events={"ate": eats, "fired": fires, "zapped": hits},
        )

    def paint(self, state: GridState, params: HarvestParams) -> dict[str, jax.Array | np.ndarray]:
        del params
        bare = (state.own.density == np.uint8(0)) | (state.own.density == np.uint8(FRESH_ON_BARE))
        grass = jnp.where(bare, np.uint8(4), np.uint8(3))
        return {"TERRAIN": self._ground(grass), "APPLES": self.sites.on_board(state.own.live)}

    def scalars(self, state: GridState, params: HarvestParams) -> dict[str, jax.Array]:
        ready = readiness(state.avatars, params.zap_cooldown)
        return {"READY_TO_SHOOT": jnp.where(state.avatars.present, ready, np.float32(0))}

    def scalar_spaces(self, params: HarvestParams) -> dict[str, Space]:
        del params
        return {"READY_TO_SHOOT": Box(0, 1, (self.num_agents,))}

    def _ground(self, grass: jax.Array) -> jax.Array:
        """Categories ``[num_cells]`` of the ground, with those of the sites ``uint8[S]``."""
        still = np.where(self._solid[:-1], 1, 2).astype(np.uint8)
        seen = self.sites.on_board(grass)
        return jnp.where(seen > np.uint8(0), seen, still)

    def _chance(self, density: jax.Array, params: HarvestParams) -> jax.Array:
        """``uint32[S]``: the threshold of each eaten apple; 0 for one that has not counted yet."""
        thresholds = jnp.concatenate([params.regrowth, jnp.zeros(2, jnp.uint32)])
        return thresholds[density.astype(jnp.int32)]
