"""Slow, obvious recommenders: one persona at a time, plain sorting, exact decimal scores.

Every function takes the world of :mod:`tests.oracles.social_world` as it stands at the tick being presented and
returns ``[(slot, reason), ...]``, the best first, for one persona on one platform (``"feed"`` or ``"forum"``).
"""

from __future__ import annotations

import functools
import math
from decimal import Decimal, localcontext

import numpy as np

from jaxworld.social.vocabulary import Count, Reason
from tests.oracles.social_draws import WORD, draw, fold_in, threefry, unit

EPOCH, SECONDS_PER_POINT = 1134028003, 45000
OLDEST = 272
"""Age from which recency is minus infinity."""


@functools.cache
def hot_score(net_votes: int, seconds: int) -> Decimal:
    """sign(s) * log10(max(|s|, 1)) + (seconds - epoch) / 45000, rounded to 7 places."""
    with localcontext() as context:
        context.prec = 40
        order = Decimal(max(abs(net_votes), 1)).log10()
        signed = order if net_votes > 0 else -order
        score = signed + Decimal(seconds - EPOCH) / SECONDS_PER_POINT
        return score.quantize(Decimal("1e-7"))


def recency(age: int) -> np.float32:
    return np.float32(math.log((271.8 - age) / 100))


def window_of(world, platform: str, persona: int, name: str):
    """The ranked window of one persona: at most ``world.window`` entries."""
    names = name.split("+")
    windows = [RECOMMENDERS[one](world, platform, persona)[: world.window] for one in names]
    window = windows[0] if len(names) == 1 else mixture(world, platform, persona, *windows)
    return reached(world, platform, persona, window)


def mixture(world, platform: str, persona: int, usual, other):
    """Slot by slot the next unshown entry of ``other`` with chance epsilon, else of ``usual``."""
    made = []
    for slot in range(world.window):
        word = world.draws.word(f"mixture/{platform}", world.identity[persona], slot)
        chosen, rest = (other, usual) if unit(word) < world.epsilon else (usual, other)
        taken = {stimulus for stimulus, _ in made}
        left = [entry for entry in [*chosen, *rest] if entry[0] not in taken]
        made += left[:1]
    return made


def reached(world, platform: str, persona: int, window):
    """Interventions put the concept in front of the persons they reach."""
    share = min(max(world.effect("reach"), 0), 10_000) / 10_000
    word = world.draws.word(f"reach/{platform}", world.identity[persona])
    if unit(word) >= share or 0 not in eligible(world, platform, persona):
        return window
    others = [entry for entry in window if entry[0] != 0]
    return [(0, Reason.LAUNCH), *others][: world.window]


def candidates(world, platform: str) -> list[int]:
    """Stimuli published before this tick, by the study or on this platform."""
    return [s for s, it in enumerate(world.stimuli) if it.tick < world.tick and it.platform in world.shown_on[platform]]


def eligible(world, platform: str, persona: int) -> list[int]:
    slots = candidates(world, platform)
    if world.config.hide_own:
        slots = [s for s in slots if world.stimuli[s].author != persona]
    if world.config.hide_seen:
        slots = [s for s in slots if (platform, persona, s) not in world.seen]
    return slots


def shared_order(world, platform: str, slots, score):
    """Highest score, then the largest tie word of the stimulus, then the lowest slot."""
    return sorted(slots, key=lambda s: (_negated(score(s)), -(world.draws.stimulus_tie(platform, s) >> 8), s))


def personal_order(world, platform: str, persona: int, slots, score):
    """Highest score, then the largest tie word of stimulus xor persona, then the lowest slot."""
    own = world.draws.word(f"tie/{platform}", world.identity[persona])
    return sorted(slots, key=lambda s: (_negated(score(s)), -((world.draws.stimulus_tie(platform, s) ^ own) >> 8), s))


def _negated(score):
    return tuple(-part for part in score) if isinstance(score, tuple) else -score


def with_reason(slots, reason: Reason):
    return [(slot, reason) for slot in slots]


