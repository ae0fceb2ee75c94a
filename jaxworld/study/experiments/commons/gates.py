"""What must hold of the named arm before anything is said of it, each check with its figure."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import jax
import numpy as np

from jaxworld.commons import get_arm
from jaxworld.metrics.intervals import paired_difference
from jaxworld.study.experiments.commons.levels import LevelsPolicy, make_levels_params

NAMED_ARM = "balanced6-r.6-cap.05"
BAND = (0.35, 0.5)
"""Where the optimum was claimed to lie."""

Cells = Mapping[tuple[str, int], Mapping[str, np.ndarray]]
"""By population and reach of the noise (0 everyone, 1 aggressors, 2 the others), figures ``float64[seeds, L]``."""


@dataclasses.dataclass(frozen=True)
class Gate:
    """``name``; ``passed``, None where nothing can pass or fail; ``figures``: what was found, in words."""

    name: str
    passed: bool | None
    figures: str

    def __str__(self) -> str:
        verdict = {True: "holds", False: "FAILS", None: "reported"}[self.passed]
        return f"({self.name}) {verdict}: {self.figures}"


def gates(levels: Sequence[float], cells: Cells) -> list[Gate]:
    """The checks, empty if the named arm was not run.

    a: welfare is best at a level from 0.35 to 0.5, gains at least 0.02 there, is at least 0.03 below the noiseless one
    at 1, and the Gini at 0.4 is at least 0.08 lower than without noise. b: at 0.4, noise on the aggressors alone gains
    at least 0.03, on the others alone at most 0.005. c: players that do not read the stock do the same to the last bit
    at every level. d: how rare the pattern is is reported, whatever comes out. e: no number of a player's rule can
    differ between levels.

    Args:
        levels: of the noise.
        cells: what was found.
    """
    if (NAMED_ARM, 0) not in cells:
        return []
    blind = [cell for (name, _), cell in cells.items() if is_blind(name)]
    return [
        _pattern(levels, cells[NAMED_ARM, 0]),
        _ablation(levels, cells),
        _blindness(blind),
        Gate("d", None, "see 'jaxworld commons multiverse', of which no outcome is demanded"),
        _constants(levels),
    ]


def is_blind(name: str) -> bool:
    """Whether nobody in an arm reads the stock."""
    readers = {"pulse", "racer", "conservative", "msy", "bucket", "trend", "rep_conditional"}
    return readers.isdisjoint(get_arm(name).roster)


def _pattern(levels: Sequence[float], cell: Mapping[str, np.ndarray]) -> Gate:
    welfare, gini, some = cell["welfare"], cell["gini"], levels.index(0.4)
    means = welfare.mean(axis=0)
    best = int(means.argmax())
    gain, drop = _change(welfare, best), _change(welfare, levels.index(1.0))
    fairer = _change(gini, some)
    fits = BAND[0] <= levels[best] <= BAND[1]
    passed = fits and gain[0] >= 0.02 and drop[0] <= -0.03 and fairer[0] <= -0.08
    figures = (
        f"best at {levels[best]:g} (0.35 to 0.5), gain {_said(gain)} (at least 0.02), at 1 {_said(drop)} (at most "
        f"-0.03), Gini at 0.4 {_said(fairer)} (at most -0.08)"
    )
    return Gate("a", bool(passed), figures)


def _ablation(levels: Sequence[float], cells: Cells) -> Gate:
    some = levels.index(0.4)
    aggressors, others = (_change(cells[NAMED_ARM, reach]["welfare"], some) for reach in (1, 2))
    passed = aggressors[0] >= 0.03 and others[0] <= 0.005
    figures = (
        f"gain at 0.4 with noise on the aggressors alone {_said(aggressors)} (at least 0.03), on the others alone "
    )
    return Gate("b", bool(passed), figures + f"{_said(others)} (at most 0.005)")


def _blindness(blind: Sequence[Mapping[str, np.ndarray]]) -> Gate:
    if not blind:
        return Gate("c", None, "no population without readers of the stock was run: add blind6")
    same = all(
        np.array_equal(values, np.broadcast_to(values[:, :1], values.shape), equal_nan=True)
        for cell in blind
        for values in cell.values()
    )
    return Gate(
        "c", same, f"players that do not read the stock, {len(blind[0]['welfare'])} seeds, every figure at every level"
    )


def _constants(levels: Sequence[float]) -> Gate:
    """One set of numbers plays all levels: what acts has no axis of levels."""
    arm = get_arm(NAMED_ARM)
    world = arm.world()
    policy = arm.policy(world)
    params = make_levels_params(world, levels)
    key = jax.random.key(0, impl="threefry2x32")
    acting, _ = jax.eval_shape(lambda: LevelsPolicy(policy=policy).init(key, params))
    shapes = [
        (leaf.shape, other.shape) for leaf, other in zip(jax.tree.leaves(acting), jax.tree.leaves(policy), strict=True)
    ]
    same = all(one == other for one, other in shapes)
    return Gate("e", same, f"the {len(shapes)} arrays of the players' rules have no axis of levels")


def _change(values: np.ndarray, level: int) -> tuple[float, float]:
    """Mean paired change against the first level, and the half width of its interval."""
    band = paired_difference(values[:, level], values[:, 0])
    return float(band.mean), float(band.high - band.mean)


def _said(change: tuple[float, float]) -> str:
    return f"{change[0]:+.4f} ± {change[1]:.4f}"
