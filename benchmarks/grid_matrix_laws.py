"""What must hold in every step of The Matrix: resources, inventories, interactions and payment."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.grid_step import Laws, Step


def matrix_laws(step: Step) -> Laws:
    """Resources, inventories, interactions and payment."""
    before, made, events = step.before.own, step.made.own, step.events
    collected, paid = events["collected"], due(step)
    wanted = jnp.where(paid, _payoff(before, step.params.payoffs), 0.0) + jnp.where(
        collected > 0, step.params.gathering_reward, 0.0
    )
    frozen = jnp.where(events["partner"] >= 0, step.params.freeze + 2, jnp.maximum(step.before.avatars.frozen - 1, 0))
    countdown = jnp.where(
        events["partner"] >= 0,
        step.params.freeze,
        jnp.maximum(before.countdown - step.was_present.astype(jnp.int32), -1),
    )
    return {
        **_resource_laws(step),
        **_interaction_laws(step),
        "inventories change by what is collected or are lost": (made.inventory != _inventory(step)).any(),
        "rewards only when effects apply, as the tables say": (abs(step.reward - wanted) > 1e-4).any(),
        "who is paid leaves": (step.removed != paid).any(),
        "freeze and countdown": ((step.made.avatars.frozen != frozen) | (made.countdown != countdown)).any(),
    }


def _resource_laws(step: Step) -> Laws:
    before, made, events = step.before.own, step.made.own, step.events
    sprouts = _resource_sprouts(step)
    available = (before.waiting == 0) | sprouts
    site = step.site
    found = jnp.where(jnp.append(available, False)[site], jnp.append(before.kinds, jnp.uint8(0))[site], 0)
    taken = step.at_sites(events["collected"] > 0)
    shot = (before.waiting == 0) & (made.waiting == 1) & ~taken
    left = jnp.where(taken | shot, 1, jnp.where(available, 0, before.waiting + 1))
    # A resource that is gathered may be destroyed in the same step, and one that is destroyed stands there again with
    # full health until all have fired.
    twice = events["destroyed"].sum() - shot.sum(dtype=jnp.int32)
    many = events["fired"].sum(dtype=jnp.int32) > step.params.health
    unexplained = (twice < 0) | ((twice > taken.sum(dtype=jnp.int32)) & ~many)
    health = (made.health < 1) | (made.health > step.params.health)
    return {
        "who stands on a resource gathers it": (events["collected"] != found.astype(jnp.int32)).any(),
        "resources go where gathered or destroyed, and come back": (made.waiting != left).any(),
        "resources destroyed = what beams destroyed": unexplained,
        "classes stay, and health is 1 to full": (made.kinds != before.kinds).any() | health.any(),
    }


def _interaction_laws(step: Step) -> Laws:
    before, made, partner = step.before.own, step.made.own, step.events["partner"]
    met, other = partner >= 0, jnp.maximum(partner, 0)
    players = np.arange(partner.shape[0], dtype=np.int32)
    mutual = (partner[other] == players) & (other != players) & (made.as_row != made.as_row[other])
    same = (made.pair == made.pair[other][:, ::-1]).all(axis=(1, 2))
    reaches = step.in_reach
    near = (reaches | reaches.T)[players, other]
    gathered = (step.events["collected"] > 0) & ~_found_late(step)
    free = step.was_present & (before.countdown == -1) & (before.ready | gathered)
    shooters = jnp.where(made.as_row, step.events["fired"], step.events["fired"][other])
    roles = step.world.config.row_players
    if roles:
        shooters = (step.events["fired"] | step.events["fired"][other]) & (made.as_row == np.array(roles))
    kept = (made.pair == before.pair).all(axis=(1, 2)) & (made.as_row == before.as_row)
    return {
        "interactions are mutual, between row and column": (met & ~(mutual & same)).any(),
        "interactions are by firing in reach, both ready": (met & ~(near & free & shooters)).any(),
        "what was met stays until the next": (~met & ~kept).any(),
    }


def _inventory(step: Step) -> jax.Array:
    """``int32[A, K]``: lost by who is paid, and in the step itself by a row player who wins or ties."""
    before, made, events = step.before.own, step.made.own, step.events
    classes = np.arange(1, before.inventory.shape[1] + 1, dtype=np.int32)
    more = (events["collected"][:, None] == classes[None, :]).astype(jnp.int32)
    late = jnp.where(_found_late(step)[:, None], more, 0)
    value = _payoff(made, step.params.payoffs)
    margin = value - value[jnp.maximum(events["partner"], 0)]
    level = abs(margin) < 1e-5
    luck = step.draws["tie"] < np.uint32(2**31) if step.world.config.row_players else jnp.ones_like(level)
    wins = (events["partner"] >= 0) & made.as_row & jnp.where(level, luck, margin > 0)
    held = jnp.where(due(step)[:, None], 1, before.inventory) + more
    return jnp.where(wins[:, None], 1 + late, held)


def _found_late(step: Step) -> jax.Array:
    """``bool[A]``: who stands where nothing was as the step began; what grows there is found after interactions."""
    return jnp.append(step.before.own.waiting > 0, False)[step.site]


def _payoff(own: Any, payoffs: jax.Array) -> jax.Array:
    """``float32[A]``: the expected payoff of independent draws from both inventories of the last interaction."""
    mix = own.pair.astype(jnp.float32) / jnp.maximum(own.pair.sum(axis=-1, keepdims=True), 1).astype(jnp.float32)
    row = (mix[:, 0, :, None] * mix[:, 1, None, :] * payoffs[0][None]).sum(axis=(1, 2))
    column = (mix[:, 1, :, None] * mix[:, 0, None, :] * payoffs[1][None]).sum(axis=(1, 2))
    return jnp.where(own.as_row, row, column)


def due(step: Step) -> jax.Array:
    """``bool[A]``: whose interaction takes effect."""
    return step.was_present & (step.before.own.countdown == 0)


def _resource_sprouts(step: Step) -> jax.Array:
    """``bool[S]``: resources that come back: never under somebody, and all of them while nobody is there."""
    waiting, cells = step.before.own.waiting, np.asarray(step.world.sites.cells, np.int32)
    avatars = step.before.avatars
    taken = ((avatars.cell[:, None] == cells[None, :]) & step.was_present[:, None]).any(axis=0)
    sprouts = (waiting > step.params.regrowth_delay) & (step.draws["sites"] < step.params.regrowth) & ~taken
    if step.world.config.kind == "repeated":
        sprouts = sprouts | ~step.was_present.any()
    return (waiting > 0) & sprouts
