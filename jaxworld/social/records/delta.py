"""What a world emits at one tick: five fields, nothing else."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.records import fields
from jaxworld.social.records.exposure import DroppedExposure, Presentation
from jaxworld.social.records.fields import put
from jaxworld.social.records.kinds import Channel, InterventionKind
from jaxworld.social.records.lazy import LazySequence
from jaxworld.social.records.record import Record
from jaxworld.social.records.stimulus import Stimulus


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class WorldDelta(Record):
    """One tick of a world.

    ``dropped`` and ``presentations`` may be lazy sequences, which make their records slice by slice while they are
    read and keep none; everything else about them is that of a tuple. What a tuple is checked for here, a lazy
    sequence was checked for on the arrays it is made from.

    Attributes:
        tick: the tick presented.
        published: stimuli published at this tick, in order.
        interventions: kinds that start at this tick, in the order of the schedule.
        dropped: what was ranked or told but not shown, by channel, then persona, then rank.
        presentations: feed, forum, word of mouth, survey room; in the order of personas inside each.
    """

    tick: int
    published: tuple[Stimulus, ...] = ()
    interventions: tuple[InterventionKind, ...] = ()
    dropped: Sequence[DroppedExposure] = ()
    presentations: Sequence[Presentation] = ()

    def __post_init__(self) -> None:
        put(self, "tick", fields.tick("WorldDelta.tick", self.tick))
        put(self, "published", fields.items("WorldDelta.published", Stimulus, self.published))
        kinds = [fields.member("WorldDelta.interventions", InterventionKind, kind) for kind in self.interventions]
        put(self, "interventions", tuple(kinds))
        for stimulus in self.published:
            require(stimulus.tick == self.tick, "WorldDelta.published.tick", stimulus.tick, f"the tick is {self.tick}")
        fields.distinct("WorldDelta.published", [s.stimulus_id for s in self.published], "a stimulus id")
        lazy = isinstance(self.dropped, LazySequence), isinstance(self.presentations, LazySequence)
        if not lazy[0]:
            put(self, "dropped", fields.items("WorldDelta.dropped", DroppedExposure, self.dropped))
        if not lazy[1]:
            put(self, "presentations", fields.items("WorldDelta.presentations", Presentation, self.presentations))
        if not any(lazy):
            self.check()

    def check(self) -> None:
        """Check what concerns several records, reading every one of them.

        Raises:
            ConfigurationError: naming the field that breaks a rule.
        """
        shown: set[tuple[str, Channel, str]] = set()
        impressions: set[str] = set()
        seats: set[tuple[str, Channel]] = set()
        for presentation in self.presentations:
            impression = presentation.impression
            if impression.tick != self.tick:
                raise ConfigurationError(
                    "WorldDelta.presentations.impression.tick", impression.tick, f"the tick is {self.tick}"
                )
            seat = (impression.persona_id, impression.channel)
            if impression.impression_id in impressions:
                raise ConfigurationError(
                    "WorldDelta.presentations.impression_id", impression.impression_id, "an impression id occurs twice"
                )
            if seat in seats:
                raise ConfigurationError("WorldDelta.presentations", seat, "one a persona and channel")
            impressions.add(impression.impression_id)
            seats.add(seat)
            shown.update((*seat, exposure.stimulus_id) for exposure in impression.exposures)
        drops: set[tuple[str, Channel, str]] = set()
        for entry in self.dropped:
            drop = (entry.persona_id, entry.dropped.channel, entry.dropped.stimulus_id)
            if drop in drops:
                raise ConfigurationError("WorldDelta.dropped", drop, "one a persona, channel and stimulus")
            if drop in shown:
                raise ConfigurationError("WorldDelta.dropped", drop, "it was shown there")
            drops.add(drop)
