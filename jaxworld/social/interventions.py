"""Scheduled interventions and their additive effects."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.social.params import Interventions
from jaxworld.social.vocabulary import InterventionKind


@pytree_dataclass
class Effects:
    """Sum of what is in force, ``int32[]`` each, in 1/10,000."""

    activation: jax.Array
    reach: jax.Array
    attention: jax.Array


def active_effects(interventions: Interventions, tick: jax.Array) -> Effects:
    """Add up the effects of every scheduled act in force at ``tick``."""
    end = interventions.tick + interventions.duration
    in_force = (interventions.tick >= 0) & (interventions.tick <= tick) & (tick < end)

    def total(by_kind: jax.Array) -> jax.Array:
        return jnp.where(in_force, by_kind[interventions.kind], 0).sum(dtype=jnp.int32)

    return Effects(
        activation=total(interventions.activation),
        reach=total(interventions.reach),
        attention=total(interventions.attention),
    )


def starting(interventions: Interventions, tick: jax.Array) -> jax.Array:
    """``bool[3]``: kinds scheduled to start at ``tick``."""
    kinds = jnp.arange(len(InterventionKind), dtype=jnp.int32)
    starts = (interventions.tick == tick)[:, None] & (interventions.kind[:, None] == kinds[None, :])
    return jnp.any(starts, axis=0)
