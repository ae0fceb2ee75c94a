"""Recommenders: their orders against worked examples and slow formulas, mixtures, and adding one's own."""

import math

import jax
import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.core.pytree import replace
from jaxworld.social import (
    Action,
    Platform,
    Reason,
    Recommender,
    StimulusKind,
    get_recommender,
    recommender_names,
    register_recommender,
)
from jaxworld.social.hot_score import hot_score
from jaxworld.social.recommenders import standard
from jaxworld.social.recommenders.context import PersonalOrder
from tests.social.worlds import (
    FEED,
    FORUM,
    SMALL,
    Run,
    Turn,
    assert_same,
    centrality,
    driver,
    everything,
    four_people,
    hot_and_scoped,
    interest,
    mixed,
    random_turns,
    top_share,
)


def test_votes_break_equal_times_and_time_breaks_equal_votes():
    """Upvoted first at equal time; newer first at equal votes; a fresh post leads over old silent ones."""
    run = Run(everything()).step(Turn(0, Action.POST, 0, FORUM), Turn(1, Action.POST, 0, FORUM))
    run.step(Turn(2, Action.POST, 0, FORUM), Turn(0, Action.UPVOTE, 5, FORUM), Turn(1, Action.UPVOTE, 5, FORUM))
    assert run.window("forum")[0, :2].tolist() == [5, 4]
    run.step()
    assert run.window("forum")[0, :3].tolist() == [5, 6, 4], "two votes beat an hour, an hour beats silence"


def test_four_votes_beat_one_hour_but_not_a_day():
    """The same votes on the older of two posts, one tick apart, under two units of time."""
    older, newer = [Turn(0, Action.POST, 0, FORUM)], [Turn(1, Action.POST, 0, FORUM)]
    votes = [Turn(persona, Action.UPVOTE, 4, FORUM) for persona in range(4)]
    assert Run(everything()).step(*older).step(*newer).step(*votes).window("forum")[0, 0] == 4
    assert hot_score(4, 0, 3_600) > hot_score(0, 0, 7_200) and hot_score(4, 0, 86_400) < hot_score(0, 0, 172_800)


def test_the_hot_order_is_that_of_the_formula_and_the_same_for_all():
    """Random votes at hourly ticks: the whole window follows the float64 formula, up to equal scores."""
    run, rng = Run(hot_and_scoped()), np.random.default_rng(3)
    for _ in range(8):
        acts = (Action.LIKE, Action.POST, Action.LIKE)
        turns = [Turn(int(rng.integers(4)), acts[int(rng.integers(3))], int(rng.integers(run.state.num_stimuli)))
                 for _ in range(9)]  # fmt: skip
        visible = int(run.state.num_stimuli)
        window = run.step(*turns).window("feed")
        assert (window == window[0]).all()
        score = [
            hot_score(int(run.state.counts[s, 0]), 0, 3600 * int(run.state.stimuli.tick[s])) for s in range(visible)
        ]
        best = sorted(score, reverse=True)[:6]
        assert [score[s] for s in window[0] if s >= 0] == best
        assert (run.seen.feed.reason == Reason.SOCIAL_PROOF).all()


def test_equal_scores_are_ordered_by_the_seed():
    """Four silent stimuli of one tick: the same order for everybody and for the same seed, all orders over seeds."""
    orders = [tuple(Run(everything(), seed).step().window("forum")[0, :4].tolist()) for seed in range(60)]
    assert orders[3] == tuple(Run(everything(), 3).step().window("forum")[3, :4].tolist())
    assert len(set(orders)) > 15
    assert np.bincount([order[0] for order in orders], minlength=4).min() > 4


def test_a_scoped_forum_never_computes_the_hot_score(monkeypatch):
    """Agreement less age orders it; the hot score is not even traced."""

    def refuse(*_):
        raise AssertionError("the hot score was computed")

    made = driver(**SMALL, channels=("forum",), forum_preset="community_scoped")
    monkeypatch.setattr(standard, "hot_limbs", refuse)
    run = Run(made)
    rows = [Turn(0, Action.POST, 0, FORUM), Turn(3, Action.REPLY, 0, FORUM), Turn(3, Action.POST, 0, FORUM)]
    run.step(*rows).step()
    # Slot 6 is the reply to the concept, common ground; 4 and 5 belong to one community each.
    assert [sorted(row.tolist()) for row in run.window("forum")] == [[0, 1, 2, 3, 4, 6]] * 2 + [[0, 1, 2, 3, 5, 6]] * 2


