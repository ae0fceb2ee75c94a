import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core.episodes import AutoReset, EpisodeCap
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.leaves import first_difference
from jaxworld.core.policy import RandomPolicy
from jaxworld.core.random import tick_key, world_key, world_keys
from jaxworld.core.random_walk import RandomWalk
from jaxworld.core.rollout import Trajectory, rollout
from tests.core.toy import Constant, Countdown

KEY = world_key(4)


def play(world, num_steps, params=None, policy=None):
    return rollout(world, policy or Constant(), KEY, num_steps, params, reducer=Trajectory())


def as_text(flags):
    """One string an agent, one character a step."""
    return ["".join("x" if flag else "." for flag in agent) for agent in np.asarray(flags).T]


def test_the_cap_truncates_who_has_not_terminated_and_then_stands_still():
    world = EpisodeCap(Countdown(3), max_steps=3)  # agent 0 terminates in step 3, agent 1 would in step 4
    steps = play(world, 6).outputs
    assert as_text(steps.terminated) == ["..xxxx", "......"]
    assert as_text(steps.truncated) == ["......", "..xxxx"]
    assert steps.reward[:, 1].tolist() == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    assert steps.observation[:, 1].tolist() == [4, 3, 2, 1, 1, 1]
    before, after = play(world, 3).carry, play(world, 6).carry
    assert first_difference(before.state, after.state) is None
    assert int(after.state.steps) == 3


def test_cap_and_termination_together_terminate_only():
    steps = play(EpisodeCap(Countdown(3), max_steps=4), 6).outputs  # agent 1 terminates in step 4 too
    assert as_text(steps.terminated) == ["..xxxx", "...xxx"]
    assert as_text(steps.truncated) == ["......", "......"]
    assert int(play(EpisodeCap(Countdown(3), max_steps=9), 6).carry.state.steps) == 4  # ended: no longer counted


def test_the_limit_is_a_parameter_that_can_be_swept():
    world = EpisodeCap(Countdown(30), max_steps=3)
    params = world.default_params()
    limits = jnp.asarray([2, 5, 100], jnp.int32)
    swept = jax.vmap(lambda limit: play(world, 6, type(params)(world=params.world, max_steps=limit)).outputs.truncated)
    assert [as_text(flags)[0] for flags in swept(limits)] == [".xxxxx", "....xx", "......"]


def test_nested_caps_keep_the_tighter_limit():
    steps = play(EpisodeCap(EpisodeCap(Countdown(30), max_steps=2), max_steps=4), 6).outputs
    assert as_text(steps.truncated) == [".xxxxx", ".xxxxx"]


@pytest.mark.parametrize("mode", ["fresh", "pool", "batch"])
def test_auto_reset_keeps_the_true_successor_beside_the_new_start(mode):
    made = play(AutoReset(Countdown(2), mode, pool_size=2), 6)  # an episode takes 3 steps
    steps = made.outputs
    assert steps.observation.tolist() == [[2, 3], [1, 2], [0, 1], [2, 3], [1, 2], [0, 1]]
    assert steps.info.final_observation.tolist() == [[1, 2], [0, 1], [0, 0], [1, 2], [0, 1], [0, 0]]
    assert steps.info.done.tolist() == [False, False, True, False, False, True]
    assert steps.info.inner["counted"].tolist() == [[1, 1], [1, 1], [0, 1]] * 2
    assert steps.reward.tolist() == [[1.0, 1.0], [1.0, 1.0], [0.0, 1.0]] * 2
    assert as_text(steps.terminated) == [".xx.xx", "..x..x"]  # flags of the finished transition, then cleared
    assert not np.asarray(steps.truncated).any()
    assert made.summary.tolist() == [2, 3]


