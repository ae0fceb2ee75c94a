"""Exact orders without large sorts: compaction, lexicographic ranks and lexicographic top-k.

XLA's CPU sort costs about 250 times a float32 ``lax.top_k`` on 1,024 elements, so everything a step needs is built
from float32 ``top_k`` over integer-valued limbs. A *limb* is a float32 array holding integers below 2**24 in
magnitude, or 31-bit integers wrapped by :func:`bitcast_limb`; larger comes first, and later limbs break ties.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core.batch_hints import any_in_batch

_SMALLEST_NORMAL = np.int32(0x00800000)
_ONE_HOT_LIMIT = 1024
"""Entries up to which a selection is read off by comparison, beyond it by another top-k."""
_ROW = 64
_TRIANGLE = np.triu(np.ones((_ROW, _ROW), np.float32))
PAIRWISE_LIMIT = 256
"""Up to this many rows ranks come from all pairwise comparisons, beyond it from ``lax.sort``."""


def bitcast_limb(value: jax.Array) -> jax.Array:
    """Map int32 in ``[0, 2**31 - 2**24)`` to float32 with the same order, exactly (no denormals, no NaN)."""
    return lax.bitcast_convert_type(value.astype(jnp.int32) + _SMALLEST_NORMAL, jnp.float32)


def tie_limb(bits: jax.Array) -> jax.Array:
    """A random limb of 24 bits from uint32 random words."""
    return (bits >> np.uint32(8)).astype(jnp.int32).astype(jnp.float32)


def top_k(values: jax.Array, k: int) -> tuple[jax.Array, jax.Array]:
    """``lax.top_k`` of float32 that stays fast: lower positions first among equals.

    Without the barriers XLA's CPU pipeline merges later slices and comparisons with the operation and, no longer
    recognising it, falls back to sorting whole rows, which is 30 times slower. One barrier for each result: a barrier
    around both stops the compiler of JAX 0.10 with a failed check.
    """
    best, positions = lax.top_k(values, k)
    return lax.optimization_barrier(best), lax.optimization_barrier(positions)


def compact(mask: jax.Array, capacity: int) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Gather the positions of true entries of ``mask[n]`` in ascending order.

    Returns:
        ``(positions int32[capacity], valid bool[capacity], count int32)``; ``count`` may exceed ``capacity``, in
        which case the later entries did not fit and the caller must flag it.
    """
    n = mask.shape[0]
    rank = prefix_sum(mask.astype(jnp.float32)).astype(jnp.int32)
    target = jnp.where(mask, rank - 1, capacity)
    positions = jnp.zeros(capacity, jnp.int32).at[target].set(jnp.arange(n, dtype=jnp.int32), mode="drop")
    count = rank[-1]
    return positions, jnp.arange(capacity, dtype=jnp.int32) < count, count


def prefix_sum(values: jax.Array) -> jax.Array:
    """Inclusive prefix sums of float32 integers ``[n]``, exact while they stay below 2**24.

    Rows of 64 are summed by a product with a triangle, and the totals of rows likewise; XLA's CPU ``cumsum`` costs
    some ten times as much.
    """
    n = values.shape[0]
    if n <= _ROW:
        return jnp.matmul(values, jnp.asarray(_TRIANGLE[:n, :n]), precision="highest")
    padded = jnp.pad(values, (0, -n % _ROW)).reshape(-1, _ROW)
    within = jnp.matmul(padded, jnp.asarray(_TRIANGLE), precision="highest")
    totals = within[:, -1]
    before = prefix_sum(totals) - totals
    return (within + before[:, None]).reshape(-1)[:n]


def _pairwise_ranks(keys: Sequence[jax.Array]) -> jax.Array:
    """``int32[..., n]``: how many rows come before each; larger keys first, then the lower position.

    The sum runs over the last axis, so that the n x n comparisons are never written to memory.
    """
    n = keys[0].shape[-1]
    position = jnp.arange(n)
    before = jnp.broadcast_to(position[None, :] < position[:, None], (*keys[0].shape, n))
    for key in reversed(keys):
        mine, other = key[..., :, None], key[..., None, :]
        before = (other > mine) | ((other == mine) & before)
    return before.sum(axis=-1, dtype=jnp.int32)


def lexicographic_order(keys: Sequence[jax.Array]) -> jax.Array:
    """Positions ``int32[n]`` that sort the rows by ``keys`` (``[n]``, float32 or int32), larger first, stable."""
    n = keys[0].shape[0]
    if n <= PAIRWISE_LIMIT:
        ranks = _pairwise_ranks(keys)
        return jnp.zeros(n, jnp.int32).at[ranks].set(jnp.arange(n, dtype=jnp.int32))
    descending = [-key for key in keys]
    return lax.sort((*descending, jnp.arange(n, dtype=jnp.int32)), num_keys=len(keys), is_stable=True)[-1]


