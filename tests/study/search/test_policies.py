"""Array policies on every kind of space, codecs, and files."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxworld
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.pytree import replace
from jaxworld.core.random import world_key
from jaxworld.core.rollout import rollout
from jaxworld.core.spaces import Boolean, Box, Composite, Discrete
from jaxworld.social.policies import PROBABILITY_UNIT, make_policy
from jaxworld.study.search import load_policy, make_array_policy, make_codec, save_policy
from jaxworld.study.search.array_policies import agent_policy
from jaxworld.study.search.interface import Interface
from jaxworld.study.search.store import read_metadata

WALK = jaxworld.make("core/random_walk", num_walkers=2, num_positions=5)
BANDIT = jaxworld.make("core/bandit", num_agents=2)


def test_observations_become_numbers_and_outputs_become_members_of_the_action_space():
    observation = Composite(
        None,
        {
            "place": Box(0, 10, (2, 2), np.int32),
            "free": Box(-np.inf, np.inf, (2,), np.float32),
            "kind": Discrete(3, (2,), low=-1),
            "flag": Boolean((2,)),
            "clock": Box(0, 4, (), np.int32),
            "off": None,
        },
    )
    action = Composite(
        None,
        {
            "move": Discrete(3, (2, 2)),
            "gas": Box(-1, 3, (2,), np.float32),
            "lift": Box(0, np.inf, (2,), np.float32),
            "fire": Boolean((2,)),
        },
    )
    interface = Interface(2, observation, action)
    assert (interface.num_inputs, interface.num_outputs) == (2 + 1 + 3 + 1 + 1, 6 + 1 + 1 + 1)
    seen = {
        "place": jnp.asarray([[0, 10], [5, 5]], jnp.int32),
        "free": jnp.asarray([7.0, -2.0], jnp.float32),
        "kind": jnp.asarray([2, -1], jnp.int32),
        "flag": jnp.asarray([True, False]),
        "clock": jnp.asarray(4, jnp.int32),
        "off": None,
    }
    expected = [[-1, 1, 7, 0, 0, 1, 1, 1], [0, 0, -2, 0, 0, 0, 0, 1]]
    np.testing.assert_array_equal(interface.encode(seen), np.array(expected, np.float32))
    rows = [[0, 2, 1, 5, 4, 4, 0.0, -3.0, 0.1], [0, 0, 1, 0, 9, 0, 99.0, 2.5, -0.1]]
    acted = interface.decode(jnp.asarray(rows, jnp.float32))
    assert bool(action.contains(acted))
    np.testing.assert_array_equal(acted["move"], [[1, 0], [2, 1]])
    np.testing.assert_allclose(acted["gas"], [1.0, 3.0])
    np.testing.assert_allclose(acted["lift"], [0.0, 2.5])
    np.testing.assert_array_equal(acted["fire"], [True, False])


def play(world, policy):
    return np.asarray(rollout(world, policy, world_key(3), 12).summary.total_reward)


@pytest.mark.parametrize("kind", ["linear", "mlp", "recurrent"])
def test_a_saved_policy_plays_as_before_wherever_it_is_loaded(kind, tmp_path):
    policy = make_array_policy(kind, BANDIT, seed=1, hidden=(4,), scale=10.0, per_agent=kind == "mlp")
    path = tmp_path / "policy.npz"
    save_policy(path, policy, world=BANDIT, metadata={"score": 1.5})
    loaded = load_policy(path)
    assert jax.tree.structure(loaded) == jax.tree.structure(policy)
    jax.tree.map(np.testing.assert_array_equal, loaded, policy)
    np.testing.assert_array_equal(play(BANDIT, loaded), play(BANDIT, policy))
    assert read_metadata(path)["metadata"] == {"score": 1.5} and read_metadata(path)["world"][0] == "core/bandit"


def test_agents_of_a_per_agent_policy_act_by_their_own_weights():
    policy = make_array_policy("linear", BANDIT, seed=2, scale=10.0, per_agent=True)
    cues = jnp.asarray([1, 1], jnp.int32)
    both, _ = policy.act(world_key(0), policy.init(world_key(0), None), cues)
    for agent in range(2):
        alone = agent_policy(policy, agent)
        acted, _ = alone.act(world_key(0), alone.init(world_key(0), None), cues)
        assert int(acted[agent]) == int(both[agent])
    weights = policy.network.layer.weight
    assert weights.shape == (2, 3, 3) and not np.array_equal(weights[0], weights[1])


def test_files_that_do_not_fit_are_refused_in_one_line(tmp_path):
    path, other = tmp_path / "walk.npz", tmp_path / "other.npz"
    save_policy(path, make_array_policy("linear", WALK))
    other.write_bytes(b"not a policy")
    wrong = make_array_policy("mlp", WALK)
    for call, match in (
        (lambda: load_policy(tmp_path / "none.npz"), "no such file"),
        (lambda: load_policy(other), "no saved policy, or it is damaged"),
        (lambda: load_policy(path), "saved without its world"),
        (lambda: load_policy(path, template=wrong), "does not have the structure expected"),
        (lambda: load_policy(path, world=BANDIT), r"policy.0 = .*expected float32"),
        (lambda: save_policy(path, wrong, metadata={"score": float("nan")}), "JSON values only"),
    ):
        with pytest.raises(ConfigurationError, match=match) as error:
            call()
        assert "\n" not in str(error.value)
    assert play(WALK, load_policy(path, world=WALK)).shape == (2,)


def personas():
    world = jaxworld.make("social/feed", num_personas=40)
    return make_policy(world.config, world.default_params(), "indifferent")


def test_a_codec_searches_traits_of_groups_within_bounds():
    policy = personas()
    group = np.full(40, -1)
    group[:4], group[4:6] = 0, 1
    codec = make_codec(policy, {"traits.post": (0, 6554), "traits.share": (0, PROBABILITY_UNIT)}, group=group)
    start = codec.encode(policy)
    assert {name: value.shape for name, value in start.items()} == {".traits.post": (2,), ".traits.share": (2,)}
    same = codec.decode(start)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1), same, policy)
    far = codec.decode({".traits.post": jnp.asarray([99.0, -99.0]), ".traits.share": start[".traits.share"]})
    np.testing.assert_array_equal(far.traits.post[:6], [6554] * 4 + [0] * 2)
    np.testing.assert_array_equal(far.traits.post[6:], policy.traits.post[6:])
    assert far.traits.post.dtype == np.int32
    np.testing.assert_array_equal(far.traits.reply, policy.traits.reply)


def test_a_codec_without_groups_searches_every_entry():
    policy = make_array_policy("linear", WALK, seed=3)
    codec = make_codec(policy, {"network.layer.bias": (-1.0, 1.0)})
    candidate = {path: jnp.asarray([0.0, 50.0, -50.0]) for path in codec.paths}
    np.testing.assert_allclose(codec.decode(candidate).network.layer.bias, [0, 1, -1], atol=1e-6)
    np.testing.assert_array_equal(codec.decode(candidate).network.layer.weight, policy.network.layer.weight)


@pytest.mark.parametrize(
    ("bounds", "group", "match"),
    [
        ({}, None, "at least one leaf"),
        ({"traits.pots": (0, 1)}, None, "nearest are traits.post"),
        ({"traits.post": (1, 1)}, None, "lower and a higher"),
        ({"traits.post": (0, np.inf)}, None, "finite bound"),
        ({"traits.post": (0, 9)}, np.zeros(3, int), "has the shape"),
        ({"traits.post": (0, 9)}, np.full(40, 1), "without gaps"),
    ],
)
def test_bad_codecs(bounds, group, match):
    with pytest.raises(ConfigurationError, match=match):
        make_codec(personas(), bounds, group=group)


def test_replacing_weights_keeps_the_policy_a_policy():
    policy = make_array_policy("linear", WALK, scale=0.0)
    always_right = replace(
        policy, network=replace(policy.network, layer=replace(policy.network.layer, bias=jnp.asarray([0.0, 0.0, 1.0])))
    )
    acted, _ = always_right.act(world_key(0), (), rollout(WALK, policy, world_key(0), 1).carry.timestep.observation)
    np.testing.assert_array_equal(acted, [2, 2])
