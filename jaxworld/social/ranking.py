"""From a recommender to a window: the first K candidates of every persona, in rank order.

Three mechanisms serve all recommenders. *Sample* draws K slots per persona without touching the candidates.
*Shared* ranks once per world, a top-k over S for everybody. *Personal* ranks blocks of personas, so that no array of
personas x stimuli ever exists. Filters (own, already seen) make any order personal.
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from jaxworld.core.batch_hints import max_in_batch
from jaxworld.core.ordering import compact, lexicographic_order, lexicographic_top_k, tie_limb, top_k_seeded_ties
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.random import entity_bits, index_identity, uniform_index, unit_interval
from jaxworld.social.config import SocialConfig
from jaxworld.social.recommenders.context import PersonaBlock, PersonalOrder, RankingContext
from jaxworld.social.recommenders.registry import Recommender, get_recommender
from jaxworld.social.recommenders.standard import COMMUNITY_SCOPED
from jaxworld.social.state import SocialState
from jaxworld.social.streams import PlatformStreams
from jaxworld.social.vocabulary import Platform, Reason


@pytree_dataclass
class Window:
    """Ranked candidates of every persona, best first, a prefix of the K slots; -1 beyond it.

    The slots that can be shown are kept apart from the rest, so that a run in which nobody looks at what was dropped
    never computes it.

    Attributes:
        stimulus: ``int32[N, E]``, the first E slots.
        reason: ``int32[N, E]``.
        later_stimulus: ``int32[N, K - E]``, the other slots.
        later_reason: ``int32[N, K - E]``.
        length: ``int32[N]``, filled slots.
    """

    stimulus: jax.Array
    reason: jax.Array
    later_stimulus: jax.Array
    later_reason: jax.Array
    length: jax.Array

    @property
    def all_stimuli(self) -> jax.Array:
        """``int32[N, K]``."""
        return jnp.concatenate([self.stimulus, self.later_stimulus], axis=1)

    @property
    def all_reasons(self) -> jax.Array:
        """``int32[N, K]``."""
        return jnp.concatenate([self.reason, self.later_reason], axis=1)


def make_window(config: SocialConfig, stimulus: jax.Array, reason: jax.Array, length: jax.Array) -> Window:
    """Split K slots ``[N, K]`` at the budget and blank those beyond ``length[N]``."""
    filled = jnp.arange(config.max_window, dtype=jnp.int32)[None, :] < length[:, None]
    stimulus = jnp.where(filled, stimulus, -1)
    reason = jnp.where(filled, reason, jnp.int32(Reason.NONE))
    cut = config.max_budget
    return Window(
        stimulus=stimulus[:, :cut],
        reason=reason[:, :cut],
        later_stimulus=stimulus[:, cut:],
        later_reason=reason[:, cut:],
        length=length,
    )


def rank(context: RankingContext, state: SocialState, streams: PlatformStreams) -> Window:
    """The window of every persona under the platform's configured recommender or mixture."""
    windows = [_rank_one(recommender, context, state, streams) for recommender in _recommenders(context)]
    if len(windows) == 1:
        return windows[0]
    return _mix(windows[0], windows[1], context, streams)


def _recommenders(context: RankingContext) -> list[Recommender]:
    config = context.config
    if context.platform == Platform.FEED:
        return [get_recommender(name) for name in config.feed_mixture]
    if config.forum_preset == "community_scoped":
        return [COMMUNITY_SCOPED]
    recommender = get_recommender(config.forum_recommender)
    return [recommender if recommender.reason == Reason.RANDOM else _for_forum(recommender)]


def _for_forum(recommender: Recommender) -> Recommender:
    import dataclasses

    return dataclasses.replace(recommender, reason=Reason.FORUM)


def _rank_one(
    recommender: Recommender, context: RankingContext, state: SocialState, streams: PlatformStreams
) -> Window:
    config = context.config
    filtered = config.hide_own or config.hide_seen
    if recommender.scope == "sample" and not filtered:
        return _sample(recommender, context, streams)
    if recommender.scope == "shared" and not filtered:
        return _shared(recommender, context, streams)
    return _personal(recommender, context, state, streams)


def candidate_slots(context: RankingContext) -> jax.Array | None:
    """``int32[S]``: slot of the i-th candidate; None where candidates are simply the first slots."""
    config = context.config
    if not (config.has_feed and config.has_forum):
        return None
    position = jnp.cumsum(context.candidate.astype(jnp.int32)) - 1
    size = config.stimulus_capacity
    target = jnp.where(context.candidate, position, size)
    return jnp.zeros(size, jnp.int32).at[target].set(jnp.arange(size, dtype=jnp.int32), mode="drop")


