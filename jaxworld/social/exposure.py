"""The exposure budget: what of a window is shown, with how much attention, and what is dropped."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.core.random import entity_bits, unit_interval
from jaxworld.social.config import SocialConfig
from jaxworld.social.interventions import active_effects
from jaxworld.social.params import SocialParams
from jaxworld.social.ranking import Window, make_window
from jaxworld.social.state import Drops, Stimuli
from jaxworld.social.vocabulary import ATTENTION_UNIT, SHARE_UNIT, DropReason, Reason

_SELECTED_SLOTS = 8
"""Up to this many slots a table is read by selection, which vectorises, beyond it by gathering."""


@pytree_dataclass
class Shown:
    """Slots of a presentation, ``int32[N, E]`` each; -1 and attention 0 where empty."""

    stimulus: jax.Array
    attention: jax.Array
    reason: jax.Array


def attention_of_slots(num_slots: int, shown: jax.Array, params: SocialParams) -> jax.Array:
    """Attention ``int32[N, E]`` in 1/10,000 of each slot when ``shown[N]`` slots are filled.

    It falls linearly from 1 in the first slot to ``last_slot_attention`` in the last; one slot alone has 1. Below
    the floor nothing is noticed. Rounded to the nearest unit, halves down.
    """
    slot = jnp.arange(num_slots, dtype=jnp.int32)[None, :]
    filled = jnp.arange(num_slots + 1, dtype=jnp.int32)[:, None]
    steps = jnp.maximum(filled - 1, 1)
    fall = (ATTENTION_UNIT - params.last_slot_attention) * slot
    attention = ATTENTION_UNIT - jnp.floor_divide(2 * fall + steps, 2 * steps)
    noticed = ATTENTION_UNIT * steps - fall >= params.attention_floor * steps
    table = jnp.where((slot < filled) & noticed, attention, 0)
    if num_slots > _SELECTED_SLOTS:
        return table[shown]
    rows = jnp.zeros((shown.shape[0], num_slots), jnp.int32)
    for count in range(1, num_slots + 1):
        rows = jnp.where((shown == count)[:, None], table[count][None, :], rows)
    return rows


def show(config: SocialConfig, params: SocialParams, window: Window, active: jax.Array) -> tuple[Shown, Drops]:
    """Cut windows at the budget: the first B candidates are shown, the rest of the window is dropped."""
    ranked = jnp.where(active, jnp.minimum(window.length, params.window), 0)
    shown = jnp.minimum(ranked, params.budget)
    slot = jnp.arange(config.max_window, dtype=jnp.int32)[None, :]
    is_shown = slot[:, : config.max_budget] < shown[:, None]
    dropped = (slot >= shown[:, None]) & (slot < ranked[:, None])
    return (
        Shown(
            stimulus=jnp.where(is_shown, window.stimulus, -1),
            attention=attention_of_slots(config.max_budget, shown, params),
            reason=jnp.where(is_shown, window.reason, jnp.int32(Reason.NONE)),
        ),
        Drops(
            stimulus=jnp.where(dropped, window.all_stimuli, -1),
            persona=None,
            reason=jnp.where(dropped, jnp.int32(DropReason.BUDGET_EXHAUSTED), -1),
            count=ranked - shown,
        ),
    )


def promote_concept(
    config: SocialConfig,
    params: SocialParams,
    window: Window,
    tick: jax.Array,
    words: jax.Array,
    seen: jax.Array | None,
) -> Window:
    """Put the concept first in the window of those an intervention reaches; it is there only once.

    ``seen`` is ``bool[N]``, who has seen the concept and must not be shown it again, or None.
    """
    if not config.num_interventions:
        return window
    share = active_effects(params.interventions, tick).reach.astype(jnp.float32) / jnp.float32(SHARE_UNIT)
    reached = unit_interval(entity_bits(words, params.population.identity, 1)[0]) < share
    if seen is not None:
        reached = reached & ~seen
    stimuli, reasons = window.all_stimuli, window.all_reasons
    at_concept = stimuli == 0
    there = jnp.any(at_concept, axis=1)
    position = jnp.where(there, jnp.argmax(at_concept, axis=1).astype(jnp.int32), config.max_window - 1)
    slot = jnp.arange(config.max_window, dtype=jnp.int32)[None, :]
    # Everything before the concept's old place (or the window's end) moves down by one.
    source = jnp.where((slot > 0) & (slot <= position[:, None]), slot - 1, slot)
    moved = jnp.where(slot == 0, 0, jnp.take_along_axis(stimuli, source, axis=1))
    reason = jnp.where(slot == 0, jnp.int32(Reason.LAUNCH), jnp.take_along_axis(reasons, source, axis=1))
    longer = jnp.minimum(window.length + (~there).astype(jnp.int32), config.max_window)
    return make_window(
        config,
        jnp.where(reached[:, None], moved, stimuli),
        jnp.where(reached[:, None], reason, reasons),
        jnp.where(reached, longer, window.length),
    )


def boost_study_attention(
    config: SocialConfig, params: SocialParams, shown: Shown, stimuli: Stimuli, tick: jax.Array
) -> Shown:
    """Add interventions' attention to noticed study stimuli, within 0 and 1."""
    if not config.num_interventions:
        return shown
    boost = active_effects(params.interventions, tick).attention
    study = (shown.stimulus >= 0) & (stimuli.author[jnp.maximum(shown.stimulus, 0)] < 0) & (shown.attention > 0)
    boosted = jnp.clip(shown.attention + boost, 0, ATTENTION_UNIT)
    return replace(shown, attention=jnp.where(study, boosted, shown.attention))
