"""What a world reads at one tick: turns of personas."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.records import fields
from jaxworld.social.records.exposure import Impression, View
from jaxworld.social.records.fields import put
from jaxworld.social.records.kinds import TEXT_ACTIONS, ActionKind, BeliefDim, Channel
from jaxworld.social.records.record import FrozenDict, Record

INTENT_POINTS = 5
_SUM_TOLERANCE = 1e-6


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BeliefChange(Record):
    """How a reaction moved a persona, each entry in [-1, 1].

    Attributes:
        dimensions: by belief dimension.
        claim_credence: by claim id.
    """

    dimensions: Mapping[str, float] = FrozenDict()
    claim_credence: Mapping[str, float] = FrozenDict()

    def __post_init__(self) -> None:
        for name in ("dimensions", "claim_credence"):
            field = f"BeliefChange.{name}"
            given = fields.mapping(field, getattr(self, name))
            entries = {str(key): fields.signed_unit(f"{field}[{key}]", value) for key, value in given.items()}
            put(self, name, FrozenDict(entries))
        for key in self.dimensions:
            fields.member("BeliefChange.dimensions", BeliefDim, key)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Reaction(Record):
    """What a persona did about one stimulus.

    Attributes:
        reaction_id: ``rc-…``.
        subject_stimulus_id: what it reacted to.
        action: what it attempted.
        verbatim: its words; the actions that write need them.
        belief_change: how it was moved.
        intent: chances of the five points of a purchase intent, worst first; they sum to 1.
        elicitation_failure: why an answer could not be had.
    """

    reaction_id: str
    subject_stimulus_id: str
    action: ActionKind
    verbatim: str | None = None
    belief_change: BeliefChange = BeliefChange()
    intent: tuple[float, ...] | None = None
    elicitation_failure: str | None = None

    def __post_init__(self) -> None:
        fields.identifier("Reaction.reaction_id", self.reaction_id, "rc")
        fields.identifier("Reaction.subject_stimulus_id", self.subject_stimulus_id, "st")
        action = fields.member("Reaction.action", ActionKind, self.action)
        put(self, "action", action)
        fields.optional_text("Reaction.verbatim", self.verbatim)
        fields.optional_text("Reaction.elicitation_failure", self.elicitation_failure)
        fields.one("Reaction.belief_change", BeliefChange, self.belief_change)
        if self.intent is not None:
            put(self, "intent", _distribution("Reaction.intent", self.intent))
        if action in TEXT_ACTIONS:
            require(self.verbatim is not None, "Reaction.verbatim", None, f"{action} needs a text")
        if action is ActionKind.IGNORE:
            require(self.verbatim is None, "Reaction.verbatim", self.verbatim, "who ignores says nothing")
            require(self.intent is None, "Reaction.intent", self.intent, "who ignores has no intent")

    @property
    def sentiment(self) -> float:
        """Strength in [0, 1]: the largest belief change, or half the distance of the mean intent from its middle."""
        change = self.belief_change
        strengths = [abs(value) for value in (*change.dimensions.values(), *change.claim_credence.values())]
        if self.intent is not None:
            mean = sum(point * chance for point, chance in enumerate(self.intent, start=1))
            strengths.append(min(abs(mean - 3) / 2, 1.0))
        return max(strengths, default=0.0)


def _distribution(field: str, value: Any) -> tuple[float, ...]:
    fits = isinstance(value, tuple | list) and len(value) == INTENT_POINTS
    require(fits, field, value, f"use {INTENT_POINTS} numbers")
    chances = tuple(fields.unit_interval(f"{field}[{index}]", chance) for index, chance in enumerate(value))
    require(abs(sum(chances) - 1) <= _SUM_TOLERANCE, field, value, f"chances must sum to 1, not {sum(chances):g}")
    return chances


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Turn(Record):
    """A persona's reaction to an impression. Worlds take everything about what was shown from the impression.

    Attributes:
        impression: what the persona was shown.
        view: the public context it saw.
        reaction: what it did; about a stimulus it noticed, or about any that was shown if it ignores it.
    """

    impression: Impression
    view: View
    reaction: Reaction

    def __post_init__(self) -> None:
        impression = fields.one("Turn.impression", Impression, self.impression)
        view = fields.one("Turn.view", View, self.view)
        reaction = fields.one("Turn.reaction", Reaction, self.reaction)
        if view.impression_id != impression.impression_id:
            raise ConfigurationError("Turn.view.impression_id", view.impression_id, "it is another impression")
        subject = reaction.subject_stimulus_id
        for exposure in impression.exposures:
            if exposure.stimulus_id == subject:
                break
        else:
            raise ConfigurationError("Turn.reaction.subject_stimulus_id", subject, "it was not shown")
        if not exposure.seen and reaction.action is not ActionKind.IGNORE:
            raise ConfigurationError("Turn.reaction.subject_stimulus_id", subject, "it was not noticed: ignore it")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Rejection(Record):
    """An attempted action that does not land on its channel: recorded beside the delta, changes nothing.

    Attributes:
        persona_id: who attempted it.
        action: what.
        channel: where.
        tick: the tick of the turn.
    """

    persona_id: str
    action: ActionKind
    channel: Channel
    tick: int

    def __post_init__(self) -> None:
        fields.persona("Rejection.persona_id", self.persona_id)
        put(self, "action", fields.member("Rejection.action", ActionKind, self.action))
        put(self, "channel", fields.member("Rejection.channel", Channel, self.channel))
        put(self, "tick", fields.tick("Rejection.tick", self.tick))
