"""The rules of governance one by one, by hand."""

import jax
import numpy as np
import pytest

from jaxworld.commons.governance import PactStatus, layer, own_cap, sustainable_cap
from jaxworld.core.errors import ConfigurationError
from tests.commons.governance.common import CONFIG, Game, N, pact

ALL = [(player, 0) for player in range(N)]


def two_pacts(sanction="fine", **numbers):
    """Players 0, 1 and 3 under a cap of 2 (fine 1), 4 and 0 under a cap of 3 (fine 10); both bind from turn 2."""
    game = Game(sanction, **numbers)
    game.play(offers=[pact(0, cap=2.0), pact(4, cap=3.0, fine=10.0)])
    game.play(accepts=[(0, 1), (1, 0), (3, 0)])
    return game


def test_a_pact_lives_from_offer_to_expiry():
    game = Game()
    status = []
    for acts in ({"offers": [pact(delay=2, duration=2, min_signatures=5)]}, {"accepts": ALL}, {}, {}, {}):
        game.play(harvest=(9,) * N, **acts)
        status.append((int(game.judged.pacts.status[0]), int(game.judged.pacts.violations[0, 2])))
    kinds = PactStatus
    assert status == [(kinds.FREE, 0), (kinds.OFFERED, 0), (kinds.ACTIVE, 1), (kinds.ACTIVE, 2), (kinds.EXPIRED, 2)]


def test_one_signature_short_is_void_and_late_ones_do_not_count():
    game = Game()
    game.play(offers=[pact(min_signatures=5)])
    game.play(accepts=ALL[1:4])
    game.play(accepts=ALL)
    assert int(game.state.pacts.status[0]) == PactStatus.VOID
    assert np.asarray(game.state.pacts.accepted[0]).tolist() == [True] * 4 + [False]


def test_deadline_ends_signing_before_the_start():
    game = Game()
    game.play(offers=[pact(delay=5, open_turns=1)])
    game.play(accepts=[(1, 0)])
    game.play(accepts=[(2, 0)])
    assert np.asarray(game.state.pacts.accepted[0]).tolist() == [True, True, False, False, False]


def test_slots_go_by_identity_and_the_rest_is_dropped():
    game = Game()
    game.play(identity=[40, 30, 20, 10, 0], offers=[pact(0), pact(1), pact(3)])
    assert np.asarray(game.state.pacts.proposer).tolist() == [3, 1]
    assert int(game.state.pacts.dropped) == 1


def test_who_leaves_takes_a_pact_below_its_minimum_with_them():
    game = Game()
    game.play(offers=[pact(min_signatures=2)])
    game.play(accepts=[(1, 0)])
    game.play()
    game.play(present=[0, 2, 3, 4])
    assert int(game.state.pacts.status[0]) == PactStatus.VOID


def test_each_pact_counts_its_own_breach_and_the_lowest_cap_binds():
    game = two_pacts()
    game.play(harvest=[2.5, 2.0, 9, 2.005, 0])
    np.testing.assert_array_equal(game.state.pacts.violations, [[1, 0, 0, 0, 0], [0] * N])
    np.testing.assert_allclose(own_cap(game.seen.pacts), [2, 2, np.inf, 2, 3])
    game.play(harvest=[4.0, 2.0, 9, 0, 0])
    np.testing.assert_array_equal(game.state.pacts.violations, [[2, 0, 0, 0, 0], [1, 0, 0, 0, 0]])
    np.testing.assert_array_equal(game.state.reputation.exposed, [4, 2, 0, 2, 2])


def test_fines_go_to_those_who_kept_the_pact():
    wealth = two_pacts().play(harvest=[4, 2, 9, 0, 0])
    np.testing.assert_allclose(wealth, [100 - 2 - 10, 101, 100, 101, 110])


def test_a_debtor_pays_no_more_than_they_own_in_proportion():
    wealth = two_pacts().play(harvest=[4, 2, 9, 0, 0], wealth=[6, 0, 0, 0, 0])
    np.testing.assert_allclose(wealth, [0, 0.5, 0, 0.5, 5], atol=1e-6)


def test_a_pot_nobody_deserves_is_returned_equally():
    game = two_pacts()
    wealth = game.play(harvest=[3, 5, 0, 4, 0])
    np.testing.assert_allclose(wealth, [100 - 1 + 2, 100 - 3 + 2, 100, 100 - 2 + 2, 100], atol=1e-5)


