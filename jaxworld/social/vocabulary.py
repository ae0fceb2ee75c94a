"""The words of the social family, as integer codes shared by arrays and records."""

from __future__ import annotations

import enum

import numpy as np


class Channel(enum.IntEnum):
    """Where a persona meets a stimulus."""

    SURVEY_ROOM = 0
    SOCIAL_FEED = 1
    FORUM = 2
    WORD_OF_MOUTH = 3


class Platform(enum.IntEnum):
    """Where a stimulus lives. Study stimuli are candidates on every platform, others only on their own."""

    STUDY = 0
    FEED = 1
    FORUM = 2


class StimulusKind(enum.IntEnum):
    """What a stimulus is: concept and claim posts are the study's, the other kinds have a persona as author."""

    CONCEPT = 0
    CLAIM_POST = 1
    PEER_POST = 2
    PEER_REPLY = 3


class Action(enum.IntEnum):
    """What a persona may attempt in one turn; :data:`AFFORDANCES` says where it lands."""

    IGNORE = 0
    ANSWER = 1
    POST = 2
    COMMENT = 3
    LIKE = 4
    REPOST = 5
    QUOTE = 6
    FOLLOW = 7
    BUY = 8
    ASK_PEER = 9
    REJECT = 10
    COMPLAIN = 11
    REPLY = 12
    UPVOTE = 13
    DOWNVOTE = 14


class Reason(enum.IntEnum):
    """Why an exposure happened; ``NONE`` marks an empty slot."""

    NONE = -1
    INTEREST = 0
    SOCIAL_PROOF = 1
    RANDOM = 2
    WORD_OF_MOUTH = 3
    FORUM = 4
    LAUNCH = 5
    NETWORK = 6
    RECENCY = 7


class DropReason(enum.IntEnum):
    """Why a ranked or told stimulus was not shown. ``OVERFLOW`` is on record in runs that a full buffer made void."""

    BUDGET_EXHAUSTED = 0
    ASLEEP = 1
    OVERFLOW = 2


class InterventionKind(enum.IntEnum):
    """Scheduled acts of the study."""

    LAUNCH = 0
    TEASER = 1
    PROMOTION = 2


class TickUnit(enum.IntEnum):
    """Length of one tick; the value is its duration in seconds."""

    HOUR = 3_600
    DAY = 86_400
    WEEK = 604_800


class Count(enum.IntEnum):
    """Columns of the engagement counts ``int32[S, 5]``."""

    LIKES = 0
    REPOSTS = 1
    REPLIES = 2
    UPVOTES = 3
    DOWNVOTES = 4


_LANDS = {
    Channel.SURVEY_ROOM: (Action.ANSWER,),
    Channel.SOCIAL_FEED: (Action.POST, Action.COMMENT, Action.LIKE, Action.REPOST, Action.QUOTE, Action.FOLLOW),
    Channel.FORUM: (Action.POST, Action.REPLY, Action.UPVOTE, Action.DOWNVOTE),
    Channel.WORD_OF_MOUTH: (Action.ASK_PEER, Action.COMMENT, Action.COMPLAIN, Action.REJECT, Action.BUY),
}


def _make_affordances() -> np.ndarray:
    table = np.zeros((len(Channel), len(Action)), dtype=bool)
    table[:, Action.IGNORE] = True
    for channel, actions in _LANDS.items():
        table[channel, list(actions)] = True
    return table


def _make_count_column() -> np.ndarray:
    column = np.full(len(Action), -1, dtype=np.int32)
    column[Action.LIKE] = Count.LIKES
    column[[Action.REPOST, Action.QUOTE]] = Count.REPOSTS
    column[Action.UPVOTE] = Count.UPVOTES
    column[Action.DOWNVOTE] = Count.DOWNVOTES
    return column


AFFORDANCES = _make_affordances()
"""``bool[channel, action]``: the action lands there; anything else is recorded as rejected and changes nothing."""

COUNT_COLUMN = _make_count_column()
"""``int32[action]``: the count an action raises on its subject, -1 for none (replies count through publication)."""

AUTHORING = np.isin(np.arange(len(Action)), [Action.POST, Action.QUOTE, Action.COMMENT, Action.REPLY])
"""``bool[action]``: the action publishes a stimulus when it lands."""

REPLYING = np.isin(np.arange(len(Action)), [Action.COMMENT, Action.REPLY])
"""``bool[action]``: what it publishes is a reply to its subject."""

RHYTHMS = {
    TickUnit.HOUR: np.array(
        [.15, .10, .08, .08, .10, .20, .40, .60, .75, .85, .90, .95,
         1, 1, .95, .90, .85, .80, .75, .70, .60, .50, .35, .25], dtype=np.float32),
    TickUnit.DAY: np.array([.55, 1, 1, 1, 1, 1, .60], dtype=np.float32),
    TickUnit.WEEK: np.array([1], dtype=np.float32),
}  # fmt: skip
"""Share of involvement that is awake at each tick of a day, a week, or a week-long tick."""

ATTENTION_UNIT = 10_000
"""Attention is an integer in 1/10,000."""
TIE_UNIT = 1_000
"""Tie strength is an integer in 1/1,000."""
SENTIMENT_UNIT = 1_000_000
"""Sentiment is an integer in 1/1,000,000."""
SHARE_UNIT = 10_000
"""Shares and probability offsets of interventions are integers in 1/10,000."""
