"""Qualitative questions about rows, and the chain that remains when choices and replies are fixed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.sparse import csr_matrix, identity, vstack
from scipy.sparse.linalg import spsolve

from jaxworld.markov.solve.rows import Rows

_Reduce = Callable[..., np.ndarray]


def avoidable(target: np.ndarray, scenarios: Sequence[Rows], replies: _Reduce) -> np.ndarray:
    """``bool[S]``: the largest set outside ``target`` that some choice never leaves.

    Args:
        target: ``bool[S]``.
        scenarios: rows of the live states; the others stay where they are.
        replies: ``np.all`` if no reply of any scenario may leave the set, ``np.any`` if one that does not is enough.
    """
    states, safe = scenarios[0].states, ~target
    while True:
        leaves = [rows.expect((~safe).astype(np.float64)) > 0 for rows in scenarios]
        stays = ~np.concatenate(leaves, axis=2)
        kept = safe.copy()
        kept[states] &= replies(stays, axis=2).any(axis=1)
        if (kept == safe).all():
            return safe
        safe = kept


def has_one_solution(target: np.ndarray, scenarios: Sequence[Rows]) -> bool:
    """Whether the equations of the least risk have no other solution once the states without risk are set to 0.

    They have none if whatever replies could do together with the choices to avoid the target, the choices can do alone:
    every other play leaves the rest for good, so the operator contracts there.
    """
    alone, together = avoidable(target, scenarios, np.all), avoidable(target, scenarios, np.any)
    return bool((alone == together).all())


def greedy_chain(scenarios: Sequence[Rows], value: np.ndarray, *, highest: bool) -> csr_matrix:
    """``[L, S]``: the rows of the best choice and the worst reply at ``value float64[S]``."""
    expected = np.concatenate([rows.expect(value) for rows in scenarios], axis=2)
    worst = expected.max(axis=2)
    choice = worst.argmax(axis=1) if highest else worst.argmin(axis=1)
    lanes = np.arange(len(choice))
    reply = expected[lanes, choice].argmax(axis=1)
    # Place of (state, choice, reply) among the rows of its scenario, and of that scenario among all.
    widths = np.asarray([rows.num_replies for rows in scenarios])
    scenario = np.searchsorted(np.cumsum(widths), reply, side="right")
    own = reply - (np.cumsum(widths) - widths)[scenario]
    sizes = np.asarray([rows.matrix.shape[0] for rows in scenarios])
    place = (np.cumsum(sizes) - sizes)[scenario] + (lanes * expected.shape[1] + choice) * widths[scenario] + own
    return vstack([rows.matrix for rows in scenarios], format="csr")[place]


def chain_reachability(target: np.ndarray, states: np.ndarray, chain: csr_matrix) -> np.ndarray:
    """``float64[S]``: how likely a chain with rows ``[L, S]`` for ``states`` reaches ``target bool[S]``."""
    enters = np.asarray(chain @ target.astype(np.float64))
    value = target.astype(np.float64)
    value[states] = np.clip(_absorbed(chain[:, states], enters, enters), 0.0, 1.0)
    return value


def chain_waiting(states: np.ndarray, chain: csr_matrix) -> np.ndarray:
    """``float64[S]``: expected steps until a chain leaves ``states``, 0 where it may never."""
    made = np.zeros(chain.shape[1])
    inner = chain[:, states]
    leaves = 1.0 - np.asarray(inner.sum(axis=1)).ravel()
    made[states] = _absorbed(inner, np.where(leaves > 1e-12, leaves, 0.0), np.ones(len(states)))
    return made


def _absorbed(inner: csr_matrix, leaves: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Expected gain, one ``gain`` a visit, of the states that leave with some chance; 0 for the others.

    The others never leave, and would make the equations singular.
    """
    can = leaves > 0
    while True:
        grown = can | (inner @ can.astype(np.float64) > 0)
        if (grown == can).all():
            break
        can = grown
    made = np.zeros(len(leaves))
    if can.any():
        system = (identity(int(can.sum()), format="csr") - inner[can][:, can]).tocsc()
        made[can] = np.maximum(spsolve(system, gain[can]), 0.0)
    return made
