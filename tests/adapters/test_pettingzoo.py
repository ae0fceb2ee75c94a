"""Worlds as PettingZoo environments."""

import sys
import warnings

import numpy as np
import pytest

from jaxworld.core import AutoReset, world_key
from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.core.policy import RandomPolicy
from jaxworld.core.random_walk import RandomWalk
from jaxworld.core.rollout import Trajectory, rollout
from jaxworld.grid.rendering import draw_map
from tests.grid.rendering.pool import Pool

pytest.importorskip("pettingzoo")
with warnings.catch_warnings():  # its own environments are made in a way it has deprecated
    warnings.simplefilter("ignore")
    from pettingzoo.test import parallel_api_test, parallel_seed_test

from jaxworld.adapters.pettingzoo import parallel_env

MAKERS = {
    "pictures": lambda: parallel_env(Pool("global", "rgb_array"), max_steps=9),
    "ends of its own": lambda: parallel_env(Pool(), params=Pool().params(last=6)),
    "one by one": lambda: parallel_env("core/random_walk", num_walkers=3, num_positions=5),
    "parts": lambda: parallel_env("commons/cedar_grove", max_steps=6),
    "bits": lambda: parallel_env("markov/chicken", max_steps=5),
}
POOL = parallel_env(Pool("global", "rgb_array"), max_steps=9)
"""Shares its compiled programs with the first maker."""


NUM_STEPS = 20
"""By then all walkers have arrived, one after the other."""


@pytest.fixture
def pool():
    POOL.reset(seed=5)
    return POOL


def noop(env):
    return dict.fromkeys(env.agents, 0)


