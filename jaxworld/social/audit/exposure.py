"""Feed and forum: what may be shown to whom, how much of it, with what attention and for what reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from jaxworld.social.audit.facts import FEED, FORUM, SURVEY, WOM, Facts
from jaxworld.social.audit.history import History, Item
from jaxworld.social.audit.moment import Moment, Row
from jaxworld.social.audit.order import check_order

_REASONS = {
    "random": {"random"}, "reddit_hot": {"social_proof"}, "twhin": {"social_proof"}, "chronological": {"recency"},
    "twitter": {"interest", "network"}, "following_only": {"network"},
}  # fmt: skip
"""Why a feed shows what it shows, by recommender."""


def check_attention(moment: Moment, facts: Facts, items: Mapping[str, Item]) -> None:
    """Attention falls linearly from 1 to that of the last slot; acts of the study add to that of its own stimuli."""
    if moment.tick == 0:
        return
    boost = facts.effect(moment.tick, "attention")
    curves: dict[int, list[int]] = {}
    for (channel, _), rows in moment.shown.items():
        if channel == SURVEY:
            continue
        curve = curves.setdefault(len(rows), attention_curve(facts, len(rows)))
        for row, expected in zip(rows, curve, strict=True):
            item = items.get(row.get("stimulus_id") or "")
            if boost and item is not None and item.author is None and expected > 0:
                expected = min(max(expected + boost, 0), 10_000)
            if row.get("attention") != expected / 10_000:
                moment.flag(row, "attention", row.get("attention"), expected / 10_000, "the curve of attention")


def attention_curve(facts: Facts, shown: int) -> list[int]:
    """Attention of each slot in 1/10,000, rounded to the nearest, halves down; 0 below the floor."""
    last, floor = (round(facts.world[name] * 10_000) for name in ("last_slot_attention", "attention_floor"))
    exact = [10_000 - Fraction((10_000 - last) * rank, max(shown - 1, 1)) for rank in range(shown)]
    return [math.ceil(value - Fraction(1, 2)) if value >= floor else 0 for value in exact]


def check_platform(moment: Moment, history: History, channel: str) -> None:
    """Check the presentations of the feed or the forum at one tick."""
    facts = history.facts
    if channel not in facts.on or moment.tick == 0:
        return
    heard = moment.heard(channel)
    candidates = {
        name for name, item in history.items.items()
        if item.tick < moment.tick and item.platform in (None, channel)
    }  # fmt: skip
    for persona, rows in heard.items():
        if persona not in facts.position:
            continue
        allowed = _allowed(history, channel, persona, candidates)
        _check_visible(moment, history, channel, rows, candidates, allowed)
        _check_window(moment, history, channel, persona, allowed)
        for row in moment.shown.get((channel, persona), []):
            _check_reason(moment, history, channel, persona, row)
        check_order(moment, history, channel, persona, allowed, candidates)


def _allowed(history: History, channel: str, persona: str, candidates: set[str]) -> set[str]:
    """Candidates that this persona may be shown."""
    facts, items = history.facts, history.items
    world, allowed = facts.world, candidates
    if world["hide_own"]:
        allowed = {name for name in allowed if items[name].author != persona}
    if world["hide_seen"]:
        allowed = allowed - history.seen.get((channel, persona), set())
    if channel == FEED and world["feed_recommender"] == "following_only":
        allowed = {name for name in allowed if history.in_network(persona, items[name].author)}
    if channel == FORUM and world["forum_preset"] == "community_scoped":
        allowed = {name for name in allowed if _in_scope(history, persona, items[name])}
    return allowed


def _in_scope(history: History, persona: str, item: Item) -> bool:
    """Common ground is what the study wrote or started; else a thread belongs to the community of who started it."""
    community = history.facts.community
    if persona not in community:
        return item.author is None or item.author == persona
    starter = history.items[item.root].author
    return starter is None or community.get(starter) == community[persona]


def _check_visible(
    moment: Moment, history: History, channel: str, rows: list[Row], candidates: set[str], allowed: set[str]
) -> None:
    for row in rows:
        name = row.get("stimulus_id") or ""
        item = history.items.get(name)
        if item is None:
            if row.get("event") == "drop":
                moment.flag(row, "stimulus_id", name, "a published stimulus", "dropped after it was published")
        elif item.tick >= moment.tick:
            moment.flag(row, "stimulus_id", name, "a stimulus of an earlier tick", "candidates from the tick after")
        elif name not in candidates:
            moment.flag(row, "stimulus_id", name, f"a stimulus of {channel}", "texts stay where they were written")
        elif name not in allowed and not _is_launch(row, history):
            moment.flag(row, "stimulus_id", name, "a stimulus this persona may see", "visibility")


def _is_launch(row: Row, history: History) -> bool:
    return row.get("reason") == "launch" and row.get("stimulus_id") == history.concept


def _check_window(moment: Moment, history: History, channel: str, persona: str, allowed: set[str]) -> None:
    """The first of the window are shown up to the budget, the rest of it is dropped, and nothing beyond it."""
    world = history.facts.world
    shown = moment.shown.get((channel, persona), [])
    dropped = moment.dropped.get((channel, persona), [])
    for row in dropped:
        if row.get("reason") != "budget_exhausted":
            moment.flag(row, "reason", row.get("reason"), "budget_exhausted", "why a window is cut")
    for row in shown[world["budget"] :]:
        moment.flag(row, "rank", row.get("rank"), f"below {world['budget']}", "exposure budget")
    known = channel == FORUM or all(name in _REASONS for name in world["feed_recommender"].split("+"))
    promoted = bool(shown) and _is_launch(shown[0], history) and history.concept not in allowed
    size = min(world["window"], len(allowed) + promoted)
    due = min(world["budget"], size)
    if not known:
        return
    if len(shown) != due and len(shown) <= world["budget"]:
        row = shown[-1] if shown else dropped[0]
        moment.flag(row, "rank", len(shown), due, "number of stimuli shown from the window")
    if len(dropped) != size - due:
        row = dropped[-1] if dropped else shown[-1]
        moment.flag(row, "drop", len(dropped), size - due, "number of stimuli dropped from the window")


def _check_reason(moment: Moment, history: History, channel: str, persona: str, row: Row) -> None:
    facts, reason = history.facts, row.get("reason")
    item = history.items.get(row.get("stimulus_id") or "")
    if reason == "launch":
        reach = facts.effect(moment.tick, "reach")
        if row.get("rank") != 0 or not _is_launch(row, history) or reach <= 0:
            moment.flag(row, "reason", reason, "the concept first, while an act has reach", "reach of interventions")
        return
    legal = _legal_reasons(facts, channel)
    if legal is not None and reason not in legal:
        moment.flag(row, "reason", reason, sorted(legal), "reasons of the recommender")
    elif item is not None and channel == FEED:
        inside = history.in_network(persona, item.author)
        if reason == "network" and not inside:
            moment.flag(row, "reason", reason, "a tie to, or follow of, the author", "who is in the network")
        ranked = facts.world["feed_recommender"] == "twitter" and facts.world["network_first"]
        if reason == "interest" and inside and ranked:
            moment.flag(row, "reason", reason, "network", "who is in the network")


def _legal_reasons(facts: Facts, channel: str) -> set[str] | None:
    world = facts.world
    if channel == FORUM:
        return (
            {"random"}
            if (world["forum_preset"], world["forum_recommender"]) == ("reddit_global", "random")
            else {"forum"}
        )
    names = world["feed_recommender"].split("+")
    if any(name not in _REASONS for name in names):
        return None
    legal = set().union(*(_REASONS[name] for name in names))
    return legal if world["network_first"] or "following_only" in names else legal - {"network"}


def check_word_of_mouth_reasons(moment: Moment) -> None:
    """After tick 0 what is told comes from peers."""
    for (channel, _), rows in moment.shown.items():
        if channel == WOM and moment.tick > 0:
            for row in rows:
                if row.get("reason") != "wom":
                    moment.flag(row, "reason", row.get("reason"), "wom", "told by peers")
