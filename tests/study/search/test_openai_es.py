"""The estimate, the shaping and the steps of our own evolution strategy."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from jaxworld.study.search.openai_es import OpenAIES, antithetic_gradient
from jaxworld.study.search.shaping import centered_rank, standardised, unshaped, worst_for_invalid

POPULATION = 8
fitnesses = arrays(np.float32, POPULATION, elements=st.integers(-50, 50).map(lambda n: n / 4))


def test_the_estimate_is_exact_on_a_linear_function():
    """Orthogonal directions, one a dimension, and an offset that a one-sided estimate would drown in."""
    size = 6
    directions, _ = np.linalg.qr(np.random.default_rng(0).normal(size=(size, size)))
    noise = {"x": jnp.asarray(np.sqrt(size) * directions, jnp.float32)}
    slope = np.arange(1, size + 1, dtype=np.float32)
    sigma = jnp.float32(0.5)
    along = np.asarray(noise["x"]) @ slope
    found = antithetic_gradient(noise, jnp.asarray(1000 + 0.5 * along), jnp.asarray(1000 - 0.5 * along), sigma)
    np.testing.assert_allclose(found["x"], slope, rtol=2e-4)


def test_a_told_generation_climbs_along_the_mean_slope_of_its_pairs():
    slope = jnp.asarray([3.0, -1.0, 0.0], jnp.float32)
    strategy = OpenAIES(4096, 0.2, optax.sgd(1.0), unshaped)
    state = strategy.init(jax.random.key(0), jnp.zeros(3, jnp.float32))
    population, state = strategy.ask(jax.random.key(1), state)
    np.testing.assert_allclose(population[:2048], -population[2048:], atol=1e-6)
    after, info = strategy.tell(jax.random.key(2), state, population, population @ slope + np.float32(7))
    np.testing.assert_allclose(after.mean, slope, atol=0.2)
    assert float(info["gradient_norm"]) == pytest.approx(np.sqrt(10), rel=0.1)
    assert int(after.generation) == 1


@given(fitnesses)
@settings(max_examples=40, deadline=None)
def test_ranks_depend_on_order_alone(fitness):
    ranks = np.asarray(centered_rank(jnp.asarray(fitness)))
    np.testing.assert_array_equal(ranks, centered_rank(jnp.asarray(np.exp(fitness))))
    assert abs(ranks.sum()) < 1e-5 and ranks.min() >= -0.5 and ranks.max() <= 0.5
    for one in range(POPULATION):
        for other in range(POPULATION):
            assert np.sign(ranks[one] - ranks[other]) == np.sign(fitness[one] - fitness[other])


@given(fitnesses, st.lists(st.sampled_from([np.nan, np.inf, -np.inf, None]), min_size=POPULATION, max_size=POPULATION))
@settings(max_examples=40, deadline=None)
def test_what_is_not_finite_ranks_last(fitness, spoilt):
    given_fitness = np.array([f if s is None else s for f, s in zip(fitness, spoilt, strict=True)], np.float32)
    finite = np.isfinite(given_fitness)
    made = np.asarray(worst_for_invalid(jnp.asarray(given_fitness)))
    assert np.isfinite(made).all()
    np.testing.assert_array_equal(made[finite], given_fitness[finite])
    if finite.any() and not finite.all():
        assert made[~finite].max() < made[finite].min()


def test_the_largest_numbers_stay_finite_and_in_order():
    most = np.finfo(np.float32).max
    made = np.asarray(worst_for_invalid(jnp.asarray([1e38, np.nan, -1e38, most], jnp.float32)))
    assert np.isfinite(made).all() and made[1] < made[2] < made[0] < made[3]


def test_a_told_generation_is_the_same_after_any_increasing_transformation():
    strategy = OpenAIES(8, 0.1, optax.adam(0.1))
    state = strategy.init(jax.random.key(0), {"a": jnp.zeros((2, 2), jnp.float32), "b": jnp.zeros(1, jnp.float32)})
    population, state = strategy.ask(jax.random.key(1), state)
    fitness = jnp.asarray([3, 1, 4, 1, 5, 9, 2, 6], jnp.float32)
    one, _ = strategy.tell(jax.random.key(2), state, population, fitness)
    other, _ = strategy.tell(jax.random.key(2), state, population, jnp.exp(fitness))
    jax.tree.map(np.testing.assert_array_equal, one, other)


def test_equals_teach_nothing():
    equal = jnp.full(6, 3.0, jnp.float32)
    for shaping in (centered_rank, standardised):
        np.testing.assert_array_equal(shaping(equal), np.zeros(6))
    np.testing.assert_array_equal(worst_for_invalid(jnp.full(3, np.nan, jnp.float32)), np.zeros(3))
