"""Texts become stimuli, in an order that does not depend on the order of turns."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxworld.core.ordering import compact, lexicographic_order
from jaxworld.core.pytree import replace
from jaxworld.social.config import SocialConfig
from jaxworld.social.engagement import CheckedTurns
from jaxworld.social.state import OVERFLOW_BIT, SocialState, Stimuli, TurnBatch, empty_stimuli
from jaxworld.social.vocabulary import AUTHORING, REPLYING, Channel, Platform, StimulusKind


def study_stimuli(config: SocialConfig) -> Stimuli:
    """The concept and then the claims, published at tick 0."""
    slots = jnp.arange(config.stimulus_capacity, dtype=jnp.int32)
    study = slots < config.num_study
    kind = jnp.where(slots == 0, jnp.int32(StimulusKind.CONCEPT), jnp.int32(StimulusKind.CLAIM_POST))
    nothing = jnp.full_like(slots, -1)
    zero = jnp.zeros_like(slots)
    return replace(
        empty_stimuli(config.stimulus_capacity),
        tick=jnp.where(study, zero, nothing),
        kind=jnp.where(study, kind, nothing),
        root=jnp.where(study, slots, nothing),
        depth=jnp.where(study, zero, nothing),
        platform=jnp.where(study, zero + int(Platform.STUDY), nothing),
        vector=jnp.where(study, slots, nothing),
        text=jnp.where(study, slots, nothing),
    )


def publication_order(config: SocialConfig, checked: CheckedTurns) -> tuple[jax.Array, jax.Array, jax.Array]:
    """The landed authoring turns in the order in which they are published.

    Returns:
        ``(rows int32[max_publications], valid bool[max_publications], count int32[])``: the row of the batch that the
        next stimuli come from, one after the other; ``count`` may exceed the room there is.
    """
    turns = checked.turns
    rows, valid, count = compact(checked.landed & jnp.asarray(AUTHORING)[turns.action], config.max_publications)
    act = turns.action * len(Channel) + turns.channel
    columns = [turns.persona, turns.subject, act, turns.vector, turns.text]
    # Integers, since text handles may be large; a row that is not valid comes last.
    keys = [-column[rows] for column in columns]
    order = lexicographic_order([jnp.where(valid, keys[0], -jnp.int32(2**31 - 1)), *keys[1:]])
    return rows[order], valid[order], count


def publish(
    config: SocialConfig, state: SocialState, checked: CheckedTurns, tick: jax.Array
) -> tuple[SocialState, jax.Array]:
    """Publish what landed authoring turns wrote, dated ``tick``.

    Order of publication: persona, subject, action, then channel, vector and text handle.

    Returns:
        The state and ``int32[]``, how many stimuli were published; they follow the earlier ones.
    """
    rows, valid, count = publication_order(config, checked)
    slot = state.num_stimuli + jnp.arange(config.max_publications, dtype=jnp.int32)
    fits = valid & (slot < config.stimulus_capacity)
    published = fits.sum(dtype=jnp.int32)
    overflow = jnp.where(count > config.max_publications, OVERFLOW_BIT["publications"], 0) | jnp.where(
        state.num_stimuli + count > config.stimulus_capacity, OVERFLOW_BIT["stimuli"], 0
    )
    new = _new_stimuli(config, state.stimuli, checked.turns, rows, slot, tick)
    target = jnp.where(fits, slot, config.stimulus_capacity)
    stimuli = jax.tree.map(lambda table, values: table.at[target].set(values, mode="drop"), state.stimuli, new)
    return (
        replace(state, stimuli=stimuli, num_stimuli=state.num_stimuli + published, overflow=state.overflow | overflow),
        published,
    )


def _new_stimuli(
    config: SocialConfig, table: Stimuli, turns: TurnBatch, rows: jax.Array, slot: jax.Array, tick: jax.Array
) -> Stimuli:
    persona, subject = turns.persona[rows], turns.subject[rows]
    reply = jnp.asarray(REPLYING)[turns.action[rows]]
    channel = turns.channel[rows]
    platform = jnp.where(channel == Channel.FORUM, jnp.int32(Platform.FORUM), jnp.int32(Platform.FEED))
    vector = turns.vector[rows]
    return Stimuli(
        tick=jnp.full_like(slot, 0) + tick,
        author=persona,
        kind=jnp.where(reply, jnp.int32(StimulusKind.PEER_REPLY), jnp.int32(StimulusKind.PEER_POST)),
        parent=jnp.where(reply, subject, -1),
        root=jnp.where(reply, table.root[subject], slot),
        depth=jnp.where(reply, table.depth[subject] + 1, 0),
        # What is said by word of mouth lands where its subject lives.
        platform=jnp.where(channel == Channel.WORD_OF_MOUTH, table.platform[subject], platform),
        vector=jnp.where(vector >= 0, vector, config.num_study + persona),
        text=turns.text[rows],
    )
