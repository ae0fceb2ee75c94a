"""The contract has teeth: PettingZoo's pursuit breaks it, in its observations and in its state."""

import numpy as np
import pytest

from tests.oracles.public_state import breaches, hides_the_law

ACTIONS = (0, 4)
"""Of the two pursuers: left, and stay."""


@pytest.fixture(scope="module")
def pursuit():
    module = pytest.importorskip("pettingzoo.sisl.pursuit.pursuit", reason="PettingZoo's pursuit is not installed")
    world = module.parallel_env(x_size=9, y_size=9, n_pursuers=2, n_evaders=1, freeze_evaders=True)
    world.reset(seed=0)
    try:
        world.state()
    except NotImplementedError:
        pytest.skip("PettingZoo's pursuit has a state from 1.27 on")
    yield world
    world.close()


def placed(world, cells):
    """A moment with the pursuers on these cells and everything else as the seed has it."""
    observations, _ = world.reset(seed=0)
    inner = world.unwrapped.env
    inner = getattr(inner, "env", inner)
    for number, (row, column) in enumerate(cells):
        inner.pursuer_layer.set_position(number, row, column)
    inner.model_state[1] = inner.pursuer_layer.get_state_matrix()
    return {agent: inner.safely_observe(number) for number, agent in enumerate(observations)}, world.state().copy()


def test_its_pursuers_see_neither_the_state_nor_the_same(pursuit):
    observations, _ = pursuit.reset(seed=0)
    assert breaches(observations, pursuit.state()) == {"other shape", "not alike"}
    moved, *_ = pursuit.step(dict(zip(observations, ACTIONS, strict=True)))
    assert breaches(moved, pursuit.state()) == {"other shape", "not alike"}


def test_its_state_does_not_decide_what_follows(pursuit):
    """The state counts pursuers on each cell, so it is the same when two of them have changed places."""
    before, after = [], []
    for cells in (((2, 2), (6, 6)), ((6, 6), (2, 2))):
        observations, state = placed(pursuit, cells)
        pursuit.step(dict(zip(observations, ACTIONS, strict=True)))
        before.append(state)
        after.append(pursuit.state().copy())
    assert hides_the_law(before, after)


def test_the_checker_names_each_breach():
    state = np.asarray([True, False])
    assert breaches({0: state, 1: state.copy()}, state) == set()
    assert breaches({0: ~state, 1: ~state}, state) == {"not the state"}
    assert breaches({0: state, 1: ~state}, state) == {"not the state", "not alike"}
    assert not hides_the_law([state, ~state], [state, ~state])
