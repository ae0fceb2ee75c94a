"""Different rows are found exactly, whatever their entries are, and order is kept among equals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld.markov.graph import keys
from jaxworld.markov.graph.expand import mean_reward


def columns(generator, count, kind):
    """Some arrays side by side with few different rows: narrow, wide (too many digits for one number), or of floats."""
    rows = generator.integers(0, 30, count)
    if kind == "narrow":
        made = generator.integers(-1, 3, (30, 2)), generator.integers(0, 2, (30, 2, 2)).astype(bool), np.zeros((30, 0))
    elif kind == "wide":
        made = (generator.integers(-(2**31), 2**31, (30, 5)).astype(np.int32),)
    else:
        values = np.asarray([0.0, -0.0, 0.5, np.inf, 1e-40], np.float32)
        made = (values[generator.integers(0, 5, (30, 2))], generator.integers(0, 2**32, 30, dtype=np.uint32))
    return [each[rows] for each in made]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.sampled_from(["narrow", "wide", "floats"]))
def test_different_rows_are_found_exactly(seed, count, kind):
    generator = np.random.default_rng(seed)
    leaves = columns(generator, count, kind)
    rows = np.flatnonzero(generator.random(count) < 0.7)
    rows = rows if len(rows) else np.zeros(1, np.int64)
    first, place = keys.unique_rows(leaves, rows)
    texts = [tuple(leaf[row].tobytes() for leaf in leaves) for row in range(count)]
    assert [texts[row] for row in first[place]] == [texts[row] for row in rows]
    assert len({texts[row] for row in first}) == len(first) == len({texts[row] for row in rows})


@pytest.mark.parametrize("largest", [3, 2**40, 2**62])
def test_order_is_stable_for_small_and_large_numbers(largest):
    places = np.random.default_rng(0).integers(0, largest, 500, endpoint=True)
    places[100:200] = places[:100]
    np.testing.assert_array_equal(keys.stable_order(places), np.argsort(places, kind="stable"))
    assert len(keys.stable_order(places[:0])) == 0


def test_rewards_that_all_outcomes_share_stay_exact_row_by_row():
    """One row's mean must not depend on whether another row's rewards vary: blocks would change bytes."""
    shares = np.asarray([[0.1, 0.5], [0.9, 0.5], [0.0, 0.0]])[:, :, None]
    paid = np.asarray([[0.1, 1.0], [0.1, 2.0], [7.0, 7.0]], np.float32)[:, :, None, None]
    mean, varies = mean_reward(shares, paid)
    assert varies and mean[:, 0, 0].tolist() == [float(np.float32(0.1)), 1.5]
    alone, varies = mean_reward(shares[:, :1], paid[:, :1])
    assert not varies and alone[0, 0, 0] == mean[0, 0, 0]
