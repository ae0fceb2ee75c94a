"""The exposure budget: attention, drops, concentration, and the uniformity of the random arm."""

import numpy as np
import pytest
from scipy import stats

from jaxworld.core.pytree import replace
from jaxworld.social import Action, DropReason, Reason
from jaxworld.social.exposure import attention_of_slots
from tests.social.worlds import (
    FEED,
    FORUM,
    Run,
    Turn,
    centrality,
    everything,
    hot_and_scoped,
    interest,
    mixed,
    random_turns,
    top_share,
)

SMALLEST_P = 1e-4


@pytest.mark.parametrize(
    ("shown", "last", "floor", "expected"),
    [
        (1, 0.5, 0.0, [10_000, 0, 0, 0]),
        (2, 0.5, 0.0, [10_000, 5_000, 0, 0]),
        (3, 0.5, 0.0, [10_000, 7_500, 5_000, 0]),
        (4, 0.5, 0.0, [10_000, 8_333, 6_667, 5_000]),
        (3, 0.5, 0.6, [10_000, 7_500, 0, 0]),
        (3, 0.5, 0.75, [10_000, 7_500, 0, 0]),
        (4, 1.0, 0.0, [10_000] * 4),
        (4, 0.0, 0.0, [10_000, 6_667, 3_333, 0]),
        (0, 0.5, 0.0, [0, 0, 0, 0]),
    ],
)
def test_attention_falls_from_one_to_that_of_the_last_slot(shown, last, floor, expected):
    """It depends on how many are shown; below the floor nothing is noticed."""
    params = everything().params(last_slot_attention=last, attention_floor=floor)
    assert attention_of_slots(4, np.asarray([shown], np.int32), params)[0].tolist() == expected


@pytest.mark.parametrize("budget", [1, 2, 3])
def test_the_budget_holds_and_the_rest_of_the_window_is_dropped(budget):
    """At every tick: at most the budget is shown, the rest of the window dropped with its reason, nothing is both."""
    run, rng = Run(everything(), budget=budget, window=5, activation_rate=0.8), np.random.default_rng(budget)
    slept = 0
    for _ in range(6):
        visible = int(run.state.num_stimuli)
        run.step(*random_turns(rng, 4, visible, 12))
        platforms = run.state.stimuli.platform[:visible]
        slept += int((~run.seen.active).sum())
        for channel, other in (("feed", 2), ("forum", 1)):
            candidates = int((platforms != other).sum())
            view, drops = getattr(run.seen, channel), getattr(run.info, channel)
            number = (view.stimulus >= 0).sum(axis=1)
            assert (number == np.where(run.seen.active, min(budget, candidates), 0)).all()
            assert (drops.count == np.where(run.seen.active, min(5, candidates) - budget, 0)).all()
            assert (drops.count == (drops.stimulus >= 0).sum(axis=1)).all()
            assert ((drops.reason == DropReason.BUDGET_EXHAUSTED) == (drops.stimulus >= 0)).all()
            assert not (drops.stimulus[:, :, None] == np.where(view.stimulus < 0, -2, view.stimulus)[:, None]).any()
            assert (np.diff(view.attention[run.seen.active][:, :budget], axis=1) < 0).all()
            assert (view.attention[view.stimulus >= 0] > 0).all() and (view.attention[view.stimulus < 0] == 0).all()
    assert slept > 0


def test_by_default_three_are_shown_and_one_of_four_is_dropped():
    """The study's four stimuli at tick 1: every presentation causes exactly one drop."""
    run = Run(everything()).step()
    assert ((run.seen.feed.stimulus >= 0).sum(axis=1) == 3).all() and len(run.drops("feed")) == 4


def test_drops_are_bounded_by_the_window_whatever_the_corpus():
    """Twenty stimuli, four personas: window less budget for each, no more."""
    run = Run(everything(), budget=2, window=6)
    for _ in range(4):
        run.step(*(Turn(persona, Action.POST, 0, FORUM) for persona in range(4)))
    assert run.step().state.num_stimuli == 20 and len(run.drops("forum")) == (6 - 2) * 4


def test_a_floor_leaves_slots_shown_but_unnoticed():
    """Shown without attention is not noticed, and nobody is rewarded for it."""
    run = Run(everything(), attention_floor=0.6).step()
    assert (run.seen.feed.attention == [10_000, 7_500, 0]).all() and (run.seen.feed.stimulus >= 0).all()


def test_random_exposure_never_looks_at_engagement():
    """Likes and votes change no slot of a random feed."""
    liked, silent = Run(everything()), Run(everything())
    for tick in range(5):
        liked.step(*(Turn(persona, Action.LIKE, tick % 4, FEED) for persona in range(4)),
                   *(Turn(persona, Action.UPVOTE, 0, FORUM) for persona in range(4)))  # fmt: skip
        silent.step()
        assert (liked.window("feed") == silent.window("feed")).all()
        assert (liked.seen.feed.reason == Reason.RANDOM).all()


def likes_on_the_hubs_post(made, **options) -> Run:
    """The hub and a persona with one tie post at the hour, and everybody likes the hub's; one tick later, budget 1."""
    run = Run(made, budget=1, **options)
    run.step(Turn(1, Action.POST, 0), Turn(3, Action.POST, 0))
    return run.step(*(Turn(persona, Action.LIKE, 4) for persona in range(4)))


