"""What the header of a trace says, read anew from plain JSON; nothing here comes from the simulation's own code."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from jaxworld.core.errors import ConfigurationError

SURVEY, FEED, FORUM, WOM = "survey_room", "social_feed", "forum", "wom"
CHANNEL_ORDER = (SURVEY, FEED, FORUM, WOM)
SWITCHES = {"feed": FEED, "forum": FORUM, "wom": WOM}

ACTIONS = (
    "ignore", "answer", "post", "comment", "like", "repost", "quote", "follow", "buy", "ask_peer", "reject",
    "complain", "reply", "upvote", "downvote",
)  # fmt: skip
"""Actions in the order in which publications of one persona about one subject are sorted."""
LANDS = {
    SURVEY: {"ignore", "answer"},
    FEED: {"ignore", "post", "comment", "like", "repost", "quote", "follow"},
    FORUM: {"ignore", "post", "reply", "upvote", "downvote"},
    WOM: {"ignore", "ask_peer", "comment", "complain", "reject", "buy"},
}
RAISES = {
    "like": "likes", "repost": "reposts", "quote": "reposts", "upvote": "upvotes", "downvote": "downvotes",
}  # fmt: skip
COUNTS = ("likes", "reposts", "replies", "upvotes", "downvotes")
WRITES = {"post": "peer_post", "quote": "peer_post", "comment": "peer_reply", "reply": "peer_reply"}
NEEDS_TEXT = {"answer", "post", "comment", "reply", "quote", "complain", "ask_peer"}
SECONDS = {"hour": 3_600, "day": 86_400, "week": 604_800}


@dataclasses.dataclass(frozen=True)
class Act:
    """A scheduled intervention."""

    tick: int
    kind: str
    duration: int


@dataclasses.dataclass(frozen=True)
class Facts:
    """The header, indexed.

    Attributes:
        position: place of each persona in the canonical order.
        ties: per persona, thousandths by the other end.
        community: community of each persona that has one.
        follows: whom each persona follows before the run.
        on: channels that can show something, the survey room included where there are surveys.
        world: settings as the header has them.
        acts: the schedule.
        study: kind, claim and text of each study stimulus, in order.
    """

    position: Mapping[str, int]
    ties: Mapping[str, Mapping[str, int]]
    community: Mapping[str, str]
    follows: Mapping[str, frozenset[str]]
    on: frozenset[str]
    world: Mapping[str, Any]
    acts: tuple[Act, ...]
    study: tuple[tuple[str, str | None, str], ...]

    def effect(self, tick: int, name: str) -> int:
        """Sum of an effect of all acts in force, in 1/10,000."""
        effects = self.world["intervention_effects"]
        inside = (act for act in self.acts if act.tick <= tick < act.tick + act.duration)
        return sum(round(effects.get(act.kind, {}).get(name, 0.0) * 10_000) for act in inside)

    def is_wave(self, tick: int) -> bool:
        """Whether surveys go out at this tick."""
        world = self.world
        if not world["survey"] or (world["survey_gated"] and tick == 0):
            return False
        return tick % world["survey_every"] == 0 or tick == world["horizon"] - 1

    def tie(self, one: str, other: str) -> int:
        """Strength of a tie in thousandths, 0 for none."""
        return self.ties[one].get(other, 0)

    def shared_community(self, one: str, other: str) -> bool | None:
        """Whether two personas share a community; None unless both have one."""
        mine, theirs = self.community.get(one), self.community.get(other)
        return None if mine is None or theirs is None else mine == theirs


def read_facts(header: Mapping[str, Any]) -> Facts:
    """Index a header.

    Raises:
        ConfigurationError: naming the part of the header that is missing or malformed.
    """
    part = "header"
    try:
        part = "population"
        people = header["population"]
        position = {persona: index for index, persona in enumerate(people["persona_ids"])}
        ties: dict[str, dict[str, int]] = {persona: {} for persona in position}
        for edge in people["edges"]:
            strength = round(edge["weight"] * 1_000)
            ties[edge["u"]][edge["v"]] = ties[edge["v"]][edge["u"]] = strength
        community = {member: row["community_id"] for row in people["communities"] for member in row["member_ids"]}
        follows: dict[str, set[str]] = {persona: set() for persona in position}
        for follower, followee in people["follows"]:
            follows[follower].add(followee)
        part = "world"
        world = header["world"]
        on = {SWITCHES[name] for name in world["channels"]} | ({SURVEY} if world["survey"] else set())
        acts = tuple(Act(row["tick"], row["kind"], row["duration"]) for row in world["interventions"])
        for name in _SETTINGS:
            world[name]
        part = "study"
        study = [("concept", None, header["study"]["concept"])]
        study += [("claim_post", claim["id"], claim["text"]) for claim in header["study"]["claims"]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        remedy = f"this is no header of a trace: {part} lacks, or has malformed, {error}"
        raise ConfigurationError("header", part, remedy) from None
    return Facts(
        position=position,
        ties=ties,
        community=community,
        follows={persona: frozenset(others) for persona, others in follows.items()},
        on=frozenset(on),
        world=world,
        acts=acts,
        study=tuple(study),
    )


_SETTINGS = (
    "survey_gated", "survey_every", "horizon", "tick_unit", "feed_recommender", "forum_preset", "forum_recommender",
    "fan", "network_first", "hide_own", "hide_seen", "idempotent_engagement", "word_of_mouth_from_rejected", "budget",
    "window", "last_slot_attention", "attention_floor", "sentiment_threshold", "tie_threshold", "peers_told",
    "launch_count", "intervention_effects",
)  # fmt: skip
