"""Cedar Grove: its rules against a slow game, its contract, and what noise does and does not change."""

import jax
import numpy as np
import pytest

import jaxworld
from benchmarks.cedar_grove import NOISE, games, summarise
from jaxworld.commons.cards import Card, CardPlayers
from jaxworld.commons.cards.rules import fell, legal_play
from jaxworld.core import ConfigurationError, check_world, tick_key, world_key
from tests.oracles import cedar_grove as oracle

SMALL = {"num_players": 3, "num_rounds": 3, "hand_size": 2, "deck_counts": (5, 5, 3, 2)}
SEEDS = np.arange(300, dtype=np.uint64)


class Table:
    """The standard game compiled once, beside the slow one."""

    def __init__(self):
        self.world = jaxworld.make("commons/cedar_grove")
        self.params = self.world.default_params()
        self._reset, self._step = jax.jit(self.world.reset), jax.jit(self.world.step)

    def start(self, seed):
        self.key, self.tick = world_key(seed), 0
        self.state, timestep = jax.device_get(self._reset(tick_key(self.key, 0), self.params))
        self.slow = oracle.Game(self.state.deck.tolist(), 4, 15, 5)
        return timestep

    def play(self, action):
        """One round of both; they must agree on everything."""
        self.tick += 1
        made = self._step(tick_key(self.key, self.tick), self.state, np.asarray(action, np.int32), self.params)
        self.state, timestep = jax.device_get(made)
        before, over = list(self.slow.wood), self.slow.over
        played = self.slow.play(action)
        hands = [[hand.count(kind) for kind in oracle.KINDS] for hand in self.slow.hands]
        np.testing.assert_array_equal(timestep.info.played, [-1] * 4 if over else played)
        np.testing.assert_array_equal(timestep.reward, np.subtract(self.slow.wood, before))
        np.testing.assert_array_equal(self.state.wood, self.slow.wood)
        np.testing.assert_array_equal(timestep.observation.hand, hands)
        np.testing.assert_array_equal(timestep.observation.last, [self.slow.last] * 4)
        np.testing.assert_array_equal(timestep.observation.forest.value, np.float32([self.slow.forest] * 4))
        assert int(self.state.forest) == self.slow.forest
        assert timestep.terminated.tolist() == [self.slow.over] * 4
        return timestep


@pytest.fixture(scope="module")
def table():
    return Table()


@pytest.mark.parametrize("seed", range(4))
def test_rounds_are_as_told_whatever_is_wished(table, seed):
    """Any wishes, cards one does not hold included, until the game is over and beyond."""
    rng = np.random.default_rng(seed)
    greedy = seed % 2
    timestep = table.start(seed)
    assert timestep.observation.hand.sum(axis=1).tolist() == [5] * 4
    for _ in range(17):
        table.play([1] * 4 if greedy else rng.integers(0, 4, 4).tolist())
    assert table.slow.over and (table.slow.forest == 0) >= greedy


@pytest.mark.parametrize(
    "agents",
    [("axe", "keeper", "mirror", "exact_counter"), ("mirror", "bucket_counter", "mirror", "axe")],
)
def test_agents_play_what_they_would(table, agents):
    policy = CardPlayers(agents)
    for seed in range(2):
        observation = table.start(seed).observation
        for _ in range(15):
            slow = table.slow
            wishes = [
                oracle.wish(agent, slow.hands[seat], slow.last, seat, slow.forest, 24)
                for seat, agent in enumerate(agents)
            ]
            action, _ = policy.act(world_key(0), (), observation)
            if not slow.over:
                assert np.asarray(action).tolist() == wishes
            observation = table.play(wishes).observation


def test_every_card_is_dealt_once_and_shuffles_differ(table):
    decks = []
    for seed in range(40):
        table.start(seed)
        decks.append(table.state.deck)
    assert all(np.bincount(deck).tolist() == [26, 26, 18, 10] for deck in decks)
    share = np.mean([deck[:20] == Card.PLANT for deck in decks])
    assert abs(share - 18 / 80) < 4 * np.sqrt(0.225 * 0.775 / 800)
    assert len({deck.tobytes() for deck in decks}) == 40


def test_guards_and_seats_decide_who_gets_the_last_trees():
    axes, guarded = np.int32([1, 1, 1, 0]), np.int32([1, 1, 3, 0])
    assert np.asarray(fell(axes, np.int32(24), np.int32(0))).tolist() == [3, 3, 3, 1]
    assert np.asarray(fell(axes, np.int32(5), np.int32(0))).tolist() == [3, 2, 0, 0]
    assert np.asarray(fell(axes, np.int32(5), np.int32(2))).tolist() == [1, 0, 3, 1]
    assert np.asarray(fell(guarded, np.int32(24), np.int32(3))).tolist() == [1, 1, 0, 1]
    hand = np.int32([[0, 0, 2, 3]] * 4)
    assert np.asarray(legal_play(hand, np.int32([3, 0, -7, 9]))).tolist() == [3, 2, 2, 2]


def test_it_keeps_the_contract():
    """Structure, spaces, ended games standing still, no retracing, loop = scan = batches."""
    world = jaxworld.make("commons/cedar_grove", **SMALL)
    policy = CardPlayers(("axe", "keeper", "axe"))
    report = check_world(world, policy=policy, num_steps=4, batch=2, eager=False)
    assert report.num_traces == 1 and "ended" in report.clauses
    assert world.parameter_ranges()["observe.forestCount.noise"][0] == 0


@pytest.fixture(scope="module")
def readers():
    return games(("exact_counter",) * 4, SEEDS, NOISE)


def test_noise_changes_no_card_of_those_who_do_not_read(readers):
    """The very same games, card by card, at every noise, though the readings differ; the shuffle is another stream."""
    found = summarise(games(("axe", "keeper", "mirror", "random"), SEEDS, NOISE))
    assert found["games_that_differ"] == [0.0] * len(NOISE)
    assert summarise(readers)["games_that_differ"][1:] > [0.9] * (len(NOISE) - 1)


def test_noise_moves_those_who_read(readers):
    """The control without which the test above would say nothing: more wood at noise 0.5, here beyond three."""
    found = summarise(readers)
    mean, half = found["change"][NOISE.index(0.5)]
    assert mean - half > 0 and abs(mean - 3.0) < 2 * half
    assert abs(found["wood"][0][0] - 68.9) < 2 * found["wood"][0][1]


def test_bad_sizes_names_and_noise_are_refused():
    for field, keywords in (
        ("deck_counts", {"deck_counts": (26, 26, 18, 11)}),
        ("deck_counts", {"deck_counts": (40, 40)}),
        ("num_players", {"num_players": 1}),
        ("observability.forestCount.nois", {"observability": {"forestCount": {"nois": 0.1}}}),
    ):
        with pytest.raises(ConfigurationError, match=field):
            jaxworld.make("commons/cedar_grove", **keywords)
    with pytest.raises(ConfigurationError, match="noise"):
        jaxworld.make("commons/cedar_grove", observability={}).params(noise=0.5)
    with pytest.raises(ConfigurationError, match=r"agents\[1\]"):
        CardPlayers(("axe", "axle"))