def test_concentration_of_the_recommenders():
    """Four personas, one slot, hourly ticks: hot and twhin give it all to the hub, twitter splits, random spreads."""
    hot, twhin = likes_on_the_hubs_post(hot_and_scoped()), likes_on_the_hubs_post(centrality())
    assert hot.seen.feed.stimulus[:, 0].tolist() == [4] * 4 and twhin.seen.feed.stimulus[:, 0].tolist() == [4] * 4
    assert (top_share(hot.seen.feed.stimulus), top_share(twhin.seen.feed.stimulus)) == (1.0, 1.0)
    split = np.asarray([[4000, 0], [0, 4000], [-4000, 0], [-4000, 0]], np.float32)
    tastes = np.asarray([(1, 0), (1, 0), (0, 1), (0, 1)], np.float32) * 4000
    population = replace(interest().population, profile=tastes)
    twitter = Run(interest(), budget=1, population=population, study_vectors=split).step()
    assert twitter.seen.feed.stimulus[:, 0].tolist() == [0, 0, 1, 1] and top_share(twitter.seen.feed.stimulus) == 0.5
    random = likes_on_the_hubs_post(everything())
    assert top_share(random.seen.feed.stimulus) < 1.0
    spread = np.mean([top_share(likes_on_the_hubs_post(everything(), seed=s).seen.feed.stimulus) for s in range(20)])
    assert spread < 0.75


def test_scoping_halves_concentration_and_keeps_communities_to_themselves():
    """Global against scoped forum, one slot: concentration 1 and .5, share of the own community .5 and 1."""
    shares = []
    for made in (everything(), hot_and_scoped()):
        run = Run(made, budget=1).step(Turn(0, Action.POST, 0, FORUM), Turn(3, Action.POST, 0, FORUM))
        run.step(*(Turn(persona, Action.UPVOTE, 4, FORUM) for persona in range(4)))
        assert (run.seen.forum.reason[:, 0] == Reason.FORUM).all()
        shares.append(
            (top_share(run.seen.forum.stimulus), (run.seen.forum.author[:, 0] // 2 == np.arange(4) // 2).mean())
        )
    assert shares == [(1.0, 0.5), (0.5, 1.0)]


def chi_square(outcomes: np.ndarray, number: int) -> float:
    """p-value of the hypothesis that codes ``0 .. number - 1`` are equally likely."""
    return stats.chisquare(np.bincount(outcomes, minlength=number)).pvalue


def ranks_of(rows: np.ndarray, candidates: list[int]) -> np.ndarray:
    """Rows of stimuli as positions among the candidates; all must be among them."""
    assert np.isin(rows, candidates).all()
    return np.searchsorted(candidates, rows)


def codes_of(rows: np.ndarray, candidates: list[int]) -> tuple[np.ndarray, int]:
    """A number for each ordered row of distinct candidates, and how many there are."""
    left, code, number = np.tile(np.arange(len(candidates)), (len(rows), 1)), np.zeros(len(rows), int), 1
    for column in ranks_of(rows, candidates).T:
        place = (left == column[:, None]).argmax(axis=1)
        code, number = code * left.shape[1] + place, number * left.shape[1]
        left = left[np.arange(left.shape[1]) != place[:, None]].reshape(len(rows), -1)
    return code, number


def test_the_random_arm_is_uniform_over_slots_sets_and_orders():
    """2,048 personas, several ticks: fewer candidates than the window, then more; feed and forum independent.

    With four candidates and a window of six, all orders of the four are equally likely; with eight, so are all
    ordered triples of shown stimuli, every slot of the window, and all pairs of first slots of feed and forum.
    """
    run = Run(mixed())
    few: dict[str, list[np.ndarray]] = {"feed": [], "forum": []}
    for _ in range(3):
        run.step()
        for channel, rows in few.items():
            window = run.window(channel)
            assert (window[:, 4:] == -1).all() and (window[:, :4] >= 0).all()
            rows.append(window[:, :4])
    for rows in few.values():
        assert chi_square(*codes_of(np.concatenate(rows), [0, 1, 2, 3])) > SMALLEST_P
    run.step(*(Turn(persona, Action.POST, 0, channel) for persona in range(4) for channel in (FEED, FORUM)))
    many: dict[str, list[np.ndarray]] = {"feed": [], "forum": []}
    for _ in range(6):
        run.step()
        for channel, rows in many.items():
            rows.append(run.window(channel))
    stimuli = run.state.stimuli
    candidates = {
        name: [s for s in range(12) if stimuli.platform[s] in (0, p)] for name, p in (("feed", 1), ("forum", 2))
    }
    for channel, rows in many.items():
        window = np.concatenate(rows)
        assert chi_square(*codes_of(window[:, :3], candidates[channel])) > SMALLEST_P
        for slot in range(6):
            assert chi_square(ranks_of(window[:, slot], candidates[channel]), 8) > SMALLEST_P
        sets = np.sort(ranks_of(window, candidates[channel]), axis=1)
        _, counts = np.unique(sets, axis=0, return_counts=True)
        assert len(counts) == 28 and stats.chisquare(counts).pvalue > SMALLEST_P
    first = [ranks_of(np.concatenate(many[channel])[:, 0], candidates[channel]) for channel in ("feed", "forum")]
    assert chi_square(first[0] * 8 + first[1], 64) > SMALLEST_P
