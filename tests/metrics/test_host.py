"""Reported figures: the host metrics against the definitions, closed forms and invariances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld.core.errors import ConfigurationError
from jaxworld.metrics import host
from tests.metrics.figures import on_host
from tests.oracles import inequality as oracle

COUNTS = st.integers(0, 50)
AMOUNTS = st.one_of(COUNTS, st.floats(0, 1e6, allow_subnormal=False))


@st.composite
def populations(draw, amounts=AMOUNTS):
    size = draw(st.integers(1, 9))
    values = draw(st.lists(amounts, min_size=size, max_size=size))
    weights = draw(st.none() | st.lists(st.integers(0, 4), min_size=size, max_size=size))
    mask = draw(st.none() | st.lists(st.booleans(), min_size=size, max_size=size))
    return np.array(values), None if weights is None else np.array(weights), None if mask is None else np.array(mask)


def assert_same(got, want, tolerance=1e-12):
    for name in want:
        np.testing.assert_allclose(got[name], want[name], rtol=tolerance, atol=tolerance, err_msg=name)


@settings(deadline=None)
@given(populations())
def test_weights_and_masks_mean_repeating_and_dropping(people):
    assert_same(on_host(*people), oracle.everything(*people))


@settings(deadline=None)
@given(populations())
def test_lorenz_corners_lie_on_the_curve_of_the_definition(people):
    heads, held = host.lorenz_curve(*people)
    listed = oracle.population(*people)
    size = len(people[0])
    want = list(zip(*oracle.lorenz_points(listed), strict=True)) if listed else [np.arange(size + 1) / size] * 2
    assert heads.shape == held.shape == (size + 1,)
    np.testing.assert_allclose(held, np.interp(heads, want[0], want[1]), atol=1e-9)
    assert heads[0] == held[0] == 0 and heads[-1] == held[-1] == 1
    # The Gini coefficient is twice the area between the diagonal and the curve.
    area = np.sum(np.diff(heads) * (held[1:] + held[:-1]) / 2)
    np.testing.assert_allclose(host.gini(*people), 1 - 2 * area, atol=1e-9)


@settings(deadline=None)
@given(populations(COUNTS), st.randoms(use_true_random=False), st.integers(1, 1000))
def test_order_unit_and_copies_change_nothing(people, random, factor):
    values, weights, mask = people
    order = random.sample(range(len(values)), len(values))
    shuffled = [None if array is None else array[order] for array in people]
    whole, moved = on_host(*people), on_host(*shuffled)
    scaled = on_host(values * factor, weights, mask)
    exact = ("gini", "herfindahl", "effective_number", "top_count", "top_fraction", "coverage")
    assert all(whole[name] == moved[name] == scaled[name] for name in exact)  # whole numbers: to the last bit
    assert_same(moved, whole)
    assert_same(scaled, whole)
    twice = [None if array is None else np.tile(array, 2) for array in people]
    np.testing.assert_allclose(host.gini(*twice), whole["gini"], rtol=1e-12)
    np.testing.assert_allclose(host.effective_number(*twice), 2 * whole["effective_number"], rtol=1e-12)


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_closed_forms_of_whole_numbers(size):
    ladder, alone, equal = np.arange(1, size + 1), np.eye(1, size, dtype=np.int64)[0], np.full(size, 3)
    np.testing.assert_allclose(host.gini(ladder), (size - 1) / (3 * size), rtol=1e-15, atol=0)
    np.testing.assert_allclose(host.gini(alone), 1 - 1 / size, rtol=1e-15)
    assert host.herfindahl(alone) == host.effective_number(alone) == host.top_share(alone, count=1) == 1
    assert host.entropy(alone) == 0 and host.coverage(alone) == 1 / size
    assert host.gini(equal) == 0 and host.effective_number(equal) == size
    np.testing.assert_allclose(host.entropy(equal), np.log(size), rtol=1e-14)
    np.testing.assert_allclose(host.entropy(equal, normalised=True), float(size > 1), rtol=1e-14)


def test_closed_forms_of_known_distributions():
    ratio, size = 0.8, 30
    geometric = ratio ** np.arange(size)
    want = (1 - ratio) * (1 + ratio**size) / ((1 + ratio) * (1 - ratio**size))
    np.testing.assert_allclose(host.herfindahl(geometric), want, rtol=1e-13)
    np.testing.assert_allclose(host.top_share(geometric, count=5), (1 - ratio**5) / (1 - ratio**size), rtol=1e-13)
    quantiles = (np.arange(20_000) + 0.5) / 20_000
    exponential = -np.log1p(-quantiles)
    np.testing.assert_allclose(host.gini(exponential), 1 / 2, atol=1e-3)
    shape = 3.0
    pareto = (1 - quantiles) ** (-1 / shape)
    np.testing.assert_allclose(host.gini(pareto), 1 / (2 * shape - 1), atol=1e-3)
    heads, held = host.lorenz_curve(pareto)
    np.testing.assert_allclose(held, 1 - (1 - heads) ** (1 - 1 / shape), atol=1e-3)
    np.testing.assert_allclose(host.top_share(pareto, fraction=0.2), 0.2 ** (1 - 1 / shape), atol=1e-3)


@pytest.mark.parametrize(
    ("size", "fraction", "holders"),
    [(100, 0.07, 7), (100, 0.29, 29), (100, 0.01, 1), (101, 0.01, 2), (99, 0.01, 1), (1, 0.01, 1), (10, 1.0, 10)],
)
def test_a_top_fraction_rounds_up_and_only_up(size, fraction, holders):
    np.testing.assert_allclose(host.top_share(np.ones(size, int), fraction=fraction), holders / size, rtol=1e-15)


def test_a_top_fraction_counts_only_the_unmasked():
    values, mask = np.arange(200), np.arange(200) < 100
    assert host.top_share(values, mask=mask, fraction=0.01) == 99 / 4950


@pytest.mark.parametrize("values", [np.zeros(4), np.zeros(4, int), np.zeros(1), np.zeros(0)])
def test_nothing_held(values):
    assert all(figure == 0 for figure in on_host(values).values())
    size = len(values)
    for share in host.lorenz_curve(values):
        np.testing.assert_array_equal(share, np.arange(size + 1) / max(size, 1))


@pytest.mark.parametrize("hide", [{"mask": np.zeros(3, bool)}, {"weights": np.zeros(3)}])
def test_nothing_unmasked(hide):
    values = np.array([1.0, 2.0, 5.0])
    assert all(figure == 0 for figure in on_host(values, **hide).values())
    for share in host.lorenz_curve(values, **hide):
        np.testing.assert_allclose(share, [0, 1 / 3, 2 / 3, 1])


def test_leading_axes_are_worlds_and_the_rest_broadcasts():
    values = np.random.default_rng(0).poisson(2.0, (3, 2, 8))
    weights, mask = np.arange(1, 9), np.array([True] * 6 + [False] * 2)
    got = on_host(values, weights, mask)
    for index in np.ndindex(3, 2):
        want = oracle.everything(values[index], weights, mask)
        assert_same({name: figure[index] for name, figure in got.items()}, want)
    assert host.lorenz_curve(values)[0].shape == (3, 2, 9)


def test_whole_numbers_stay_exact_beyond_int64_sums():
    big = 2**60
    got = on_host(np.array([big, big, 2 * big, 0]))
    want = on_host(np.array([1, 1, 2, 0]))
    assert got == want
    many = np.array([3, 5, 1])
    assert on_host(np.array([1, 1, 2]), many * 10**17)["gini"] == on_host(np.array([1, 1, 2]), many)["gini"]
    # 2**53 + 1 is no float64: one unit in so many must still show.
    assert host.gini(np.array([2**53, 2**53 + 1])) > 0


def test_large_floats_do_not_overflow():
    assert_same(on_host(np.array([1e308, 1e308, 1.5e308])), on_host(np.array([1.0, 1.0, 1.5])))


def test_fractional_weights_split_the_population():
    whole = on_host(np.array([4, 1, 9]), np.array([2, 4, 6]))
    half = on_host(np.array([4, 1, 9]), np.array([1.0, 2.0, 3.0]))
    assert half["gini"] == pytest.approx(whole["gini"]) and half["coverage"] == whole["coverage"]
    # The top 1.5 of 0.5 holders of 4 and 2.5 of 2.
    got = host.top_share(np.array([2.0, 4.0]), np.array([2.5, 0.5]), fraction=0.5)
    assert got == pytest.approx((0.5 * 4 + 1.5 * 2) / 7)


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("values", {"values": [1.0, -1.0]}),
        ("values", {"values": [1, -1]}),
        ("values", {"values": [1.0, np.nan]}),
        ("values", {"values": [1.0, np.inf]}),
        ("values", {"values": ["a", "b"]}),
        ("values", {"values": 3.0}),
        ("weights", {"values": [1.0, 2.0], "weights": [1.0, -2.0]}),
        ("weights", {"values": [1.0, 2.0], "weights": [1.0, np.nan]}),
        ("weights", {"values": [1.0, 2.0], "weights": [1, 2, 3]}),
        ("mask", {"values": [1.0, 2.0], "mask": [True] * 3}),
        ("mask", {"values": [1.0, 2.0], "mask": [1, 0]}),
    ],
)
def test_wrong_input_is_refused_by_name(field, arguments):
    for metric in (host.gini, host.lorenz_curve, host.herfindahl, host.effective_number, host.entropy, host.coverage):
        with pytest.raises(ConfigurationError) as caught:
            metric(**arguments)
        assert caught.value.field == field
    with pytest.raises(ConfigurationError, match=field):
        host.top_share(**arguments, count=1)


@pytest.mark.parametrize("absent", [-1, np.nan])
def test_what_a_masked_entry_holds_does_not_matter(absent):
    mask = np.array([True, False, True])
    assert_same(on_host(np.array([3, absent, 1]), np.array([1, absent, 2]), mask), on_host([3, 1], [1, 2]))


@pytest.mark.parametrize(
    ("field", "size"),
    [
        ("fraction", {}),
        ("fraction", {"fraction": 0.0}),
        ("fraction", {"fraction": 1.5}),
        ("count", {"count": 0}),
        ("count", {"count": 1.5}),
        ("count", {"count": 1, "fraction": 0.1}),
    ],
)
def test_the_size_of_the_top_is_checked(field, size):
    with pytest.raises(ConfigurationError) as caught:
        host.top_share([1.0, 2.0], **size)
    assert caught.value.field == field
