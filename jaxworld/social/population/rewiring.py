"""Homophily: ties are moved, one after the other, to more similar personas.

Every attempt looks at the degrees the earlier ones left behind, so the procedure is sequential. What an attempt
draws and compares hardly depends on the others though, so blocks of attempts are prepared with NumPy under the
assumption that nothing relevant changes within the block, and the rare attempt for which that fails is redone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from jaxworld.social.population.attributes import AttributeTable, similarity

CANDIDATES = 16
"""Most personas compared in one attempt."""
TRIES = 32
"""Most uniform draws made to find them."""
BLOCK = 2048
"""Attempts prepared together; changes no result."""


@dataclasses.dataclass
class _Ties:
    """The graph while it is being rewired: ties as keys ``lower * N + higher``, and degrees."""

    num: int
    keys: set[int]
    degree: list[int]

    def key(self, a: int, b: int) -> int:
        return a * self.num + b if a < b else b * self.num + a

    def move(self, kept: int, old: int, new: int) -> None:
        self.keys.remove(self.key(kept, old))
        self.keys.add(self.key(kept, new))
        self.degree[old] -= 1
        self.degree[new] += 1


def rewire_by_similarity(
    ties: np.ndarray, num: int, table: AttributeTable, strength: float, generator: np.random.Generator
) -> np.ndarray:
    """Move a share of the ties to the most similar of a few random personas.

    The ties are shuffled and the first ``floor(strength * E)`` get one attempt each. The end with the higher degree
    (the lower index if equal) is kept, the other one may be replaced, unless it would be left without a tie. Up to
    16 different personas that are no neighbours of the kept end are drawn in at most 32 tries; the most similar one
    (the first drawn if equal) takes the place if it is strictly more similar than the present neighbour.

    Args:
        ties: ``int64[E, 2]`` as (lower, higher).
        num: number of personas.
        table: attributes of the personas, the most relevant first.
        strength: share of ties to attempt, 0 to 1.
        generator: source of the shuffle and the draws.

    Returns:
        As many ties, ``int64[E, 2]`` as (lower, higher), sorted.
    """
    attempts = int(np.floor(strength * len(ties) + 1e-9))
    chosen = ties[generator.permutation(len(ties))[:attempts]]
    degree = np.bincount(ties.ravel(), minlength=num)
    graph = _Ties(num, set((ties[:, 0] * num + ties[:, 1]).tolist()), degree.tolist())
    for start in range(0, attempts, BLOCK):
        block = chosen[start : start + BLOCK]
        _rewire_block(graph, block, generator.integers(0, num, (len(block), TRIES)), table)
    keys = np.sort(np.fromiter(graph.keys, dtype=np.int64, count=len(graph.keys)))
    return np.stack([keys // num, keys % num], axis=1)


def _rewire_block(graph: _Ties, block: np.ndarray, draws: np.ndarray, table: AttributeTable) -> None:
    pairs = block.tolist()
    degree = np.asarray([(graph.degree[a], graph.degree[b]) for a, b in pairs])
    keep_lower = degree[:, 0] >= degree[:, 1]
    targets, keys, plain = _prepare(graph.num, block, keep_lower, draws, table)
    expected = keep_lower.tolist()
    for row, (a, b) in enumerate(pairs):
        keeps_lower = graph.degree[a] >= graph.degree[b]
        kept, old = (a, b) if keeps_lower else (b, a)
        if graph.degree[old] <= 1:
            continue
        if keeps_lower == expected[row] and plain[row] and graph.keys.isdisjoint(keys[row]):
            target = targets[row]
        else:
            target = _search(graph, kept, old, draws[row].tolist(), table)
        if target >= 0:
            graph.move(kept, old, target)


def _prepare(
    num: int, block: np.ndarray, keep_lower: np.ndarray, draws: np.ndarray, table: AttributeTable
) -> tuple[list[int], list[list[int]], list[bool]]:
    """Outcome of each attempt on the assumption that its first 16 draws are all usable.

    Returns:
        The new neighbour or -1; the keys of the 16 possible ties, none of which may exist already; whether the
        draws are indeed different from each other and from the kept end.
    """
    kept = np.where(keep_lower, block[:, 0], block[:, 1])[:, None]
    old = np.where(keep_lower, block[:, 1], block[:, 0])[:, None]
    first = draws[:, :CANDIDATES]
    likeness = similarity(table, np.broadcast_to(kept, (len(block), CANDIDATES + 1)), np.hstack([old, first]))
    best = np.argmax(likeness[:, 1:], axis=1)
    row = np.arange(len(block))
    better = likeness[row, best + 1] > likeness[:, 0]
    targets = np.where(better, first[row, best], -1)
    keys = np.minimum(kept, first) * num + np.maximum(kept, first)
    plain = (np.diff(np.sort(first, axis=1), axis=1) > 0).all(axis=1) & (first != kept).all(axis=1)
    return targets.tolist(), keys.tolist(), plain.tolist()


def _search(graph: _Ties, kept: int, old: int, draws: Sequence[int], table: AttributeTable) -> int:
    """The new neighbour of ``kept`` instead of ``old``, or -1: one attempt in full."""
    candidates: list[int] = []
    for draw in draws:
        if draw != kept and draw not in candidates and graph.key(kept, draw) not in graph.keys:
            candidates.append(draw)
            if len(candidates) == CANDIDATES:
                break
    if not candidates:
        return -1
    others = np.asarray([old, *candidates])
    likeness = similarity(table, np.full(len(others), kept), others)
    best = int(np.argmax(likeness[1:]))
    return candidates[best] if likeness[best + 1] > likeness[0] else -1
