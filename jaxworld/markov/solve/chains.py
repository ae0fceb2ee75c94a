"""Qualitative questions about rows, and the chain that remains when choices and replies are fixed."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.sparse import csr_matrix, identity, vstack
from scipy.sparse.linalg import spsolve

from jaxworld.markov.solve.backup import Backup, Chain

_Reduce = Callable[..., np.ndarray]
CHAIN_SWEEPS = 1000
"""Sweeps of one chain where solving for it would take too much: its factors fill up, and such sweeps are cheap."""
STANDS_STILL = 1e-3
"""A time to wait that grows by less a sweep is known well enough."""


def avoidable(target: np.ndarray, scenarios: Sequence[Backup], replies: _Reduce) -> np.ndarray:
    """``bool[S]``: the largest set outside ``target`` that some choice never leaves.

    Args:
        target: ``bool[S]``.
        scenarios: rows of the live states; the others stay where they are.
        replies: ``np.all`` if no reply of any scenario may leave the set, ``np.any`` if one that does not is enough.
    """
    states, safe = scenarios[0].states, ~target
    while True:
        stays = [replies(parts <= 0, axis=2).any(axis=1) for parts in each_block(scenarios, (~safe).astype(np.float64))]
        kept = safe.copy()
        kept[states] &= np.concatenate(stays)
        if (kept == safe).all():
            return safe
        safe = kept


def has_one_solution(target: np.ndarray, scenarios: Sequence[Backup]) -> bool:
    """Whether the equations of the least risk have no other solution once the states without risk are set to 0.

    They have none if whatever replies could do together with the choices to avoid the target, the choices can do alone:
    every other play leaves the rest for good, so the operator contracts there.
    """
    alone, together = avoidable(target, scenarios, np.all), avoidable(target, scenarios, np.any)
    return bool((alone == together).all())


def each_block(scenarios: Sequence[Backup], values: np.ndarray, *, up: bool = False) -> Iterator[np.ndarray]:
    """Block after block ``float64[B, choices, replies of all scenarios]``: expectations of ``values float64[S]``."""
    for parts in zip(*(rows.expected(values, up=up) for rows in scenarios), strict=True):
        yield parts[0] if len(parts) == 1 else np.concatenate(parts, axis=2)


def worst_reply(expected: np.ndarray) -> np.ndarray:
    """``float64[B, choices]``: the largest of ``float64[B, choices, replies]``."""
    return functools.reduce(np.maximum, np.moveaxis(expected, 2, 0))


def best_choices(
    scenarios: Sequence[Backup], values: np.ndarray, *, highest: bool, up: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Each state's best choice ``int64[L]`` against the worst replies, and what it is worth, ``float64[L]``."""
    choices, worths = [], []
    for expected in each_block(scenarios, values, up=up):
        worst = worst_reply(expected)
        choices.append(_best(worst, highest))
        worths.append(np.take_along_axis(worst, choices[-1][:, None], axis=1)[:, 0])
    return np.concatenate(choices), np.concatenate(worths)


def _best(worst: np.ndarray, highest: bool) -> np.ndarray:
    return worst.argmax(axis=1) if highest else worst.argmin(axis=1)


def greedy_chain(scenarios: Sequence[Backup], value: np.ndarray, *, highest: bool) -> Chain:
    """The rows of the best choice and the worst reply at ``value float64[S]``, one for each state of the scenarios."""
    choices, replies = [], []
    for expected in each_block(scenarios, value):
        choices.append(_best(worst_reply(expected), highest))
        replies.append(expected[np.arange(len(expected)), choices[-1]].argmax(axis=1))
    choice, reply = np.concatenate(choices), np.concatenate(replies)
    widths = np.cumsum([rows.num_replies for rows in scenarios])
    scenario = np.searchsorted(widths, reply, side="right")
    places = [np.flatnonzero(scenario == number) for number in range(len(scenarios))]
    picked = [
        rows.pick(lanes, choice[lanes], reply[lanes] - (width - rows.num_replies))
        for rows, lanes, width in zip(scenarios, places, widths, strict=True)
    ]
    if len(picked) == 1:
        return picked[0]
    if all(isinstance(chain, csr_matrix) for chain in picked):
        joined: Chain = vstack(picked, format="csr")[np.argsort(np.concatenate(places))]
        return joined
    return _Joined(places, picked)


@dataclasses.dataclass(frozen=True)
class _Joined:
    """Rows of several chains, each at its places."""

    places: list[np.ndarray]
    chains: list[Chain]

    def __matmul__(self, values: np.ndarray, /) -> np.ndarray:
        made = np.empty(sum(map(len, self.places)))
        for place, chain in zip(self.places, self.chains, strict=True):
            made[place] = chain @ values
        return made


def follow(value: np.ndarray, states: np.ndarray, chain: Chain, most: int = CHAIN_SWEEPS) -> np.ndarray:
    """``value float64[S]`` after sweeps of one chain for ``states``, until it stands still or ``most`` are done."""
    value = value.copy()
    for _ in range(most):
        swept = chain @ value
        if np.array_equal(swept, value[states]):
            break
        value[states] = swept
    return value


def chain_reachability(target: np.ndarray, states: np.ndarray, chain: csr_matrix) -> np.ndarray:
    """``float64[S]``: how likely a chain with rows ``[L, S]`` for ``states`` reaches ``target bool[S]``."""
    enters = np.asarray(chain @ target.astype(np.float64))
    value = target.astype(np.float64)
    value[states] = np.clip(_absorbed(chain[:, states], enters, enters), 0.0, 1.0)
    return value


def chain_waiting(states: np.ndarray, chain: Chain, num_states: int) -> np.ndarray:
    """``float64[S]``: expected steps until a chain leaves ``states``, 0 where it may never.

    Solved for, or counted up to CHAIN_SWEEPS steps if the chain is no matrix.
    """
    made = np.zeros(num_states)
    if isinstance(chain, csr_matrix):
        inner = chain[:, states]
        leaves = 1.0 - np.asarray(inner.sum(axis=1)).ravel()
        made[states] = _absorbed(inner, np.where(leaves > 1e-12, leaves, 0.0), np.ones(len(states)))
        return made
    inside, known = np.zeros(num_states), np.zeros(num_states)
    inside[states] = 1.0
    can: np.ndarray = 1.0 - chain @ inside > 1e-12
    while not np.array_equal(known[states] > 0, can):
        known[states] = can
        can = can | (chain @ known > 0)
    for _ in range(CHAIN_SWEEPS):
        swept = (1.0 + chain @ made) * can
        grown = float((swept - made[states]).max(initial=0.0))
        made[states] = swept
        if grown < STANDS_STILL:
            break
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
