"""What a study varies: the offer, the channels, the clock and the schedule."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from jaxworld.core.checks import number, whole
from jaxworld.core.errors import require
from jaxworld.social.records import fields
from jaxworld.social.records.fields import put
from jaxworld.social.records.kinds import Channel, InterventionKind, TickUnit
from jaxworld.social.records.record import FrozenDict, Record

DEFAULT_BUDGET, DEFAULT_LAUNCH_REACH = 3, 0.10
LARGEST = 2**30


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Variant(Record):
    """How the offer is put.

    Attributes:
        variant_id: names the variant; world seeds are derived from it.
        name, description: for people.
        emphasized_claims: claim ids.
    """

    variant_id: str
    name: str = ""
    description: str = ""
    emphasized_claims: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        fields.text("Variant.variant_id", self.variant_id)
        for name in ("name", "description"):
            require(isinstance(getattr(self, name), str), f"Variant.{name}", getattr(self, name), "use a string")
        put(self, "emphasized_claims", fields.strings("Variant.emphasized_claims", self.emphasized_claims))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Intervention(Record):
    """A scheduled act of the study.

    Attributes:
        tick: when.
        kind: what.
    """

    tick: int
    kind: InterventionKind

    def __post_init__(self) -> None:
        put(self, "tick", fields.tick("Intervention.tick", self.tick))
        put(self, "kind", fields.member("Intervention.kind", InterventionKind, self.kind))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Scenario(Record):
    """One arm of a study.

    Attributes:
        variant: how the offer is put.
        price: of the product, None if there is none.
        audience_weights: shares by audience.
        tick_unit: length of a tick.
        horizon_ticks: ticks of the study, tick 0 included.
        interventions: the schedule, each act once and inside the horizon.
        exposure_budget: exposures of a persona on a channel at a tick.
        channels: any of feed (``social_feed``, or ``feed``), ``forum`` and ``wom``; may be empty.
        survey_every: ticks between survey waves.
        launch_reach: share of personas the study tells at tick 0, where word of mouth is the only channel; None
            stands for 0.10 there.
    """

    variant: Variant
    price: float | None = None
    audience_weights: Mapping[str, float] = FrozenDict()
    tick_unit: TickUnit = TickUnit.DAY
    horizon_ticks: int
    interventions: tuple[Intervention, ...] = ()
    exposure_budget: int = DEFAULT_BUDGET
    channels: frozenset[Channel] = frozenset({Channel.SOCIAL_FEED})
    survey_every: int = 1
    launch_reach: float | None = None

    def __post_init__(self) -> None:
        fields.one("Scenario.variant", Variant, self.variant)
        if self.price is not None:
            put(self, "price", number("Scenario.price", self.price, 0, 1e12))
        given = fields.mapping("Scenario.audience_weights", self.audience_weights)
        weights = {key: number(f"Scenario.audience_weights[{key}]", value, 0, 1e12) for key, value in given.items()}
        put(self, "audience_weights", FrozenDict(weights))
        put(self, "tick_unit", fields.member("Scenario.tick_unit", TickUnit, self.tick_unit))
        for name in ("horizon_ticks", "exposure_budget", "survey_every"):
            put(self, name, whole(f"Scenario.{name}", getattr(self, name), 1, LARGEST))
        self._check_interventions()
        self._check_channels()

    def _check_interventions(self) -> None:
        acts = fields.items("Scenario.interventions", Intervention, self.interventions)
        put(self, "interventions", acts)
        for act in acts:
            require(
                act.tick < self.horizon_ticks,
                "Scenario.interventions.tick",
                act.tick,
                f"use a tick below the horizon of {self.horizon_ticks}",
            )
        fields.distinct("Scenario.interventions", [(act.tick, act.kind.value) for act in acts], "an intervention")

    def _check_channels(self) -> None:
        names = self.channels
        if isinstance(names, frozenset | set | tuple | list):
            names = frozenset(Channel.SOCIAL_FEED if name == "feed" else name for name in names)
        channels = fields.members("Scenario.channels", Channel, names)
        require(
            Channel.SURVEY_ROOM not in channels,
            "Scenario.channels",
            "survey_room",
            "survey waves are set by survey_every: use feed, forum and wom",
        )
        put(self, "channels", channels)
        if self.launch_reach is not None:
            put(self, "launch_reach", fields.unit_interval("Scenario.launch_reach", self.launch_reach))
            require(
                channels == {Channel.WOM},
                "Scenario.launch_reach",
                self.launch_reach,
                "the study tells personas only where wom is the only channel",
            )
