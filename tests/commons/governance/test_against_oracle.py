"""Pacts, sanctions and reputation against a slow account of them, over random games."""

import jax
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld.commons.governance import PactStatus
from jaxworld.commons.governance.reputation import honour_rate
from tests.commons.governance.common import SANCTIONS, Game, N, P, pact
from tests.oracles.governance import Governance

PLAYERS = st.integers(0, N - 1)
TERMS = st.builds(
    pact,
    proposer=PLAYERS,
    cap=st.sampled_from([0.0, 1.0, 2.5, np.nan]),
    delay=st.integers(0, 3),
    duration=st.integers(0, 4),
    open_turns=st.integers(-1, 3),
    min_signatures=st.integers(0, 4),
    fine=st.sampled_from([0.0, 0.5, 2.0, 30.0]),
    invited=st.sets(PLAYERS),
)
TURN = st.fixed_dictionaries(
    {
        "offers": st.lists(TERMS, max_size=4, unique_by=lambda offer: offer.proposer),
        "accepts": st.sets(st.tuples(PLAYERS, st.integers(0, P - 1)), max_size=8),
        "harvest": st.tuples(*[st.sampled_from([0.0, 1.0, 1.005, 2.0, 3.0, 5.0])] * N),
        "leaves": st.sampled_from([None] * 8 + list(range(N))),
    }
)
SETTINGS = st.fixed_dictionaries(
    {
        "sanction": st.sampled_from(SANCTIONS),
        "barred_turns": st.integers(0, 3),
        "memory": st.sampled_from([1.0, 0.75, 0.0]),
        "prior": st.sampled_from([0.0, 1.0]),
    }
)
GAMES = {
    "rules": SETTINGS,
    "turns": st.lists(TURN, min_size=4, max_size=8),
    "identity": st.permutations([3, 0, 11, 7, 5]),
    "collapse": st.integers(2, 9),
}
MODEST = settings(max_examples=30, deadline=None, derandomize=True)


def run(game, oracle, turns, identity, collapse, order=None):
    """Play both (the game with its rows in ``order``), checking nothing; yields after every turn."""
    wealth, present = [1.0, 4.0, 0.0, 8.0, 2.0], set(range(N))
    order = list(range(N)) if order is None else order
    row = np.argsort(order)  # row of each player in the game
    for turn, acts in enumerate(turns):
        present -= {acts["leaves"]}
        alive, rich = turn < collapse, np.add(wealth, acts["harvest"])
        offers = [
            pact(**{**vars(o), "proposer": int(row[o.proposer]), "invited": row[list(o.invited)].tolist()})
            for o in acts["offers"]
        ]
        got = game.play(
            np.asarray(acts["harvest"])[order],
            rich[order],
            alive,
            row[list(present)] if present else [],
            np.asarray(identity)[order],
            offers=offers,
            accepts=[(row[player], slot) for player, slot in acts["accepts"]],
        )
        oracle.begin(turn, present)
        before = [oracle.status(slot) for slot in range(P)]
        barred = [oracle.barred_until[player] >= turn for player in range(N)]
        wealth, broken = oracle.enforce(turn, acts["harvest"], rich, alive, present)
        oracle.receive(turn, acts["offers"], acts["accepts"], present, identity)
        yield {"got": got, "wealth": wealth, "rich": rich, "before": before, "barred": barred, "broken": broken}


def table(oracle, field):
    """``int[P, N]`` of a count or set that a slot's pact keeps."""
    rows = np.zeros((P, N), int)
    for slot, held in enumerate(oracle.slots):
        for player in getattr(held, field, ()):
            rows[slot, player] = 1 if isinstance(getattr(held, field), set) else getattr(held, field)[player]
    return rows


