"""Designs: what they contain, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld.core.errors import ConfigurationError
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.study.sweep.design import FILLING, cross, fit_design, grid, points
from jaxworld.study.sweep.paths import find_target, leaves_by_name, set_targets


@pytree_dataclass
class Inner:
    reach: np.ndarray


@pytree_dataclass
class Params:
    budget: np.ndarray
    rate: np.ndarray
    open: np.ndarray
    interventions: Inner
    nested: dict


def params():
    return Params(
        budget=np.int32(3),
        rate=np.float32(0.5),
        open=np.bool_(True),
        interventions=Inner(reach=np.arange(3, dtype=np.int32)),
        nested={"pair": (np.uint32(1), np.float32(2))},
    )


axes = st.dictionaries(
    st.sampled_from(["budget", "rate", "interventions.reach[1]", "nested.pair[0]"]),
    st.lists(st.integers(0, 1000), min_size=1, max_size=5, unique=True),
    min_size=1,
    max_size=3,
)


@given(axes)
@settings(max_examples=50, deadline=None)
def test_a_grid_is_every_combination_once(axes):
    design = grid(axes)
    rows = list(zip(*(column.tolist() for column in design.columns.values()), strict=True))
    assert design.num_points == len(rows) == len(set(rows)) == np.prod([len(values) for values in axes.values()])
    for path, values in axes.items():
        assert set(design.columns[path].tolist()) == set(values)
    if len(list(axes.values())[-1]) > 1:
        assert rows[0][:-1] == rows[1][:-1]


@given(
    st.sampled_from(sorted(FILLING)), st.integers(1, 40), st.integers(0, 9), st.integers(-50, 50), st.integers(0, 20)
)
@settings(max_examples=60, deadline=None)
def test_filling_designs_stay_in_their_ranges_and_repeat(kind, size, seed, low, width):
    ranges = {"budget": (low, low + width), "rate": (-0.5, 0.25 + width)}
    one, other = FILLING[kind](ranges, size, seed), FILLING[kind](ranges, size, seed)
    budget, rate = one.columns["budget"], one.columns["rate"]
    assert one.num_points == size == len(budget) == len(rate)
    assert budget.dtype == np.int64 and (budget >= low).all() and (budget <= low + width).all()
    assert (rate >= -0.5).all() and (rate < 0.25 + width).all()
    for path in ranges:
        np.testing.assert_array_equal(one.columns[path], other.columns[path])
    if kind == "latin_hypercube":
        slices = np.floor((rate + 0.5) / (0.75 + width) * size + 1e-9)
        assert len(np.unique(np.clip(slices, 0, size - 1))) == size


def test_filling_designs_reach_every_whole_number_alike():
    for kind in FILLING.values():
        found = np.bincount(kind({"budget": (1, 4)}, 256, 3).columns["budget"], minlength=5)[1:]
        assert (found > 40).all(), found


@given(axes)
@settings(max_examples=30, deadline=None)
def test_values_arrive_in_the_leaf_and_nowhere_else(axes):
    design, base = grid(axes), params()
    fitted = fit_design(design, base)
    for point in {0, design.num_points - 1}:
        values = {path: (fitted.targets[path], fitted.values[path][point]) for path in axes}
        changed, before = leaves_by_name(set_targets(base, values)), leaves_by_name(base)
        for path in axes:
            target = find_target(base, path)
            found = np.asarray(changed[target.leaf])
            assert found.dtype == before[target.leaf].dtype and found.shape == np.shape(before[target.leaf])
            assert (found[target.index] == design.columns[path][point]).all()
        for name in set(before) - {find_target(base, path).leaf for path in axes}:
            assert changed[name] is before[name]
        if "interventions.reach[1]" in axes:
            assert np.asarray(changed["interventions.reach"])[[0, 2]].tolist() == [0, 2]


def test_a_number_fills_an_array_and_an_array_fits_it():
    fitted = fit_design(grid({"interventions.reach": [7]}), params())
    assert fitted.values["interventions.reach"].tolist() == [[7, 7, 7]]
    fitted = fit_design(points([{"interventions.reach": [1, 2, 3]}, {"interventions.reach": [4, 5, 6]}]), params())
    assert fitted.values["interventions.reach"].tolist() == [[1, 2, 3], [4, 5, 6]]


def test_crossed_designs_keep_their_points_together():
    made = cross(grid({"budget": [1, 2]}), points([{"rate": 0.1, "open": True}, {"rate": 0.2, "open": False}]))
    assert made.columns["budget"].tolist() == [1, 1, 2, 2]
    assert made.columns["rate"].tolist() == [0.1, 0.2, 0.1, 0.2]
    assert made.columns["open"].tolist() == [True, False, True, False]


REFUSED = {
    "unknown path": (lambda: grid({"bugdet": [1]}), "nearest is 'budget'"),
    "unknown nested path": (lambda: grid({"intervention.reach": [1]}), "nearest is 'interventions.reach'"),
    "group": (lambda: grid({"interventions": [1]}), "interventions.reach"),
    "element outside": (lambda: grid({"interventions.reach[3]": [1]}), "shape"),
    "element of a number": (lambda: grid({"budget[0]": [1]}), "shape"),
    "overlapping axes": (lambda: grid({"interventions.reach": [1], "interventions.reach[2]": [2]}), "overlaps"),
    "crossed twice": (lambda: cross(grid({"budget": [1]}), grid({"budget": [2]})), "overlapping"),
    "no axes": (lambda: grid({}), "empty"),
    "empty axis": (lambda: grid({"budget": []}), "empty"),
    "no points": (lambda: points([]), "empty"),
    "empty points": (lambda: points([{}]), "empty"),
    "no samples": (lambda: FILLING["sobol"]({"rate": (0.0, 1.0)}, 0), "empty"),
    "no ranges": (lambda: FILLING["random"]({}, 4), "empty"),
    "not a number": (lambda: grid({"rate": [0.1, float("nan")]}), "finite"),
    "infinite": (lambda: points([{"rate": float("inf")}]), "finite"),
    "infinite range": (lambda: FILLING["latin_hypercube"]({"rate": (0.0, float("inf"))}, 4), "finite"),
    "reversed range": (lambda: FILLING["random"]({"rate": (1.0, 0.0)}, 4), "lowest"),
    "texts": (lambda: grid({"rate": ["high"]}), "numbers"),
    "listed twice": (lambda: grid({"rate": [0.5, 0.5]}), "twice"),
    "too large to store": (lambda: grid({"budget": [2**31]}), "int32"),
    "too large for a float": (lambda: grid({"rate": [1e39]}), "float32"),
    "fraction of a count": (lambda: grid({"budget": [1.5]}), "whole"),
    "negative unsigned": (lambda: grid({"nested.pair[0]": [-1]}), "whole numbers from 0"),
    "truth as a count": (lambda: grid({"budget": [True]}), "whole"),
    "count as truth": (lambda: grid({"open": [2]}), "true or false"),
    "another shape": (lambda: points([{"interventions.reach": [1, 2]}]), "shape"),
    "ragged": (lambda: points([{"interventions.reach": [1, 2]}, {"interventions.reach": [1]}]), "one shape"),
    "points that differ": (lambda: points([{"budget": 1}, {"rate": 0.1}]), "every point must name budget"),
    "huge": (lambda: grid({"rate": np.arange(10_000), "budget": np.arange(10_000)}), "at most"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_design_is_refused(case):
    make, expected = REFUSED[case]
    with pytest.raises(ConfigurationError, match=expected) as caught:
        fit_design(make(), params())
    assert "\n" not in str(caught.value)
