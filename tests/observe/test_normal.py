"""Normal numbers: against the exact quantile, and the same bits in every way of running them."""

import jax
import numpy as np
import pytest

from jaxworld.observe.normal import standard_normal
from tests.oracles import observe as oracle

COUNT = 200_000


@pytest.fixture(scope="module")
def words():
    random = np.random.default_rng(5)
    corners = [0, 1, 2, 3, 2**31 - 2, 2**31 - 1, *(2**power for power in range(31))]
    deep = np.exp(random.uniform(0, np.log(2.0**31), COUNT // 2)).astype(np.uint32)
    made = np.concatenate([corners, deep, random.integers(0, 2**31, COUNT, dtype=np.uint32)])[:COUNT].astype(np.uint32)
    made[1::2] |= np.uint32(2**31)
    return made


@pytest.fixture(scope="module")
def drawn(words):
    return np.asarray(jax.jit(standard_normal)(words))


def test_numbers_are_the_quantiles_of_their_words(words, drawn):
    assert np.abs(drawn - oracle.quantile(words)).max() < 2e-6
    assert (np.sign(drawn) == np.where(words >> 31 == 0, 1, -1))[np.abs(drawn) > 0].all()
    assert 6.3 < np.abs(drawn).max() < 6.4


def test_larger_tails_mean_smaller_numbers(words, drawn):
    upper = words < 2**31
    order = np.argsort(words[upper])
    assert (np.diff(drawn[upper][order]) <= 1e-6).all()


def test_bits_do_not_depend_on_compilation_or_width(words, drawn):
    assert np.asarray(standard_normal(jax.numpy.asarray(words))).tobytes() == drawn.tobytes()
    narrow = jax.jit(standard_normal)
    for start in range(0, 700, 7):
        assert np.asarray(narrow(words[start : start + 7])).tobytes() == drawn[start : start + 7].tobytes()
    turned = np.asarray(jax.jit(jax.vmap(standard_normal))(words[:4000].reshape(5, 800)))
    assert turned.tobytes() == drawn[:4000].tobytes()
