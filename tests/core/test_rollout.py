import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core import random
from jaxworld.core.episodes import AutoReset
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.leaves import digest, first_difference
from jaxworld.core.policy import RandomPolicy
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.random_walk import RandomWalk
from jaxworld.core.rollout import POLICY, Trajectory, rollout, rollout_chunk, rollout_start
from jaxworld.core.timestep import make_timestep
from tests.core.toy import Constant, Countdown

WORLD = RandomWalk(num_walkers=3, num_positions=6, ring=False)
KEY = random.world_key(11)


@pytree_dataclass
class Always:
    """A pytree policy: its action is traced, so it can be batched."""

    action: jax.Array

    def init(self, key, params):
        return jnp.zeros((), jnp.int32)

    def act(self, key, carry, observation):
        return self.action, carry + jnp.ones((), jnp.int32)


def test_chunks_with_one_compile_give_the_bits_of_one_scan():
    policy, params, reducer = RandomPolicy(WORLD), WORLD.default_params(), Trajectory()
    whole = rollout(WORLD, policy, KEY, 8, params, reducer=reducer)
    carry = rollout_start(WORLD, policy, KEY, params, reducer)
    pieces = []
    for first in (1, 3, 5):
        carry, outputs = rollout_chunk(WORLD, policy, KEY, carry, first, 2, params, reducer)
        pieces.append(jax.device_get(outputs))
    last = rollout(WORLD, policy, KEY, 2, params, reducer=reducer, carry=carry, first_tick=7)
    joined = jax.tree.map(lambda *parts: np.concatenate(parts), *pieces, jax.device_get(last.outputs))
    assert first_difference(whole.outputs, joined) is None
    assert first_difference(whole.carry, last.carry) is None
    repeated, _ = rollout_chunk(WORLD, policy, KEY, carry, 5, 2, params, reducer)
    assert first_difference(repeated, last.carry) is not None  # the tick matters


def test_a_rollout_is_the_python_loop_over_tick_keys():
    policy, params = RandomPolicy(WORLD), WORLD.default_params()
    made = rollout(WORLD, policy, KEY, 8, params, reducer=Trajectory())
    state, timestep = WORLD.reset(random.tick_key(KEY, 0), params)
    for tick in (1, 2):
        policy_key = random.purpose_key(random.tick_key(KEY, tick - 1), POLICY)
        action = WORLD.action_space(params).sample(policy_key)
        seen = timestep.observation
        state, timestep = WORLD.step(random.tick_key(KEY, tick), state, action, params)
        step = jax.tree.map(lambda leaf: leaf[tick - 1], made.outputs)  # noqa: B023
        assert first_difference((seen, action, timestep.reward), (step.observation, step.action, step.reward)) is None


def test_the_default_reducer_sums_reward_and_measures_the_first_episode():
    made = rollout(Countdown(3), Constant(), KEY, 4)  # agents end in steps 3 and 4
    assert made.outputs is None
    assert made.summary.total_reward.tolist() == [3.0, 4.0]
    assert made.summary.length.tolist() == [3, 4] and made.summary.done.all()
    made = rollout(AutoReset(Countdown(1)), Constant(), KEY, 3)  # episodes of 2 steps
    assert made.summary.total_reward.tolist() == [2.0, 3.0]
    assert made.summary.length.tolist() == [1, 2]
    made = rollout(Countdown(9), Constant(0), KEY, 3)
    assert made.summary.length.tolist() == [3, 3] and not made.summary.done.any()


def test_exchanging_the_policy_shifts_no_draw_of_the_world():
    even = WORLD.params(slip=0.5)
    right, stay = (Always(action=jnp.full(3, move, jnp.int32)) for move in (2, 1))
    both = jax.tree.map(lambda *leaves: jnp.stack(leaves), right, stay)
    run = jax.vmap(lambda policy: rollout(WORLD, policy, KEY, 4, even, reducer=Trajectory()))(both)
    positions = np.asarray(run.outputs.observation.position)
    assert (positions[0, 0] == positions[1, 0]).all()  # same reset
    assert (positions[1] == positions[1, 0]).all() and (positions[0] != positions[0, 0]).any()
    assert run.carry.policy.tolist() == [4, 4]


def test_many_worlds_at_once_are_the_single_worlds():
    params = WORLD.default_params()
    keys = random.world_keys([1, 2])
    batch = jax.vmap(lambda key: rollout(WORLD, RandomPolicy(WORLD), key, 8, params, reducer=Trajectory()))(keys)
    for lane in range(2):
        single = rollout(WORLD, RandomPolicy(WORLD), keys[lane], 8, params, reducer=Trajectory())
        assert digest(single) == digest(jax.tree.map(lambda leaf: leaf[lane], batch))  # noqa: B023


def test_unusable_arguments_are_named():
    class Unhashable:
        __hash__ = None

    with pytest.raises(ConfigurationError, match=r"^policy"):
        rollout(WORLD, Unhashable(), KEY, 2)
    with pytest.raises(ConfigurationError, match=r"^num_steps"):
        rollout(WORLD, RandomPolicy(WORLD), KEY, -1)


def test_random_walk_law_by_hand():
    params = WORLD.params(slip=0.0)
    state, timestep = WORLD.reset(random.tick_key(KEY, 0), params)
    assert int(state.position.max()) < 5 and not timestep.done.any()
    state = dataclasses.replace(state, position=jnp.asarray([0, 4, 5], jnp.int32), arrived=jnp.arange(3) == 2)
    state, timestep = WORLD.step(random.tick_key(KEY, 1), state, jnp.asarray([0, 2, 0], jnp.int32), params)
    assert state.position.tolist() == [0, 5, 5]
    assert timestep.reward.tolist() == [0.0, 1.0, 0.0]
    assert timestep.terminated.tolist() == [False, True, True]
    ring = RandomWalk(num_walkers=3, num_positions=5, ring=True)
    start = dataclasses.replace(state, position=jnp.asarray([0, 1, 1], jnp.int32), arrived=jnp.zeros(3, bool))
    moved, _ = ring.step(random.tick_key(KEY, 1), start, jnp.asarray([0, 0, 1], jnp.int32), params)
    assert moved.position.tolist() == [4, 0, 1]
    slipped, _ = ring.step(random.tick_key(KEY, 1), start, jnp.asarray([2, 0, 1], jnp.int32), ring.params(slip=1.0))
    assert slipped.position.tolist() == [4, 2, 1]


def test_make_timestep_defaults():
    timestep = make_timestep(jnp.zeros(2, jnp.int32), 2)
    assert timestep.reward.dtype == jnp.float32 and timestep.reward.tolist() == [0.0, 0.0]
    assert timestep.done.tolist() == [False, False] and timestep.info == {}
