"""The words of the records, and which integer code of the kernel each stands for."""

from __future__ import annotations

import enum
from typing import TypeVar

from jaxworld.social import vocabulary

Word = TypeVar("Word", bound=enum.StrEnum)


class Channel(enum.StrEnum):
    """Where a persona meets a stimulus."""

    SURVEY_ROOM = "survey_room"
    SOCIAL_FEED = "social_feed"
    FORUM = "forum"
    WOM = "wom"


class StimulusKind(enum.StrEnum):
    """What a stimulus is. Nothing of kind ``wom_message`` is ever published: what is told is the subject itself."""

    CONCEPT = "concept"
    CLAIM_POST = "claim_post"
    PEER_POST = "peer_post"
    PEER_REPLY = "peer_reply"
    WOM_MESSAGE = "wom_message"


class ActionKind(enum.StrEnum):
    """What a persona may attempt in one turn."""

    ANSWER = "answer"
    POST = "post"
    COMMENT = "comment"
    LIKE = "like"
    REPOST = "repost"
    QUOTE = "quote"
    FOLLOW = "follow"
    BUY = "buy"
    ASK_PEER = "ask_peer"
    REJECT = "reject"
    COMPLAIN = "complain"
    REPLY = "reply"
    UPVOTE = "upvote"
    DOWNVOTE = "downvote"
    IGNORE = "ignore"


class ExposureReason(enum.StrEnum):
    """Why a stimulus was shown."""

    INTEREST = "interest"
    SOCIAL_PROOF = "social_proof"
    RANDOM = "random"
    WOM = "wom"
    FORUM = "forum"
    LAUNCH = "launch"
    NETWORK = "network"
    RECENCY = "recency"


class DropReason(enum.StrEnum):
    """Why a ranked or told stimulus was not shown."""

    BUDGET_EXHAUSTED = "budget_exhausted"
    ASLEEP = "asleep"


class InterventionKind(enum.StrEnum):
    """Scheduled acts of the study."""

    LAUNCH = "launch"
    TEASER = "teaser"
    PROMOTION = "promotion"


class TickUnit(enum.StrEnum):
    """Length of a tick."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"


class BeliefDim(enum.StrEnum):
    """What a reaction can change in how the product is seen."""

    VALUE = "value"
    FIT = "fit"
    TRUST = "trust"


class DegradationRung(enum.StrEnum):
    """Steps a runner takes when its budget runs out, mildest first."""

    WARN = "warn"
    FREEZE_OPTIONAL_TIER_B = "freeze_optional_tier_b"
    SUBSAMPLE_ACTIVATION = "subsample_activation"
    PAUSE = "pause"
    WAVE_UNAFFORDABLE = "wave_unaffordable"


TEXT_ACTIONS = frozenset(
    {
        ActionKind.ANSWER,
        ActionKind.POST,
        ActionKind.COMMENT,
        ActionKind.REPLY,
        ActionKind.QUOTE,
        ActionKind.COMPLAIN,
        ActionKind.ASK_PEER,
    }
)
"""Actions that need a verbatim."""

STUDY_KINDS = frozenset({StimulusKind.CONCEPT, StimulusKind.CLAIM_POST})
"""Kinds the study writes; all others have a persona as author."""

_OTHER_NAMES = {"WOM": "WORD_OF_MOUTH"}


def _codes(words: type[Word], codes: type[enum.IntEnum]) -> dict[Word, int]:
    """The kernel's code of each word that has one. One table an enum: words of different enums can be equal."""
    known = {code.name: int(code) for code in codes}
    named = ((word, _OTHER_NAMES.get(word.name, word.name)) for word in words)
    return {word: known[name] for word, name in named if name in known}


CHANNEL_CODE = _codes(Channel, vocabulary.Channel)
STIMULUS_CODE = _codes(StimulusKind, vocabulary.StimulusKind)
ACTION_CODE = _codes(ActionKind, vocabulary.Action)
REASON_CODE = _codes(ExposureReason, vocabulary.Reason)
DROP_CODE = _codes(DropReason, vocabulary.DropReason)
"""Integer codes of the kernel by word."""

CHANNEL_WORD = {code: word for word, code in CHANNEL_CODE.items()}
STIMULUS_WORD = {code: word for word, code in STIMULUS_CODE.items()}
ACTION_WORD = {code: word for word, code in ACTION_CODE.items()}
REASON_WORD = {code: word for word, code in REASON_CODE.items()}
DROP_WORD = {code: word for word, code in DROP_CODE.items()}
"""And the other way round."""
