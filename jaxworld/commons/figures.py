"""Figures of a run of a commons: sums on the device, ratios in float64 on the host."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons.state import CommonsInfo
from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.core.timestep import TimeStep
from jaxworld.metrics import host
from jaxworld.observe.normal import unfused

PER_PLAYER = ("harvest", "weighted_time", "discounted", "over", "takes", "present", "playing", "bound", "broken")


@pytree_dataclass
class CommonsTally:
    """What :class:`CommonsFigures` sums.

    Attributes:
        harvest, weighted_time, discounted: ``float32[N]``, sums over turns of the harvest, of turn times harvest, and
            of the discounted harvest.
        over, takes: ``int32[N]``, turns in which a player took more than an equal share of the sustainable catch, and
            turns in which it was in the game.
        present, playing: ``bool[N]``, in the game from the start, and now.
        turns: ``int32[]``, turns of the run, those after an end included.
        lived: ``int32[]``, turns that began with a living commons.
        alive: ``bool[]``, whether it still lives.
        maximum_yield, first_sustainable: ``float32[]``, see ``CommonsInfo``; the latter at the reset.
        weight: ``float32[]``, weight of the next turn in ``discounted``.
        bound, broken: ``int32[N]``, None without governance.
    """

    harvest: jax.Array
    weighted_time: jax.Array
    discounted: jax.Array
    over: jax.Array
    takes: jax.Array
    present: jax.Array
    playing: jax.Array
    turns: jax.Array
    lived: jax.Array
    alive: jax.Array
    maximum_yield: jax.Array
    first_sustainable: jax.Array
    weight: jax.Array
    bound: jax.Array | None
    broken: jax.Array | None


@pytree_dataclass
class CommonsFigures:
    """Reducer of a run of a commons (not wrapped in ``AutoReset``).

    Its summary is a :class:`CommonsTally`, of which sweeps make the columns ``welfare``, ``gini``, ``survival`` (1 if
    the commons lives), ``survival_time``, ``rawls``, ``log_utility`` (in equal shares of the maximum yield of the
    run), ``discounted`` (all players together), ``utilitarian``, ``equality``, ``mean_harvest_time`` (NaN if nobody
    harvested), ``efficiency``, ``over_usage``, ``honour_rate`` under governance (NaN if nothing was ever promised),
    and ``share_<class>`` of the total harvest for each class. Metrics as in :mod:`jaxworld.metrics`.

    Attributes:
        classes: class of each player, or () for none (static); ``Roster`` is one.
        discount: ``float32[]``, of a turn.
    """

    classes: tuple[str, ...] = static_field(default=())
    discount: Any = np.float32(0.95)

    def init(self, timestep: TimeStep) -> CommonsTally:
        info: CommonsInfo = timestep.info
        zeros, counts = jnp.zeros_like(info.harvest), jnp.zeros(info.harvest.shape, jnp.int32)
        zero, present = jnp.zeros((), jnp.int32), timestep.observation.active
        return CommonsTally(
            harvest=zeros,
            weighted_time=zeros,
            discounted=zeros,
            over=counts,
            takes=counts,
            present=present,
            playing=present,
            turns=zero,
            lived=zero,
            alive=info.alive,
            maximum_yield=info.maximum_yield,
            first_sustainable=info.sustainable,
            weight=jnp.ones((), jnp.float32),
            bound=info.bound,
            broken=info.broken,
        )

    def update(self, carry: CommonsTally, timestep: TimeStep, action: object) -> tuple[CommonsTally, CommonsTally]:
        del action
        info: CommonsInfo = timestep.info
        playing = timestep.observation.active
        turn = carry.turns.astype(jnp.float32)
        made = CommonsTally(
            harvest=carry.harvest + info.harvest,
            weighted_time=carry.weighted_time + unfused(turn * info.harvest),
            discounted=carry.discounted + unfused(carry.weight * info.harvest),
            over=carry.over + info.over.astype(jnp.int32),
            takes=carry.takes + (carry.playing & info.alive).astype(jnp.int32),
            present=carry.present,
            playing=playing,
            turns=carry.turns + np.int32(1),
            lived=carry.lived + info.alive.astype(jnp.int32),
            alive=(~timestep.terminated).any(),
            maximum_yield=info.maximum_yield,
            first_sustainable=carry.first_sustainable,
            weight=carry.weight * jnp.asarray(self.discount, jnp.float32),
            bound=_sum(carry.bound, info.bound),
            broken=_sum(carry.broken, info.broken),
        )
        return made, self.final(made)

    def final(self, carry: CommonsTally) -> CommonsTally:
        return carry

    def host_columns(self, columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Figures from the sums of a run, ``[rows]`` each; sums of players are columns ``name[i]``."""
        size = sum(name.startswith("harvest[") for name in columns)

        def players(name: str) -> np.ndarray:
            return np.stack([columns[f"{name}[{player}]"] for player in range(size)], axis=-1)

        sums = {name: players(name) for name in PER_PLAYER if f"{name}[0]" in columns}
        return figures({**columns, **sums}, self.classes)

    def summary(self, tally: CommonsTally) -> dict[str, np.ndarray]:
        """Host: figures of tallies with any leading axes."""
        fields = {field.name: getattr(tally, field.name) for field in dataclasses.fields(tally)}
        return figures({name: np.asarray(value) for name, value in fields.items() if value is not None}, self.classes)


def figures(sums: Mapping[str, np.ndarray], classes: tuple[str, ...] = ()) -> dict[str, np.ndarray]:
    """Host: what the sums of runs come to, ``float64[...]`` by name.

    Args:
        sums: fields of :class:`CommonsTally`; those of players have a last axis.
        classes: class of each player, or ().
    """
    harvest, turns, most = sums["harvest"].astype(np.float64), sums["turns"], sums["maximum_yield"].astype(np.float64)
    present = sums["present"].astype(np.bool_)
    yielded = turns * most
    scale = np.maximum(yielded / np.maximum(present.sum(axis=-1), 1), 1e-30)
    total = harvest.sum(axis=-1)
    made = {
        # Four times the maximum yield is r K, so this is the catch over T r K / 4, for any law of growth.
        "welfare": host.welfare(harvest, turns, 4.0 * most, np.ones_like(most)),
        "gini": host.gini(harvest, mask=present),
        "survival": sums["alive"].astype(np.float64),
        "survival_time": sums["lived"],
        "rawls": host.rawls(harvest, present),
        "log_utility": host.log_utility(harvest, scale, present),
        "discounted": sums["discounted"].astype(np.float64).sum(axis=-1),
        "utilitarian": host.utilitarian(harvest, turns),
        "equality": host.equality(harvest, present),
        "mean_harvest_time": host.sustainability(sums["weighted_time"], harvest),
        "efficiency": host.efficiency(harvest, turns, sums["first_sustainable"]),
        "over_usage": host.over_usage(sums["over"], sums["takes"]),
    }
    if "bound" in sums:
        made["honour_rate"] = host.honour_rate(sums["broken"].sum(axis=-1), sums["bound"].sum(axis=-1))
    for name in dict.fromkeys(classes):
        members = np.asarray([kind == name for kind in classes])
        share = harvest[..., members].sum(axis=-1) / np.where(total > 0, total, 1.0)
        made[f"share_{name}"] = np.where(total > 0, share, 0.0)
    return {name: np.asarray(value) for name, value in made.items()}


def _sum(total: jax.Array | None, more: jax.Array | None) -> jax.Array | None:
    return None if total is None or more is None else total + more
