"""Building, checking, padding and ordering the arrays of a population."""

import dataclasses

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld.core.errors import ConfigurationError
from jaxworld.core.random import name_identity
from jaxworld.social.population import (
    SIMILARITY_SCALE,
    canonical_order,
    check_population,
    make_population,
    pad_population,
    quantize_unit_vectors,
)

IDS = ("p-000001", "p-000002", "p-000003", "p-000004")
TIES = [[0, 1], [2, 3], [1, 2]]


def four_personas(**changes):
    arguments = {"ties": TIES, "strengths": [800, 600, 200], "community": [0, 0, 1, 1]} | changes
    return make_population(IDS, **arguments)


def assert_same_arrays(first, second):
    assert jax.tree.structure(first) == jax.tree.structure(second)
    for a, b in zip(jax.tree.leaves(first), jax.tree.leaves(second), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def test_rows_hold_ascending_neighbours_with_their_strengths():
    population = four_personas()
    assert population.row_offsets.tolist() == [0, 1, 3, 5, 6]
    assert population.neighbor.tolist() == [1, 0, 2, 1, 3, 2]
    assert population.tie_strength.tolist() == [800, 800, 200, 200, 600, 600]
    assert population.degree.tolist() == [1, 2, 2, 1]
    assert (population.num_personas, population.num_ties, population.num_follows) == (4, 3, 0)
    np.testing.assert_array_equal(population.identity, name_identity(IDS))
    check_population(population)


def test_dtypes_are_those_kernels_expect():
    population = four_personas(vectors=np.eye(4), rhythm=np.full((4, 24), 0.5), follows=[[0, 1]])
    dtypes = {field.name: getattr(population, field.name).dtype.name for field in dataclasses.fields(population)}
    assert dtypes == {
        "identity": "uint32",
        "present": "bool",
        "involvement": "float32",
        "community": "int32",
        "degree": "int32",
        "followers": "int32",
        "row_offsets": "int32",
        "neighbor": "int32",
        "tie_strength": "int32",
        "follows": "int32",
        "profile": "float32",
        "rhythm": "float32",
    }


def test_followers_come_from_totals_else_follows_else_degree():
    assert four_personas().followers.tolist() == [1, 2, 2, 1]
    assert four_personas(follows=[[0, 3], [1, 3], [3, 0]]).followers.tolist() == [1, 0, 0, 2]
    assert four_personas(follows=[[0, 3]], followers=[9, 8, 7, 6]).followers.tolist() == [9, 8, 7, 6]


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(6)), seed=st.integers(0, 100))
def test_order_of_arrival_leaves_no_trace(order, seed):
    generator = np.random.default_rng(seed)
    ids = np.asarray([f"p-{i}" for i in range(6)])
    pairs = np.asarray([(i, j) for i in range(6) for j in range(i + 1, 6)])
    ties = pairs[generator.random(len(pairs)) < 0.5]
    strengths = generator.integers(1, 1001, len(ties))
    follows = pairs[generator.random(len(pairs)) < 0.5]
    rows = {
        "involvement": generator.random(6),
        "community": np.asarray([0, 1, -1, 0, 1, 2]),
        "followers": generator.integers(0, 99, 6),
        "vectors": generator.standard_normal((6, 5)),
        "rhythm": generator.random((6, 24)),
    }
    expected = make_population(ids.tolist(), ties=ties, strengths=strengths, follows=follows, **rows)
    position = np.argsort(order)
    shuffled = make_population(
        ids[list(order)].tolist(),
        ties=position[ties][::-1, ::-1],
        strengths=strengths[::-1],
        follows=position[follows][::-1],
        **{name: value[list(order)] for name, value in rows.items()},
    )
    assert_same_arrays(expected, shuffled)
    check_population(expected)


