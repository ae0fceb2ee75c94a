"""The shields as worlds."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxworld
from jaxworld.core.errors import CapacityError, ConfigurationError
from jaxworld.core.policy import RandomPolicy
from jaxworld.core.pytree import replace
from jaxworld.core.random import world_key, world_keys
from jaxworld.core.rollout import Trajectory, rollout
from jaxworld.markov.shield import MixtureShield, TransitionShield, build_mixture, build_shield, simulate_shield
from jaxworld.markov.solve import UNITS
from tests.markov.solved import game, graph, opponents, shield

SIZE, WORLDS, STEPS = 3, 64, 12
BUDGET = 0.2


@functools.cache
def shielded():
    return TransitionShield(game("pursuit", SIZE), shield("pursuit", SIZE, levels=True), clamp=True)


@functools.cache
def played():
    """Random play under a budget of 0.3, at level floor 1, and the states and keys along the way."""
    world = shielded()
    params = world.params(budget=0.3, level_floor=1, clamp=True)
    keys = world_keys(range(WORLDS))
    run = jax.jit(
        jax.vmap(lambda key: rollout(world, RandomPolicy(world, params), key, STEPS, params, reducer=Trajectory()))
    )
    made = jax.device_get(run(keys))
    return made.outputs, made.carry.state


def test_the_shield_keeps_the_contract():
    chicken, model = game("chicken"), shield("chicken", levels=True, allocator="egalitarian")
    options = {"eager": False, "num_steps": 2, "batch": 2, "thorough": False}
    assert jaxworld.check_world(TransitionShield(chicken, model, budget=0.5), **options).num_traces == 1


def test_the_game_itself_is_the_same_with_and_without_the_shield():
    seen, _ = played()
    base = game("pursuit", SIZE)
    taken = np.array(seen.action)
    masks, risks = np.asarray(seen.observation.mask), shielded().model.risk[1]
    nodes = graph("pursuit", SIZE).find(np.asarray(seen.observation.inner)[:, :, 0])
    allowed = np.take_along_axis(masks, taken[:, :, :1], 2)[..., 0]
    assert 0.05 < (~allowed).mean() < 0.95
    taken[:, :, 0] = np.where(allowed, taken[:, :, 0], risks[nodes].argmin(2))

    @jax.jit
    @jax.vmap
    def replay(key, actions):
        state, timestep = base.reset(jaxworld.core.random.tick_key(key, 0), base.default_params())

        def step(carry, row):
            tick, action = row
            state, _ = carry
            state, timestep = base.step(jaxworld.core.random.tick_key(key, tick), state, action, base.default_params())
            return (state, timestep.observation), (carry[1], timestep.reward, timestep.terminated, timestep.info)

        return jax.lax.scan(step, (state, timestep.observation), (jnp.arange(1, STEPS + 1, dtype=jnp.int32), actions))[
            1
        ]

    observation, reward, terminated, info = jax.device_get(replay(world_keys(range(WORLDS)), taken))
    for mine, theirs in (
        (observation, seen.observation.inner), (reward, seen.reward), (terminated, seen.terminated),
        (info, seen.info.inner),
    ):  # fmt: skip
        for one, other in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True):
            assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


def test_training_states_hold_the_public_bits_a_bound_that_lasts_and_the_floor():
    seen, state = played()
    model, training = shielded().model, np.asarray(seen.observation.training)
    np.testing.assert_array_equal(training[..., :-2], np.asarray(seen.observation.inner)[:, :, 0])
    assert (training[..., -1] == 1).all()
    nodes = graph("pursuit", SIZE).find(np.asarray(seen.observation.inner)[:, :, 0])
    least = model.bound[1][nodes] / UNITS
    assert (training[..., -2] >= least).all()
    assert (np.asarray(seen.observation.mask) == (model.risk[1][nodes] / UNITS <= training[..., -2:-1])).all()
    assert np.asarray(seen.observation.mask).any(2).all()
    assert (training[:, 0, -2] <= np.maximum(np.float32(0.3), least[:, 0] + 1e-7)).all()
    assert not np.asarray(state.unknown).any()
    assert not np.asarray(state.refused).any()


def test_play_stays_within_the_exact_bound():
    world = shielded()
    others = opponents("pursuit", SIZE)
    start = graph("pursuit", SIZE).initial
    for floor, level in ((0, 0), (0, 1), (1, 2)):
        params = world.params(budget=0.5, level_floor=floor, clamp=True)
        found = simulate_shield(world, params, others[level], episodes=2000, steps=60)
        granted = start @ np.maximum(0.5, world.model.bound[floor] / UNITS)
        assert 0.01 < found.unsafe <= granted + found.half_width
        assert found.replaced == 0
        assert found.ended > 0.3


def test_a_model_of_levels_promises_nothing_against_others_but_the_robust_one_does():
    start = graph("pursuit", SIZE).initial
    model = shield("pursuit", SIZE, levels=True)
    # Someone beyond all levels: always the reply that is worst for the safest action.
    rows = model.floors[0][0]
    robust = shield("pursuit", SIZE)
    live = robust.floors[0][0]
    worst = np.full((len(model.target), 5), 0.2)
    risk = live.expect(robust.bound[0] / UNITS)
    worst[live.states] = np.eye(5)[risk[np.arange(len(risk)), risk.max(2).argmin(1)].argmax(1)]
    assert rows.num_replies == 1
    shares = []
    for each in (model, robust):
        world = TransitionShield(game("pursuit", SIZE), each, clamp=True)
        params = world.params(budget=BUDGET, clamp=True)
        found = simulate_shield(world, params, worst, episodes=2000, steps=60)
        shares.append((found.unsafe - found.half_width, start @ np.maximum(BUDGET, each.bound[0] / UNITS)))
    assert shares[0][0] > shares[0][1]
    assert shares[1][0] <= shares[1][1]


def test_an_infeasible_budget_is_refused_or_clamped_and_flagged():
    world = shielded()
    least = world.model.least_budgets[0]
    assert 0.01 < least < 0.9
    with pytest.raises(ConfigurationError, match=r"budget = 0.001: safest play already risks more"):
        world.params(budget=0.001)
    with pytest.raises(ConfigurationError, match=r"budget = 1.5"):
        world.params(budget=1.5, clamp=True)
    with pytest.raises(ConfigurationError, match="level_floor = 3"):
        world.params(level_floor=3)
    clamped = world.params(budget=0.0, clamp=True)
    reset = jax.jit(world.reset)
    state, timestep = reset(world_key(0), clamped)
    assert bool(state.clamped)
    assert bool(timestep.info.clamped)
    assert timestep.observation.training[-2] == timestep.info.least
    world.check_flags(state)
    swept, _ = reset(world_key(0), replace(clamped, clamp=jnp.asarray(False)))
    with pytest.raises(ConfigurationError, match="budget"):
        world.check_flags(swept)
    with pytest.raises(CapacityError, match="graph"):
        world.check_flags(replace(state, unknown=jnp.asarray(True)))
    with pytest.raises(ConfigurationError, match="its graph has"):
        TransitionShield(game("chicken"), world.model)


@functools.cache
def mixture():
    return MixtureShield(game("pursuit", SIZE), build_mixture(shield("pursuit", SIZE, levels=True)))


def test_the_mixture_follows_bayes_and_falls_back_where_no_action_is_left():
    world = mixture()
    params = world.params(budget=0.05)
    keys = world_keys(range(WORLDS))
    run = jax.jit(
        jax.vmap(lambda key: rollout(world, RandomPolicy(world, params), key, STEPS, params, reducer=Trajectory()))
    )
    seen = jax.device_get(run(keys)).outputs
    nodes = graph("pursuit", SIZE).find(np.asarray(seen.observation.inner)[:, :, 0])
    belief = np.full((WORLDS, 3), 1 / 3)
    policies = np.stack(opponents("pursuit", SIZE))
    for step in range(STEPS):
        going = ~np.asarray(seen.terminated)[:, step - 1, 0] if step else np.full(WORLDS, True)
        likelihood = policies[:, nodes[:, step], np.asarray(seen.action)[:, step, 1]].T
        made = belief * likelihood
        made = np.maximum(made / made.sum(1, keepdims=True), 1e-6)
        belief = np.where(going[:, None], made / made.sum(1, keepdims=True), belief)
        np.testing.assert_allclose(seen.info.belief[:, step], belief, atol=1e-3)
    training = np.asarray(seen.observation.training)
    np.testing.assert_allclose(training[..., -3:].sum(-1), 1, atol=1e-5)
    empty = np.asarray(seen.info.mask_empty)
    np.testing.assert_array_equal(empty, ~np.asarray(seen.observation.mask).any(2))
    assert empty.any()
    assert not empty.all()


def test_a_finer_model_is_another_world():
    coarse, fine = shield("chicken", grid=10), build_shield(graph("chicken"), grid=20)
    assert TransitionShield(game("chicken"), coarse) != TransitionShield(game("chicken"), fine)
    assert TransitionShield(game("chicken"), coarse) == TransitionShield(
        game("chicken"), build_shield(graph("chicken"), grid=10)
    )
