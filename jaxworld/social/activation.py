"""Who is awake: involvement times the rhythm of the tick unit, thinned by a rate."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxworld.core.materialize import materialize
from jaxworld.core.random import entity_bits, unit_interval
from jaxworld.social.config import SocialConfig
from jaxworld.social.interventions import active_effects
from jaxworld.social.params import SocialParams
from jaxworld.social.vocabulary import SHARE_UNIT, TickUnit


def activation_probability(config: SocialConfig, params: SocialParams, tick: jax.Array) -> jax.Array:
    """``float32[N]``: min(1, involvement x rhythm), plus interventions, times the activation rate.

    Only single products and exact sums occur, so every IEEE machine agrees on the bits.
    """
    population = params.population
    if population.rhythm is not None and config.tick_unit == TickUnit.HOUR.name.lower():
        rhythm = population.rhythm[:, jnp.mod(tick, population.rhythm.shape[1])]
    else:
        rhythm = params.rhythm[jnp.mod(tick, params.rhythm.shape[0])]
    probability = jnp.minimum(jnp.maximum(population.involvement, 0) * rhythm, 1)
    if config.num_interventions:
        boost = active_effects(params.interventions, tick).activation.astype(jnp.float32) / jnp.float32(SHARE_UNIT)
        probability = jnp.clip(probability + boost, 0, 1)
    return probability * jnp.clip(params.activation_rate, 0, 1)


def draw_active(config: SocialConfig, params: SocialParams, tick: jax.Array, words: jax.Array) -> jax.Array:
    """``bool[N]``: awake personas. A lower rate keeps a subset, since the draw does not depend on it."""
    bits = entity_bits(words, params.population.identity, 1)[0]
    awake = unit_interval(bits) < activation_probability(config, params, tick)
    return materialize(awake & params.population.present)
