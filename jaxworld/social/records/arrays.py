"""One tick of a world as arrays on the host: what a delta holds, row by row."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.records.kinds import InterventionKind
from jaxworld.social.state import SocialInfo, SocialObservation
from jaxworld.social.vocabulary import ATTENTION_UNIT, Channel, Count, Reason

_PLATFORMS = (("feed", Channel.SOCIAL_FEED), ("forum", Channel.FORUM), ("word_of_mouth", Channel.WORD_OF_MOUTH))
ROW_FIELDS = ("stimulus", "attention", "reason", "tie", "shared_community", "via")


@dataclasses.dataclass(frozen=True, eq=False)
class DeltaArrays:
    """What a ``WorldDelta`` holds, ``int32`` throughout; P presentations of up to E stimuli, D drops.

    Attributes:
        tick: the tick presented.
        published: first slot published at this tick, and the one after the last; two zeros for none.
        interventions: kinds that start, in the order of the schedule.
        persona, channel: ``[P]``; feed, forum, word of mouth, survey room, and personas in order inside each.
        stimulus, attention, reason: ``[P, E]``; -1 and attention 0 where empty.
        counts: ``[P, E, 5]``, 0 where empty.
        tie, shared_community, via: ``[P, E]``, -1 where undefined.
        drop_persona, drop_channel, drop_stimulus, drop_reason: ``[D]``, by channel, then persona, then rank.
    """

    tick: int
    published: tuple[int, int]
    interventions: tuple[InterventionKind, ...]
    persona: np.ndarray
    channel: np.ndarray
    stimulus: np.ndarray
    attention: np.ndarray
    reason: np.ndarray
    counts: np.ndarray
    tie: np.ndarray
    shared_community: np.ndarray
    via: np.ndarray
    drop_persona: np.ndarray
    drop_channel: np.ndarray
    drop_stimulus: np.ndarray
    drop_reason: np.ndarray

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DeltaArrays):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in dataclasses.fields(self))
        return all(np.array_equal(one, two) if isinstance(one, np.ndarray) else one == two for one, two in pairs)

    def check(self) -> None:
        """Check what a delta is checked for, on whole columns.

        Raises:
            ConfigurationError: naming the field that breaks a rule.
        """
        seats = _keys(self.persona, self.channel)
        _refuse_repeats("presentations", seats, "one a persona and channel")
        filled = self.stimulus >= 0
        if filled.size and not (filled[:, 0].all() and (filled[:, 1:] <= filled[:, :-1]).all()):
            raise ConfigurationError("presentations", "an empty slot", "fill slots from the first one on")
        rows, _ = np.nonzero(filled)
        shown = _keys(self.persona[rows], self.channel[rows], self.stimulus[filled])
        _refuse_repeats("presentations.exposures", shown, "no stimulus twice")
        drops = _keys(self.drop_persona, self.drop_channel, self.drop_stimulus)
        _refuse_repeats("dropped", drops, "one a persona, channel and stimulus")
        both = np.intersect1d(shown, drops)
        if both.size:
            raise ConfigurationError("dropped", int(both[0]), "nothing is both dropped and shown")


def _keys(*columns: np.ndarray) -> np.ndarray:
    """One integer a row: up to 2^24 personas, 2^8 channels and 2^24 stimuli."""
    shifts = (32, 24, 0)
    total = np.zeros(len(columns[0]), np.int64)
    for column, shift in zip(columns, shifts, strict=False):
        total |= column.astype(np.int64) << shift
    return total


def _refuse_repeats(field: str, keys: np.ndarray, remedy: str) -> None:
    ordered = np.sort(keys)
    repeated = np.flatnonzero(ordered[1:] == ordered[:-1])
    if repeated.size:
        raise ConfigurationError(field, int(ordered[repeated[0]]), remedy)


def collect(
    observation: SocialObservation, info: SocialInfo, interventions: tuple[InterventionKind, ...] = ()
) -> DeltaArrays:
    """Gather what one tick of the kernel shows and drops.

    Args:
        observation: of one world and tick, NumPy leaves.
        info: the same.
        interventions: kinds scheduled for the tick, in the order of the schedule.
    """
    width = _width(observation)
    blocks = [_rows_of_view(getattr(observation, name), channel) for name, channel in _PLATFORMS]
    blocks.append(_rows_of_survey(np.flatnonzero(observation.survey), width))
    columns = [block for block in blocks if block is not None]
    names = ("persona", "channel", *ROW_FIELDS, "counts")
    rows = {name: np.concatenate([block[name] for block in columns]).astype(np.int32) for name in names}
    start, count = int(info.published_start), int(info.published_count)
    return DeltaArrays(
        tick=int(observation.tick),
        published=(start, start + count) if count else (0, 0),
        interventions=tuple(interventions),
        **rows,
        **_drops(info),
    )


def _width(observation: SocialObservation) -> int:
    for name, _ in _PLATFORMS:
        view = getattr(observation, name)
        if view is not None:
            return int(view.stimulus.shape[1])
    return 1


def _rows_of_view(view: Any, channel: Channel) -> dict[str, np.ndarray] | None:
    if view is None:
        return None
    persona = np.flatnonzero(view.stimulus[:, 0] >= 0)
    rows = {name: np.asarray(getattr(view, name))[persona] for name in (*ROW_FIELDS, "counts")}
    return {"persona": persona, "channel": np.full(len(persona), int(channel)), **rows}


def _rows_of_survey(persona: np.ndarray, width: int) -> dict[str, np.ndarray]:
    """The concept alone, with nothing about anybody."""
    num = len(persona)
    rows = {name: np.full((num, width), -1) for name in ROW_FIELDS}
    rows["attention"] = np.zeros((num, width), np.int32)
    rows["stimulus"][:, 0], rows["attention"][:, 0], rows["reason"][:, 0] = 0, ATTENTION_UNIT, int(Reason.INTEREST)
    channel = np.full(num, int(Channel.SURVEY_ROOM))
    return {"persona": persona, "channel": channel, "counts": np.zeros((num, width, len(Count)), np.int32), **rows}


def _drops(info: SocialInfo) -> dict[str, np.ndarray]:
    columns: dict[str, list[np.ndarray]] = {name: [] for name in ("persona", "channel", "stimulus", "reason")}
    for name, channel in _PLATFORMS:
        drops = getattr(info, name)
        if drops is None:
            continue
        there = drops.stimulus >= 0
        persona = np.nonzero(there)[0] if drops.persona is None else drops.persona[there]
        columns["persona"].append(persona)
        columns["channel"].append(np.full(len(persona), int(channel)))
        columns["stimulus"].append(drops.stimulus[there])
        columns["reason"].append(drops.reason[there])
    empty = [np.zeros(0, np.int32)]
    return {f"drop_{name}": np.concatenate(parts or empty).astype(np.int32) for name, parts in columns.items()}
