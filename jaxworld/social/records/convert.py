"""Deltas between arrays and records, slice by slice."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from jaxworld.core.checks import whole
from jaxworld.core.errors import ConfigurationError
from jaxworld.social.records.arrays import ROW_FIELDS, DeltaArrays
from jaxworld.social.records.delta import WorldDelta
from jaxworld.social.records.exposure import (
    DroppedExposure,
    Exposure,
    ExposureDropped,
    Impression,
    Presentation,
    View,
)
from jaxworld.social.records.identity import impression_id
from jaxworld.social.records.kinds import (
    CHANNEL_CODE,
    CHANNEL_WORD,
    DROP_CODE,
    DROP_WORD,
    REASON_CODE,
    REASON_WORD,
)
from jaxworld.social.records.lazy import LazySequence
from jaxworld.social.records.ledger import Ledger
from jaxworld.social.records.record import FrozenDict
from jaxworld.social.records.stimulus import StimulusContext
from jaxworld.social.vocabulary import ATTENTION_UNIT, TIE_UNIT, Count

CHUNK = 256
_SHARED = (None, False, True)
"""By code plus one."""


def to_records(arrays: DeltaArrays, ledger: Ledger, chunk: int = CHUNK) -> WorldDelta:
    """The delta of one tick; its presentations and drops are made while they are read.

    Args:
        arrays: what happened, checked here as a whole.
        ledger: names; it must hold the tick's own publications.
        chunk: personas a slice. It has no effect on the records.

    Raises:
        ConfigurationError: if the arrays break a rule of deltas, naming the field.
    """
    arrays.check()
    chunk = whole("chunk", chunk, 1, 2**24)
    start, stop = arrays.published
    return WorldDelta(
        tick=arrays.tick,
        published=tuple(ledger.stimuli[start:stop]),
        interventions=arrays.interventions,
        dropped=LazySequence(len(arrays.drop_persona), functools.partial(_make_drops, arrays, ledger), chunk),
        presentations=LazySequence(len(arrays.persona), functools.partial(_make_presentations, arrays, ledger), chunk),
    )


def _make_presentations(arrays: DeltaArrays, ledger: Ledger, start: int, stop: int) -> list[Presentation]:
    """Presentations ``start`` to ``stop``. Equal exposures and contexts of a slice are one object."""
    exposures = _interned(arrays, ("stimulus", "reason", "attention"), start, stop, _exposure_maker(ledger))
    contexts = _interned(
        arrays, ("stimulus", "tie", "shared_community", "via", "counts"), start, stop, _context_maker(ledger)
    )
    lengths = (arrays.stimulus[start:stop] >= 0).sum(axis=1).tolist()
    width, seed, tick = arrays.stimulus.shape[1], ledger.seed, arrays.tick
    made, first = [], 0
    seats = zip(arrays.persona[start:stop].tolist(), arrays.channel[start:stop].tolist(), lengths, strict=True)
    for persona, code, length in seats:
        name, channel = ledger.persona_ids[persona], CHANNEL_WORD[code]
        identity = impression_id(seed, tick, channel.value, name)
        shown = tuple(exposures[first : first + length])
        public = FrozenDict(
            {
                exposure.stimulus_id: context
                for exposure, context in zip(shown, contexts[first : first + length], strict=True)
            }
        )
        impression = Impression(impression_id=identity, persona_id=name, channel=channel, tick=tick, exposures=shown)
        made.append(Presentation(impression=impression, view=View(impression_id=identity, contexts=public)))
        first += width
    return made


def _interned(
    arrays: DeltaArrays, names: tuple[str, ...], start: int, stop: int, make: Callable[..., Any]
) -> list[Any]:
    """One object for each slot of the slice, made once for each distinct row of columns; None where empty."""
    columns = [getattr(arrays, name)[start:stop] for name in names]
    flat = [column.reshape(column.shape[0] * column.shape[1], -1) for column in columns]
    rows = np.ascontiguousarray(np.concatenate(flat, axis=1))
    keys = rows.view(f"V{rows.itemsize * rows.shape[1]}").ravel().tolist()
    first = {key: index for index, key in enumerate(keys)}
    known = {
        key: make(*row) if row[0] >= 0 else None
        for key, row in zip(first, rows[list(first.values())].tolist(), strict=True)
    }
    return [known[key] for key in keys]


def _exposure_maker(ledger: Ledger) -> Callable[..., Exposure]:
    ids = ledger.ids

    def make(slot: int, reason: int, attention: int) -> Exposure:
        return Exposure(stimulus_id=ids[slot], reason=REASON_WORD[reason], attention=attention / ATTENTION_UNIT)

    return make


def _context_maker(ledger: Ledger) -> Callable[..., StimulusContext]:
    ancestry, personas = ledger.ancestry, ledger.persona_ids

    def make(slot: int, tie: int, shared: int, via: int, *counts: int) -> StimulusContext:
        likes, reposts, replies, upvotes, downvotes = counts
        return StimulusContext(
            likes=likes,
            reposts=reposts,
            replies=replies,
            upvotes=upvotes,
            downvotes=downvotes,
            ancestry=ancestry[slot],
            tie_strength=None if tie < 0 else tie / TIE_UNIT,
            shared_community=_SHARED[shared + 1],
            via_persona_id=None if via < 0 else personas[via],
        )

    return make


_COUNT_NAMES = tuple(count.name.lower() for count in Count)


def _make_drops(arrays: DeltaArrays, ledger: Ledger, start: int, stop: int) -> list[DroppedExposure]:
    known: dict[tuple[int, int, int], ExposureDropped] = {}
    made = []
    columns = (arrays.drop_channel, arrays.drop_stimulus, arrays.drop_reason)
    rows = zip(*(column[start:stop].tolist() for column in columns), strict=True)
    for persona, key in zip(arrays.drop_persona[start:stop].tolist(), rows, strict=True):
        drop = known.get(key)
        if drop is None:
            channel, slot, reason = key
            drop = known[key] = ExposureDropped(
                stimulus_id=ledger.ids[slot],
                channel=CHANNEL_WORD[channel],
                reason=DROP_WORD[reason],
            )
        made.append(DroppedExposure(persona_id=ledger.persona_ids[persona], dropped=drop))
    return made


def from_records(delta: WorldDelta, ledger: Ledger, max_budget: int | None = None) -> DeltaArrays:
    """The arrays of a delta; the inverse of :func:`to_records`.

    Args:
        delta: records.
        ledger: names. What the delta publishes is entered, unless it is there already.
        max_budget: E; default the longest presentation.

    Raises:
        ConfigurationError: for a persona or stimulus that does not exist, or an impression id that is not derived
            from the world's seed.
    """
    published = _enter(delta, ledger)
    rows = [_row(presentation, ledger) for presentation in delta.presentations]
    longest = max((len(slots) for _, _, slots in rows), default=1)
    width = whole("max_budget", longest if max_budget is None else max_budget, longest, 2**20)
    num = len(rows)
    columns = {name: np.full((num, width), -1, np.int32) for name in ROW_FIELDS}
    columns["attention"][:] = 0
    counts = np.zeros((num, width, len(Count)), np.int32)
    for index, (_, _, slots) in enumerate(rows):
        for slot, (values, engagement) in enumerate(slots):
            for name, value in zip(ROW_FIELDS, values, strict=True):
                columns[name][index, slot] = value
            counts[index, slot] = engagement
    return DeltaArrays(
        tick=delta.tick,
        published=published,
        interventions=delta.interventions,
        persona=np.asarray([row[0] for row in rows], np.int32),
        channel=np.asarray([row[1] for row in rows], np.int32),
        counts=counts,
        **columns,
        **_drop_columns(delta, ledger),
    )


def _enter(delta: WorldDelta, ledger: Ledger) -> tuple[int, int]:
    if not delta.published:
        return 0, 0
    for stimulus in delta.published:
        if stimulus.stimulus_id not in ledger.slot:
            ledger.publish(stimulus)
    start = ledger.slot[delta.published[0].stimulus_id]
    stop = start + len(delta.published)
    if tuple(ledger.stimuli[start:stop]) != delta.published:
        raise ConfigurationError("WorldDelta.published", delta.published, "the ledger holds other stimuli")
    return start, stop


def _row(presentation: Presentation, ledger: Ledger) -> tuple[int, int, list[tuple[tuple[int, ...], list[int]]]]:
    impression, contexts = presentation.impression, presentation.view.contexts
    name = impression.persona_id
    derived = impression_id(ledger.seed, impression.tick, impression.channel.value, name)
    if impression.impression_id != derived:
        raise ConfigurationError("Impression.impression_id", impression.impression_id, f"the derived id is {derived}")
    persona = _known("Impression.persona_id", name, ledger.persona_index)
    slots = [_slot(exposure, contexts[exposure.stimulus_id], ledger) for exposure in impression.exposures]
    return persona, CHANNEL_CODE[impression.channel], slots


def _slot(exposure: Exposure, context: StimulusContext, ledger: Ledger) -> tuple[tuple[int, ...], list[int]]:
    slot = _known("Exposure.stimulus_id", exposure.stimulus_id, ledger.slot)
    if context.ancestry != ledger.ancestry[slot]:
        raise ConfigurationError("StimulusContext.ancestry", context.ancestry, "it answers something else")
    tie, via = context.tie_strength, context.via_persona_id
    values = (
        slot,
        round(exposure.attention * ATTENTION_UNIT),
        REASON_CODE[exposure.reason],
        -1 if tie is None else round(tie * TIE_UNIT),
        _SHARED.index(context.shared_community) - 1,
        -1 if via is None else _known("StimulusContext.via_persona_id", via, ledger.persona_index),
    )
    return values, [getattr(context, name) for name in _COUNT_NAMES]


def _known(field: str, name: str, table: dict[str, int]) -> int:
    index = table.get(name)
    if index is None:
        raise ConfigurationError(field, name, "the world knows none of this name")
    return index


def _drop_columns(delta: WorldDelta, ledger: Ledger) -> dict[str, np.ndarray]:
    rows = [
        (
            _known("DroppedExposure.persona_id", entry.persona_id, ledger.persona_index),
            CHANNEL_CODE[entry.dropped.channel],
            _known("ExposureDropped.stimulus_id", entry.dropped.stimulus_id, ledger.slot),
            DROP_CODE[entry.dropped.reason],
        )
        for entry in delta.dropped
    ]
    table = np.asarray(rows, np.int32).reshape(len(rows), 4)
    names = ("drop_persona", "drop_channel", "drop_stimulus", "drop_reason")
    return {name: np.ascontiguousarray(table[:, index]) for index, name in enumerate(names)}
