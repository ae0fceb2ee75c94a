"""Word of mouth: a strong reaction is told to a few close peers, who meet its subject at the next tick."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.ordering import compact, lexicographic_order, prefix_sum
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.core.random import entity_bits, threefry_2x32
from jaxworld.social.config import SocialConfig
from jaxworld.social.engagement import CheckedTurns
from jaxworld.social.exposure import Shown, attention_of_slots, boost_study_attention
from jaxworld.social.params import SocialParams
from jaxworld.social.state import ChannelView, Drops, SocialState
from jaxworld.social.views import make_view, relation
from jaxworld.social.vocabulary import Action, Channel, DropReason, Reason

_NOTHING = np.int32(2**31 - 1)
_LAST_WORD = np.uint32(0xFFFFFFFF)


@pytree_dataclass
class Deliveries:
    """What is being told, one row a teller's turn and peer, ``int32[W]`` each.

    Attributes:
        valid: ``bool[W]``.
        recipient: persona told.
        subject: stimulus told about.
        tie: strength of the tie between teller and recipient in 1/1,000.
        teller: persona.
        mention: channel of the turn times N plus the teller: the order in which mentions come.
        lost: ``bool[W']``, deliveries beyond ``max_deliveries``, with ``lost_recipient`` and ``lost_subject``; W' is 0
            where every delivery has a row. The run is void, but what was lost is on record.
    """

    valid: jax.Array
    recipient: jax.Array
    subject: jax.Array
    tie: jax.Array
    teller: jax.Array
    mention: jax.Array
    lost: jax.Array
    lost_recipient: jax.Array
    lost_subject: jax.Array


@pytree_dataclass
class Told:
    """Slots of word of mouth, ``int32[N, E]``: stimulus (-1 empty), teller and tie."""

    stimulus: jax.Array
    via: jax.Array
    tie: jax.Array


def peers_to_tell(config: SocialConfig, params: SocialParams, telling: jax.Array, words: jax.Array) -> jax.Array:
    """Up to ``max_peers_told`` tie entries per teller, ``int32[N, P]``, -1 for none.

    The draw is keyed by teller and peer, not by the turn: a teller tells the same peers about everything, so the cap
    bounds peers. The qualifying entries with the lowest words are taken.
    """
    population, source = params.population, params.tie_source
    num_personas, num_ties = config.num_personas, config.num_ties
    if num_ties == 0:
        return jnp.full((num_personas, config.max_peers_told), -1, jnp.int32)
    teller = entity_bits(words, population.identity, 2)
    peer = population.identity[population.neighbor]
    bits = threefry_2x32((teller[0][source], teller[1][source]), (peer[:, 0], peer[:, 1]))[0]
    open_ties = telling[source] & (population.tie_strength >= params.tie_threshold)
    entry = jnp.arange(num_ties, dtype=jnp.int32)
    chosen = []
    for rank in range(config.max_peers_told):
        lowest = jax.ops.segment_min(
            jnp.where(open_ties, bits, _LAST_WORD), source, num_personas, indices_are_sorted=True
        )
        first = jax.ops.segment_min(
            jnp.where(open_ties & (bits == lowest[source]), entry, num_ties),
            source,
            num_personas,
            indices_are_sorted=True,
        )
        found = (first < num_ties) & (rank < params.peers_told)
        chosen.append(jnp.where(found, first, -1))
        open_ties = open_ties & (entry != first[source])
    return jnp.stack(chosen, axis=-1)


def spark(config: SocialConfig, params: SocialParams, checked: CheckedTurns, words: jax.Array) -> Deliveries:
    """The deliveries that this tick's turns cause."""
    turns = checked.turns
    sparks = checked.landed & (turns.action != Action.IGNORE)
    if config.word_of_mouth_from_rejected:
        sparks = checked.attempted & checked.exists
    strong = sparks & (turns.channel != Channel.SURVEY_ROOM) & (turns.sentiment >= params.sentiment_threshold)
    target = jnp.where(strong, turns.persona, config.num_personas)
    telling = jnp.zeros(config.num_personas, bool).at[target].set(True, mode="drop")
    entries = peers_to_tell(config, params, telling, words)[turns.persona]
    valid = (strong[:, None] & (entries >= 0)).reshape(-1)
    entry = jnp.maximum(entries, 0).reshape(-1)
    row = jnp.broadcast_to(jnp.arange(entries.shape[0], dtype=jnp.int32)[:, None], entries.shape).reshape(-1)
    population = params.population
    neighbor, strength = population.neighbor, population.tie_strength
    if config.num_ties == 0:
        neighbor, strength = jnp.zeros(1, jnp.int32), jnp.zeros(1, jnp.int32)
    lost, lost_entry, lost_row = jnp.zeros(0, bool), entry[:0], row[:0]
    if 0 < config.max_deliveries < valid.shape[0]:
        kept, usable, _ = compact(valid, config.max_deliveries)
        lost = valid & (prefix_sum(valid.astype(jnp.float32)) > config.max_deliveries)
        lost_entry, lost_row = entry, row
        valid, entry, row = usable, entry[kept], row[kept]
    return Deliveries(
        valid=valid,
        recipient=neighbor[entry],
        subject=turns.subject[row],
        tie=strength[entry],
        teller=turns.persona[row],
        mention=turns.channel[row] * config.num_personas + turns.persona[row],
        lost=lost,
        lost_recipient=neighbor[lost_entry],
        lost_subject=turns.subject[lost_row],
    )


def _per_recipient(config: SocialConfig, values: jax.Array, recipient: jax.Array, kind: str) -> jax.Array:
    start = _NOTHING if kind == "min" else np.int32(-1)
    table = jnp.full(config.num_personas, start, jnp.int32).at[recipient]
    return table.min(values, mode="drop") if kind == "min" else table.max(values, mode="drop")


def fill_slots(config: SocialConfig, deliveries: Deliveries) -> tuple[Told, jax.Array]:
    """Give every recipient its first E distinct subjects in order of first mention.

    Of several mentions of one subject the strongest tie is shown, the first on equal ties. Each slot is found with
    a few scatter-mins, which costs far less than sorting the deliveries.

    Returns:
        The slots, and ``int32[W]``: the slot each delivery went to, -1 if none.
    """
    open_rows, went = deliveries.valid, jnp.full(deliveries.recipient.shape, -1, jnp.int32)
    slots = []
    for slot in range(config.max_budget):

        def best(mask: jax.Array, values: jax.Array, kind: str = "min") -> jax.Array:
            recipient = jnp.where(mask, deliveries.recipient, config.num_personas)
            return _per_recipient(config, values, recipient, kind)

        mention = best(open_rows, deliveries.mention)
        first = open_rows & (deliveries.mention == mention[deliveries.recipient])
        subject = best(first, deliveries.subject)
        same = open_rows & (deliveries.subject == subject[deliveries.recipient])
        tie = best(same, deliveries.tie, "max")
        strongest = same & (deliveries.tie == tie[deliveries.recipient])
        earliest = best(strongest, deliveries.mention)
        filled = mention < _NOTHING
        slots.append(
            (
                jnp.where(filled, subject, -1),
                jnp.where(filled, jnp.mod(earliest, config.num_personas), -1),
                jnp.where(filled, tie, -1),
            )
        )
        went = jnp.where(same, slot, went)
        open_rows = open_rows & ~same
    stimulus, via, tie = (jnp.stack(column, axis=-1) for column in zip(*slots, strict=True))
    return Told(stimulus=stimulus, via=via, tie=tie), went


def _drops(config: SocialConfig, deliveries: Deliveries, dropped: jax.Array, awake: jax.Array) -> Drops:
    """One drop per recipient and subject; asleep takes precedence, since a sleeper has no budget to exhaust."""
    awake_reason = jnp.where(
        awake[deliveries.recipient], jnp.int32(DropReason.BUDGET_EXHAUSTED), jnp.int32(DropReason.ASLEEP)
    )
    recipient = jnp.concatenate([deliveries.recipient, deliveries.lost_recipient])
    subject = jnp.concatenate([deliveries.subject, deliveries.lost_subject])
    valid = jnp.concatenate([dropped, deliveries.lost])
    reason = jnp.concatenate([awake_reason, jnp.full(deliveries.lost.shape, DropReason.OVERFLOW, jnp.int32)])
    order = lexicographic_order(
        [valid.astype(jnp.float32), *(-key.astype(jnp.float32) for key in (recipient, subject))]
    )
    recipient, subject, valid, reason = recipient[order], subject[order], valid[order], reason[order]
    repeated = (recipient[1:] == recipient[:-1]) & (subject[1:] == subject[:-1]) & valid[:-1]
    valid = valid & ~jnp.concatenate([jnp.zeros(1, bool), repeated])
    target = jnp.where(valid, recipient, config.num_personas)
    return Drops(
        stimulus=jnp.where(valid, subject, -1),
        persona=jnp.where(valid, recipient, -1),
        reason=jnp.where(valid, reason, -1),
        count=jnp.zeros(config.num_personas, jnp.int32).at[target].add(1, mode="drop"),
    )


def drop_rows(config: SocialConfig, num_turns: int) -> int:
    """Rows W of the drops of a batch of ``num_turns`` turns."""
    told = num_turns * config.max_peers_told
    return told + config.max_deliveries if 0 < config.max_deliveries < told else told


def tell(
    config: SocialConfig, params: SocialParams, state: SocialState, deliveries: Deliveries, active: jax.Array
) -> tuple[ChannelView, Drops]:
    """Present deliveries to those awake, up to the budget; the rest is dropped, with a reason."""
    awake = replace(deliveries, valid=deliveries.valid & active[deliveries.recipient])
    told, went = fill_slots(config, awake)
    filled = (told.stimulus >= 0).sum(axis=1, dtype=jnp.int32)
    shown = jnp.minimum(filled, params.budget)
    inside = jnp.arange(config.max_budget, dtype=jnp.int32)[None, :] < shown[:, None]
    stimulus = jnp.where(inside, told.stimulus, -1)
    slots = Shown(
        stimulus=stimulus,
        attention=attention_of_slots(config.max_budget, shown, params),
        reason=jnp.where(inside, jnp.int32(Reason.WORD_OF_MOUTH), jnp.int32(Reason.NONE)),
    )
    slots = boost_study_attention(config, params, slots, state.stimuli, state.tick)
    view = make_view(config, params, state, state.counts, slots)
    viewer = jnp.broadcast_to(jnp.arange(config.num_personas, dtype=jnp.int32)[:, None], stimulus.shape)
    _, shared = relation(config, params.population, viewer, jnp.maximum(told.via, 0))
    view = replace(
        view,
        tie=jnp.where(inside, told.tie, -1),
        shared_community=jnp.where(inside, shared, -1),
        via=jnp.where(inside, told.via, -1),
    )
    dropped = deliveries.valid & ~((went >= 0) & (went < params.budget))
    return view, _drops(config, deliveries, dropped, active)


def launch(config: SocialConfig, params: SocialParams, words: jax.Array) -> jax.Array:
    """``bool[N]``: the personas the study tells at tick 0, drawn without replacement (lowest words first)."""
    population = params.population
    bits = entity_bits(words, population.identity, 2)
    # Two 16-bit halves and a second word decide; positions only if 48 bits agree.
    keys = [
        population.present.astype(jnp.float32),
        -(bits[0] >> np.uint32(16)).astype(jnp.int32).astype(jnp.float32),
        -(bits[0] & np.uint32(0xFFFF)).astype(jnp.int32).astype(jnp.float32),
        -(bits[1] >> np.uint32(16)).astype(jnp.int32).astype(jnp.float32),
    ]
    order = lexicographic_order(keys)
    rank = jnp.zeros(config.num_personas, jnp.int32).at[order].set(jnp.arange(config.num_personas, dtype=jnp.int32))
    return (rank < params.launch_count) & population.present


def launch_view(config: SocialConfig, params: SocialParams, state: SocialState, launched: jax.Array) -> ChannelView:
    """Tick 0 of a world with word of mouth alone: the concept, attention 1, bare context."""
    slot = jnp.arange(config.max_budget, dtype=jnp.int32)[None, :]
    first = launched[:, None] & (slot == 0)
    shown = Shown(
        stimulus=jnp.where(first, jnp.int32(0), jnp.int32(-1)),
        attention=attention_of_slots(config.max_budget, launched.astype(jnp.int32), params),
        reason=jnp.where(first, jnp.int32(Reason.LAUNCH), jnp.int32(Reason.NONE)),
    )
    return make_view(config, params, state, state.counts, shown)
