"""Activity counts against the formulas written out, cell by cell."""

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.population import hourly_activity

IDS = [str(number) for number in range(7)]


@pytest.fixture(scope="module")
def counts():
    table = np.random.default_rng(5).poisson(1.5, (7, 24)) * np.random.default_rng(6).integers(1, 9, (7, 1))
    table[3] = 0  # a silent account
    table[:, 11] = 0  # a silent hour
    table[4, 5] = 37
    return table


def expected(counts, formula):
    rhythm = np.zeros(counts.shape)
    for person in range(counts.shape[0]):
        for hour in range(24):
            count = float(counts[person, hour])
            most = {
                "own_peak": max(counts[person]),
                "global_peak": max(max(row) for row in counts),
                "hourly_peak": max(counts[:, hour]),
            }[formula]
            share = count / float(most) if most else 0.0
            if formula == "global_peak":
                share = round(share + 0.1 if share < 0.6 else share, 2)
            rhythm[person, hour] = share
    return rhythm


@pytest.mark.parametrize("formula", ["own_peak", "global_peak", "hourly_peak"])
def test_formulas(counts, formula):
    activity = hourly_activity(counts, formula, IDS)
    np.testing.assert_allclose(activity.rhythm, expected(counts, formula), atol=1e-12)
    if formula == "own_peak":
        np.testing.assert_allclose(activity.involvement, 1 - np.exp(-counts.max(axis=1)))
    else:
        assert activity.involvement == 1.0


def test_only_the_global_formula_wakes_the_silent(counts):
    idle = ("1 persona without any activity, never active: 3",)
    assert hourly_activity(counts, "own_peak", IDS).notes == idle
    assert hourly_activity(counts, "hourly_peak", IDS).notes == idle
    raised = hourly_activity(counts, "global_peak", IDS)
    assert raised.notes == () and raised.rhythm.min() == 0.1


def test_all_silent_and_no_counts():
    nothing = np.zeros((2, 24))
    assert hourly_activity(nothing, "hourly_peak", IDS[:2]).rhythm.max() == 0
    assert (hourly_activity(nothing, "global_peak", IDS[:2]).rhythm == 0.1).all()
    assert hourly_activity(None, "own_peak", IDS).rhythm is None
    with pytest.raises(ConfigurationError, match="global_peak"):
        hourly_activity(None, "loudest", IDS)
