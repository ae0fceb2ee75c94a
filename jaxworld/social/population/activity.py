"""From how often accounts were active in each hour of the day to the chance that they are awake."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from jaxworld.core.errors import require
from jaxworld.social.population.report import counted, listed

HOURS_PER_DAY = 24
ActivityFormula = Literal["own_peak", "global_peak", "hourly_peak"]
"""What a count is divided by: the account's largest, the largest of all, or the largest of that hour."""

QUIET_BELOW = 0.6
QUIET_BONUS = 0.1
"""OASIS adds this to every probability below ``QUIET_BELOW``."""


@dataclasses.dataclass(frozen=True, eq=False)
class HourlyActivity:
    """Rhythm ``float64[N, 24]`` or None, involvement ``float64[N]`` or one number for all, and notes."""

    rhythm: Any
    involvement: Any
    notes: tuple[str, ...]


def hourly_activity(counts: Any, formula: ActivityFormula, ids: Sequence[str]) -> HourlyActivity:
    """Rhythm and involvement from activity counts f of persona i in hour j.

    * ``own_peak``: rhythm is f / max_j f. Involvement is 1 - exp(-max_j f): read as the mean of a Poisson count, that
      is the chance of at least one activity in the account's busiest hour.
    * ``global_peak``: OASIS's library until its commit ``bae1139``. p = f / max_ij f, plus 0.1 where p is below 0.6,
      rounded to two decimals. Rhythm is p, involvement 1. Nobody is ever below 0.1.
    * ``hourly_peak``: the OASIS paper (arXiv:2411.11581). P = f / max_i f, the largest of each hour over accounts.
      Rhythm is P, involvement 1.

    Where the divisor is 0 the quotient is 0.

    Args:
        counts: numbers ``[N, 24]`` of at least 0, or None for a source without activity.
        formula: one of the three.
        ids: names of the N personas, for notes.

    Raises:
        ConfigurationError: if there is no such formula.
    """
    known = get_args(ActivityFormula)
    require(formula in known, "activity", formula, f"use one of {', '.join(known)}")
    if counts is None:
        return HourlyActivity(None, 1.0, ())
    table = np.asarray(counts, np.float64)
    busiest = table.max(axis=1, keepdims=True, initial=0.0)
    involvement: Any = 1.0
    if formula == "own_peak":
        rhythm = _quotient(table, busiest)
        involvement = 1.0 - np.exp(-busiest[:, 0])
    elif formula == "global_peak":
        share = _quotient(table, table.max(initial=0.0))
        rhythm = np.round(np.where(share < QUIET_BELOW, share + QUIET_BONUS, share), 2)
    else:
        rhythm = _quotient(table, table.max(axis=0, keepdims=True, initial=0.0))
    idle = [name for name, quiet in zip(ids, (rhythm.max(axis=1) == 0).tolist(), strict=True) if quiet]
    notes = [f"{counted(len(idle), 'persona')} without any activity, never active: {listed(idle)}"] if idle else []
    return HourlyActivity(rhythm, involvement, tuple(notes))


def _quotient(table: np.ndarray, divisor: Any) -> np.ndarray:
    """``table / divisor``, 0 where the divisor is 0."""
    below = np.broadcast_to(np.asarray(divisor, np.float64), table.shape)
    return np.asarray(np.divide(table, below, out=np.zeros_like(table), where=below > 0))
