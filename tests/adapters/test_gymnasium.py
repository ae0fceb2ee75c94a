"""Many worlds as one Gymnasium vector environment."""

import sys

import jax
import numpy as np
import pytest

from jaxworld.core import tick_key, world_keys
from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.core.random_walk import RandomWalk
from tests.grid.rendering.pool import Pool

gymnasium = pytest.importorskip("gymnasium")

from jaxworld.adapters.gymnasium import vector_env  # noqa: E402
from jaxworld.adapters.spaces import unflatten_agents  # noqa: E402


@pytest.fixture(scope="module")
def walks():
    """Four worlds of two walkers, cut after five steps."""
    return vector_env("core/random_walk", 8, seed=2, max_steps=5, num_positions=40)


def test_it_is_a_vector_environment(walks):
    assert isinstance(walks, gymnasium.vector.VectorEnv)
    assert walks.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP
    assert (walks.num_envs, walks.num_worlds, walks.num_agents) == (8, 4, 2)
    seen, infos = walks.reset(seed=2)
    assert infos == {}
    assert walks.observation_space.contains(seen) and seen["position"].shape == (8,)
    assert walks.single_action_space.n == 3 and walks.action_space.shape == (8,)


def test_worlds_are_those_of_their_seeds_restarted_in_the_same_step(walks):
    world = RandomWalk(num_positions=40)
    params, keys = world.default_params(), world_keys(range(2, 6))
    reset, step = jax.jit(world.reset), jax.jit(world.step)
    worlds = [reset(tick_key(key, 0), params) for key in keys]
    seen, _ = walks.reset(seed=2)
    rng, ends = np.random.default_rng(0), 0
    np.testing.assert_array_equal(unflatten_agents(seen, 2)["position"], [w[1].observation.position for w in worlds])
    for tick in range(1, 6):
        actions = rng.integers(0, 3, 8)
        seen, rewards, terminations, truncations, infos = walks.step(actions)
        assert walks.observation_space.contains(seen)
        assert rewards.shape == terminations.shape == truncations.shape == (8,)
        joint = actions.reshape(4, 2).astype(np.int32)
        worlds = [
            step(tick_key(key, tick), state, action, params)
            for key, (state, _), action in zip(keys, worlds, joint, strict=True)
        ]
        np.testing.assert_array_equal(rewards.reshape(4, 2), [w[1].reward for w in worlds])
        arrived = np.array([w[1].terminated for w in worlds])
        np.testing.assert_array_equal(terminations.reshape(4, 2), arrived)
        position = np.array([w[1].observation.position for w in worlds])
        done = arrived.all(axis=1) | (tick == 5)
        np.testing.assert_array_equal(truncations.reshape(4, 2), ~arrived & (tick == 5))
        np.testing.assert_array_equal(unflatten_agents(seen, 2)["position"][~done], position[~done])
        if tick < 5:
            assert not done.any(), "choose a seed whose worlds do not end before the limit"
            assert "final_obs" not in infos
        else:
            ends += int(done.sum())
            assert infos["_final_obs"].all() and infos["_final_info"].all()
            last = [infos["final_obs"][place]["position"] for place in range(8)]
            np.testing.assert_array_equal(last, position.reshape(-1))
            assert (seen["position"] != position.reshape(-1)).any()  # those of the next episode
    assert ends == 4


def test_a_seed_fixes_all_episodes(walks):
    def play():
        parts = [walks.reset(seed=9)[0]["position"], walks.reset()[0]["position"]]
        return [part.tobytes() for part in (*parts, walks.step(np.ones(8, np.int64))[0]["position"])]

    assert play() == play()
    assert play()[0] != play()[1]


def test_statistics_wrappers_of_gymnasium_work(walks):
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(walks)
    envs.reset(seed=2)
    for _ in range(5):
        infos = envs.step(np.ones(8, np.int64))[-1]
    assert (infos["episode"]["l"] == 5).all()


def test_pictures_and_infos_of_a_grid_world():
    envs = vector_env(Pool(render_mode="rgb_array"), 4, seed=0)
    assert envs.reset()[0]["RGB"].shape == (4, 32, 24, 3)
    seen, rewards, _, _, infos = envs.step(np.array([7, 0, 0, 7]))
    assert rewards.tolist() == [1, 0, 0, 1]
    assert infos["events.splashed"].tolist() == [[True, False]] * 2 + [[False, True]] * 2
    assert infos["_events.splashed"].all() and infos["collective_reward"].tolist() == [1, 1, 1, 1]
    np.testing.assert_array_equal(np.stack(envs.render()), seen["RGB"])


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: vector_env("grid/nowhere", 2), "no such world"),
        (lambda: vector_env("core/random_walk", 3), "multiple of 2"),
        (lambda: vector_env("core/random_walk", 0), "num_envs"),
        (lambda: vector_env("core/random_walk", 2, seed="a"), "seed"),
        (lambda: vector_env(Pool(render_mode="human"), 2), "parallel_env"),
        (lambda: vector_env("core/random_walk", 2, render_mode="rgb_array"), "render_mode"),
        (lambda: vector_env("core/random_walk", 2, render_mode="ansi"), "render_mode"),
        (lambda: vector_env("core/random_walk", 2, reset_mode="never"), "mode"),
        (lambda: vector_env("core/random_walk", 2).step(np.zeros(2, np.int64)), "call reset"),
    ],
)
def test_bad_input(make, part):
    with pytest.raises(ConfigurationError, match=part):
        make()


@pytest.mark.parametrize(
    "actions", [np.full(8, 3), np.zeros(7, np.int64), np.zeros(8), np.zeros((4, 2), np.int64), None]
)
def test_bad_actions(walks, actions):
    walks.reset(seed=0)
    with pytest.raises(ConfigurationError, match="actions"):
        walks.step(actions)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "jaxworld.adapters.gymnasium")
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(MissingExtraError, match=r"gymnasium.*jaxworld\[adapters\]"):
        import jaxworld.adapters.gymnasium  # noqa: F401
