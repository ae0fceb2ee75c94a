"""Factors: exact probabilities on the host, and draws by the same thresholds."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxworld.core.errors import ConfigurationError
from jaxworld.markov import chance
from jaxworld.markov.bits import pack, pack_host, unpack, unpack_host


@given(st.floats(2.0**-11, 1.0))
def test_a_coin_has_the_very_probability(p):
    made = chance.host_weights((chance.Choice(below=chance.threshold("p", p)[None]),))
    assert made[0] == p
    assert abs(made.sum() - 1.0) <= 2.0**-52


def test_certain_and_impossible_outcomes():
    for p in (0.0, 1.0):
        below = chance.threshold("p", p)[None]
        assert chance.host_weights((chance.Choice(below=below),)).tolist() == [p, 1 - p]
        for word in (0, 2**32 - 1):
            pick = chance._pick(chance.Choice(below=jnp.asarray(below)), jnp.uint32(word), jnp.uint32(word))
            assert int(pick) == (0 if p == 1.0 else 1)


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=6).filter(any))
def test_distributions_keep_their_support(shares):
    wanted = np.asarray(shares, np.float64) / sum(shares)
    below = chance.distribution_thresholds(wanted)
    made = chance.host_weights((chance.Choice(below=below),))
    assert made == pytest.approx(wanted, abs=1e-15)
    assert ((made > 0) == (wanted > 0)).all()


def test_products_of_factors():
    factors = (
        chance.Choice(below=chance.threshold("p", 0.25)[None]),
        chance.Uniform(count=np.int32(2), size=3),
        chance.only_if(jnp.asarray(False), chance.coin(jnp.asarray(chance.threshold("p", 0.3)))),
    )
    wanted = np.einsum("i,j,k->ijk", [0.25, 0.75], [0.5, 0.5, 0], [1, 0]).reshape(-1)
    assert chance.host_weights(factors) == pytest.approx(wanted)
    assert np.asarray(chance.weights(factors)) == pytest.approx(wanted)
    assert [part.tolist() for part in chance.all_picks(factors)][1] == [0, 0, 1, 1, 2, 2] * 2


def test_draws_follow_the_thresholds():
    words = jnp.asarray(np.random.default_rng(0).integers(2**32, size=(20_000, 2), dtype=np.uint32))
    factors = (
        chance.Choice(below=jnp.asarray(chance.thresholds([2**62, 2**63]))),
        chance.Uniform(count=jnp.int32(3), size=5),
    )
    first, second = jax.jit(jax.vmap(lambda word: chance.pick(factors, *chance.draw_bits(word, [0, 1]))))(words)
    assert np.bincount(first) / 20_000 == pytest.approx([0.25, 0.25, 0.5], abs=0.015)
    assert np.bincount(second) / 20_000 == pytest.approx([1 / 3] * 3, abs=0.015)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), "0.5", True])
def test_bad_probabilities_are_refused(bad):
    with pytest.raises(ConfigurationError, match="slip"):
        chance.threshold("slip", bad)


@pytest.mark.parametrize("size", [1, 32, 70])
def test_bits_pack_and_unpack(size):
    bits = np.random.default_rng(size).random((5, size)) < 0.5
    words = np.asarray(pack(jnp.asarray(bits)))
    np.testing.assert_array_equal(words, pack_host(bits))
    np.testing.assert_array_equal(unpack(jnp.asarray(words), size), bits)
    np.testing.assert_array_equal(unpack_host(words, size), bits)
    assert sum(int(word) << 32 * place for place, word in enumerate(words[0])) == sum(
        1 << int(place) for place in np.flatnonzero(bits[0])
    )
