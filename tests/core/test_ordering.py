import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld.core import ordering

top_k = jax.jit(ordering.lexicographic_top_k, static_argnums=2)
N = 7  # one width, so that every property compiles once
LIMB = st.lists(st.integers(-3, 3), min_size=N, max_size=N)
MASK = st.lists(st.booleans(), min_size=N, max_size=N)


def floats(rows):
    return [jnp.asarray(row, jnp.float32) for row in rows]


def expected_order(rows, mask=None):
    chosen = [i for i in range(len(rows[0])) if mask is None or mask[i]]
    return sorted(chosen, key=lambda i: tuple(-row[i] for row in rows))  # stable: ties by position


def check_top_k(rows, mask, k, positions, valid):
    best = expected_order(rows, mask)[:k]
    assert np.asarray(valid).tolist() == [slot < len(best) for slot in range(k)]
    assert np.asarray(positions).tolist() == best + [0] * (k - len(best))


@settings(max_examples=60, deadline=None)
@given(limbs=st.lists(LIMB, min_size=2, max_size=2), mask=MASK, k=st.sampled_from([1, 3, 7, 9]))
def test_top_k_of_two_limbs_with_ties(limbs, mask, k):
    check_top_k(limbs, mask, k, *top_k(floats(limbs), jnp.asarray(mask), k))


@settings(max_examples=40, deadline=None)
@given(limbs=st.lists(LIMB, min_size=3, max_size=3), mask=MASK)
def test_top_k_of_three_limbs(limbs, mask):
    check_top_k(limbs, mask, 4, *top_k(floats(limbs), jnp.asarray(mask), 4))


@settings(max_examples=40, deadline=None)
@given(limb=LIMB, mask=MASK)
def test_top_k_of_one_limb(limb, mask):
    check_top_k([limb], mask, 4, *top_k(floats([limb]), jnp.asarray(mask), 4))


def test_top_k_with_leading_axes_is_row_by_row():
    source = np.random.default_rng(0)
    rows = source.integers(0, 3, (2, 5, 3, N))
    masks = source.random((5, 3, N)) < 0.6
    positions, valid = jax.device_get(top_k(floats(rows), jnp.asarray(masks), 4))
    for lane in np.ndindex(5, 3):
        check_top_k([row[lane].tolist() for row in rows], masks[lane], 4, positions[lane], valid[lane])


@pytest.mark.parametrize("k", [2, 9])
def test_top_k_of_nothing(k):
    _, valid = top_k(floats([[1] * N, [2] * N]), jnp.zeros(N, bool), k)
    assert not valid.any()


@pytest.mark.parametrize("n", [40, ordering.PAIRWISE_LIMIT, ordering.PAIRWISE_LIMIT + 1])
def test_order_is_stable_below_and_above_the_pairwise_limit(n):
    rows = np.random.default_rng(n).integers(-2, 3, (2, n))
    order = np.asarray(jax.jit(ordering.lexicographic_order)(floats(rows)))
    assert order.tolist() == expected_order(rows.tolist())


@settings(max_examples=40, deadline=None)
@given(mask=MASK, capacity=st.sampled_from([2, 7, 9]))
def test_compact_gathers_in_order_and_counts_all(mask, capacity):
    positions, valid, count = jax.jit(ordering.compact, static_argnums=1)(jnp.asarray(mask), capacity)
    true = [i for i in range(N) if mask[i]]
    assert int(count) == len(true)
    assert np.asarray(positions)[np.asarray(valid)].tolist() == true[:capacity]
    assert positions.shape == valid.shape == (capacity,)


def test_bitcast_limb_keeps_the_order_of_31_bit_integers():
    values = np.asarray([0, 1, 2, 2**23, 2**24, 2**24 + 1, 2**30, 2**31 - 2**24 - 1], np.int32)
    limb = np.asarray(ordering.bitcast_limb(jnp.asarray(values)))
    assert np.isfinite(limb).all() and (np.diff(limb) > 0).all()
    descending = ordering.lexicographic_order([ordering.bitcast_limb(jnp.asarray(values))])
    assert descending.tolist() == list(range(len(values)))[::-1]


def test_tie_limb_uses_the_high_24_bits():
    limb = ordering.tie_limb(jnp.asarray([0, 255, 256, 2**32 - 1], jnp.uint32))
    assert limb.tolist() == [0.0, 0.0, 1.0, 2.0**24 - 1]