def test_graduated_fines_double_twice():
    game, paid = two_pacts("graduated"), []
    for _ in range(5):
        paid.append(100 - game.play(harvest=[0, 3, 0, 0, 0])[1])
    np.testing.assert_allclose(paid, [1, 2, 4, 4, 4], rtol=1e-5)


def test_exclusion_bars_for_some_turns_in_which_nothing_is_proved():
    game = two_pacts("exclusion", barred_turns=2)
    barred = []
    for turn in range(5):
        wealth = game.play(harvest=[0, 3 if turn == 0 else 0, 0, 0, 0])
        barred.append(not bool(game.permitted[1]))
        assert (wealth == 100).all()
    assert barred == [False, True, True, False, False]
    assert (float(game.state.reputation.exposed[1]), float(game.state.reputation.violations[1])) == (3, 1)


def test_turns_after_a_collapse_are_not_kept():
    """Who broke the pact in every turn the commons lived has honour 0, however long the dead turns go on."""
    game = two_pacts("none")
    for turn in range(30):
        game.play(harvest=[9 if turn < 3 else 0] * N, alive=turn < 3)
    game.play(alive=False)
    view = game.seen.reputation
    assert np.asarray(view.known[2]).tolist() == [True, True, False, True, True]
    assert np.asarray(view.honour_rate[2]).tolist() == [0.0] * N
    assert int(game.state.pacts.exposed[0, 1]) == 3


def test_unknown_is_not_honest_and_a_prior_makes_it_known():
    for prior, wanted in ((0.0, [1.0, 0.0, 0.0]), (1.0, [5 / 6, 1 / 4, 1 / 2])):
        game = two_pacts("none", prior=prior)
        for _ in range(2):
            game.play(harvest=[0, 9, 9, 0, 0])
        game.play()
        view = game.seen.reputation
        np.testing.assert_allclose(np.asarray(view.honour_rate)[3, :3], wanted)
        assert bool(view.known[3, 2]) is (prior > 0)
        assert not np.asarray(view.known).diagonal().any()


def test_memory_fades_breaches():
    game = two_pacts("none", memory=0.5)
    for harvest in (9, 0, 0):
        game.play(harvest=[0, harvest, 0, 0, 0])
    np.testing.assert_allclose(game.state.reputation.exposed[1], 1.75)
    np.testing.assert_allclose(game.state.reputation.violations[1], 0.25)


def test_viewers_see_only_what_they_are_part_of():
    game = Game()
    game.play(offers=[pact(0, cap=2.5, invited=[1])])
    game.play(accepts=[(1, 0), (2, 0)])
    game.play()
    view = game.seen.pacts
    assert np.asarray(view.status)[:, 0].tolist() == [PactStatus.ACTIVE] * 2 + [PactStatus.FREE] * 3
    assert np.asarray(view.cap)[:, 0].tolist() == [2.5, 2.5, 0, 0, 0]
    assert np.asarray(view.proposer)[:, 0].tolist() == [0, 0, -1, -1, -1]
    assert np.asarray(view.signatories)[1, 0].tolist() == [True, True, False, False, False]
    assert not np.asarray(view.signatories)[2:].any()


def test_views_belong_to_their_space():
    game = two_pacts()
    game.play(harvest=[9] * N)
    game.play()
    assert bool(layer.view_space(CONFIG).contains(jax.tree.map(np.asarray, game.seen)))
    assert bool(layer.actions_space(CONFIG).contains(layer.no_actions(CONFIG)))


def test_numbers_are_checked():
    for field, value in (
        ("sanction", "fines"),
        ("memory", 1.5),
        ("prior", -1),
        ("tolerance", -0.1),
        ("barred_turns", -1),
    ):
        with pytest.raises(ConfigurationError, match=field):
            layer.governance_params(**{field: value})
    with pytest.raises(ConfigurationError, match="max_pacts"):
        layer.GovernanceConfig(4, 0)
    assert set(layer.parameter_ranges()) == set(vars(layer.governance_params()))


def test_sustainable_cap_is_a_share_of_the_yield():
    np.testing.assert_allclose(sustainable_cap(0.4, 100, 6), 0.8 * 0.4 * 100 / 4 / 6, rtol=1e-6)
