"""What is published, as records: the study's brief, and what personas write."""

from __future__ import annotations

from collections.abc import Iterable

from jaxworld.social.records.header import PartitionHeader
from jaxworld.social.records.identity import published_stimulus_id, study_stimulus_id
from jaxworld.social.records.kinds import ACTION_CODE, ActionKind, StimulusKind
from jaxworld.social.records.ledger import Ledger
from jaxworld.social.records.stimulus import Stimulus
from jaxworld.social.vocabulary import REPLYING

Authored = tuple[str, ActionKind, Stimulus, str]
"""Author, action, subject and text."""


def study_stimuli(header: PartitionHeader) -> list[Stimulus]:
    """The concept and the claim posts, in the order of the brief."""
    brief, seed = header.pack.brief, header.world_seed
    concept = Stimulus(
        stimulus_id=study_stimulus_id(seed, 0), tick=0, kind=StimulusKind.CONCEPT, text=brief.product.description
    )
    claims = [
        Stimulus(
            stimulus_id=study_stimulus_id(seed, index),
            tick=0,
            kind=StimulusKind.CLAIM_POST,
            text=claim.text,
            claim_id=claim.id,
        )
        for index, claim in enumerate(brief.claims, start=1)
    ]
    return [concept, *claims]


def publish_study(header: PartitionHeader, ledger: Ledger) -> None:
    """Enter what the study publishes into the ledger."""
    for stimulus in study_stimuli(header):
        ledger.publish(stimulus)


def publish_authored(ledger: Ledger, tick: int, texts: Iterable[Authored]) -> None:
    """Enter what personas publish at a tick, in the order of publication."""
    for index, (author, action, subject, text) in enumerate(texts):
        reply = bool(REPLYING[ACTION_CODE[action]])
        ledger.publish(
            Stimulus(
                stimulus_id=published_stimulus_id(ledger.seed, tick, action.value, index),
                tick=tick,
                author=author,
                kind=StimulusKind.PEER_REPLY if reply else StimulusKind.PEER_POST,
                text=text,
                in_reply_to=subject.stimulus_id if reply else None,
            )
        )
