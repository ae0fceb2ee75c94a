"""Exact verification of a shield: the worst that any policy can do with it, on the product of states and budgets."""

from __future__ import annotations

import dataclasses

import numpy as np
from scipy.sparse import csr_matrix

from jaxworld.core.checks import whole
from jaxworld.markov.shield.allocate import egalitarian_level, proportional_level
from jaxworld.markov.shield.model import ShieldModel
from jaxworld.markov.solve.certificate import UNITS
from jaxworld.markov.solve.reachability import settle
from jaxworld.markov.solve.rows import Rows


@dataclasses.dataclass(frozen=True)
class Verification:
    """What holds on the whole product graph of one level floor.

    Attributes:
        product_states: pairs of an undecided state and a feasible budget.
        product_edges: transitions among them.
        worst: ``float64[S, grid + 1]``: unsafe probability of the worst policy the shield allows, against the worst the
            scenarios allow; NaN for budgets that are not feasible.
        budget: ``float64[S, grid + 1]``, the budget as a probability.
        max_excess: largest ``worst - budget``.
        max_step_excess: largest ``E[next budget] - budget`` over all allowed actions and replies. If it is not above 0,
            budgets are a supermartingale, and no policy whatever can exceed them.
        empty_masks: product states without an allowed action.
        mean_allowed: mean number of allowed actions.
    """

    product_states: int
    product_edges: int
    worst: np.ndarray
    budget: np.ndarray
    max_excess: float
    max_step_excess: float
    empty_masks: int
    mean_allowed: float


def verify_shield(model: ShieldModel, floor: int = 0, *, tolerance: float = 1e-13) -> Verification:
    """Check a shield on its product graph, with the very integers the kernel uses.

    Args:
        model: the shield's numbers.
        floor: level floor.
        tolerance: of the value iteration for the worst policy.

    Raises:
        ConfigurationError: for a floor the model does not have.
        SolverError: if the iteration does not settle.
    """
    whole("floor", floor, 0, model.num_floors - 1)
    width, num_states = model.grid + 1, len(model.target)
    budgets, masks = model.budgets(floor), model.masks(floor)
    states, levels = product_states(model, floor)
    parts = [_product_rows(model, floor, rows, states, levels) for rows in model.floors[floor]]
    target = np.repeat(model.target, width)
    value, _, _ = settle(target, parts, tolerance=tolerance, best=np.max)
    worst = np.full(num_states * width, np.nan)
    place = states * width + levels
    worst[place] = value[place]
    own = budgets.reshape(-1)[place]
    rises = [rows.expect_up(budgets.reshape(-1).astype(np.float64)).max(axis=(1, 2)) - own for rows in parts]
    allowed = masks[states, levels].sum(axis=1)
    return Verification(
        product_states=len(states),
        product_edges=sum(int(rows.matrix.nnz) for rows in parts),
        worst=worst.reshape(num_states, width),
        budget=budgets / UNITS,
        max_excess=float((worst[place] - own / UNITS).max(initial=-np.inf)),
        max_step_excess=float(max((rise.max(initial=-np.inf) for rise in rises), default=-np.inf) / UNITS),
        empty_masks=int((allowed == 0).sum()),
        mean_allowed=float(allowed.mean()) if len(allowed) else 0.0,
    )


def product_states(model: ShieldModel, floor: int) -> tuple[np.ndarray, np.ndarray]:
    """Undecided states and the levels of their different feasible budgets, ``int64[P]`` each, in order."""
    live = model.floors[floor][0].states
    lowest = model.bound[floor][live] // (UNITS // model.grid)
    state, level = np.nonzero(np.arange(model.grid + 1)[None, :] >= lowest[:, None])
    return live[state], level


def _product_rows(model: ShieldModel, floor: int, rows: Rows, states: np.ndarray, levels: np.ndarray) -> Rows:
    """The scenario's rows on the product; an action that is not allowed stands for the safest one, as in the world."""
    bound, risk = model.bound[floor], model.risk[floor]
    masks = model.masks(floor)[states, levels]
    action = np.where(masks, np.arange(rows.num_choices)[None, :], risk[states].argmin(axis=1)[:, None])
    lane = np.searchsorted(rows.states, states)
    row = (lane[:, None] * rows.num_choices + action)[:, :, None] * rows.num_replies + np.arange(rows.num_replies)
    picked = rows.matrix[row.reshape(-1)]
    each = np.repeat(np.repeat(np.arange(action.size), rows.num_replies), np.diff(picked.indptr))
    state, level, chosen = states[each // rows.num_choices], levels[each // rows.num_choices], action.reshape(-1)[each]
    after = bound[picked.indices]
    if model.allocator == "egalitarian":
        made = egalitarian_level(model.lifts[floor][state, level, chosen].astype(np.int64), after, model.grid)
    else:
        budget = model.budgets(floor)[state, level]
        made = proportional_level(budget, risk[state, chosen], after, model.grid)
    width = model.grid + 1
    column = picked.indices.astype(np.int64) * width + made
    matrix = csr_matrix((picked.data, column, picked.indptr), shape=(picked.shape[0], len(bound) * width))
    return Rows(states * width + levels, matrix, rows.num_choices, rows.num_replies)
