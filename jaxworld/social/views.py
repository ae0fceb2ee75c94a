"""The public context of what is shown: counts, thread position and the viewer's relation to the author."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxworld.social.config import SocialConfig
from jaxworld.social.exposure import Shown
from jaxworld.social.params import SocialParams
from jaxworld.social.population import Population
from jaxworld.social.state import ChannelView, SocialState


def tie_between(config: SocialConfig, population: Population, viewer: jax.Array, other: jax.Array) -> jax.Array:
    """Tie strength in 1/1,000 by bisection in the viewer's sorted tie list; 0 if untied. Indices broadcast."""
    low, end = population.row_offsets[viewer], population.row_offsets[viewer + 1]
    if config.num_ties == 0:
        return jnp.zeros(jnp.broadcast_shapes(viewer.shape, other.shape), jnp.int32)
    low, high = jnp.broadcast_to(low, other.shape), jnp.broadcast_to(end, other.shape)
    last = config.num_ties - 1
    for _ in range(max(config.max_degree, 1).bit_length()):
        middle = (low + high) >> 1
        right = population.neighbor[jnp.minimum(middle, last)] < other
        low, high = jnp.where((low < high) & right, middle + 1, low), jnp.where(right, high, middle)
    found = (low < jnp.broadcast_to(end, other.shape)) & (population.neighbor[jnp.minimum(low, last)] == other)
    return jnp.where(found, population.tie_strength[jnp.minimum(low, last)], 0)


def make_view(
    config: SocialConfig, params: SocialParams, state: SocialState, counts: jax.Array, shown: Shown
) -> ChannelView:
    """Context of every shown stimulus for its viewer; ``counts`` is the snapshot all viewers share."""
    population, stimuli = params.population, state.stimuli
    filled = shown.stimulus >= 0
    at = jnp.maximum(shown.stimulus, 0)
    author = jnp.where(filled, stimuli.author[at], -1)
    viewer = jnp.broadcast_to(jnp.arange(config.num_personas, dtype=jnp.int32)[:, None], at.shape)
    related = (author >= 0) & (author != viewer)
    tie, shared = relation(config, population, viewer, jnp.maximum(author, 0))

    def of(values: jax.Array) -> jax.Array:
        return jnp.where(filled, values[at], -1)

    return ChannelView(
        stimulus=shown.stimulus,
        attention=shown.attention,
        reason=shown.reason,
        author=author,
        kind=of(stimuli.kind),
        vector=of(stimuli.vector),
        depth=of(stimuli.depth),
        age=jnp.where(filled, state.tick - stimuli.tick[at], -1),
        counts=jnp.where(filled[..., None], counts[at], 0),
        tie=jnp.where(related, tie, -1),
        shared_community=jnp.where(related, shared, -1),
        via=jnp.full(at.shape, -1, jnp.int32),
    )


def relation(
    config: SocialConfig, population: Population, viewer: jax.Array, other: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Tie strength in 1/1,000 and whether the community is shared (-1 where either has none)."""
    mine, theirs = population.community[viewer], population.community[other]
    shared = jnp.where((mine >= 0) & (theirs >= 0), (mine == theirs).astype(jnp.int32), -1)
    return tie_between(config, population, viewer, other), shared
