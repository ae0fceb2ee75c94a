"""Follows as a source lists them: what is kept, what is left out and reported, and the ties that follow from them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.population.checks import STRONGEST_TIE
from jaxworld.social.population.report import counted, listed

MUTUAL_TIE = STRONGEST_TIE
ONE_WAY_TIE = STRONGEST_TIE // 2

OnSelfFollow = Literal["report", "refuse"]
"""What an importer does with accounts that follow themselves: leave the follow out and say so, or raise."""


@dataclasses.dataclass(frozen=True, eq=False)
class CleanFollows:
    """Follows without self-follows and repetitions.

    Attributes:
        pairs: ``int64[F, 2]`` row numbers (follower, followee), in the order of the source.
        accounting: ``follows_read`` = ``num_follows`` + ``self_follows`` + ``duplicate_follows``.
        notes: a line for what was read, and one for each kind of follow that was left out.
    """

    pairs: np.ndarray
    accounting: dict[str, int]
    notes: tuple[str, ...]


def check_on_self_follow(value: Any) -> None:
    """Refuse anything but the members of :data:`OnSelfFollow`."""
    require(value in ("report", "refuse"), "on_self_follow", value, "use 'report' or 'refuse'")


def clean_follows(
    pairs: np.ndarray,
    places: Sequence[int] | np.ndarray,
    *,
    source: str,
    noun: str = "lines",
    refuse: Callable[[int], ConfigurationError] | None = None,
) -> CleanFollows:
    """Leave out self-follows and repetitions, and account for every follow of the source.

    Args:
        pairs: ``int64[E, 2]`` row numbers (follower, followee), as the source lists them.
        places: ``int[E]``, where in the source each stands.
        source: name of the file.
        noun: what ``places`` count.
        refuse: makes the error to raise for the pair at a position that is a self-follow; None reports them.

    Raises:
        ConfigurationError: from ``refuse``, for the first self-follow.
    """
    where = np.asarray(places, np.int64)
    own = pairs[:, 0] == pairs[:, 1]
    if refuse is not None and own.any():
        raise refuse(int(np.argmax(own)))
    keys = pairs[:, 0] * (int(pairs.max(initial=0)) + 1) + pairs[:, 1]
    first = np.zeros(len(pairs), bool)
    first[np.unique(keys, return_index=True)[1]] = True
    kept, repeated = first & ~own, ~first & ~own
    accounting = {
        "follows_read": len(pairs),
        "num_follows": int(kept.sum()),
        "self_follows": int(own.sum()),
        "duplicate_follows": int(repeated.sum()),
    }
    notes = [f"{counted(len(pairs), 'follow')} read from {source}, {accounting['num_follows']} kept"]
    if own.any():
        notes.append(f"{counted(int(own.sum()), 'self-follow')} ignored: {noun} {listed(where[own].tolist())}")
    if repeated.any():
        count = counted(int(repeated.sum()), "duplicate edge")
        notes.append(f"{count} ignored: {noun} {listed(where[repeated].tolist())}")
    return CleanFollows(pairs[kept], accounting, tuple(notes))


def ties_from_follows(follows: np.ndarray, num: int) -> tuple[np.ndarray, np.ndarray]:
    """Ties ``int64[E, 2]`` and strengths ``int64[E]``: 1000 where the follow is mutual, 500 where it is one-way."""
    sides = np.sort(follows, axis=1)
    keys, directions = np.unique(sides[:, 0] * num + sides[:, 1], return_counts=True)
    strengths = np.where(directions == 2, MUTUAL_TIE, ONE_WAY_TIE)
    return np.stack([keys // num, keys % num], axis=1), strengths
