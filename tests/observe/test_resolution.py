"""Buckets, signs and rounding against exact fractions, corner cases included."""

import dataclasses
import functools
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jaxworld.observe import compile_pipeline, round_thousandths
from jaxworld.observe.kinds.resolution import bucket_codes, sign_codes
from tests.observe.family import VARIABLES, compiled, make, observe, values
from tests.oracles import observe as oracle

WIDTH = 64
CORNERS = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, 3.4e38, -3.4e38)
coded = jax.jit(bucket_codes, static_argnames="buckets")
rounded = jax.jit(round_thousandths)


def padded(numbers):
    return np.resize(np.asarray(numbers, np.float32), WIDTH)


@settings(max_examples=80, deadline=None)
@given(
    buckets=st.sampled_from([2, 3, 7, 10]),
    low=st.integers(-400, 400),
    width=st.integers(1, 1000),
    inside=st.lists(st.integers(-200, 1200), min_size=1, max_size=WIDTH - len(CORNERS)),
)
@example(buckets=3, low=0, width=1, inside=[0, 1])
def test_buckets_of_short_binary_numbers_are_exact(buckets, low, width, inside):
    # Eighths make every bound, value and product short enough for float32.
    low, high = low / 8, (low + width) / 8
    numbers = padded([*CORNERS, low, high, *(low + share / 8 for share in inside)])
    got = np.asarray(coded(numbers, np.float32(low), np.float32(high), buckets=buckets, edges=None))
    assert got.tolist() == [oracle.bucket(number, low, high, buckets) for number in numbers]


@settings(max_examples=60, deadline=None)
@given(
    numbers=st.lists(st.floats(-1e4, 1e4, width=32), min_size=1, max_size=WIDTH),
    low=st.floats(-1e3, 1e3, width=32),
    width=st.floats(0.5, 1e3, width=32),
)
def test_buckets_of_any_numbers_are_right_up_to_rounding_at_an_edge(numbers, low, width):
    low, high = np.float32(low), np.float32(low) + np.float32(width)
    numbers = padded(numbers)
    got = np.asarray(coded(numbers, low, high, buckets=7, edges=None))
    share = (numbers.astype(np.float64) - float(low)) / (float(high) - float(low)) * 7
    at_edge = np.abs(share - np.rint(share)) < 1e-5 * np.maximum(1, np.abs(share))
    expected = np.asarray([oracle.bucket(number, low, high, 7) for number in numbers])
    assert ((got == expected) | (at_edge & (np.abs(got - expected) <= 1))).all()


@pytest.mark.parametrize("buckets", [3, 4, 5, 7, 10])
def test_whole_stocks_are_never_misplaced(buckets):
    stocks = np.arange(-5, 106).astype(np.float32)
    expected = [oracle.bucket(stock, 0, 100, buckets) for stock in stocks]
    assert bucket_codes(stocks, np.float32(0), np.float32(100), buckets, None).tolist() == expected


def test_literal_edges_are_compared_as_the_decimals_they_are():
    written = ["0.3", "0.33", "0.67", "0.9999"]
    numbers = np.asarray([29.99, 30, 33, 33.01, 66.99, 67, 99.98, 99.99, *CORNERS], np.float32)
    edges = np.asarray(written, np.float32)
    got = bucket_codes(jnp.asarray(numbers), np.float32(0), np.float32(100), 5, jnp.asarray(edges))
    meant = [Fraction(str(number)) if np.isfinite(number) else number for number in numbers]
    expected = [oracle.bucket(number, 0, 100, 5, written) for number in meant]
    assert got.tolist() == expected
    thirds, literal = (
        observe(make({"commonsStock": {"resolution": "bucket", **more}}), true=values(stock=33.2))["commonsStock"].code
        for more in ({}, {"edges": [0.33, 0.67]})
    )
    assert thirds[0] == 0 and literal[0] == 1


def test_equal_bounds_put_everything_in_the_first_bucket():
    numbers = np.asarray([4, 5, 6, np.inf, np.nan], np.float32)
    assert bucket_codes(numbers, np.float32(5), np.float32(5), 3, None).tolist() == [0, 0, 0, 0, -1]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.floats(-8191, 8191, width=32), st.integers(-8191000, 8191000).map(lambda n: n / 1000))))
@example([0.0005, 0.0015, 0.0025, 90.0625, 90.1875, -0.0, -0.0004, 8191.999])
def test_rounding_gives_the_nearest_float32_to_three_decimals(numbers):
    numbers = padded([0.0, *numbers])
    got = np.asarray(rounded(numbers))
    assert got.tobytes() == oracle.delivered(numbers).tobytes()  # -0 is 0, ties go to even
    assert np.abs(np.rint(got.astype(np.float64) * 1000) - numbers.astype(np.float64) * 1000).max() <= 1


def test_what_has_no_three_decimals_is_not_rounded():
    numbers = padded([8192.0, 12345.678, -3e38, np.inf, -np.inf, np.nan])
    np.testing.assert_array_equal(np.asarray(rounded(numbers)), numbers)


@functools.cache
def clamping():
    return make({"ownWealth": {"transforms": [{"kind": "clamp", "min": 0, "max": 1}]}}, WIDTH)


clamped = functools.cache(lambda: compiled(clamping()))


@settings(max_examples=40, deadline=None)
@given(
    limits=st.tuples(st.integers(-900, 900), st.integers(0, 900)),
    numbers=st.lists(st.integers(-999, 999), max_size=WIDTH - len(CORNERS)),
)
def test_a_clamp_cuts_at_its_limits_and_lets_nan_pass(limits, numbers):
    low, high = limits[0], limits[0] + limits[1]
    numbers = padded([*CORNERS, *numbers])
    params = clamping().default_params()
    transforms = ({"min": np.float32(low), "max": np.float32(high)},)
    params = dict(params, ownWealth=dataclasses.replace(params["ownWealth"], transforms=transforms))
    got = clamped()(params, {}, values(WIDTH) | {"ownWealth": numbers}, 0)[0]["ownWealth"]
    expected = [0 if np.isnan(number) else round(float(min(max(number, low), high)), 3) for number in numbers]
    assert np.asarray(got.value).tolist() == expected
    assert (np.asarray(got.mask) == ~np.isnan(numbers)).all()


