"""Rankings that can be derived anew: the window holds the best candidates, best first, whatever breaks the ties."""

from __future__ import annotations

import math
from collections.abc import Callable

from jaxworld.social.audit.facts import COUNTS, FEED, FORUM, SECONDS
from jaxworld.social.audit.history import History
from jaxworld.social.audit.moment import Moment

Score = Callable[[str], tuple[float, ...]]
_CLOSE = 2e-7
"""Hot scores are rounded to seven decimals, and float64 may round a half either way."""
_REDDIT_EPOCH = 1_134_028_003


def check_order(
    moment: Moment, history: History, channel: str, persona: str, allowed: set[str], candidates: set[str]
) -> None:
    """Compare the scores of a window with those of the best candidates."""
    score = _score(moment, history, channel, persona)
    if score is None:
        return
    shown = moment.shown.get((channel, persona), [])
    window = shown + moment.dropped.get((channel, persona), [])
    first = shown[0].get("stimulus_id") if shown and shown[0].get("reason") == "launch" else None
    window = window[first is not None :]
    # An order that is the same for everybody is sorted once.
    key = (channel, first, "" if allowed is candidates and score.__name__ != "network" else persona)
    best = moment.sorted_scores.get(key)
    if best is None:
        best = sorted((score(name) for name in allowed if name != first), reverse=True)
        moment.sorted_scores[key] = best
    for row, expected in zip(window, best, strict=False):
        name = row.get("stimulus_id") or ""
        if name in history.items and not _close(score(name), expected):
            moment.flag(row, "stimulus_id", score(name), expected, "order of the ranking, by score")
            return


def _score(moment: Moment, history: History, channel: str, persona: str) -> Score | None:
    """The score of a stimulus for a viewer, larger first; None for orders that are random or need vectors."""
    world, items, counts = history.facts.world, history.items, history.counts
    ups = (COUNTS.index("upvotes"), COUNTS.index("likes")) if channel == FEED else (COUNTS.index("upvotes"),)
    downs = COUNTS.index("downvotes")

    def votes(name: str) -> int:
        return sum(counts[name][column] for column in ups) - counts[name][downs]

    def hot(name: str) -> tuple[float, ...]:
        return (hot_score(votes(name), items[name].tick * SECONDS[world["tick_unit"]]),)

    def agreement(name: str) -> tuple[float, ...]:
        return (votes(name) - (moment.tick - items[name].tick),)

    def newest(name: str) -> tuple[float, ...]:
        return (items[name].tick,)

    def standing(name: str) -> tuple[float, ...]:
        author = items[name].author
        degree = 0 if author is None or world["fan"] == "none" else len(history.facts.ties[author])
        return degree, items[name].tick

    def network(name: str) -> tuple[float, ...]:
        inside = history.in_network(persona, items[name].author)
        return (1, counts[name][COUNTS.index("likes")]) if inside else (0, 0)

    if channel == FORUM:
        if world["forum_preset"] == "community_scoped":
            return agreement
        return hot if world["forum_recommender"] == "reddit_hot" else None
    orders = {"reddit_hot": hot, "chronological": newest, "following_only": newest}
    if world["fan"] != "log_followers":
        orders["twhin"] = standing
    if world["network_first"]:
        orders["twitter"] = network
    return orders.get(world["feed_recommender"])


def hot_score(votes: int, seconds: int) -> float:
    """The hot score of the reddit code as OASIS states it (commit 46cdc8d, ``calculate_hot_score``)."""
    sign = (votes > 0) - (votes < 0)
    return round(sign * math.log10(max(abs(votes), 1)) + (seconds - _REDDIT_EPOCH) / 45_000, 7)


def _close(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(abs(a - b) <= _CLOSE for a, b in zip(one, other, strict=True))