def test_truncation_by_the_cap_restarts_and_says_where_to_bootstrap():
    steps = play(AutoReset(EpisodeCap(Countdown(2), max_steps=2)), 5).outputs
    assert as_text(steps.terminated) == [".x.x.", "....."]
    assert as_text(steps.truncated) == [".....", ".x.x."]
    assert steps.info.final_observation[1].tolist() == [0, 1]  # agent 1 was cut with 1 left
    assert steps.observation[2].tolist() == [2, 3]
    assert steps.info.done.tolist() == [False, True, False, True, False]


def test_reset_and_step_have_one_structure():
    world = AutoReset(EpisodeCap(Countdown(2), max_steps=2), "pool", pool_size=2)
    params = world.default_params()
    state, timestep = world.reset(tick_key(KEY, 0), params)
    later = world.step(tick_key(KEY, 1), state, jnp.ones(2, jnp.int32), params)
    assert jax.tree.map(lambda leaf: (leaf.shape, leaf.dtype), (state, timestep)) == jax.tree.map(
        lambda leaf: (leaf.shape, leaf.dtype), later
    )
    assert timestep.info.final_observation.tolist() == timestep.observation.tolist()
    assert not bool(timestep.info.done)


def test_batched_resets_give_the_bits_of_vmapped_fresh_ones_and_differ_between_episodes():
    inner = EpisodeCap(RandomWalk(num_walkers=2, num_positions=64), max_steps=2)
    batch, fresh = AutoReset(inner, "batch"), AutoReset(inner, "fresh")
    params, keys = batch.default_params(), world_keys(range(3))
    policy = RandomPolicy(batch)

    @jax.jit
    def step_both(ticks, states):
        actions = jax.vmap(policy.space.sample)(ticks)
        return (
            batch.step_batch(ticks, states, actions, params),
            jax.vmap(fresh.step, in_axes=(0, 0, 0, None))(ticks, states, actions, params),
        )

    ticks = jax.vmap(tick_key, in_axes=(0, None))
    states, _ = batch.reset_batch(ticks(keys, np.uint32(0)), params)
    # One world is a step ahead, so some steps restart only a part of the batch.
    ahead = jnp.asarray([1, 0, 0], jnp.int32)
    states = type(states)(
        world=type(states.world)(world=states.world.world, steps=ahead, last=states.world.last), pool=None
    )
    done, starts = [], []
    for tick in range(1, 5):
        (states, timestep), expected = step_both(ticks(keys, np.uint32(tick)), states)
        assert first_difference(expected, (states, timestep)) is None
        done.append(timestep.info.done.tolist())
        starts.append(timestep.observation.position[0].tolist())
    assert done == [[True, False, False], [False, True, True], [True, False, False], [False, True, True]]
    assert starts[0] != starts[2]


def test_the_pool_repeats_its_starts_only():
    world = AutoReset(EpisodeCap(RandomWalk(num_walkers=2, num_positions=2**20), max_steps=1), "pool", pool_size=3)
    made = rollout(world, Constant(), KEY, 24, reducer=Trajectory())
    pool = np.asarray(made.carry.state.pool[1].position)[:, 0].tolist()
    starts = np.asarray(made.outputs.observation.position)[1:, 0].tolist()
    assert len(set(pool)) == 3 and set(starts) == set(pool)


def test_impossible_wrappers_are_refused():
    with pytest.raises(ConfigurationError, match="max_steps = 0"):
        EpisodeCap(Countdown(), max_steps=0)
    with pytest.raises(ConfigurationError, match="fresh, pool, batch"):
        AutoReset(Countdown(), "sometimes")
    with pytest.raises(ConfigurationError, match="pool_size"):
        AutoReset(Countdown(), "pool", pool_size=0)


def test_wrappers_are_values():
    assert EpisodeCap(Countdown(2), 3) == EpisodeCap(Countdown(2), 3) != EpisodeCap(Countdown(2), 4)
    assert hash(AutoReset(Countdown(2))) == hash(AutoReset(Countdown(2)))
    assert AutoReset(Countdown(2)) != AutoReset(Countdown(2), "batch")