@settings(max_examples=60, deadline=None)
@given(
    steps=st.lists(st.one_of(st.integers(-30, 30).map(float), st.just(float("nan"))), min_size=1, max_size=12),
    deadband=st.sampled_from([0.0, 1.0, 2.5]),
)
def test_signs_of_a_path(steps, deadband):
    one = functools.partial(sign_codes, deadband=jnp.float32(deadband))
    previous, has_previous, got = jnp.float32(0), jnp.asarray(False), []
    for step in steps:
        got.append(int(one(jnp.float32(step), previous, has_previous)))
        if not np.isnan(step):
            previous, has_previous = jnp.float32(step), jnp.asarray(True)
    assert got == oracle.signs(steps, deadband)


@pytest.fixture(scope="module")
def sweep():
    """One compiled pipeline with every mode of resolution behind a noise and a switch of visibility."""
    configuration = {
        "noise": 0.0,
        "resolution": ["exact", "bucket", "sign"],
        "buckets": 4,
        "reference": "observed",
        "deadband": 0.5,
    }
    pipeline = make({"commonsStock": configuration})
    return pipeline, compiled(pipeline)


def path_of(sweep, stocks, visible=None, **leaves):
    """What the first observer gets of each stock: ``(value, mask, code)`` by tick, and the last memory."""
    pipeline, run = sweep
    memory, made = pipeline.init_memory(), []
    for tick, stock in enumerate(stocks):
        seen = True if visible is None else visible[tick]
        own = dataclasses.replace(pipeline.default_params()["commonsStock"], visible=np.bool_(seen), **leaves)
        params = dict(pipeline.default_params(), commonsStock=own)
        delivered, memory = run(params, memory, values(stock=stock), tick)
        stock_seen = delivered["commonsStock"]
        made.append(tuple(array[0].item() for array in (stock_seen.value, stock_seen.mask, stock_seen.code)))
    return made, memory["commonsStock"][0]


def test_modes_visibility_and_numbers_are_swept_with_one_compilation(sweep):
    stocks = [50.0, 50.25, 24.0, 99.0004]
    mode = np.int32
    assert path_of(sweep, stocks, resolution=mode(0))[0] == [
        (np.float32(number).item(), True, -1) for number in (50, 50.25, 24, 99)
    ]
    assert path_of(sweep, stocks, resolution=mode(1))[0] == [(2, True, 2), (2, True, 2), (0, True, 0), (3, True, 3)]
    assert path_of(sweep, stocks, resolution=mode(2))[0] == [(0, True, 1), (0, True, 1), (-1, True, 0), (1, True, 2)]
    nothing = path_of(sweep, stocks, resolution=mode(7))[0]
    assert nothing == [(0, False, -1)] * 4
    assert path_of(sweep, [24.0], resolution=mode(1), max=np.float32(25))[0] == [(3, True, 3)]
    assert sweep[1]._cache_size() == 1


def test_hidden_ticks_carry_nothing_and_are_not_compared_with(sweep):
    got, memory = path_of(sweep, [50.0, 90.0, 49.0], visible=[True, False, True], resolution=np.int32(2))
    assert got == [(0, True, 1), (0, False, -1), (-1, True, 0)]  # 49 is below 50, not below 90
    never, blank = path_of(sweep, [50.0, 60.0], visible=[False, False], resolution=np.int32(2))
    assert never == [(0, False, -1)] * 2
    assert memory.has_previous.all() and not blank.has_previous.any()


def test_nan_is_hidden_and_not_remembered(sweep):
    got, _ = path_of(sweep, [50.0, np.nan, 60.0], resolution=np.int32(2))
    assert got == [(0, True, 1), (0, False, -1), (1, True, 2)]
    assert path_of(sweep, [np.nan], resolution=np.int32(0))[0] == [(0, False, -1)]
    assert path_of(sweep, [np.nan], resolution=np.int32(1))[0] == [(0, False, -1)]


def test_only_signs_have_memory():
    assert make({"commonsStock": {"noise": 0.1, "resolution": "bucket"}}).init_memory() == {}
    memory = make({"othersHarvest": {"resolution": "sign", "reference": "true"}}).init_memory()
    assert list(memory) == ["othersHarvest"] and memory["othersHarvest"][0].previous.shape == (4, 4)


@pytest.mark.parametrize(("reference", "right"), [("observed", {0.05: 0.911, 0.2: 0.632}),
                                                  ("true", {0.05: 0.965, 0.2: 0.675})])  # fmt: skip
def test_how_often_a_noisy_sign_is_right_depends_on_its_reference(reference, right):
    configuration = {"commonsStock": {"noise": 0, "resolution": "sign", "reference": reference}}
    pipeline = compile_pipeline(VARIABLES[:1], configuration, 20_000)
    run = compiled(pipeline)
    for noise, expected in right.items():
        params = pipeline.default_params()
        params = {"commonsStock": dataclasses.replace(params["commonsStock"], noise=np.float32(noise))}
        _, memory = run(params, pipeline.init_memory(), {"commonsStock": np.float32(50)}, 0)
        delivered, _ = run(params, memory, {"commonsStock": np.float32(55)}, 1)
        assert float((delivered["commonsStock"].code == 2).mean()) == pytest.approx(expected, abs=0.012)