@MODEST
@given(**GAMES)
def test_every_turn_is_as_told(rules, turns, identity, collapse):
    """States, wealth, breaches, bars and reputations after each turn; fines move wealth and never make or lose any."""
    game, oracle = Game(**rules), Governance(N, P, **rules)
    for made in run(game, oracle, turns, identity, collapse):
        pacts = game.state.pacts
        np.testing.assert_array_equal(game.judged.pacts.status, made["before"])
        np.testing.assert_array_equal(pacts.status, [oracle.status(slot) for slot in range(P)])
        for field in ("accepted", "invited", "violations", "exposed"):
            np.testing.assert_array_equal(getattr(pacts, field), table(oracle, field), err_msg=field)
        for slot, held in enumerate(oracle.slots):
            if held is not None:
                terms = (held.offer.proposer, held.start, held.end, held.deadline)
                assert tuple(int(getattr(pacts, f)[slot]) for f in ("proposer", "start", "end", "deadline")) == terms
        assert int(pacts.dropped) == oracle.dropped
        np.testing.assert_array_equal(game.state.bound, oracle.total_bound)
        np.testing.assert_array_equal(game.state.broken, oracle.total_broken)
        np.testing.assert_array_equal(~np.asarray(game.permitted), made["barred"])
        np.testing.assert_allclose(made["got"], made["wealth"], rtol=1e-5, atol=1e-5)
        assert np.isclose(made["got"].sum(dtype=np.float64), made["rich"].sum(), rtol=1e-6)
        assert made["got"].min() >= -1e-6
        rate, known = honour_rate(game.state.reputation, game.params.prior)
        told = [oracle.honour_rate(player) for player in range(N)]
        assert [value is not None for value in told] == np.asarray(known).tolist()
        np.testing.assert_allclose(rate, [value or 0.0 for value in told], rtol=1e-5, atol=1e-5)


@MODEST
@given(order=st.permutations(range(N)), **GAMES)
def test_reordered_rows_reorder_everything(order, rules, turns, identity, collapse):
    """Players keep their identities, so who is first in a tie does not change with the rows."""
    plain, mixed, order = Game(**rules), Game(**rules), np.asarray(order)
    row = np.append(np.argsort(order), -1)  # a proposer of -1 stays -1
    both = zip(
        run(plain, Governance(N, P, **rules), turns, identity, collapse),
        run(mixed, Governance(N, P, **rules), turns, identity, collapse, order.tolist()),
        strict=True,
    )
    for one, other in both:
        np.testing.assert_allclose(other["got"], one["got"][order], rtol=1e-5, atol=1e-5)
        was, now = jax.device_get((plain.state.pacts, mixed.state.pacts))
        for field in ("status", "cap", "start", "end", "deadline", "min_signatures", "fine", "dropped"):
            np.testing.assert_array_equal(getattr(now, field), getattr(was, field), err_msg=field)
        for field in ("invited", "accepted", "violations", "exposed"):
            np.testing.assert_array_equal(getattr(now, field), getattr(was, field)[:, order], err_msg=field)
        np.testing.assert_array_equal(now.proposer, row[was.proposer])
        for field in ("exposed", "violations"):
            once = np.asarray(getattr(plain.state.reputation, field))
            np.testing.assert_allclose(getattr(mixed.state.reputation, field), once[order])


def test_random_games_reach_what_matters():
    """The random games above are no idle ones: every status and sanction occurs in such games."""
    rng, seen, fined = np.random.default_rng(0), set(), 0.0
    for sanction in SANCTIONS:
        game = Game(sanction)
        for _ in range(12):
            offers = [pact(int(i), cap=1.0, duration=2, min_signatures=int(rng.integers(1, 4))) for i in (4, 1, 2)]
            accepts = [(int(i), int(p)) for i in range(N) for p in range(P) if rng.random() < 0.3]
            wealth = game.play(rng.integers(0, 4, N), offers=offers, accepts=accepts)
            seen |= set(np.asarray(game.judged.pacts.status).tolist())
            fined += np.abs(wealth - 100).sum() if sanction in ("fine", "graduated") else 0.0
    assert seen == set(PactStatus)
    assert fined > 10
