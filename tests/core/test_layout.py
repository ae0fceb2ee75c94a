"""Where worlds lie in memory changes no value, and short sums have one order."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core.layout import sum_over_few, worlds_last


def law(values):
    placed = worlds_last({"one": values, "scalar": values[0]})
    return placed["one"] * np.float32(3) + placed["scalar"], sum_over_few(placed["one"])


def test_values_are_the_same_alone_in_a_batch_and_in_a_batch_of_batches():
    values = np.random.default_rng(0).normal(size=(4, 3, 6)).astype(np.float32)
    twice = jax.jit(jax.vmap(jax.vmap(law)))(values)
    once = jax.jit(jax.vmap(law))(values.reshape(12, 6))
    for deep, flat, part in zip(twice, once, zip(*map(jax.jit(law), values.reshape(12, 6)), strict=True), strict=True):
        np.testing.assert_array_equal(np.asarray(deep).reshape(flat.shape), flat)
        np.testing.assert_array_equal(np.stack(part), flat)
    np.testing.assert_array_equal(once[0], values.reshape(12, 6) * np.float32(3) + values.reshape(12, 6)[:, :1])


@pytest.mark.parametrize("size", [1, 2, 7, 64, 65])
def test_short_sums_add_from_the_first_to_the_last(size):
    values = np.random.default_rng(size).normal(size=(3, size)).astype(np.float32)
    found = np.asarray(jax.jit(sum_over_few)(jnp.asarray(values.T)))
    np.testing.assert_allclose(found, values.astype(np.float64).sum(1), rtol=1e-5, atol=1e-6)
    if size < 65:
        expected = values[:, 0]
        for column in values.T[1:]:
            expected = expected + column
        np.testing.assert_array_equal(found, expected)