def sample_without_replacement(bits: list[jax.Array], size: jax.Array) -> list[jax.Array]:
    """Sparse Fisher-Yates: distinct positions in ``[0, size)``, one array per slot, uniform in set and order.

    Swaps live in a map of as many entries as there are slots, so the cost is slots squared, whatever ``size``.
    Slots at or beyond ``size`` hold meaningless positions; the caller masks them.
    """
    targets: list[jax.Array] = []
    displaced: list[jax.Array] = []
    picks: list[jax.Array] = []
    for slot, word in enumerate(bits):
        target = slot + uniform_index(word, jnp.maximum(size - slot, 1))
        pick, own = target, jnp.full_like(target, slot)
        for earlier, value in zip(targets, displaced, strict=True):
            pick = jnp.where(target == earlier, value, pick)
            own = jnp.where(slot == earlier, value, own)
        picks.append(pick)
        targets.append(target)
        displaced.append(own)
    return picks


def _sample(recommender: Recommender, context: RankingContext, streams: PlatformStreams) -> Window:
    config, identity = context.config, context.params.population.identity
    blocks = (config.max_budget + 1) // 2
    # Two calls, so that the draws behind dropped slots vanish when nobody looks at them.
    bits = entity_bits(streams.sample, identity, 2 * blocks)
    if config.max_window > 2 * blocks:
        bits += entity_bits(streams.sample, identity, config.max_window - 2 * blocks, first_block=blocks)
    picks = sample_without_replacement(bits[: config.max_window], context.num_candidates)
    slots = candidate_slots(context)
    if slots is not None:
        picks = [slots[jnp.minimum(pick, config.stimulus_capacity - 1)] for pick in picks]
    picks = [jnp.where(slot < context.num_candidates, pick, -1) for slot, pick in enumerate(picks)]
    why = jnp.int32(recommender.reason)
    first, later = picks[: config.max_budget], picks[config.max_budget :]
    head = jnp.stack(first, axis=-1)
    tail = jnp.stack(later, axis=-1) if later else jnp.zeros((config.num_personas, 0), jnp.int32)
    return Window(
        stimulus=head,
        reason=jnp.where(head >= 0, why, Reason.NONE),
        later_stimulus=tail,
        later_reason=jnp.where(tail >= 0, why, Reason.NONE),
        length=jnp.full(config.num_personas, jnp.minimum(context.num_candidates, config.max_window)),
    )


def _stimulus_bits(context: RankingContext, streams: PlatformStreams) -> jax.Array:
    slots = jnp.arange(context.config.stimulus_capacity, dtype=jnp.int32)
    return entity_bits(streams.tie, index_identity(slots), 1)[0]


def _shared_limbs(recommender: Recommender, context: RankingContext, streams: PlatformStreams) -> list[jax.Array]:
    assert recommender.order is not None
    return [*recommender.order(context), tie_limb(_stimulus_bits(context, streams))]


def _shared(recommender: Recommender, context: RankingContext, streams: PlatformStreams) -> Window:
    config = context.config
    limbs = _shared_limbs(recommender, context, streams)
    positions, valid = lexicographic_top_k(limbs, context.candidate, config.max_window)
    shape = (config.num_personas, config.max_window)
    return make_window(
        config,
        jnp.broadcast_to(positions[None, :], shape),
        jnp.full(shape, recommender.reason, jnp.int32),
        jnp.full(config.num_personas, valid.sum(dtype=jnp.int32)),
    )


def _personal_order(
    recommender: Recommender, context: RankingContext, streams: PlatformStreams
) -> Callable[[PersonaBlock], PersonalOrder]:
    """Any recommender as a personal one."""
    order = recommender.order
    if recommender.scope == "personal":
        assert order is not None
        return lambda block: order(context, block)
    if recommender.scope == "shared":
        sequence = lexicographic_order(_shared_limbs(recommender, context, streams))
        size = sequence.shape[0]
        score = jnp.zeros(size, jnp.float32).at[sequence].set(jnp.arange(size, 0, -1, dtype=jnp.float32))
        return lambda block: PersonalOrder(score=jnp.broadcast_to(score, (block.index.shape[0], size)))

    identity = context.params.population.identity

    def draw(block: PersonaBlock) -> PersonalOrder:
        persona = jnp.stack(entity_bits(streams.sample, identity[block.index], 2), axis=-1)
        slots = index_identity(jnp.arange(context.config.stimulus_capacity, dtype=jnp.int32))
        bits = jax.vmap(lambda words: entity_bits(words, slots, 1)[0])(persona)
        return PersonalOrder(score=tie_limb(bits))

    return draw


