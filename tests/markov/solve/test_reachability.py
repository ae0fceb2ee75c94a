from fractions import Fraction

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.markov.solve import minimax_reachability, reachability
from jaxworld.markov.solve.reachability import live_rows
from tests.markov.solved import dense_graph, graph, opponents, random_graph
from tests.oracles.markov_policies import every_reach, rows_of


def test_a_ruined_gambler_has_the_probability_of_the_books():
    size, win = 9, 0.45
    transition = np.zeros((size, 1, 1, size))
    for state in range(1, size - 1):
        transition[state, 0, 0, [state - 1, state + 1]] = 1 - win, win
    made = dense_graph(transition, unsafe=[0], terminal=[0, size - 1])
    ratio = (1 - win) / win
    ruin = 1 - (1 - ratio ** np.arange(size)) / (1 - ratio ** (size - 1))
    for mode in ("min", "max", "robust"):
        found = reachability(made, "unsafe", mode)
        np.testing.assert_allclose(found.value, ruin, atol=1e-11)
        assert (found.upper >= ruin - 1e-15).all()
        assert (found.upper - ruin).max() < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_every_mode_is_what_trying_all_policies_gives(seed):
    made = random_graph(seed)
    tried = every_reach(made, "unsafe")
    wanted = {"min": tried.min((0, 1)), "max": tried.max((0, 1)), "robust": tried.max(1).min(0)}
    for mode, values in wanted.items():
        found = reachability(made, "unsafe", mode)
        np.testing.assert_allclose(found.value, values, atol=1e-10)
        assert (found.upper >= values - 1e-15).all()
    policy = np.random.default_rng(seed).dirichlet([1.0, 1.0], len(made.terminal))
    averaged = dense_graph(np.einsum("sabt,sb->sat", rows_of(made), policy)[:, :, None], unsafe=[3], terminal=[3, 4])
    known = reachability(made, "unsafe", "level", policies=[policy])
    np.testing.assert_allclose(known.value, every_reach(averaged, "unsafe").min((0, 1)), atol=1e-10)


@pytest.mark.parametrize("seed", range(2))
def test_a_certified_bound_is_not_raised_by_a_sweep_in_exact_fractions(seed):
    made = random_graph(seed, leave=0.02)
    bound = [Fraction(float(value)) for value in reachability(made, "unsafe", "robust").upper]
    rows = rows_of(made)
    for state in np.flatnonzero(~made.terminal):
        risks = []
        for own in range(2):
            replies = []
            for other in range(2):
                law = [Fraction(float(chance)) for chance in rows[state, own, other]]
                replies.append(sum(p * b for p, b in zip(law, bound, strict=True)) / sum(law))
            risks.append(max(replies))
        assert min(risks) <= bound[state]


def test_pursuit_and_the_duel_have_the_known_risks_in_the_known_order():
    for name, start, mean in (("pursuit", 0.79134, 0.4849), ("ice_duel", 0.59775, 0.5993)):
        made = graph(name)
        live = ~made.terminal
        robust = reachability(made, "unsafe_0", "robust")
        assert made.initial @ robust.value == pytest.approx(start, abs=1e-5)
        assert robust.value[live].mean() == pytest.approx(mean, abs=1e-4)
        if name == "ice_duel":
            continue
        joint = reachability(made, "unsafe_0", "min").value
        levels = [reachability(made, "unsafe_0", "level", policies=[each]).value for each in opponents(name)]
        worst = reachability(made, "unsafe_0", "level", policies=opponents(name)).value
        for value in levels:
            assert (joint <= value + 1e-9).all()
            assert (value <= worst + 1e-9).all()
        assert (worst <= robust.upper + 1e-9).all()
        np.testing.assert_allclose([value[live].mean() for value in levels], [0.0041, 0.0271, 0.0053], atol=1e-4)
        assert worst[live].mean() == pytest.approx(0.0652, abs=1e-4)


def test_rounding_to_the_nearest_float_breaks_the_certificate_that_rounding_out_keeps():
    made = graph("pursuit")
    rows = live_rows(made, made.labels["unsafe_0"], 0)
    found = reachability(made, "unsafe_0", "robust")

    def raised(bound):
        return (rows.expect(bound).max(2).min(1) > bound[rows.states] + 1e-15).sum()

    assert raised(found.value.astype(np.float32).astype(np.float64)) > 100
    assert raised(found.upper) == 0


def test_minimax_lies_between_its_bounds_and_mixing_helps():
    # Matching pennies once: a draw decides, so mixing halves what the reply makes certain.
    transition = np.zeros((3, 2, 2, 3))
    transition[0, [0, 1], [0, 1], 1] = 1
    transition[0, [0, 1], [1, 0], 2] = 1
    pennies = dense_graph(transition, unsafe=[1], terminal=[1, 2])
    assert reachability(pennies, "unsafe", "robust").value[0] == 1
    found = minimax_reachability(pennies, "unsafe")
    assert found.upper[0] == pytest.approx(0.5, abs=1e-6)
    assert found.lower[0] == pytest.approx(0.5, abs=1e-6)
    for seed in range(2):
        made = random_graph(seed)
        mixed = minimax_reachability(made, "unsafe", rounds=8)
        assert (mixed.lower <= mixed.upper + 1e-12).all()
        assert (mixed.upper <= reachability(made, "unsafe", "robust").upper).all()
        assert (mixed.upper >= reachability(made, "unsafe", "min").value - 1e-12).all()
        assert (mixed.upper - mixed.lower).max() < 5e-3


def test_what_cannot_work_is_refused_by_name():
    made = random_graph(0)
    with pytest.raises(ConfigurationError, match="label = 'fell'"):
        reachability(made, "fell", "min")
    with pytest.raises(ConfigurationError, match="mode = 'worst'"):
        reachability(made, "unsafe", "worst")
    with pytest.raises(ConfigurationError, match="player = 2"):
        reachability(made, "unsafe", "robust", player=2)
    with pytest.raises(ConfigurationError, match="policies"):
        reachability(made, "unsafe", "level")
    with pytest.raises(ConfigurationError, match="sum to 1"):
        reachability(made, "unsafe", "level", policies=[np.full((5, 2), 0.4)])


def test_storm_agrees_and_certifies_the_saddle():
    """A saddle: the committed policy against the worst replies, and the reply against the best choice, meet."""
    storm = pytest.importorskip("tests.oracles.storm").reachability
    for made, label in ((graph("pursuit"), "unsafe_0"), *((random_graph(seed), "unsafe") for seed in range(3))):
        live, target, rows = ~made.terminal, made.labels[label], rows_of(made)
        for mode in ("min", "max"):
            value = storm(rows.reshape(len(live), -1, len(live)), target, mode)
            np.testing.assert_allclose(reachability(made, label, mode).value, value, rtol=0, atol=1e-10)
        found = reachability(made, label, "robust")
        lanes, choice = np.arange(len(live)), np.maximum(found.choice, 0)
        committed = storm(rows[lanes, choice], target, "max")
        np.testing.assert_allclose(committed[live], found.value[live], rtol=0, atol=1e-10)
        reply = (rows @ found.value).argmax(2)
        replied = rows[lanes[:, None], np.arange(rows.shape[1])[None, :], reply]
        np.testing.assert_allclose(storm(replied, target, "min")[live], found.value[live], rtol=0, atol=1e-10)
        assert (committed[live] <= found.upper[live] + 1e-12).all()