def test_decimal_ids_are_ordered_as_numbers_and_others_as_strings():
    assert canonical_order(["10", "9", "100"]).tolist() == [1, 0, 2]
    assert canonical_order(["10", "9", "x"]).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"ties": [[0, 4]]}, "ties"),
        ({"ties": [[1, 1]]}, "ties"),
        ({"ties": [[0, 1], [1, 0]]}, "ties"),
        ({"ties": [[0, 1, 2]]}, "ties"),
        ({"ties": [[0.5, 1]]}, "ties"),
        ({"strengths": [800, 600]}, "strengths"),
        ({"strengths": [800, 600, 0]}, "strengths"),
        ({"strengths": [0.8, 0.6, 0.2]}, "strengths"),
        ({"strengths": 1001}, "strengths"),
        ({"involvement": [1, 1, 1, -0.1]}, "involvement"),
        ({"involvement": [1, 1, 1, float("nan")]}, "involvement"),
        ({"involvement": [1, 1, 1]}, "involvement"),
        ({"community": [0, 0, 2, 2]}, "community"),
        ({"community": [0, 0, -2, 1]}, "community"),
        ({"followers": [1, 2, 3, -1]}, "followers"),
        ({"follows": [[2, 2]]}, "follows"),
        ({"follows": [[1, 2], [1, 2]]}, "follows"),
        ({"vectors": [[1.0, float("inf")]] * 4}, "vectors"),
        ({"vectors": np.ones((3, 2))}, "vectors"),
        ({"vectors": np.ones(4)}, "vectors"),
        ({"rhythm": np.full((4, 24), 2.0)}, "rhythm"),
        ({"rhythm": np.ones((4, 23))}, "rhythm"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(changes, field):
    with pytest.raises(ConfigurationError) as caught:
        four_personas(**changes)
    assert caught.value.field == field


@pytest.mark.parametrize("ids", [[], ["a", "a"], ["a", ""], ["a", 3]])
def test_ids_must_be_different_non_empty_strings(ids):
    with pytest.raises(ConfigurationError, match="persona_ids"):
        make_population(ids)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"neighbor": [1, 2, 0, 1, 3, 2]}, "neighbor"),
        ({"neighbor": [1, 0, 3, 1, 3, 2]}, "neighbor"),
        ({"neighbor": [0, 0, 2, 1, 3, 2]}, "neighbor"),
        ({"neighbor": [9, 0, 2, 1, 3, 2]}, "neighbor"),
        ({"tie_strength": [799, 800, 200, 200, 600, 600]}, "tie_strength"),
        ({"row_offsets": [0, 1, 3, 5, 5]}, "row_offsets"),
        ({"degree": [1, 2, 2, 2]}, "degree"),
        ({"follows": [[1, 0], [0, 1]]}, "follows"),
        ({"profile": [[0.5], [0], [0], [0]]}, "profile"),
    ],
)
def test_arrays_made_by_hand_are_checked_too(changes, field):
    broken = dataclasses.replace(four_personas(), **{name: np.asarray(value) for name, value in changes.items()})
    with pytest.raises(ConfigurationError) as caught:
        check_population(broken)
    assert caught.value.field == field


def test_padding_adds_absent_rows_and_changes_nothing_else():
    population = four_personas(vectors=np.eye(4), rhythm=np.ones((4, 24)), follows=[[0, 1]])
    padded = pad_population(population, 7)
    check_population(padded)
    assert padded.num_personas == 7
    assert padded.num_ties == population.num_ties
    assert padded.present.tolist() == [True] * 4 + [False] * 3
    assert padded.community[4:].tolist() == [-1] * 3
    assert not padded.involvement[4:].any() and not padded.degree[4:].any() and not padded.profile[4:].any()
    assert len({tuple(row) for row in padded.identity.tolist()}) == 7
    for name in ("identity", "involvement", "community", "degree", "followers", "profile", "rhythm"):
        np.testing.assert_array_equal(getattr(padded, name)[:4], getattr(population, name))
    assert_same_arrays(pad_population(population, 4), population)
    with pytest.raises(ConfigurationError, match="num_personas"):
        pad_population(population, 3)


def test_a_population_passes_through_jit():
    total = jax.jit(lambda population: population.degree.sum() + population.num_ties)(four_personas())
    assert int(total) == 9


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), dimensions=st.sampled_from([1, 16, 384]))
def test_similarities_of_quantised_vectors_are_exact_in_float32(seed, dimensions):
    vectors = np.random.default_rng(seed).standard_normal((12, dimensions)) * 10.0 ** (seed % 7 - 3)
    rows = quantize_unit_vectors(vectors)
    exact = rows.astype(np.int64) @ rows.astype(np.int64).T
    assert np.abs(exact).max() < 2**24
    np.testing.assert_array_equal(rows @ rows.T, exact.astype(np.float32))
    backwards = np.zeros((12, 12), np.float32)
    for column in reversed(range(dimensions)):
        backwards += np.outer(rows[:, column], rows[:, column])
    np.testing.assert_array_equal(backwards, exact.astype(np.float32))


def test_quantised_rows_have_the_scale_as_length_and_missing_rows_stay_zero():
    rows = quantize_unit_vectors([[3.0, 4.0], [0.0, 0.0], [1e-300, 0.0], [1e300, -1e300]])
    assert rows.tolist() == [[2400.0, 3200.0], [0.0, 0.0], [SIMILARITY_SCALE, 0.0], [2828.0, -2828.0]]
