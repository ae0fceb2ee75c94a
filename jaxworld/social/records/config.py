"""How a world is run: settings that are no part of its record."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from jaxworld.core.checks import number, whole
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.records import fields
from jaxworld.social.records.fields import put
from jaxworld.social.records.kinds import Channel, TickUnit

Embedder = Callable[[Sequence[str]], Any]
"""Texts in, one vector ``[D]`` of finite numbers a text out, in their order."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class WorldConfig:
    """Settings of a run. All defaults are those of the records' own semantics.

    Attributes:
        channels: instead of the scenario's.
        feed_recsys_mode: a recommender of the feed, see ``jaxworld.social.recommender_names``.
        forum_recsys_mode: ``reddit_hot`` or ``random``.
        forum_preset: ``reddit_global`` or ``community_scoped``.
        exposure_budget: can only tighten the scenario's.
        last_slot_attention: attention of the last of several shown stimuli.
        attention_floor: below it nothing is noticed.
        candidate_window: ranked candidates of a presentation, at least the budget; default three budgets.
        involvement_default: of personas not named in ``involvement``.
        involvement: ``(persona_id, x)`` rows, x of at least 0.
        activation_rate: share of activations kept; a step can be given another one.
        rhythm: ``(unit, x)`` rows, a constant in place of the unit's curve.
        wom_sentiment_threshold, wom_tie_threshold: what word of mouth needs, both inclusive.
        wom_cap_per_tick: peers a persona tells at a tick.
        profile_vectors: ``(persona_id, vector)`` rows; whoever has one is never embedded.
        embed_texts: turns texts into vectors; called when texts are published, never while ranking.
        stimulus_capacity: stimuli to make room for at first; a run that needs more grows, and its records do not
            depend on it.
    """

    channels: frozenset[Channel] | None = None
    feed_recsys_mode: str = "random"
    forum_recsys_mode: str = "reddit_hot"
    forum_preset: str = "reddit_global"
    exposure_budget: int | None = None
    last_slot_attention: float = 0.5
    attention_floor: float = 0.0
    candidate_window: int | None = None
    involvement_default: float = 1.0
    involvement: tuple[tuple[str, float], ...] = ()
    activation_rate: float = 1.0
    rhythm: tuple[tuple[TickUnit, float], ...] = ()
    wom_sentiment_threshold: float = 0.6
    wom_tie_threshold: float = 0.3
    wom_cap_per_tick: int = 2
    profile_vectors: tuple[tuple[str, tuple[float, ...]], ...] = ()
    embed_texts: Embedder | None = None
    stimulus_capacity: int = 1024

    def __post_init__(self) -> None:
        if self.channels is not None:
            names = [Channel.SOCIAL_FEED if name == "feed" else name for name in self.channels]
            put(self, "channels", fields.members("WorldConfig.channels", Channel, names))
            refused = Channel.SURVEY_ROOM in self.channels
            require(not refused, "WorldConfig.channels", "survey_room", "use feed, forum and wom")
        for name in ("exposure_budget", "candidate_window"):
            value = getattr(self, name)
            put(self, name, None if value is None else whole(f"WorldConfig.{name}", value, 1, 2**20))
        for name in ("attention_floor", "activation_rate", "wom_sentiment_threshold", "wom_tie_threshold"):
            put(self, name, number(f"WorldConfig.{name}", getattr(self, name), 0, 1))
        # Clamped, not refused: beyond its ends the curve would leave the unit interval.
        last = number("WorldConfig.last_slot_attention", self.last_slot_attention, -1e9, 1e9)
        put(self, "last_slot_attention", min(max(last, 0.0), 1.0))
        put(self, "wom_cap_per_tick", whole("WorldConfig.wom_cap_per_tick", self.wom_cap_per_tick, 0, 2**20))
        put(self, "stimulus_capacity", whole("WorldConfig.stimulus_capacity", self.stimulus_capacity, 1, 2**23))
        self._check_rows()
        callable_or_none = self.embed_texts is None or callable(self.embed_texts)
        require(callable_or_none, "WorldConfig.embed_texts", self.embed_texts, "use a callable")

    def _check_rows(self) -> None:
        default = number("WorldConfig.involvement_default", self.involvement_default, 0, 1e6)
        put(self, "involvement_default", default)
        involvement = [
            (fields.persona("WorldConfig.involvement", key), number(f"WorldConfig.involvement[{key}]", value, 0, 1e6))
            for key, value in _pairs("WorldConfig.involvement", self.involvement)
        ]
        put(self, "involvement", tuple(involvement))
        rhythm = [
            (fields.member("WorldConfig.rhythm", TickUnit, key), number(f"WorldConfig.rhythm[{key}]", value, 0, 1e6))
            for key, value in _pairs("WorldConfig.rhythm", self.rhythm)
        ]
        put(self, "rhythm", tuple(rhythm))
        vectors = [
            (
                fields.persona("WorldConfig.profile_vectors", key),
                tuple(number(f"WorldConfig.profile_vectors[{key}]", entry, -1e30, 1e30) for entry in value),
            )
            for key, value in _pairs("WorldConfig.profile_vectors", self.profile_vectors)
        ]
        put(self, "profile_vectors", tuple(vectors))
        lengths = {len(vector) for _, vector in vectors}
        require(len(lengths) <= 1, "WorldConfig.profile_vectors", sorted(lengths), "give all vectors one length")


def _pairs(field: str, rows: Any) -> list[tuple[Any, Any]]:
    if isinstance(rows, dict):
        rows = list(rows.items())
    fits = isinstance(rows, tuple | list) and all(isinstance(row, tuple | list) and len(row) == 2 for row in rows)
    if not fits:
        raise ConfigurationError(field, rows, "use pairs")
    keys = [row[0] for row in rows]
    fields.distinct(field, keys, "a key")
    return [(row[0], row[1]) for row in rows]
