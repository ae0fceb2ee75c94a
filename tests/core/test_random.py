import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld.core import random
from jaxworld.core.errors import ConfigurationError

WORD = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize(
    ("key", "counter", "expected"),
    [
        # Known answers published with Random123 for threefry2x32, 20 rounds.
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_threefry_known_answers(key, counter, expected):
    arrays = [np.asarray([word], np.uint32) for word in (*key, *counter)]
    made = random.threefry_2x32(tuple(arrays[:2]), tuple(arrays[2:]))
    assert tuple(int(word[0]) for word in made) == expected


def test_fold_words_is_fold_in():
    key = random.world_key(2**40 + 17)
    folded = random.fold_words(random.key_words(key), np.asarray([0, 1, 77, 2**32 - 1], np.uint32))
    for row, data in zip(np.asarray(folded), (0, 1, 77, 2**32 - 1), strict=True):
        expected = jax.random.key_data(jax.random.fold_in(key, np.uint32(data)))
        assert row.tolist() == expected.tolist()
    assert random.tick_key(key, 77) == jax.random.fold_in(key, 77)


def test_both_words_of_a_seed_matter():
    seeds = [5, 5 + 2**32, 5 + 2**33, 6]
    keys = np.asarray(jax.random.key_data(random.world_keys(seeds)))
    assert len({tuple(words) for words in keys.tolist()}) == 4
    assert random.world_key(5) == random.world_keys(np.asarray(seeds, np.uint64))[0]
    assert str(jax.random.key_impl(random.world_key(5))) == "threefry2x32"


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_outside_64_bits_are_refused(seed):
    with pytest.raises(ConfigurationError, match="seed"):
        random.world_key(seed)


def test_purposes_are_frozen_and_do_not_collide(monkeypatch):
    monkeypatch.setattr(random, "_purposes", {})
    assert random.register_purpose("policy") == random.register_purpose("policy") == 0x823412D1
    taken = random.register_purpose("another")
    random._purposes["an old name"] = random._purposes.pop("another")
    assert random.registered_purposes()["an old name"] == taken
    with pytest.raises(ConfigurationError, match="an old name"):
        random.register_purpose("another")


@settings(max_examples=200, deadline=None)
@given(a=WORD, b=WORD)
def test_multiply_high_and_uniform_index_against_big_integers(a, b):
    one, other = np.asarray([a], np.uint32), np.asarray([b], np.uint32)
    assert int(random.multiply_high(one, other)[0]) == (a * b) >> 32
    size = b % (2**31) + 1
    index = int(random.uniform_index(one, np.asarray([size], np.uint32))[0])
    assert index == (a * size) >> 32 and 0 <= index < size


def test_entity_draws_ignore_width_order_and_how_many_are_asked_for():
    words = random.key_words(random.world_key(3))
    identity = jnp.asarray(random.name_identity([f"persona {number}" for number in range(9)]))
    draws = np.stack(random.entity_bits(words, identity, 3))
    order = np.asarray([4, 0, 8, 2])
    assert (np.stack(random.entity_bits(words, identity[order], 3)) == draws[:, order]).all()
    assert (np.stack(random.entity_bits(words, identity, 1)) == draws[:1]).all()
    assert (np.stack(random.entity_bits(words, identity, 1, first_block=1)) == draws[2:]).all()
    assert len(np.unique(draws)) == draws.size


def test_unit_interval_and_thresholds():
    unit = random.unit_interval(jnp.asarray([0, 255, 256, 2**32 - 1], jnp.uint32))
    assert unit.tolist() == [0.0, 0.0, 2.0**-24, 1.0 - 2.0**-24]
    assert random.probability_threshold(np.asarray([0.0, 0.5, 1.0])).tolist() == [0, 2**31, 2**32 - 1]
