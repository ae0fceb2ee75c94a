"""What a persona is shown on one channel at one tick, and what it was not."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Literal

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.records import fields
from jaxworld.social.records.fields import put
from jaxworld.social.records.kinds import Channel, DropReason, ExposureReason
from jaxworld.social.records.record import FrozenDict, Record
from jaxworld.social.records.stimulus import StimulusContext


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Exposure(Record):
    """One shown stimulus.

    Attributes:
        stimulus_id: what was shown.
        reason: why.
        attention: in [0, 1]; 0 is shown but not noticed.
    """

    stimulus_id: str
    reason: ExposureReason
    attention: float

    def __post_init__(self) -> None:
        fields.identifier("Exposure.stimulus_id", self.stimulus_id, "st")
        if type(self.reason) is not ExposureReason:
            put(self, "reason", fields.member("Exposure.reason", ExposureReason, self.reason))
        attention = self.attention
        if type(attention) is not float or not 0.0 <= attention <= 1.0:
            put(self, "attention", fields.unit_interval("Exposure.attention", attention))

    @property
    def seen(self) -> bool:
        """It was noticed."""
        return self.attention > 0


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Impression(Record):
    """What one persona meets on one channel at one tick.

    Attributes:
        impression_id: ``im-…``.
        persona_id: ``p-…``.
        channel: where.
        tick: when.
        exposures: in the order of rank, at least one; exactly one in the survey room.
    """

    impression_id: str
    persona_id: str
    channel: Channel
    tick: int
    exposures: tuple[Exposure, ...]

    def __post_init__(self) -> None:
        fields.identifier("Impression.impression_id", self.impression_id, "im")
        fields.persona("Impression.persona_id", self.persona_id)
        if type(self.channel) is not Channel:
            put(self, "channel", fields.member("Impression.channel", Channel, self.channel))
        if type(self.tick) is not int or self.tick < 0:
            put(self, "tick", fields.tick("Impression.tick", self.tick))
        exposures = self.exposures
        if type(exposures) is not tuple or any(type(exposure) is not Exposure for exposure in exposures):
            exposures = fields.items("Impression.exposures", Exposure, exposures)
            put(self, "exposures", exposures)
        if not exposures:
            raise ConfigurationError("Impression.exposures", exposures, "show one stimulus or more")
        if len(exposures) > 1:
            if self.channel is Channel.SURVEY_ROOM:
                raise ConfigurationError("Impression.exposures", exposures, "the survey room shows one stimulus")
            shown = [exposure.stimulus_id for exposure in exposures]
            if len(set(shown)) < len(shown):
                fields.distinct("Impression.exposures", shown, "a stimulus")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class View(Record):
    """The public context of each stimulus of an impression.

    Attributes:
        impression_id: the impression it belongs to.
        contexts: by stimulus id, at least one.
    """

    impression_id: str
    contexts: Mapping[str, StimulusContext]

    def __post_init__(self) -> None:
        fields.identifier("View.impression_id", self.impression_id, "im")
        contexts = self.contexts
        if type(contexts) is not FrozenDict:
            contexts = FrozenDict(fields.mapping("View.contexts", contexts))
            put(self, "contexts", contexts)
        if not contexts:
            raise ConfigurationError("View.contexts", contexts, "give the context of one stimulus or more")
        for name, context in contexts.items():
            if type(context) is not StimulusContext:
                raise ConfigurationError(f"View.contexts[{name}]", context, "use a StimulusContext")
            fields.identifier("View.contexts", name, "st")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Presentation(Record):
    """An impression with the view of it.

    Attributes:
        impression: what is shown.
        view: its public context, for exactly the stimuli of the impression.
    """

    impression: Impression
    view: View

    def __post_init__(self) -> None:
        impression, view = self.impression, self.view
        if type(impression) is not Impression:
            raise ConfigurationError("Presentation.impression", impression, "use an Impression")
        if type(view) is not View:
            raise ConfigurationError("Presentation.view", view, "use a View")
        if impression.impression_id != view.impression_id:
            raise ConfigurationError("Presentation.view.impression_id", view.impression_id, "it is another impression")
        contexts, exposures = view.contexts, impression.exposures
        if len(contexts) != len(exposures) or any(exposure.stimulus_id not in contexts for exposure in exposures):
            raise ConfigurationError(
                "Presentation.view.contexts", sorted(contexts), "give a context to exactly the stimuli that are shown"
            )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ExposureDropped(Record):
    """A stimulus that was ranked or told, but not shown.

    Attributes:
        kind: always ``exposure_dropped``.
        stimulus_id: what was not shown.
        channel: where.
        reason: why.
    """

    kind: Literal["exposure_dropped"] = "exposure_dropped"
    stimulus_id: str
    channel: Channel
    reason: DropReason

    def __post_init__(self) -> None:
        require(self.kind == "exposure_dropped", "ExposureDropped.kind", self.kind, "use exposure_dropped")
        fields.identifier("ExposureDropped.stimulus_id", self.stimulus_id, "st")
        put(self, "channel", fields.member("ExposureDropped.channel", Channel, self.channel))
        put(self, "reason", fields.member("ExposureDropped.reason", DropReason, self.reason))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class DroppedExposure(Record):
    """Whom a dropped stimulus did not reach.

    Attributes:
        persona_id: ``p-…``.
        dropped: the drop.
    """

    persona_id: str
    dropped: ExposureDropped

    def __post_init__(self) -> None:
        fields.persona("DroppedExposure.persona_id", self.persona_id)
        fields.one("DroppedExposure.dropped", ExposureDropped, self.dropped)