def _select_small(keys: Sequence[jax.Array], positions: jax.Array, k: int) -> jax.Array:
    """The first k of a few gathered rows per leading index, in order: ``int32[..., k]`` positions."""
    ranks = _pairwise_ranks(keys)
    if k * positions.shape[-1] > _ONE_HOT_LIMIT:
        _, order = top_k(-ranks.astype(jnp.float32), k)
        return jnp.take_along_axis(positions, order, axis=-1)
    slot = jnp.arange(k, dtype=jnp.int32).reshape((1,) * (ranks.ndim - 1) + (k, 1))
    chosen = ranks[..., None, :] == slot
    return jnp.where(chosen, positions[..., None, :], 0).sum(axis=-1, dtype=jnp.int32)


def lexicographic_top_k(limbs: Sequence[jax.Array], mask: jax.Array, k: int) -> tuple[jax.Array, jax.Array]:
    """The first ``k`` entries in descending lexicographic order of ``limbs`` among those in ``mask``.

    Args:
        limbs: float32 arrays ``[..., n]``; entries still tied after all limbs come in ascending position.
        mask: ``bool[..., n]``.
        k: how many to take (static).

    Returns:
        ``(positions int32[..., k], valid bool[..., k])``; invalid slots hold position 0.

    One float32 ``top_k`` a limb: all entries above the k-th value of a limb are in, those equal to it are decided
    by the next limb, those below are out. The at most ``k * len(limbs)`` survivors are ordered pairwise.
    """
    width = min(k, mask.shape[-1])
    first = top_k(jnp.where(mask, limbs[0], -jnp.inf), width)
    return _resolve_ties(limbs, mask, first, k)


def _resolve_ties(
    limbs: Sequence[jax.Array], mask: jax.Array, first: tuple[jax.Array, jax.Array], k: int
) -> tuple[jax.Array, jax.Array]:
    """Go on from the ``top_k`` of the first limb: see :func:`lexicographic_top_k`."""
    (values, positions), width = first, min(k, mask.shape[-1])
    open_mask, gathered, kept = mask, [], []
    for index, limb in enumerate(limbs):
        masked = jnp.where(open_mask, limb, -jnp.inf)
        if index:
            values, positions = top_k(masked, width)
        threshold = values[..., -1:]
        last = index == len(limbs) - 1
        kept.append(values > -jnp.inf if last else values > threshold)
        gathered.append(positions)
        open_mask = open_mask & (masked == threshold)
    if len(limbs) == 1:
        chosen, valid = gathered[0], kept[0]
    else:
        positions = jnp.concatenate(gathered, axis=-1)
        usable = jnp.concatenate(kept, axis=-1)
        rows = [jnp.where(usable, jnp.take_along_axis(limb, positions, axis=-1), -jnp.inf) for limb in limbs]
        # Entries equal in all limbs come from one pass, which left them in ascending position.
        chosen = _select_small(rows, positions, width)
        count = jnp.minimum(usable.sum(axis=-1, keepdims=True, dtype=jnp.int32), width)
        valid = jnp.arange(width, dtype=jnp.int32).reshape((1,) * (count.ndim - 1) + (width,)) < count
    pad = [(0, 0)] * (mask.ndim - 1) + [(0, k - width)]
    return jnp.pad(jnp.where(valid, chosen, 0), pad), jnp.pad(valid, pad)


def top_k_seeded_ties(
    score: jax.Array, column_bits: jax.Array, row_bits: jax.Array, k: int
) -> tuple[jax.Array, jax.Array]:
    """The ``k`` best columns of each row, ties in an order that is seeded per row and column.

    Args:
        score: float32 ``[B, n]``; ``-inf`` excludes a column, other infinities and NaN are not allowed.
        column_bits: uint32 ``[n]`` random words.
        row_bits: uint32 ``[B]`` random words; the tie-break of an entry is ``column ^ row``.
        k: how many to take (static).

    Returns:
        ``(positions int32[B, k], valid bool[B, k])``.

    Ties are rare for real-valued scores, so the tie-break runs only if some row of the whole batch has one.
    """
    values, positions = top_k(score, min(k + 1, score.shape[-1]))
    tied = jnp.any((values[:, 1:] == values[:, :-1]) & (values[:, 1:] > -jnp.inf))
    cut = min(k, score.shape[-1])

    def seeded() -> tuple[jax.Array, jax.Array]:
        tie = tie_limb(column_bits[None, :] ^ row_bits[:, None])
        return _resolve_ties([score, tie], score > -jnp.inf, (values[:, :cut], positions[:, :cut]), k)

    def plain() -> tuple[jax.Array, jax.Array]:
        valid = values[:, :cut] > -jnp.inf
        pad = [(0, 0), (0, k - cut)]
        return jnp.pad(jnp.where(valid, positions[:, :cut], 0), pad), jnp.pad(valid, pad)

    return lax.cond(any_in_batch(tied), seeded, plain)