@pytest.mark.parametrize("name", MAKERS)
def test_it_passes_the_tests_of_pettingzoo(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(MAKERS[name](), num_cycles=25)
        parallel_seed_test(MAKERS[name], num_cycles=8)
        env = MAKERS[name]()
        seen, _ = env.reset(seed=0)
        assert all(env.observation_space(agent).contains(seen[agent]) for agent in env.agents)


def test_an_episode_has_the_bits_of_a_rollout():
    world = RandomWalk(num_walkers=3, num_positions=5)
    run = rollout(world, RandomPolicy(world), world_key(7), NUM_STEPS, reducer=Trajectory()).outputs
    env = MAKERS["one by one"]()
    seen, _ = env.reset(seed=7)
    for tick in range(NUM_STEPS):
        there = list(env.agents)
        for agent in there:
            assert seen[agent]["position"] == run.observation.position[tick][int(agent[-1])]
        actions = {agent: int(run.action[tick][int(agent[-1])]) for agent in there}
        seen, rewards, terminations, truncations, infos = env.step(actions)
        assert list(seen) == list(rewards) == list(terminations) == list(truncations) == list(infos) == there
        for agent in there:
            place = int(agent[-1])
            assert rewards[agent] == run.reward[tick][place]
            assert terminations[agent] == run.terminated[tick][place]
        assert env.agents == [agent for agent in there if not terminations[agent]]
    assert env.step({}) == ({}, {}, {}, {}, {}) and env.agents == []


def test_spaces_hold_what_is_seen_and_names_are_players(pool):
    assert pool.possible_agents == ["player_0", "player_1"] and pool.max_num_agents == 2
    seen, infos = pool.reset(seed=1)
    assert set(seen["player_0"]) == {"TERRAIN", "AVATARS", "AVATAR_ORIENTATIONS", "FLOATS", "BEAMS", "SELF", "RGB"}
    assert all(pool.observation_space(agent).contains(seen[agent]) for agent in pool.agents)
    assert pool.action_space("player_1").n == 8
    assert seen["player_0"]["SELF"].sum() == 1
    assert (seen["player_0"]["SELF"] != seen["player_1"]["SELF"]).any()
    _, rewards, _, _, infos = pool.step({"player_0": 7, "player_1": 0})
    assert rewards == {"player_0": 1.0, "player_1": 0.0}
    assert infos["player_1"]["events.splashed"].tolist() == [True, False]


def test_a_seed_fixes_all_that_follows_and_episodes_differ(pool):
    def play():
        first = pool.reset(seed=3)[0]
        return [first, *(pool.reset()[0] for _ in range(4))]

    once, again = play(), play()
    pictures = [episode["player_0"]["RGB"].tobytes() for episode in once]
    assert pictures == [episode["player_0"]["RGB"].tobytes() for episode in again]
    assert len(set(pictures)) > 1


def test_the_limit_of_steps_truncates_and_the_law_terminates(pool):
    for step in range(9):
        _, _, terminations, truncations, _ = pool.step(noop(pool))
        assert set(truncations.values()) == {step == 8} and not any(terminations.values())
    assert pool.agents == []
    with pytest.raises(ConfigurationError, match="call reset"):
        pool.step({"player_0": 0})
    assert parallel_env(Pool()).world.config.max_steps == 50  # the world's own
    assert parallel_env(RandomWalk()).world == RandomWalk()  # which has none
    env = MAKERS["ends of its own"]()
    env.reset(seed=0)
    for _ in range(6):
        _, _, terminations, truncations, _ = env.step(noop(env))
    assert all(terminations.values()) and not any(truncations.values())
    assert env.render() is None
    assert env.state().shape == (40, 64, 3)  # on demand, also without a render mode


def test_pictures(pool):
    state = pool.state()
    assert pool.state_space.contains(state)
    np.testing.assert_array_equal(pool.render(), state)
    np.testing.assert_array_equal(state, draw_map(Pool(), pool._state.world, Pool().default_params()))
    plain = MAKERS["bits"]()
    plain.reset(seed=0)
    assert plain.state().dtype == np.float32 and plain.state_space.contains(plain.state())


def test_a_window_shows_the_map(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = parallel_env(Pool("global", "human"))
    assert env.metadata["render_modes"] == ["human", "rgb_array"]
    env.reset(seed=2)
    first = env._window.shown()
    scale = first.shape[0] // 40
    np.testing.assert_array_equal(first[::scale, ::scale], env.state())
    env.step(noop(env) | {"player_0": 5})
    np.testing.assert_array_equal(env._window.shown()[::scale, ::scale], env.state())
    assert (env._window.shown() != first).any() and env.render() is None
    env.close()
    assert env._window.closed


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: parallel_env("grid/nowhere"), "no such world"),
        (lambda: parallel_env("core/bandit", wings=2), "wings"),
        (lambda: parallel_env("core/bandit", render_mode="ansi"), "render_mode"),
        (lambda: parallel_env("core/bandit", render_mode="rgb_array"), "render_mode"),
        (lambda: parallel_env(Pool(), observation_mode="local"), "no keywords"),
        (lambda: parallel_env(Pool(), render_mode="rgb_array"), "no keywords"),
        (lambda: parallel_env(3), "name"),
        (lambda: parallel_env(RandomWalk(), max_steps=0), "max_steps"),
        (lambda: parallel_env(AutoReset(RandomWalk())), "without AutoReset"),
        (lambda: parallel_env("social/platform_feed"), "no axis of 1000 agents"),
        (lambda: POOL.reset(seed=-1), "seed"),
        (lambda: POOL.reset(seed=1.5), "seed"),
        (lambda: parallel_env(RandomWalk()).step({"player_0": 0}), "call reset"),
        (lambda: parallel_env(RandomWalk()).state(), "call reset"),
    ],
)
def test_bad_input(make, part):
    with pytest.raises(ConfigurationError, match=part):
        make()


@pytest.mark.parametrize(
    ("actions", "part"),
    [
        ({"player_0": 8, "player_1": 0}, r"actions\['player_0'\]"),
        ({"player_0": 0, "player_1": -1}, r"actions\['player_1'\]"),
        ({"player_0": 0.0, "player_1": 0}, r"actions\['player_0'\]"),
        ({"player_0": np.zeros(2, np.int32), "player_1": 0}, r"actions\['player_0'\]"),
        ({"player_0": 0}, "player_1"),
        ({"player_0": 0, "player_1": 0, "player_2": 0}, "player_2"),
        ([0, 0], "give a dict"),
        (None, "give a dict"),
    ],
)
def test_bad_actions(pool, actions, part):
    with pytest.raises(ConfigurationError, match=part):
        pool.step(actions)


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "jaxworld.adapters.pettingzoo")
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(MissingExtraError, match=r"pettingzoo.*jaxworld\[adapters\]"):
        import jaxworld.adapters.pettingzoo  # noqa: F401
