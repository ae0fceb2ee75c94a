"""Cascades in the kernel and on the host against shortest paths of networkx, closed forms and refused input."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jaxworld.core.errors import ConfigurationError
from jaxworld.metrics import cascade_curves, host, measure_cascades, structural_virality, trace_forest
from jaxworld.metrics.host_cascades import virality, whole_distance
from tests.oracles import cascades as oracle

SIZE = 10
FIGURES = ("scale", "depth", "max_breadth")
_kernel = jax.jit(lambda parent, mask: (measure_cascades(parent, mask), trace_forest(parent, mask)))


@st.composite
def forests(draw):
    """Parents in a random order of nodes, and some nodes left out together with all below them."""
    order = draw(st.permutations(range(SIZE)))
    parent, member = np.full(SIZE, -1), np.ones(SIZE, bool)
    for position, node in enumerate(order):
        chosen = draw(st.integers(-1, position - 1))
        parent[node] = order[chosen] if chosen >= 0 else -1
        member[node] = draw(st.integers(0, 4)) > 0 and (parent[node] < 0 or member[parent[node]])
    return parent, member


def figures(parent, member):
    """The kernel's and the host's figures of one forest, by name."""
    made, forest = _kernel(np.asarray(parent, np.int32), member)
    kernel = {name: np.asarray(getattr(made, name)) for name in FIGURES}
    kernel["distance"] = whole_distance(made.distance_digits, len(parent))
    kernel["structural_virality"] = np.asarray(structural_virality(made))
    return kernel, host.measure_cascades(parent, member)._asdict(), forest


@settings(deadline=None, max_examples=80)
@given(forests())
@example((np.full(SIZE, -1), np.zeros(SIZE, bool)))  # nobody
@example((np.full(SIZE, -1), np.ones(SIZE, bool)))  # many roots
@example((np.full(SIZE, -1), np.arange(SIZE) == 4))  # one alone
@example((np.arange(SIZE) - 1, np.ones(SIZE, bool)))  # a chain
@example((np.where(np.arange(SIZE) == 3, -1, 3), np.ones(SIZE, bool)))  # a star
def test_every_tree_of_a_forest_is_that_of_the_definition(forest):
    parent, member = forest
    kernel, on_host, traced = figures(parent, member)
    wanted = oracle.trees(parent, member)
    for name in (*FIGURES, "distance", "structural_virality"):
        expected = np.zeros(SIZE)
        for root, tree in wanted.items():
            expected[root] = tree[name]
        np.testing.assert_allclose(on_host[name], expected, rtol=1e-15, err_msg=name)
        np.testing.assert_allclose(kernel[name], expected, rtol=1e-6, err_msg=name)
        if name != "structural_virality":
            np.testing.assert_array_equal(kernel[name], expected, err_msg=name)
    sizes = np.where(member, 1, 0)
    for node in np.flatnonzero(member):
        above = parent[node]
        while above >= 0:
            sizes[above] += 1
            above = parent[above]
    np.testing.assert_array_equal(traced.subtree, sizes)
    assert (np.asarray(traced.root)[~member] == -1).all() and (np.asarray(traced.depth)[~member] == -1).all()


def test_the_order_of_nodes_and_further_axes_change_nothing():
    rng = np.random.default_rng(3)
    parent = np.asarray([-1, 0, 0, 1, 1, 4, -1, 6, 7, 2], np.int32)
    order = rng.permutation(SIZE)
    moved = np.full(SIZE, -1, np.int32)
    moved[order] = np.where(parent >= 0, order[parent], -1)
    both = measure_cascades(np.stack([parent, moved])[:, None])
    for name in FIGURES:
        values = np.asarray(getattr(both, name))
        assert values.shape == (2, 1, SIZE)
        np.testing.assert_array_equal(values[1, 0][order], values[0, 0])
        np.testing.assert_array_equal(values[0, 0], getattr(host.measure_cascades(parent), name))


def test_sums_of_distances_that_do_not_fit_32_bits_are_exact():
    size = 3000
    chain, star = np.arange(-1, size - 1, dtype=np.int32), np.where(np.arange(size) == 0, -1, 0).astype(np.int32)
    made = jax.jit(measure_cascades)(np.stack([chain, star]))
    distance = whole_distance(made.distance_digits, size)[:, 0]
    assert distance.tolist() == [size * (size + 1) * (size - 1) // 6, (size - 1) ** 2] and distance[0] > 2**32
    np.testing.assert_allclose(
        virality(made.scale[:, 0], distance), [(size + 1) / 3, 2 * (size - 1) / size], rtol=1e-15
    )
    np.testing.assert_allclose(structural_virality(made)[:, 0], [(size + 1) / 3, 2 * (size - 1) / size], rtol=1e-5)
    assert made.depth[:, 0].tolist() == [size - 1, 1] and made.max_breadth[:, 0].tolist() == [1, size - 1]
    assert host.measure_cascades(chain).distance[0] == distance[0]


def test_curves_are_the_cascades_of_those_who_joined_by_then():
    parent = np.asarray([-1, 0, 0, 2, 3, -1, 5], np.int32)
    tick = np.asarray([0, 2, 1, 2, 5, 3, -1], np.int32)
    ticks = np.arange(7, dtype=np.int32)
    curves = cascade_curves(parent, tick, ticks)
    for now in ticks:
        expected = host.measure_cascades(np.where(tick >= 0, parent, -1), (tick >= 0) & (tick <= now))
        for name in FIGURES:
            np.testing.assert_array_equal(getattr(curves, name)[now], getattr(expected, name), err_msg=name)
    assert curves.scale[:, 0].tolist() == [1, 2, 4, 4, 4, 5, 5] and curves.depth[:, 0].tolist() == [0, 1, 2, 2, 2, 3, 3]


def test_nothing_at_all_is_a_forest():
    assert host.measure_cascades(np.zeros(0, np.int64)).scale.shape == (0,)
    assert measure_cascades(np.zeros(0, np.int32)).scale.shape == (0,)


@pytest.mark.parametrize(
    ("parent", "mask", "message"),
    [
        ([1, 0], None, "circles"),
        ([0], None, "circles"),
        ([-1, 3], None, "number of a node"),
        ([-1, -2], None, "number of a node"),
        ([-1, 0], [False, True], "mend the mask"),
        ([-1, 0], [True], "shape"),
        ([-1.0, 0.0], None, "whole numbers"),
        ([[-1, 0]], None, "one axis"),
    ],
)
def test_what_is_no_forest_is_refused(parent, mask, message):
    with pytest.raises(ConfigurationError, match=message):
        host.measure_cascades(parent, mask)
