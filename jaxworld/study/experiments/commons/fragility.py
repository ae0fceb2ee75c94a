"""How often noise does what was claimed: outcomes of many populations, counted.

The claim: welfare is best with noise of 35 to 50 %, better than without any and than with full noise, and the catch is
shared more evenly there. Each part of it is an outcome of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxworld.metrics.intervals import paired_difference
from jaxworld.study.experiments.commons.gates import BAND

LIVELY = 0.15
"""Welfare without noise below which a population's commons is as good as dead."""
GAIN, WELFARE_STEP, GINI_STEP = 0.02, 0.01, 0.005

OUTCOMES = {
    "best": "best noise above 0, gain significant",
    "gains": f"... and the gain above {GAIN} of the maximum sustainable yield",
    "interior": "interior optimum: significant gain, and significant drop to full noise",
    "in_band": "interior optimum inside 0.35 to 0.5",
    "everything": "the whole claim: in that band, gain, drop and a lower Gini",
    "better": f"welfare at 0.4 higher by more than {WELFARE_STEP}",
    "worse": f"welfare at 0.4 lower by more than {WELFARE_STEP}",
    "fairer": f"Gini at 0.4 lower by more than {GINI_STEP}",
    "unfairer": f"Gini at 0.4 higher by more than {GINI_STEP}",
}
"""By name, in words."""

EARLIER = {
    "best": (0.629, None),
    "gains": (0.304, None),
    "interior": (0.237, None),
    "in_band": (0.035, None),
    "everything": (0.011, 0.021),
    "better": (0.159, 0.19),
    "worse": (0.284, 0.55),
    "fairer": (0.186, 0.31),
    "unfairer": (0.678, 0.60),
}
"""Shares that an earlier study of the same rules found, of its 1,890 populations and of the 918 livelier of them."""


@dataclasses.dataclass(frozen=True, eq=False)
class Verdict:
    """What became of one population.

    Attributes:
        best: number of the level with the highest mean welfare.
        welfare, gini, survival: means at every level, ``float64[L]``.
        gain, low, high: paired change of welfare against no noise at every level, with its interval, ``float64[L]``.
        outcomes: by name, whether it came out.
    """

    best: int
    welfare: np.ndarray
    gini: np.ndarray
    survival: np.ndarray
    gain: np.ndarray
    low: np.ndarray
    high: np.ndarray
    outcomes: dict[str, bool]

    @property
    def lively(self) -> bool:
        """Whether the commons yields much without noise."""
        return bool(self.welfare[0] >= LIVELY)


def judge(levels: Sequence[float], welfare: np.ndarray, gini: np.ndarray, survival: np.ndarray) -> Verdict:
    """The outcomes of one population.

    Args:
        levels: of the noise, ascending from 0, with 0.4 and 1 among them.
        welfare, gini, survival: ``[seeds, L]``, seeds paired over levels.
    """
    some, full = levels.index(0.4), levels.index(1.0)
    change = paired_difference(welfare, np.broadcast_to(welfare[:, :1], welfare.shape))
    shares, best = gini.mean(axis=0), int(welfare.mean(axis=0).argmax())
    gained = best > 0 and bool(change.low[best] > 0)
    dropped = bool(paired_difference(welfare[:, best], welfare[:, full]).low > 0)
    fairer = bool(paired_difference(gini[:, best], gini[:, 0]).high < 0)
    interior = gained and dropped
    in_band = interior and BAND[0] <= levels[best] <= BAND[1]
    moved, gini_moved = float(change.mean[some]), float(shares[some] - shares[0])
    outcomes = {
        "best": gained,
        "gains": gained and bool(change.mean[best] > GAIN),
        "interior": interior,
        "in_band": in_band,
        "everything": in_band and fairer,
        "better": moved > WELFARE_STEP,
        "worse": moved < -WELFARE_STEP,
        "fairer": gini_moved < -GINI_STEP,
        "unfairer": gini_moved > GINI_STEP,
    }
    return Verdict(
        best, welfare.mean(axis=0), shares, survival.mean(axis=0), change.mean, change.low, change.high, outcomes
    )


def fragility_table(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Shares of populations by outcome, of all and of the livelier ones, beside those of the earlier study.

    The populations are not the same ones, so the columns need not agree.
    """
    lively = [verdict for verdict in verdicts if verdict.lively]
    return [
        {
            "outcome": text,
            f"of all {len(verdicts):,}": _percent(_share(verdicts, name)),
            f"of the {len(lively):,} livelier": _percent(_share(lively, name)),
            "earlier, all": _percent(EARLIER[name][0]),
            "earlier, livelier": _percent(EARLIER[name][1]),
        }
        for name, text in OUTCOMES.items()
    ]


def _share(verdicts: Sequence[Verdict], name: str) -> float | None:
    return float(np.mean([verdict.outcomes[name] for verdict in verdicts])) if verdicts else None


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{100 * share:.1f} %"
