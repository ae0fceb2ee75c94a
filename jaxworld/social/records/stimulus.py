"""A published text, and everything that may be public about it."""

from __future__ import annotations

import dataclasses

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.records import fields
from jaxworld.social.records.fields import put
from jaxworld.social.records.kinds import STUDY_KINDS, StimulusKind
from jaxworld.social.records.record import Record


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Stimulus(Record):
    """A text that personas can be shown.

    Attributes:
        stimulus_id: ``st-…``.
        tick: when it was published.
        author: the persona who wrote it, None for the study.
        kind: concept and claim posts are the study's, the other kinds have an author.
        text: not empty.
        claim_id: the claim that a claim post is about.
        in_reply_to: the stimulus that a peer reply answers.
    """

    stimulus_id: str
    tick: int
    author: str | None = None
    kind: StimulusKind
    text: str
    claim_id: str | None = None
    in_reply_to: str | None = None

    def __post_init__(self) -> None:
        fields.identifier("Stimulus.stimulus_id", self.stimulus_id, "st")
        put(self, "tick", fields.tick("Stimulus.tick", self.tick))
        put(self, "kind", fields.member("Stimulus.kind", StimulusKind, self.kind))
        fields.text("Stimulus.text", self.text)
        fields.optional_text("Stimulus.claim_id", self.claim_id)
        study = self.kind in STUDY_KINDS
        if study:
            require(self.author is None, "Stimulus.author", self.author, f"a {self.kind} is the study's: leave it out")
        else:
            fields.persona("Stimulus.author", self.author)
        needs_claim = self.kind == StimulusKind.CLAIM_POST
        require(not needs_claim or self.claim_id is not None, "Stimulus.claim_id", None, "name the claim of the post")
        replies = self.kind == StimulusKind.PEER_REPLY
        require(
            replies == (self.in_reply_to is not None),
            "Stimulus.in_reply_to",
            self.in_reply_to,
            "a peer reply names what it answers, and nothing else does",
        )
        if replies:
            fields.identifier("Stimulus.in_reply_to", self.in_reply_to, "st")
            require(self.in_reply_to != self.stimulus_id, "Stimulus.in_reply_to", self.in_reply_to, "it answers itself")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StimulusContext(Record):
    """All that a viewer may know about a stimulus beside its text.

    Attributes:
        likes, reposts, replies, upvotes, downvotes: engagement recorded at earlier ticks.
        ancestry: what it answers, nearest first, up to the root of the thread.
        tie_strength: of the viewer to the author (to the teller, if told); None for study or own stimuli.
        shared_community: whether viewer and author share a community; None where that is not defined.
        via_persona_id: who told it.
    """

    likes: int = 0
    reposts: int = 0
    replies: int = 0
    upvotes: int = 0
    downvotes: int = 0
    ancestry: tuple[str, ...] = ()
    tie_strength: float | None = None
    shared_community: bool | None = None
    via_persona_id: str | None = None

    def __post_init__(self) -> None:
        for value in (self.likes, self.reposts, self.replies, self.upvotes, self.downvotes):
            if type(value) is not int or value < 0:
                self._check_counts()
        if self.ancestry:
            put(self, "ancestry", fields.strings("StimulusContext.ancestry", self.ancestry))
            for ancestor in self.ancestry:
                fields.identifier("StimulusContext.ancestry", ancestor, "st")
            fields.distinct("StimulusContext.ancestry", self.ancestry, "an ancestor")
        elif self.ancestry != ():
            put(self, "ancestry", fields.strings("StimulusContext.ancestry", self.ancestry))
        if self.tie_strength is not None:
            put(self, "tie_strength", fields.unit_interval("StimulusContext.tie_strength", self.tie_strength))
        shared = self.shared_community
        if shared is not None and type(shared) is not bool:
            raise ConfigurationError("StimulusContext.shared_community", shared, "use True or False")
        if self.via_persona_id is not None:
            fields.persona("StimulusContext.via_persona_id", self.via_persona_id)
            require(
                self.tie_strength is not None, "StimulusContext.tie_strength", None, "who tells it has a tie: give it"
            )

    def _check_counts(self) -> None:
        for name in ("likes", "reposts", "replies", "upvotes", "downvotes"):
            put(self, name, fields.tick(f"StimulusContext.{name}", getattr(self, name)))
