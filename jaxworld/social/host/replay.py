"""Replay and resume: a world's deltas from its header and recorded turns, and where two runs part."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from jaxworld.core.errors import JaxworldError, require
from jaxworld.social.host.driver import TickLog
from jaxworld.social.host.world import SocialWorld
from jaxworld.social.records.canonical import canonical_json
from jaxworld.social.records.delta import WorldDelta
from jaxworld.social.records.kinds import Channel
from jaxworld.social.records.turn import Turn

FIELDS = ("tick", "published", "interventions", "dropped", "presentations")


class DivergenceError(JaxworldError):
    """A replay that is not what was recorded.

    Attributes:
        tick: the first tick that differs.
        field: the first field of its delta that differs, or ``delta_count``.
        index: the first entry that differs, None if the field has no entries.
    """

    def __init__(self, tick: int, field: str, index: int | None, recorded: str, replayed: str) -> None:
        where = field if index is None else f"{field}[{index}]"
        super().__init__(f"tick {tick}, {where}: recorded {_short(recorded)}, replayed {_short(replayed)}")
        self.tick, self.field, self.index = tick, field, index


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:197]}..."


@dataclasses.dataclass(frozen=True)
class Recording:
    """What a replay needs, and what it is compared with.

    Attributes:
        turns: by the tick at which they were taken; the world gets them at the next one.
        activation_rates: by the tick entered, where they are not those of the configuration.
        deltas: one a tick from 0 on; may be empty where there is nothing to compare with.
    """

    turns: Mapping[int, Sequence[Turn]]
    activation_rates: Mapping[int, float] = dataclasses.field(default_factory=dict)
    deltas: Sequence[WorldDelta] = ()


def record(ticks: Iterable[TickLog]) -> Recording:
    """Keep what a driver yields."""
    logs = list(ticks)
    rates = {log.delta.tick: log.activation_rate for log in logs if log.activation_rate is not None}
    return Recording(
        turns={log.delta.tick: log.turns for log in logs},
        activation_rates=rates,
        deltas=tuple(log.delta for log in logs),
    )


def replay(world: SocialWorld, recording: Recording, until: int | None = None) -> Iterator[WorldDelta]:
    """The deltas of a fresh world that takes the recorded turns.

    Args:
        world: not yet reset, made from the header, population and configuration of the recorded run.
        recording: turns and activation rates.
        until: last tick; default that of the recorded deltas, or else the one the last turns lead to.
    """
    last = _last_tick(world, recording) if until is None else until
    yield world.reset()
    for tick in range(1, last + 1):
        turns = [
            turn for turn in recording.turns.get(tick - 1, ()) if turn.impression.channel is not Channel.SURVEY_ROOM
        ]
        yield world.step(tick, turns, activation_rate=recording.activation_rates.get(tick))


def _last_tick(world: SocialWorld, recording: Recording) -> int:
    if recording.deltas:
        return len(recording.deltas) - 1
    after_turns = max(recording.turns, default=-1) + 1
    return min(max(after_turns, *recording.activation_rates, 0), world.header.scenario.horizon_ticks - 1)


def resume(world: SocialWorld, recording: Recording, tick: int) -> SocialWorld:
    """Bring a fresh world to ``tick`` by replay, to be stepped on from there."""
    for _ in replay(world, recording, until=tick):
        pass
    return world


def verify(world: SocialWorld, recording: Recording) -> None:
    """Replay a recording on a fresh world and compare every delta.

    Raises:
        DivergenceError: naming the first tick, field and index that differ.
    """
    recorded = recording.deltas
    require(len(recorded) > 0, "recording.deltas", (), "there is nothing to compare with")
    least, most = max(recording.turns, default=0) + 1, world.header.scenario.horizon_ticks
    if not least <= len(recorded) <= most:
        raise DivergenceError(len(recorded), "delta_count", None, str(len(recorded)), f"{least} to {most}")
    for one, other in zip(recorded, replay(world, recording), strict=True):
        compare(one, other)


def compare(recorded: WorldDelta, replayed: WorldDelta) -> None:
    """Compare two deltas by their canonical text, entry by entry.

    Raises:
        DivergenceError: at the first difference.
    """
    for field in FIELDS:
        one, other = getattr(recorded, field), getattr(replayed, field)
        if field == "tick":
            _compare_entry(replayed.tick, field, None, one, other)
            continue
        for index, (mine, theirs) in enumerate(zip_longest(one, other)):
            _compare_entry(replayed.tick, field, index, mine, theirs)


def _compare_entry(tick: int, field: str, index: int | None, one: Any, other: Any) -> None:
    mine, theirs = canonical_json(one), canonical_json(other)
    if mine != theirs:
        raise DivergenceError(tick, field, index, mine, theirs)