def _personal(
    recommender: Recommender, context: RankingContext, state: SocialState, streams: PlatformStreams
) -> Window:
    """Rank the awake in blocks of B; as many blocks as the world of the batch with the most awake needs."""
    config, population = context.config, context.params.population
    num_personas, size, width = config.num_personas, config.block_rows, config.max_window
    order = _personal_order(recommender, context, streams)
    stimulus_bits = _stimulus_bits(context, streams)
    persona_bits = entity_bits(streams.tie, population.identity, 1)[0]
    num_rows = -(-num_personas // size) * size
    awake, valid_rows, count = compact(context.active, num_rows)

    def rank_block(block: jax.Array, ranked: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        index = lax.dynamic_slice(awake, (block * size,), (size,))
        used = lax.dynamic_slice(valid_rows, (block * size,), (size,))
        found = order(PersonaBlock(index=index, in_network=_in_network(context, index, used)))
        score = jnp.where(_eligible(context, state, index, found), found.score, -jnp.inf)
        positions, valid = top_k_seeded_ties(score, stimulus_bits, persona_bits[index], width)
        reason = jnp.full(positions.shape, recommender.reason, jnp.int32)
        if found.reason is not None:
            reason = jnp.take_along_axis(found.reason, positions, axis=1)
        target = jnp.where(used, index, num_personas)
        stimulus = jnp.where(valid, positions, -1)
        return (
            ranked[0].at[target].set(stimulus, mode="drop"),
            ranked[1].at[target].set(reason, mode="drop"),
        )

    nothing = jnp.full((num_personas, width), -1, jnp.int32)
    num_blocks = max_in_batch((count + size - 1) // size)
    stimulus, reason = lax.fori_loop(jnp.zeros((), jnp.int32), num_blocks, rank_block, (nothing, nothing))
    return make_window(config, stimulus, reason, (stimulus >= 0).sum(axis=1, dtype=jnp.int32))


def _eligible(context: RankingContext, state: SocialState, index: jax.Array, found: PersonalOrder) -> jax.Array:
    config = context.config
    eligible = jnp.broadcast_to(context.candidate[None, :], found.score.shape)
    if found.eligible is not None:
        eligible = eligible & found.eligible
    if config.hide_own:
        eligible = eligible & (context.stimuli.author[None, :] != index[:, None])
    if state.seen is not None:
        eligible = eligible & ~state.seen[int(context.platform) - 1][index]
    return eligible


def _in_network(context: RankingContext, index: jax.Array, used: jax.Array) -> jax.Array:
    """``bool[B, N + 1]``: ties and followees of a block's personas, scattered from the tie list."""
    config, population = context.config, context.params.population
    size, nobody = index.shape[0], config.num_personas + 1
    network = jnp.zeros((size, nobody), bool)
    rows = jnp.arange(size, dtype=jnp.int32)
    if config.num_ties:
        row_of = jnp.full(config.num_personas, size, jnp.int32)
        row_of = row_of.at[jnp.where(used, index, config.num_personas)].set(rows, mode="drop")
        network = network.at[row_of[context.params.tie_source], population.neighbor].set(True, mode="drop")
    followees = context.followees[index]
    row = jnp.broadcast_to(rows[:, None], followees.shape)
    return network.at[row, jnp.where(followees >= 0, followees, nobody)].set(True, mode="drop")


def _mix(first: Window, second: Window, context: RankingContext, streams: PlatformStreams) -> Window:
    """Each slot takes the next unshown stimulus of the second window with chance epsilon, else of the first."""
    config, population = context.config, context.params.population
    size = config.max_window
    words = jnp.stack(entity_bits(streams.mixture, population.identity, size))
    explore = unit_interval(words) < context.params.epsilon
    windows = [(window.all_stimuli, window.all_reasons) for window in (first, second)]

    def fill(
        used: tuple[jax.Array, jax.Array], wants_second: jax.Array
    ) -> tuple[tuple[jax.Array, jax.Array], tuple[jax.Array, jax.Array]]:
        offers = [_next_free(*window, taken) for window, taken in zip(windows, used, strict=True)]
        (one, _), (two, _) = offers
        take_second = (two >= 0) & (wants_second | (one < 0))
        stimulus = jnp.where(take_second, two, one)
        reason = jnp.where(take_second, offers[1][1], offers[0][1])
        taken = [held | (window[0] == stimulus[:, None]) for window, held in zip(windows, used, strict=True)]
        return (taken[0], taken[1]), (stimulus, reason)

    nothing = jnp.zeros(windows[0][0].shape, bool)
    _, (stimulus, reason) = lax.scan(fill, (nothing, nothing), explore)
    return make_window(config, stimulus.T, reason.T, (stimulus >= 0).sum(axis=0, dtype=jnp.int32))


def _next_free(stimulus: jax.Array, reason: jax.Array, used: jax.Array) -> tuple[jax.Array, jax.Array]:
    """First slot of each row that is filled and not used: its stimulus and reason ``int32[N]``, -1 if none."""
    free = (stimulus >= 0) & ~used
    first = free & (jnp.cumsum(free.astype(jnp.int32), axis=1) == 1)
    found = jnp.any(free, axis=1)
    return (
        jnp.where(found, jnp.where(first, stimulus, 0).sum(axis=1, dtype=jnp.int32), -1),
        jnp.where(found, jnp.where(first, reason, 0).sum(axis=1, dtype=jnp.int32), -1),
    )