def test_scoped_threads_rank_by_agreement_and_recency():
    """One vote is worth one tick: up - down - age, most first; downvotes count against."""
    run = Run(hot_and_scoped()).step(Turn(0, Action.POST, 0, FORUM))
    run.step(Turn(1, Action.POST, 0, FORUM)).step()
    run.step(*(Turn(persona, Action.UPVOTE, 4, FORUM) for persona in (0, 1)), Turn(0, Action.DOWNVOTE, 0, FORUM))
    # Ages at tick 4: slot 4 has 3 less 2 votes, slot 5 has 2, the study 4, the concept one more.
    assert run.window("forum")[0].tolist()[:2] == [4, 5] and run.window("forum")[0, 5] == 0


def test_without_a_community_one_sees_the_study_and_oneself():
    """Nobody is excluded: study stimuli and own posts remain, replies of others to the study do not."""
    run = Run(hot_and_scoped(), population=four_people(community=None))
    run.step(Turn(0, Action.POST, 0, FORUM), Turn(1, Action.REPLY, 0, FORUM)).step()
    assert [sorted(row[row >= 0].tolist()) for row in run.window("forum")] == [
        [0, 1, 2, 3, 4], [0, 1, 2, 3, 5], [0, 1, 2, 3], [0, 1, 2, 3],
    ]  # fmt: skip


def test_feed_and_forum_have_reasons_of_their_own():
    """A random forum is a control arm and says so; the feed beside it is not."""
    run = Run(centrality()).step()
    assert (run.seen.feed.reason == Reason.SOCIAL_PROOF).all() and (run.seen.forum.reason == Reason.RANDOM).all()
    assert not (run.seen.forum.stimulus == run.seen.forum.stimulus[0]).all()


def test_twhin_shows_the_best_connected_author_then_the_newest():
    """Degrees 1, 2, 2, 1 of 3: hubs before others before the study; among equals the newest."""
    degree = centrality().population.degree
    assert (degree / 3).tolist() == [1 / 3, 2 / 3, 2 / 3, 1 / 3]
    run = Run(centrality()).step(Turn(0, Action.POST), Turn(1, Action.POST)).step(Turn(2, Action.POST)).step()
    assert run.window("feed")[:, :3].tolist() == [[6, 5, 4]] * 4
    assert top_share(run.seen.feed.stimulus[:, :1]) == 1.0


# Handles of vectors: the study's first, then each persona's profile.
NEAR, FAR = 4 + 2, 4 + 3
OPPOSITE = np.tile(np.asarray([-4000, 0], np.float32), (4, 1))


def written(run: Run, rows: list[tuple[int, int, int, int]], tick: int) -> None:
    """Put feed posts ``(author, vector, tick, likes)`` into the state of a run, as if written then."""
    stimuli, counts, slots = run.state.stimuli, run.state.counts.copy(), 4 + np.arange(len(rows))
    author, vector, posted, likes = np.asarray(rows, np.int32).T
    new = {"author": author, "vector": vector, "tick": posted, "kind": int(StimulusKind.PEER_POST), "root": slots,
           "depth": 0, "platform": int(Platform.FEED)}  # fmt: skip
    columns = {}
    for name, values in new.items():
        column = getattr(stimuli, name).copy()
        column[slots] = values
        columns[name] = column
    counts[slots, 0] = likes
    run.state = replace(
        run.state, stimuli=replace(stimuli, **columns), counts=counts, num_stimuli=np.int32(4 + len(rows)),
        tick=np.int32(tick - 1),
    )  # fmt: skip
    run.tick = tick - 1


def feed_of_the_first(rows, tick: int, **options) -> tuple[list[int], Run]:
    """What the first persona's feed ranks among such posts, the study's (all of opposite content) aside."""
    run = Run(interest(), study_vectors=OPPOSITE, **options)
    written(run, rows, tick)
    run.step()
    return [int(s) - 4 for s in run.window("feed")[0] if s >= 4], run


