"""Every registered social world keeps the whole contract, and a study can sweep its parameters in one program."""

import chex
import jax
import numpy as np
import pytest

import jaxworld
from jaxworld.core import check_world, tick_key, world_key, world_keys
from jaxworld.core.pytree import replace
from jaxworld.social import PRESETS, make_policy
from tests.social.worlds import Run, assert_same, everything, random_turns, turn_batch

SMALL = {"num_personas": 6, "stimulus_capacity": 16, "max_publications": 12, "max_budget": 1, "max_window": 2}
CONTRACT = ["social/everything", "social/community_forum"]
"""One preset has all channels and one ranks per persona; the others check parts of these, ten seconds each."""


@pytest.mark.parametrize("name", CONTRACT)
def test_presets_keep_the_contract(name):
    """Structure, spaces, flags, no retracing, and loop = scan = batches of any width, with personas acting by rules.

    The larger world runs in one width; ``test_a_sweep_of_all_numbers_equals_separate_runs`` has it in another.
    """
    world = jaxworld.make(name, **SMALL)
    policy = make_policy(world.config, world.default_params(), "talkative")
    smaller = name != "social/everything"
    report = check_world(world, policy=policy, eager=False, num_steps=3, batch=2, thorough=smaller)
    assert {"structure", "spaces", "flags", "retrace", "scan", "batch", "ended"} <= set(report.clauses)
    assert report.num_traces == 1


@pytest.mark.parametrize("name", list(PRESETS))
def test_presets_give_and_take_what_their_spaces_say(name):
    """Traced only: the structure of states and time steps, strictly typed, is the same at reset and at every step."""
    world = jaxworld.make(name, **SMALL)
    key, params = world_key(0), world.default_params()
    action = jax.eval_shape(world.action_space(params).sample, key)
    start = jax.eval_shape(world.reset, key, params)
    later = jax.eval_shape(world.step, key, start[0], action, params)
    assert jax.tree.structure(start) == jax.tree.structure(later)
    chex.assert_trees_all_equal_shapes_and_dtypes(start, later)


SWEPT = {
    "budget": (np.int32, [3, 1, 2]),
    "window": (np.int32, [3, 6, 4]),
    "activation_rate": (np.float32, [1.0, 0.3, 0.0]),
    "last_slot_attention": (np.int32, [5_000, 0, 10_000]),
    "attention_floor": (np.int32, [0, 6_000, 10_000]),
    "sentiment_threshold": (np.int32, [600_000, 0, 1_000_000]),
    "tie_threshold": (np.int32, [300, 0, 900]),
    "peers_told": (np.int32, [2, 0, 1]),
    "survey_every": (np.int32, [1, 2, 5]),
    "horizon": (np.int32, [100, 2, 3]),
}


def test_ticks_and_swept_numbers_never_retrace():
    """One trace of the step serves every tick, budget, threshold, rate and horizon."""
    made = everything()
    step = jax.jit(chex.assert_max_traces(made.world.step, n=1))
    key, rng = world_key(1), np.random.default_rng(1)
    state, _ = made.reset(tick_key(key, 0), made.params())
    for tick, (name, (dtype, values)) in enumerate(SWEPT.items(), start=1):
        params = replace(made.params(), **{name: dtype(values[1])})
        state, _ = step(tick_key(key, np.int32(tick)), state, turn_batch(random_turns(rng, 4, 4, 9)), params)


def test_a_sweep_of_all_numbers_equals_separate_runs():
    """Three settings and keys side by side under vmap, against each alone; the population is shared."""
    made, rng = everything(), np.random.default_rng(2)
    base = made.params()
    columns = {name: np.asarray(values, dtype) for name, (dtype, values) in SWEPT.items()}
    axes = replace(jax.tree.map(lambda _: None, base), **dict.fromkeys(columns, 0))
    law = jax.vmap(made.world.step, in_axes=(0, 0, None, axes))
    step, at = jax.jit(law), jax.vmap(tick_key, in_axes=(0, None))
    singles = []
    for lane in range(3):
        run = Run(made, lane)
        run.params = replace(base, **{name: column[lane] for name, column in columns.items()})
        singles.append(run)
    state = jax.tree.map(lambda leaf: np.stack([np.asarray(leaf)] * 3), singles[0].state)
    for tick in range(1, 4):
        batch = turn_batch(random_turns(rng, 4, 4, 20))
        state, timestep = step(at(world_keys(range(3)), tick), state, batch, replace(base, **columns))
        for lane, run in enumerate(singles):
            run.step_batch(batch)
            both = jax.tree.map(lambda leaf, lane=lane: np.asarray(leaf)[lane], (state, timestep))
            assert_same((run.state, run.timestep), both)
    assert [int(run.state.tick) for run in singles] == [3, 1, 2]
