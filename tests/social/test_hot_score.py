"""The hot score: a float64 formula for display, and integer limbs that order as exact arithmetic does."""

from decimal import Decimal, localcontext

import jax
import numpy as np
import pytest

from jaxworld.social import Action, TickUnit
from jaxworld.social.hot_score import EPOCH, hot_limbs, hot_score, vote_table
from tests.social.worlds import FEED, FORUM, Run, Turn, everything, hot_and_scoped

LARGEST = 20_000
NUM_TRIPLES = 1_000_000


@pytest.mark.parametrize(
    ("ups", "downs", "seconds", "expected"),
    [(1, 0, 0, 0.0), (10, 0, 45_000, 2.0), (0, 10, 0, -1.0), (100, 99, 0, 0.0), (10, 0, 90_000, 3.0), (0, 0, 0, 0.0)],
)
def test_scores_of_known_votes_and_times(ups, downs, seconds, expected):
    assert hot_score(ups, downs, EPOCH + seconds) == expected


def test_freshness_is_worth_votes():
    """One hour is .08 points, less than two votes; one day is 1.92, some 83 net votes; one week is 13.44."""
    gains = [hot_score(1, 0, EPOCH + int(unit)) for unit in TickUnit]
    assert gains == [0.08, 1.92, 13.44]
    assert hot_score(83, 0, EPOCH) < hot_score(1, 0, EPOCH + 86_400) < hot_score(84, 0, EPOCH)


def exact_vote_terms() -> np.ndarray:
    """``9 * 1e7 * log10 |s|`` in units of 1e-20 of the score's last digit, as Python integers, from 40 digits."""
    with localcontext() as context:
        context.prec = 40
        return np.asarray(
            [int((Decimal(max(s, 1)).log10() * 10**7 * 9 * 10**20).to_integral_value()) for s in range(LARGEST + 1)],
            dtype=object,
        )


def exact_keys(votes: np.ndarray, tick: np.ndarray, unit: int, terms: np.ndarray) -> np.ndarray:
    """``round(1e7 * score)`` as ``int64``: time is exact in ninths, the logarithm is known to 1e-20.

    A pair of votes and time whose score lies within that of a rounding tie would show as a remainder of 0.
    """
    scale = 9 * 10**20
    remainder = (2_000 * (tick.astype(np.int64) * unit - EPOCH)) % 9
    whole = (2_000 * (tick.astype(np.int64) * unit - EPOCH)) // 9
    signs, places = np.sign(votes), np.abs(votes)
    # The fraction of the time term is one of nine values, so the rounded sum needs one entry a (vote, ninth) pair.
    rounded = np.zeros((2 * LARGEST + 1, 9), np.int64)
    for ninth in np.unique(remainder):
        for sign in (1, -1):
            twice = 2 * (sign * terms + int(ninth) * 10**20) + scale
            assert all(value % (2 * scale) for value in twice[2:])
            rounded[LARGEST + sign * np.arange(LARGEST + 1), ninth] = [value // (2 * scale) for value in twice]
    return whole + rounded[LARGEST + signs * places, remainder]


@pytest.fixture(scope="module")
def terms():
    return exact_vote_terms()


@pytest.mark.parametrize("unit", list(TickUnit), ids=lambda unit: unit.name.lower())
def test_a_million_stimuli_are_ordered_as_exact_arithmetic_orders_them(unit, terms):
    """Sorted by the kernel's limbs, neighbours are in the exact order, and tied exactly where exact scores are equal.

    The ticks are close, years apart and beyond a million; the votes crowd around zero and reach far out. The float64
    formula is off in the last digit for some and even orders a few neighbours differently, which is why it does not
    decide anything; how often is counted here (``-s`` shows it).
    """
    rng = np.random.default_rng(int(unit))
    near, far = NUM_TRIPLES // 2, NUM_TRIPLES // 4
    votes = np.concatenate([rng.integers(-300, 2_001, near), rng.integers(-LARGEST, LARGEST + 1, NUM_TRIPLES - near)])
    tick = np.concatenate(
        [rng.integers(0, 50, near), rng.integers(0, 10_000, far), rng.integers(2**20 - 100, 2**20 + 1, far)]
    )
    limbs = jax.device_get(
        hot_limbs(
            np.asarray(votes, np.int32), np.asarray(tick, np.int32), int(unit), jax.numpy.asarray(vote_table(LARGEST))
        )
    )
    order = np.lexsort(limbs[::-1])
    key = exact_keys(votes, tick, int(unit), terms)[order]
    equal = np.logical_and.reduce([limb[order][1:] == limb[order][:-1] for limb in limbs])
    steps = np.diff(key)
    assert (steps >= 0).all()
    np.testing.assert_array_equal(equal, steps == 0)
    assert equal.sum() > 1000, "some scores must tie"

    seconds = tick.astype(np.float64) * int(unit) - EPOCH
    score = np.sign(votes) * np.log10(np.maximum(np.abs(votes), 1)) + seconds / 45_000
    units = np.rint(score * 1e7).astype(np.int64)[order]
    different, swapped = int((units != key).sum()), int((np.sign(np.diff(units)) != np.sign(steps)).sum())
    print(f"{unit.name.lower()}: float64 off by a digit on {different}, other order of {swapped} of {NUM_TRIPLES}")
    assert np.abs(units - key).max() <= 1
    # Found with glibc: 18, 436 and 2,245 digits (rarer at hour ticks, where scores are small), no order.
    assert different < 5_000 and swapped < 10


def test_likes_are_votes_on_the_feed_only():
    """Likes raise a stimulus on the feed; the forum counts upvotes and downvotes and nothing else."""
    turns = [
        *(Turn(persona, Action.LIKE, 2, FEED) for persona in range(4)),
        *(Turn(persona, Action.UPVOTE, 1, FORUM) for persona in (0, 1)),
        *(Turn(persona, Action.DOWNVOTE, 3, FORUM) for persona in (1, 2)),
    ]
    feed = Run(hot_and_scoped()).step(*turns)
    forum = Run(everything()).step(*turns)
    assert feed.window("feed")[:, [0, 1, 2, 3]].tolist() == [[2, 1, 0, 3]] * 4
    assert (forum.window("forum")[:, 0] == 1).all() and (forum.window("forum")[:, 3] == 3).all()
    assert set(forum.window("forum")[0, 1:3].tolist()) == {0, 2}