def random(world, platform: str, persona: int):
    identity, draws, slots = world.identity[persona], world.draws, eligible(world, platform, persona)
    key = draws.key(f"sample/{platform}")
    if world.config.hide_own or world.config.hide_seen:
        own = fold_in((draw(key, identity, 0), draw(key, identity, 1)), 0)
        order = personal_order(world, platform, persona, slots, lambda s: threefry(own, (0, s))[0] >> 8)
        return with_reason(order, Reason.RANDOM)
    for pick in range(min(world.window, len(slots))):
        target = pick + draw(key, identity, pick) * (len(slots) - pick) // WORD
        slots[pick], slots[target] = slots[target], slots[pick]
    return with_reason(slots[: world.window], Reason.RANDOM)


def reddit_hot(world, platform: str, persona: int):
    def score(slot: int) -> Decimal:
        counts = world.counts(slot)
        ups = counts[Count.UPVOTES] + (counts[Count.LIKES] if platform == "feed" else 0)
        seconds = world.stimuli[slot].tick * world.config.seconds_per_tick
        return hot_score(ups - counts[Count.DOWNVOTES], seconds)

    order = shared_order(world, platform, eligible(world, platform, persona), score)
    return with_reason(order, Reason.SOCIAL_PROOF if platform == "feed" else Reason.FORUM)


def twhin(world, platform: str, persona: int):
    def score(slot: int) -> tuple[int, int]:
        return world.standing(world.stimuli[slot].author), world.stimuli[slot].tick

    order = shared_order(world, platform, eligible(world, platform, persona), score)
    return with_reason(order, Reason.SOCIAL_PROOF)


def chronological(world, platform: str, persona: int):
    order = shared_order(world, platform, eligible(world, platform, persona), lambda s: world.stimuli[s].tick)
    return with_reason(order, Reason.RECENCY)


def following_only(world, platform: str, persona: int):
    slots = [s for s in eligible(world, platform, persona) if world.in_network(persona, world.stimuli[s].author)]
    order = personal_order(world, platform, persona, slots, lambda s: world.stimuli[s].tick)
    return with_reason(order, Reason.NETWORK)


def twitter(world, platform: str, persona: int):
    def similarity(slot: int) -> float:
        age = world.tick - world.stimuli[slot].tick
        dot = sum(int(a) * int(b) for a, b in zip(world.profile[persona], world.vector(slot), strict=True))
        if not world.config.recency:
            return dot
        return float(np.float32(dot) * recency(age)) if age < OLDEST else -math.inf

    slots = eligible(world, platform, persona)
    near = [s for s in slots if world.config.network_first and world.in_network(persona, world.stimuli[s].author)]
    far = [s for s in slots if s not in near]
    first = personal_order(world, platform, persona, near, lambda s: world.counts(s)[Count.LIKES])
    second = personal_order(world, platform, persona, far, similarity)
    return with_reason(first, Reason.NETWORK) + with_reason(second, Reason.INTEREST)


def community_scoped(world, platform: str, persona: int):
    """Threads of the study and of the persona's own community; agreement less age."""
    own = world.community[persona]

    def visible(slot: int) -> bool:
        author, root_author = world.stimuli[slot].author, world.stimuli[world.root(slot)].author
        if own < 0:
            return author in (-1, persona)
        return author == -1 or root_author == -1 or world.community[root_author] == own

    def score(slot: int) -> int:
        counts = world.counts(slot)
        return counts[Count.UPVOTES] - counts[Count.DOWNVOTES] - (world.tick - world.stimuli[slot].tick)

    slots = [s for s in eligible(world, platform, persona) if visible(s)]
    return with_reason(personal_order(world, platform, persona, slots, score), Reason.FORUM)


RECOMMENDERS = {
    "random": random,
    "reddit_hot": reddit_hot,
    "twhin": twhin,
    "chronological": chronological,
    "following_only": following_only,
    "twitter": twitter,
    "community_scoped": community_scoped,
}
