"""Metrics inside kernels: they agree with the definitions to float32, under jit and vmap, without stray NaN."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld import metrics
from jaxworld.core.errors import ConfigurationError
from tests.metrics.figures import in_kernel
from tests.oracles import inequality as oracle

SIZE = 7
VALUES = st.lists(st.integers(0, 1000), min_size=SIZE, max_size=SIZE).map(lambda v: jnp.array(v, jnp.int32))
WEIGHTS = st.lists(st.integers(0, 4), min_size=SIZE, max_size=SIZE).map(lambda v: jnp.array(v, jnp.int32))
MASKS = st.lists(st.booleans(), min_size=SIZE, max_size=SIZE).map(lambda v: jnp.array(v, jnp.bool_))

lorenz = jax.jit(metrics.lorenz_curve)


def assert_same(got, want):
    for name in want:
        assert got[name].dtype == jnp.float32
        np.testing.assert_allclose(got[name], want[name], rtol=3e-6, atol=3e-6, err_msg=name)


@settings(deadline=None)
@given(VALUES, st.none() | WEIGHTS, st.none() | MASKS)
def test_weights_and_masks_mean_repeating_and_dropping(values, weights, mask):
    assert_same(in_kernel(values, weights, mask), oracle.everything(values, weights, mask))


@settings(deadline=None)
@given(VALUES, st.none() | WEIGHTS, MASKS)
def test_lorenz_curve_equals_the_reported_one(values, weights, mask):
    reported = metrics.host.lorenz_curve(values, weights, mask)
    for got, want in zip(lorenz(values, weights, mask), reported, strict=True):
        assert got.dtype == jnp.float32
        np.testing.assert_allclose(got, want, atol=1e-6)


def test_vmap_over_worlds_equals_leading_axes_and_broadcasting():
    values = jnp.asarray(np.random.default_rng(0).gamma(0.5, size=(5, SIZE)), jnp.float32)
    weights = jnp.arange(SIZE, dtype=jnp.float32)
    mask = jnp.arange(SIZE) % 3 > 0
    together = in_kernel(values, weights, mask)
    mapped = jax.jit(jax.vmap(in_kernel, in_axes=(0, None, None)))(values, weights, mask)
    reported = {name: metrics.host.gini(values, weights, mask) for name in ["gini"]}
    for name, figure in together.items():
        np.testing.assert_allclose(mapped[name], figure, rtol=1e-6, err_msg=name)
    assert_same(together, reported)


@pytest.mark.parametrize("values", [[0.0] * SIZE, [3.0] + [0.0] * (SIZE - 1)])
def test_nothing_held_and_nothing_unmasked_are_zero(values):
    hidden = jnp.zeros(SIZE, jnp.bool_) if any(values) else jnp.ones(SIZE, jnp.bool_)
    for weights in (None, jnp.ones(SIZE, jnp.int32)):
        figures = in_kernel(jnp.array(values, jnp.float32), weights, hidden)
        assert all(figure == 0 for figure in figures.values())
        for share in lorenz(jnp.array(values, jnp.float32), weights, hidden):
            np.testing.assert_allclose(share, np.arange(SIZE + 1) / SIZE, rtol=1e-6)


def test_a_masked_entry_may_hold_nan_and_a_counted_one_shows():
    values = np.array([1.0, np.nan, 2.0, 0, 0, 0, 0], np.float32)
    mask = np.arange(SIZE) != 1
    assert_same(in_kernel(values, None, mask), oracle.everything(values, None, mask))
    with jax.debug_nans(False):
        shown = in_kernel(values, None, np.ones(SIZE, np.bool_))
    assert all(np.isnan(shown[name]) for name in ("gini", "herfindahl", "effective_number", "top_count", "entropy"))


def test_extreme_scales_neither_overflow_nor_vanish():
    shape = jnp.array([1, 2, 3, 0, 0, 5, 1], jnp.float32)
    want = oracle.everything(shape)
    for scale in (1e-30, 1e37):
        assert_same(in_kernel(shape * jnp.float32(scale), None, jnp.ones(SIZE, jnp.bool_)), want)


@pytest.mark.parametrize(("fraction", "holders"), [(0.07, 7), (0.29, 29), (0.01, 1), (0.011, 2)])
def test_a_top_fraction_rounds_up_and_only_up(fraction, holders):
    values, weights = jnp.ones(120, jnp.int32), jnp.ones(120, jnp.int32)
    mask = jnp.arange(120) < 100
    for given_weights in (None, weights):
        got = metrics.top_share(values, given_weights, mask, fraction=fraction)
        np.testing.assert_allclose(got, holders / 100, rtol=1e-6)


def test_the_size_of_the_top_is_checked_before_anything_is_traced():
    for size in ({}, {"fraction": 0.0}, {"count": 0}, {"count": 1, "fraction": 0.5}):
        with pytest.raises(ConfigurationError):
            metrics.top_share(jnp.ones(3), **size)