def test_the_network_comes_first_by_likes_then_interest_times_recency():
    """b and a of a tie by likes 5 and 1, then c with .90, d of a hundred ticks with .9 * ln 1.718 = .49, e with .10."""
    a, b = (1, NEAR, 100, 1), (1, FAR, 100, 5)
    c, d, e = (2, NEAR, 100, 0), (2, NEAR, 1, 0), (3, FAR, 100, 0)
    order, run = feed_of_the_first([a, b, c, d, e], 101)
    assert order == [1, 0, 2, 3, 4]
    assert run.seen.feed.reason[0].tolist() == [Reason.NETWORK, Reason.NETWORK, Reason.INTEREST]
    popular = [a, b, c, d, (3, FAR, 100, 1000)]
    assert feed_of_the_first(popular, 101)[0] == [1, 0, 2, 3, 4], "likes lift nobody from outside the network"


def test_an_off_interest_post_of_a_tie_beats_an_on_interest_one_of_a_stranger():
    order, run = feed_of_the_first([(2, NEAR, 5, 0), (1, FAR, 5, 0)], 6)
    assert order == [1, 0] and run.seen.feed.reason[0, 0] == Reason.NETWORK


def test_following_brings_a_stranger_into_the_network():
    """From the tick at which the follow is stored."""
    _, run = feed_of_the_first([(2, NEAR, 5, 0), (3, FAR, 5, 0)], 6)
    assert run.window("feed")[0, :2].tolist() == [4, 5]
    run.step(Turn(0, Action.FOLLOW, 5))
    assert run.window("feed")[0, :2].tolist() == [5, 4] and run.seen.feed.reason[0, 0] == Reason.NETWORK


def test_recency_falls_from_one_and_ends():
    """ln((271.8 - age) / 100): 1.0 when new, ln 1.718 at a hundred, negative from 172; from 272 on nothing."""
    assert standard.RECENCY.shape == (272,)
    np.testing.assert_allclose(standard.RECENCY[[0, 100]], [0.99990, math.log(1.718)], atol=1e-5)
    assert standard.RECENCY[171] > 0 > standard.RECENCY[172] and (np.diff(standard.RECENCY) < 0).all()
    near_old, far_aged = (2, NEAR, 8, 0), (3, FAR, 9, 0)
    assert feed_of_the_first([near_old, far_aged], 280)[0] == [1, 0], "an age of 272 ranks behind one of 271"
    rows = [(2, NEAR, 9, 0), (3, FAR, 9, 0), (2, NEAR, 200, 0)]
    assert feed_of_the_first(rows, 280)[0] == [2, 1, 0], "beyond 172 the least similar comes first"


def test_interest_alone_agrees_with_float64():
    """Random tastes: the order of integer vectors is that of cosines in double precision."""
    rng = np.random.default_rng(1)
    tastes = rng.normal(size=(4, 2))
    population = four_people(vectors=tastes)
    params = interest().params(population=population)
    run = Run(interest(), population=population, study_vectors=params.study_vectors).step()
    study, profile = np.asarray(params.study_vectors, np.float64), np.asarray(population.profile, np.float64)
    expected = np.argsort(-(profile @ study.T), axis=1)
    assert (run.window("feed")[:, :4] == expected).all()


