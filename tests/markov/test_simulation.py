"""Simulation against graph, and the public contract at every state that can be reached."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import chi2

from jaxworld.core.episodes import EpisodeCap
from jaxworld.core.random import tick_key, world_key
from jaxworld.markov.bits import pack, unpack
from jaxworld.markov.game import GameState, Record
from tests.markov.games import SMALL, small_graph, words
from tests.oracles.public_state import breaches

NAMES = ("pursuit", "open_pursuit", "ice_duel", "gathering", "stag_hunt", "congestion", "public_goods")
ROWS, SAMPLES = 12, 4_000


@functools.cache
def _stepper(name):
    """A jitted batch of single steps: tick numbers, public bits, actions and a past to (bits, time step)."""
    game, params = SMALL[name](), SMALL[name]().default_params()

    @jax.jit
    def run(ticks, bits, actions, past):
        def one(tick, word, action):
            record = Record(
                steps=past,
                returns=jnp.full(game.num_agents, past, jnp.float32),
                ever=jnp.full(len(game.label_names), past > 0),
            )
            state = GameState(public=game.decode(word), record=record)
            state, timestep = game.step(tick_key(world_key(5), tick), state, action, params)
            return game.public_state(state), timestep

        return jax.vmap(one)(ticks, bits, actions)

    return run


def _step(name, bits, actions, past=0, first_tick=0):
    ticks = np.arange(len(bits), dtype=np.uint32) + np.uint32(first_tick)
    return jax.device_get(_stepper(name)(ticks, bits, actions, np.int32(past)))


@pytest.mark.parametrize("name", NAMES)
def test_frequencies_are_the_graphs(name):
    """Chi-square for each row, Bonferroni over rows; an outcome outside the support fails at once."""
    game, graph, rng = SMALL[name](), small_graph(name), np.random.default_rng(3)
    live = np.flatnonzero(~graph.terminal)
    widths = np.diff(graph.row_offsets).reshape(graph.num_states, -1)
    rich = [(int(s), int(np.argmax(widths[s] + rng.random(widths.shape[1])))) for s in rng.choice(live, ROWS)]
    state, joint = np.repeat(np.asarray(rich), SAMPLES, axis=0).T
    bits, _ = _step(name, graph.bits()[state], graph.actions_of(joint))
    found = graph.find(bits)
    for number, (source, action) in enumerate(rich):
        target, probability = graph.row(source, action)
        seen = found[number * SAMPLES : (number + 1) * SAMPLES]
        assert np.isin(seen, target).all(), (name, source, action)
        counts = (seen[:, None] == target).sum(axis=0)
        statistic = ((counts - SAMPLES * probability) ** 2 / (SAMPLES * probability)).sum()
        if len(target) > 1:
            assert statistic < chi2.isf(0.001 / ROWS, len(target) - 1), (name, source, action, statistic)
    assert game.num_bits == bits.shape[1]


def _likely_ways(graph):
    """Rows ``int64[N]`` that lead to every state anything leads to: the likeliest, so often that none is missed."""
    rows = np.repeat(np.arange(len(graph.row_offsets) - 1), np.diff(graph.row_offsets))
    order = np.lexsort((graph.probability, graph.target))
    last = order[np.flatnonzero(np.diff(graph.target[order], append=-1))]
    return np.repeat(rows[last], np.ceil(16 / graph.probability[last]).astype(int) - 15)


@pytest.mark.parametrize("name", NAMES)
def test_contract_at_every_state(name):
    """Every state, terminal ones included, decodes to itself, is what everybody sees, and steps into the graph."""
    game, graph, rng = SMALL[name](), small_graph(name), np.random.default_rng(1)
    size = ROWS * SAMPLES  # the compiled shape of the other test
    state = np.resize(np.arange(graph.num_states), size)
    joint = rng.integers(graph.num_joint_actions, size=size)
    towards = _likely_ways(graph)[:size]
    state[: len(towards)], joint[: len(towards)] = np.divmod(towards, graph.num_joint_actions)
    bits, timestep = _step(name, graph.bits()[state], graph.actions_of(joint))
    found = graph.find(bits)
    assert (found >= 0).all()
    assert np.isin(graph.target, found).all()  # no state is left out
    players = range(game.num_agents)
    assert breaches({player: timestep.observation[:, player] for player in players}, bits) == set()
    for player in players:
        np.testing.assert_array_equal(timestep.terminated[:, player], graph.terminal[found])
    assert not timestep.truncated.any()
    for number, label in enumerate(game.label_names):
        np.testing.assert_array_equal(timestep.info.labels[:, number], graph.labels[label][found])
    ended = graph.terminal[state]
    np.testing.assert_array_equal(found[ended], state[ended])
    assert not timestep.reward[ended].any()
    if not graph.reward_varies:
        np.testing.assert_allclose(timestep.reward, graph.reward[state, joint], atol=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_keys_decode_to_themselves(name):
    game, graph = SMALL[name](), small_graph(name)
    there = jax.jit(jax.vmap(lambda word: pack(game.encode(game.decode(unpack(word, game.num_bits))))))
    np.testing.assert_array_equal(there(graph.state_words), graph.state_words)
    np.testing.assert_array_equal(words(graph.bits()), graph.state_words)


def test_history_decides_nothing():
    """Two pasts that lead to one key, one with a collision and one without: the same draws, the same future."""
    graph, rng = small_graph("open_pursuit"), np.random.default_rng(2)
    size = ROWS * SAMPLES
    state = np.resize(np.arange(graph.num_states), size)
    actions = graph.actions_of(rng.integers(graph.num_joint_actions, size=size))
    clean, burdened = (_step("open_pursuit", graph.bits()[state], actions, past) for past in (0, 7))
    np.testing.assert_array_equal(clean[0], burdened[0])
    for field in ("observation", "reward", "terminated"):
        np.testing.assert_array_equal(getattr(clean[1], field), getattr(burdened[1], field))
    collision = SMALL["open_pursuit"]().label_names.index("collision")
    assert burdened[1].info.record.ever[:, collision].all()
    assert not clean[1].info.record.ever[:, collision].all()


def test_a_truncated_state_still_follows_its_law():
    game, graph = SMALL["pursuit"](), small_graph("pursuit")
    world = EpisodeCap(game, 1)
    params = world.default_params()

    @jax.jit
    def run(seed):
        key = world_key(11)
        action = jnp.asarray([3, 0], jnp.int32)
        state, _ = world.reset(tick_key(key, seed), params)
        state, cut = world.step(tick_key(key, seed + np.uint32(1)), state, action, params)
        after, _ = game.step(tick_key(key, seed + np.uint32(2)), state.world, action, params.world)
        return cut, game.public_state(state.world), game.public_state(after)

    cut, before, after = jax.device_get(jax.vmap(run)(np.arange(512, dtype=np.uint32)))
    np.testing.assert_array_equal(cut.truncated, ~cut.terminated)
    joint = int(graph.joint_of([3, 0]))
    for source, target in zip(graph.find(before), graph.find(after), strict=True):
        assert target in graph.row(source, joint)[0]


def test_starts_are_the_initial_distribution():
    game, graph = SMALL["stag_hunt"](), small_graph("stag_hunt")
    params = game.default_params()
    reset = jax.jit(jax.vmap(lambda tick: game.public_state(game.reset(tick_key(world_key(1), tick), params)[0])))
    found = graph.find(reset(np.arange(60_000, dtype=np.uint32)))
    assert (found >= 0).all()
    chance = graph.initial
    assert not np.bincount(found, minlength=graph.num_states)[chance == 0].any()
    expected = 60_000 * chance[chance > 0]
    statistic = ((np.bincount(found, minlength=graph.num_states)[chance > 0] - expected) ** 2 / expected).sum()
    assert statistic < chi2.isf(0.001, len(expected) - 1)
    assert chance.sum() == pytest.approx(1, abs=1e-12)
