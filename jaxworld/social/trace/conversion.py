"""Records to rows of a trace and back, without loss."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from jaxworld.social.host.driver import AgentFailure
from jaxworld.social.records import (
    DroppedExposure,
    Exposure,
    ExposureDropped,
    Impression,
    Presentation,
    Reaction,
    Rejection,
    Stimulus,
    StimulusContext,
    Turn,
    View,
    WorldDelta,
)

Row = dict[str, Any]

_STIMULUS = ("stimulus_id", "author", "kind", "text", "claim_id", "in_reply_to")
_CONTEXT = (
    "likes", "reposts", "replies", "upvotes", "downvotes", "tie_strength", "shared_community", "via_persona_id",
)  # fmt: skip


def tick_rows(
    delta: WorldDelta,
    turns: Iterable[Turn] = (),
    rejections: Iterable[Rejection] = (),
    failures: Iterable[AgentFailure] = (),
    activation_rate: float | None = None,
) -> list[Row]:
    """The rows of one tick.

    Args:
        delta: what the world did.
        turns: taken about it.
        rejections: turns of the tick before that the world rejected when it entered this one.
        failures: impressions that brought no turn.
        activation_rate: with which the tick was entered, None for that of the configuration.
    """
    rated = [] if activation_rate is None else [{"event": "rate", "activation_rate": activation_rate}]
    issued = {(str(each.impression.channel), each.impression.persona_id): each.impression.impression_id
              for each in (delta.presentations if failures else ())}  # fmt: skip
    return [
        *rated,
        *({"event": "stimulus", **_values(stimulus, _STIMULUS)} for stimulus in delta.published),
        *({"event": "intervention", "kind": str(kind)} for kind in delta.interventions),
        *(_rejection_row(rejection) for rejection in rejections),
        *(row for presentation in delta.presentations for row in _presentation_rows(presentation)),
        *(_drop_row(entry) for entry in delta.dropped),
        *(_failure_row(failure, issued) for failure in failures),
        *(_turn_row(turn) for turn in turns),
    ]


def rows_to_delta(tick: int, rows: Sequence[Mapping[str, Any]]) -> WorldDelta:
    """The delta that :func:`tick_rows` was given.

    Raises:
        ConfigurationError: naming the field of a record that breaks its rules.
    """
    return WorldDelta(
        tick=tick,
        published=tuple(
            Stimulus(tick=tick, **_values(row, _STIMULUS)) for row in rows if row["event"] == "stimulus"
        ),
        interventions=tuple(row["kind"] for row in rows if row["event"] == "intervention"),
        dropped=tuple(
            DroppedExposure(
                persona_id=row["persona_id"],
                dropped=ExposureDropped(
                    stimulus_id=row["stimulus_id"], channel=row["channel"], reason=row["reason"]
                ),
            )
            for row in rows
            if row["event"] == "drop"
        ),
        presentations=tuple(_presentations(tick, rows).values()),
    )  # fmt: skip


def rows_to_turns(tick: int, rows: Sequence[Mapping[str, Any]]) -> list[Turn]:
    """The turns that :func:`tick_rows` was given.

    Raises:
        ConfigurationError: naming the field of a record that breaks its rules.
    """
    shown = _presentations(tick, rows)
    return [
        Turn(
            impression=shown[row["impression_id"]].impression,
            view=shown[row["impression_id"]].view,
            reaction=Reaction.from_json(row["details"]),
        )
        for row in rows
        if row["event"] == "turn"
    ]


def rows_to_rate(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """The activation rate that :func:`tick_rows` was given."""
    return next((float(row["activation_rate"]) for row in rows if row["event"] == "rate"), None)


def rows_to_failures(tick: int, rows: Sequence[Mapping[str, Any]]) -> list[AgentFailure]:
    """The failures that :func:`tick_rows` was given."""
    return [
        AgentFailure(persona_id=row["persona_id"], channel=row["channel"], tick=tick, error=row["text"])
        for row in rows
        if row["event"] == "agent_failure"
    ]


def _values(source: Any, names: Iterable[str]) -> Row:
    """Fields of a record or cells of a row; words of enums become plain strings."""
    if isinstance(source, Mapping):
        return {name: source[name] for name in names}
    values = {name: getattr(source, name) for name in names}
    return {name: str(value) if isinstance(value, str) else value for name, value in values.items()}


def _presentation_rows(presentation: Presentation) -> Iterator[Row]:
    impression, contexts = presentation.impression, presentation.view.contexts
    for rank, exposure in enumerate(impression.exposures):
        context = contexts[exposure.stimulus_id]
        yield {
            "event": "exposure",
            "channel": str(impression.channel),
            "persona_id": impression.persona_id,
            "impression_id": impression.impression_id,
            "rank": rank,
            "stimulus_id": exposure.stimulus_id,
            "reason": str(exposure.reason),
            "attention": exposure.attention,
            "ancestry": list(context.ancestry),
            **_values(context, _CONTEXT),
        }


def _presentations(tick: int, rows: Sequence[Mapping[str, Any]]) -> dict[str, Presentation]:
    made: dict[str, Presentation] = {}
    exposures = (row for row in rows if row["event"] == "exposure")
    for name, group in groupby(exposures, key=lambda row: row["impression_id"]):
        slots = list(group)
        shown = tuple(
            Exposure(stimulus_id=row["stimulus_id"], reason=row["reason"], attention=row["attention"])
            for row in slots
        )  # fmt: skip
        contexts = {
            row["stimulus_id"]: StimulusContext(ancestry=tuple(row["ancestry"]), **_values(row, _CONTEXT))
            for row in slots
        }
        impression = Impression(
            impression_id=name,
            persona_id=slots[0]["persona_id"],
            channel=slots[0]["channel"],
            tick=tick,
            exposures=shown,
        )
        made[name] = Presentation(impression=impression, view=View(impression_id=name, contexts=contexts))
    return made


def _drop_row(entry: DroppedExposure) -> Row:
    dropped = entry.dropped
    return {
        "event": "drop",
        "channel": str(dropped.channel),
        "persona_id": entry.persona_id,
        "stimulus_id": dropped.stimulus_id,
        "reason": str(dropped.reason),
    }


def _rejection_row(rejection: Rejection) -> Row:
    return {
        "event": "rejection",
        "channel": str(rejection.channel),
        "persona_id": rejection.persona_id,
        "action": str(rejection.action),
    }


def _failure_row(failure: AgentFailure, issued: Mapping[tuple[str, str], str]) -> Row:
    return {
        "event": "agent_failure",
        "channel": str(failure.channel),
        "persona_id": failure.persona_id,
        "impression_id": issued[str(failure.channel), failure.persona_id],
        "text": failure.error,
    }


def _turn_row(turn: Turn) -> Row:
    reaction, impression = turn.reaction, turn.impression
    return {
        "event": "turn",
        "channel": str(impression.channel),
        "persona_id": impression.persona_id,
        "impression_id": impression.impression_id,
        "stimulus_id": reaction.subject_stimulus_id,
        "action": str(reaction.action),
        "text": reaction.verbatim,
        "sentiment": reaction.sentiment,
        "reaction_id": reaction.reaction_id,
        "details": reaction.to_json(),
    }