def test_a_mixture_has_its_ends():
    """At epsilon 0 it is the first recommender, at 1 the second, slot for slot and reason for reason."""
    first, second = Run(mixed(), epsilon=0.0), Run(mixed(), epsilon=1.0)
    plain = Run(driver("many", **{**mixed().options, "feed_recommender": "random"}))
    for _ in range(3):
        likes = [Turn(persona, Action.LIKE, 2) for persona in range(9)] + [Turn(1, Action.POST)]
        for run in (first, second, plain):
            run.step(*likes)
        assert_same(first.seen.feed, plain.seen.feed)
        assert (first.window("feed") == plain.window("feed")).all()
        assert (second.window("feed") == second.window("feed")[0]).all() and (second.window("feed")[:, 0] == 2).all()
        assert (second.seen.feed.reason == Reason.SOCIAL_PROOF).all()


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 0.9])
def test_a_mixture_takes_about_epsilon_from_the_second(epsilon):
    """Among slots of 2,048 personas, as far as the first slot goes, within five standard errors."""
    run = Run(mixed(), epsilon=epsilon).step(*(Turn(persona, Action.LIKE, 2) for persona in range(9)))
    from_second = run.seen.feed.reason[:, 0] == Reason.SOCIAL_PROOF
    assert abs(from_second.mean() - epsilon) < 5 * math.sqrt(epsilon * (1 - epsilon) / len(from_second))
    assert (run.seen.feed.stimulus[from_second, 0] == 2).all()


def oldest(context):
    """Shared: the lowest slot first."""
    return [-jax.numpy.arange(context.config.stimulus_capacity, dtype=jax.numpy.float32)]


def by_rank(context, block):
    """Personal: persona p likes slot p best, then those around it; only the concept and claims."""
    slots = jax.numpy.arange(context.config.stimulus_capacity, dtype=jax.numpy.int32)
    distance = jax.numpy.abs(slots[None, :] - block.index[:, None]).astype(jax.numpy.float32)
    return PersonalOrder(score=-distance, eligible=jax.numpy.broadcast_to(slots[None, :] < 4, distance.shape))


@pytest.fixture(scope="module")
def own_recommenders():
    if "oldest_first" not in recommender_names():
        register_recommender(Recommender("oldest_first", "shared", oldest, Reason.RECENCY))
        register_recommender(Recommender("own_number", "personal", by_rank, Reason.INTEREST))


def test_ones_own_recommenders_work_by_name(own_recommenders):
    """A shared and a personal one, both ends of a mixture of the two."""
    made = driver(**SMALL, channels=("feed",), feed_recommender="oldest_first+own_number", block_size=3)
    shared, personal = Run(made, epsilon=0.0), Run(made, epsilon=1.0)
    for run in (shared, personal):
        run.step(Turn(0, Action.POST)).step()
    assert (shared.window("feed")[:, :5] == np.arange(5)).all()
    assert (personal.seen.feed.stimulus[:, 0] == np.arange(4)).all()
    assert (personal.seen.feed.reason[:, 0] == Reason.INTEREST).all()
    assert (personal.window("feed")[:, 4] == 4).all(), "what only the first ranks fills up the window"


def test_registering_is_checked(own_recommenders):
    for wrong, field in [
        (Recommender("oldest_first", "shared", oldest, Reason.RECENCY), "recommender.name"),
        (Recommender("two words", "shared", oldest, Reason.RECENCY), "recommender.name"),
        (Recommender("nothing", "shared", None, Reason.RECENCY), "recommender.order"),
        (Recommender("draw", "sample", oldest, Reason.RECENCY), "recommender.order"),
        (Recommender("odd", "sometimes", oldest, Reason.RECENCY), "recommender.scope"),
        (Recommender("hungry", "shared", oldest, Reason.RECENCY, needs=frozenset({"votes"})), "recommender.needs"),
    ]:
        with pytest.raises(ConfigurationError) as caught:
            register_recommender(wrong)
        assert caught.value.field == field
    with pytest.raises(ConfigurationError, match="did you mean 'reddit_hot'"):
        get_recommender("redit_hot")


def test_ranking_replays():
    """Each recommender gives the same feed for the same seed and turns."""
    for made in (hot_and_scoped(), centrality(), interest()):
        runs = [Run(made, 3), Run(made, 3)]
        for tick in range(3):
            for run in runs:
                run.step(*random_turns(np.random.default_rng(tick), 4, 4, 8))
            assert_same(runs[0].timestep, runs[1].timestep)


def test_liking_is_for_the_feed():
    """A like on the forum is rejected and moves nothing there."""
    run = Run(everything()).step(Turn(0, Action.LIKE, 3, FORUM), Turn(0, Action.LIKE, 3, FEED))
    assert run.info.rejected[:2].tolist() == [True, False] and run.state.counts[3, 0] == 1
