"""The law of budgets on the host, in kernels, and on whole product graphs."""

from fractions import Fraction

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld.core.errors import ConfigurationError
from jaxworld.markov.shield import build_mixture, build_shield, dead_ends, verify_shield
from jaxworld.markov.shield.allocate import proportional_level, proportional_level_device
from jaxworld.markov.solve import UNITS
from tests.markov.solved import dense_graph, graph, opponents, random_graph, shield
from tests.oracles.markov_policies import rows_of

device = jax.jit(jax.vmap(proportional_level_device, in_axes=(0, 0, 0, None)), static_argnums=3)
units = st.integers(0, UNITS)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(units, units, units), min_size=1, max_size=1), st.sampled_from([10, 40]))
def test_kernel_and_host_follow_the_exact_law(rows, grid):
    edges = [(0, 0, 0), (UNITS, UNITS, 0), (UNITS, UNITS, UNITS), (UNITS // 10 * 3, 0, 0), (UNITS - 1, UNITS - 1, 1)]
    triples = [(max(budget, risk), risk, bound) for budget, risk, bound in rows + edges]
    budget, risk, bound = (np.asarray(column, np.int64) for column in zip(*triples, strict=True))
    made = proportional_level(budget, risk, bound, grid)
    exact = []
    for q, r, b in triples:
        left = Fraction(0) if r == UNITS else Fraction((UNITS - q) * (UNITS - b), UNITS - r)
        exact.append(int((UNITS - left) // (UNITS // grid)))
    np.testing.assert_array_equal(made, exact)
    np.testing.assert_array_equal(device(*(each.astype(np.int32) for each in (budget, risk, bound)), grid), made)
    assert made[4] == grid * 3 // 10  # a budget is not worn away where nothing is at stake


@pytest.mark.parametrize("allocator", ["proportional", "egalitarian"])
def test_no_step_raises_the_budget_in_exact_fractions(allocator):
    made = random_graph(1, size=4, leave=0.3)
    model = build_shield(made, label="unsafe", grid=10, allocator=allocator)
    rows, budgets, masks = rows_of(made), model.budgets(0), model.masks(0)
    tightest = []
    for state in np.flatnonzero(~made.terminal):
        for level in range(model.bound[0][state] // (UNITS // 10), 11):
            for own in np.flatnonzero(masks[state, level]):
                q = int(budgets[state, level])
                worst = max(
                    Fraction(0), *(expected(rows[state, own, other], model, state, level, own) for other in range(2))
                )
                assert worst <= q
                tightest.append(float((q - worst) / UNITS))
    assert min(tightest) < 0.05


def expected(law, model, state, level, own):
    total, mass = Fraction(0), Fraction(0)
    for successor, chance in enumerate(law):
        bound = model.bound[0][successor]
        if model.allocator == "egalitarian":
            after = min(UNITS, bound + model.lifts[0][state, level, own]) // (UNITS // 10)
        else:
            after = proportional_level(model.budgets(0)[state, level], model.risk[0][state, own], bound, 10)
        total += Fraction(float(chance)) * int(max(after * (UNITS // 10), bound))
        mass += Fraction(float(chance))
    return total / mass


def test_what_is_left_is_all_dealt_out_before_rounding():
    model = shield("pursuit")
    state = int(model.floors[0][0].states[100])
    rows = rows_of(graph("pursuit"))[state]
    bound = model.bound[0] / UNITS
    for own in range(5):
        risk = (rows[own] @ bound).max()
        q = 0.5 * (1 + risk)
        after = 1 - (1 - q) * (1 - bound) / (1 - risk)
        assert (rows[own] @ after).max() == pytest.approx(q, abs=1e-12)


VERIFIED = [
    ("pursuit", False, 10, "proportional", 3859),
    ("pursuit", False, 10, "egalitarian", 3859),
    ("pursuit", True, 10, "proportional", None),
    ("ice_duel", False, 10, "proportional", 3308),
    ("chicken", False, 10, "egalitarian", None),
]


@pytest.mark.parametrize(("name", "levels", "grid", "allocator", "size"), VERIFIED)
def test_the_worst_policy_stays_within_every_budget_of_the_product(name, levels, grid, allocator, size):
    model = shield(name, levels=levels, grid=grid, allocator=allocator)
    for floor in range(model.num_floors):
        found = verify_shield(model, floor, tolerance=1e-10)
        assert found.max_excess <= 1e-12
        assert found.max_step_excess <= 0
        assert found.empty_masks == 0
        assert size is None or found.product_states == size
        feasible = ~np.isnan(found.worst)
        assert (found.worst[feasible] <= found.budget[feasible] + 1e-12).all()
        # It is not safe by forbidding everything: some policy uses what it is given.
        assert name == "chicken" or np.nanmax(found.worst[model.floors[floor][0].states, :-1]) > 0.5


def test_masks_grow_with_the_budget_the_floor_and_the_grid_up_to_no_restriction():
    model, finer = shield("pursuit", levels=True, grid=10), shield("pursuit", levels=True, grid=20)
    live = model.floors[0][0].states
    for floor in range(3):
        masks = model.masks(floor)[live]
        assert (masks[:, 1:] >= masks[:, :-1]).all()
        assert masks[:, -1].all()
        assert masks.any(2).all()
        tight = model.risk[floor][live] <= model.bound[floor][live][:, None]
        assert (model.risk[floor][live].min(1) <= model.bound[floor][live]).all()
        assert tight.any(1).all() and not tight.all()
        np.testing.assert_array_equal(finer.masks(floor)[live][:, ::2], masks)
    assert (np.diff(model.bound, axis=0) <= 0).all()
    assert (np.diff(model.risk[:, live], axis=0) <= 0).all()
    means = model.bound[:, live].mean(1) / UNITS
    np.testing.assert_allclose(means, [0.0652, 0.0652, 0.0053], atol=1e-4)


def test_without_chance_and_budget_the_shield_is_the_winning_region():
    # A corridor: 0 is lost, 4 is won; the other player can hold the first player back in 1 only.
    transition = np.zeros((5, 2, 2, 5))
    for state in (1, 2, 3):
        transition[state, 0, :, state - 1] = 1
        transition[state, 1, 0, state + 1] = 1
        transition[state, 1, 1, state - 1 if state == 1 else state + 1] = 1
    made = dense_graph(transition, unsafe=[0], terminal=[0, 4])
    model = build_shield(made, label="unsafe", grid=10)
    np.testing.assert_array_equal(model.bound[0] / UNITS, [1, 1, 0, 0, 0])
    np.testing.assert_array_equal(model.masks(0)[2, 0], [False, True])
    np.testing.assert_array_equal(model.masks(0)[3, 0], [True, True])


def test_the_mixture_has_dead_ends_where_the_levels_shield_has_none():
    mixture = build_mixture(shield("pursuit", levels=True))
    found = dead_ends(mixture, np.full(3, 1 / 3))
    assert found.sum() == 252
    live = mixture.model.floors[0][0].states
    assert found[live].sum() == 252
    gap = mixture.risk.mean(0).min(1) - mixture.bound.mean(0)
    assert gap.max() == pytest.approx(0.0049, abs=2e-4)


def test_what_cannot_work_is_refused_by_name():
    made = graph("pursuit")
    with pytest.raises(ConfigurationError, match="label = 'lost'"):
        build_shield(made, label="lost")
    with pytest.raises(ConfigurationError, match="grid = 13"):
        build_shield(made, grid=13)
    with pytest.raises(ConfigurationError, match="allocator = 'greedy'"):
        build_shield(made, allocator="greedy")
    with pytest.raises(ConfigurationError, match="policies"):
        build_shield(made, opponents=[np.full((625, 4), 0.25)])
    with pytest.raises(ConfigurationError, match="floor = 1"):
        verify_shield(shield("pursuit"), 1)
    with pytest.raises(ConfigurationError, match="opponents"):
        build_mixture(shield("pursuit"))
    mixture = build_mixture(shield("pursuit", levels=True))
    with pytest.raises(ConfigurationError, match="belief"):
        dead_ends(mixture, [0.5, 0.5])
    assert len(opponents("pursuit")) == 3
