"""Turns enter: what lands, what is rejected, and the counts and follows it leaves."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from jaxworld.core.ordering import compact, lexicographic_order
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.social.config import SocialConfig
from jaxworld.social.state import OVERFLOW_BIT, SocialState, TurnBatch
from jaxworld.social.vocabulary import AFFORDANCES, COUNT_COLUMN, Action, Channel, Count


@pytree_dataclass
class CheckedTurns:
    """Turns with indices clipped into range and a verdict on each row.

    Attributes:
        turns: the batch; rows that are not ``attempted`` are to be ignored.
        attempted: ``bool[R]``, valid and well formed.
        landed: ``bool[R]``, the action lands on its channel and its subject exists.
        rejected: ``bool[R]``, attempted but not landed: recorded, changes nothing.
        exists: ``bool[R]``, the subject has been published.
        malformed: ``bool[]``, some valid row names something no batch can name.
    """

    turns: TurnBatch
    attempted: jax.Array
    landed: jax.Array
    rejected: jax.Array
    exists: jax.Array
    malformed: jax.Array


def channels_on(config: SocialConfig) -> list[bool]:
    """Whether each ``Channel`` is on."""
    return [config.survey, config.has_feed, config.has_forum, config.has_word_of_mouth]


def check_turns(config: SocialConfig, turns: TurnBatch, num_stimuli: jax.Array) -> CheckedTurns:
    """Sort out which rows count."""
    known = (
        (turns.persona >= 0)
        & (turns.persona < config.num_personas)
        & (turns.subject >= 0)
        & (turns.subject < config.stimulus_capacity)
        & (turns.channel >= 0)
        & (turns.channel < len(Channel))
        & (turns.action >= 0)
        & (turns.action < len(Action))
    )
    clipped = replace(
        turns,
        persona=jnp.clip(turns.persona, 0, config.num_personas - 1),
        subject=jnp.clip(turns.subject, 0, config.stimulus_capacity - 1),
        channel=jnp.clip(turns.channel, 0, len(Channel) - 1),
        action=jnp.clip(turns.action, 0, len(Action) - 1),
    )
    attempted = turns.valid & known
    exists = clipped.subject < num_stimuli
    affordances = jnp.asarray(AFFORDANCES & jnp.asarray(channels_on(config))[:, None])
    lands = affordances.reshape(-1)[clipped.channel * len(Action) + clipped.action]
    return CheckedTurns(
        turns=clipped,
        attempted=attempted,
        landed=attempted & exists & lands,
        rejected=attempted & ~(exists & lands),
        exists=exists,
        malformed=jnp.any(turns.valid & ~known),
    )


def count_replies(config: SocialConfig, state: SocialState) -> jax.Array:
    """Counts ``int32[S, 5]`` with the replies published at ``state.tick``, which become visible one tick later."""
    size = config.max_publications
    first = jnp.maximum(state.num_stimuli - size, 0)
    tick = lax.dynamic_slice(state.stimuli.tick, (first,), (size,))
    parent = lax.dynamic_slice(state.stimuli.parent, (first,), (size,))
    target = jnp.where((tick == state.tick) & (parent >= 0), parent, config.stimulus_capacity)
    return state.counts.at[target, Count.REPLIES].add(1, mode="drop")


def count_engagement(
    config: SocialConfig, counts: jax.Array, engaged: jax.Array | None, checked: CheckedTurns
) -> tuple[jax.Array, jax.Array | None]:
    """Add likes, reposts and votes; with a history, repeats of the same persona count once."""
    turns = checked.turns
    column = jnp.asarray(COUNT_COLUMN)[turns.action]
    raises = checked.landed & (column >= 0)
    if engaged is None:
        target = jnp.where(raises, turns.subject, config.stimulus_capacity)
        return counts.at[target, jnp.maximum(column, 0)].add(1, mode="drop"), None
    persona = jnp.where(raises, turns.persona, config.num_personas)
    engaged = engaged.at[jnp.maximum(column, 0), persona, turns.subject].set(True, mode="drop")
    recount = engaged.sum(axis=1, dtype=jnp.int32).T
    replies = jnp.arange(len(Count)) == Count.REPLIES
    return jnp.where(replies[None, :], counts, recount), engaged


def add_follows(config: SocialConfig, state: SocialState, checked: CheckedTurns) -> SocialState:
    """Store new follows of a subject's author (not the study, not oneself); the first of equal follows is kept."""
    turns = checked.turns
    rows, valid, wanted = compact(checked.landed & (turns.action == Action.FOLLOW), config.max_follows)
    persona, followee = turns.persona[rows], state.stimuli.author[turns.subject[rows]]
    known = jnp.any(state.followees[persona] == followee[:, None], axis=1)
    valid = valid & (followee >= 0) & (followee != persona) & ~known
    order = lexicographic_order(
        [valid.astype(jnp.float32), -persona.astype(jnp.float32), -followee.astype(jnp.float32)]
    )
    persona, followee, valid = persona[order], followee[order], valid[order]
    same_persona = jnp.concatenate([jnp.zeros(1, bool), persona[1:] == persona[:-1]])
    repeated = same_persona & jnp.concatenate([jnp.zeros(1, bool), followee[1:] == followee[:-1]])
    new = valid & ~repeated
    # Position among the persona's new follows: count of new rows before it, less that at the start of its run.
    before = jnp.cumsum(new.astype(jnp.int32)) - new.astype(jnp.int32)
    rank = before - lax.cummax(jnp.where(same_persona, 0, before))
    held = (state.followees >= 0).sum(axis=1, dtype=jnp.int32)[persona]
    slot = held + rank
    overflow = (wanted > config.max_follows) | jnp.any(new & (slot >= config.max_followees))
    target = jnp.where(new, persona, config.num_personas)
    return replace(
        state,
        followees=state.followees.at[target, slot].set(followee, mode="drop"),
        followers_gained=state.followers_gained.at[jnp.where(new, followee, config.num_personas)].add(1, mode="drop"),
        overflow=state.overflow | jnp.where(overflow, OVERFLOW_BIT["followees"], 0),
    )
