"""Student's intervals over worlds: textbook values, coverage, pairing and the smallest samples."""

from __future__ import annotations

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.metrics import mean_interval, paired_difference


def test_a_textbook_interval():
    # Five figures with mean 3 and s = sqrt(2.5); the 97.5 % point of t with 4 degrees of freedom is 2.776445.
    mean, low, high = mean_interval([1, 2, 3, 4, 5])
    reach = 2.7764451051977987 * np.sqrt(2.5 / 5)
    np.testing.assert_allclose([mean, low, high], [3, 3 - reach, 3 + reach], rtol=1e-12)


def test_the_interval_covers_the_true_mean_as_often_as_it_says():
    draws = np.random.default_rng(1).normal(2.0, 3.0, (6, 4000))
    for level in (0.8, 0.95):
        _, low, high = mean_interval(draws, level)
        covered = np.mean((low <= 2.0) & (high >= 2.0))
        assert abs(covered - level) < 4 * np.sqrt(level * (1 - level) / 4000)


def test_worlds_may_lie_on_any_axis():
    figures = np.random.default_rng(2).random((4, 3, 2))
    for axis in (0, 1, -1):
        for got, want in zip(
            mean_interval(figures, axis=axis), mean_interval(np.moveaxis(figures, axis, 0)), strict=True
        ):
            np.testing.assert_array_equal(got, want)


def test_pairing_removes_what_the_worlds_share():
    rng = np.random.default_rng(3)
    shared = rng.normal(0, 100, 50)
    baseline, values = shared + rng.normal(0, 0.1, 50), shared + 1 + rng.normal(0, 0.1, 50)
    mean, low, high = paired_difference(values, baseline)
    assert low < 1 < high and high - low < 0.2
    np.testing.assert_allclose(mean, values.mean() - baseline.mean())
    swapped = paired_difference(baseline, values)
    np.testing.assert_allclose([swapped.low, swapped.high], [-high, -low])


def test_without_spread_or_with_one_world_the_interval_is_the_mean():
    for figures in ([2.5], [2.5, 2.5, 2.5], [True], [7]):
        mean, low, high = mean_interval(figures)
        assert mean == low == high == float(figures[0])
    assert paired_difference([3.0], [1.0]) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize(
    ("field", "call"),
    [
        ("values", lambda: mean_interval([1.0, np.nan])),
        ("values", lambda: mean_interval([])),
        ("values", lambda: mean_interval(["a"])),
        ("level", lambda: mean_interval([1.0, 2.0], level=95)),
        ("axis", lambda: mean_interval([1.0, 2.0], axis=1)),
        ("axis", lambda: mean_interval(1.0)),
        ("baseline", lambda: paired_difference([1.0, 2.0], [1.0])),
        ("baseline", lambda: paired_difference([1.0, 2.0], [1.0, np.inf])),
    ],
)
def test_wrong_input_is_refused_by_name(field, call):
    with pytest.raises(ConfigurationError) as caught:
        call()
    assert caught.value.field == field
