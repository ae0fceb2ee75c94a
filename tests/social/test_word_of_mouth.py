"""Word of mouth: who is told what, by whom, behind which gates; and the launch of a world without platforms."""

import numpy as np
import pytest

from jaxworld.social import Action, DropReason, Reason
from tests.social.worlds import (
    FEED,
    FORUM,
    SURVEY,
    WOM,
    Run,
    Turn,
    assert_same,
    chronological,
    everything,
    four_people,
    random_turns,
    strangers,
)


def told_after(*turns: Turn, **options) -> Run:
    return Run(everything(), **options).step(*turns)


def test_a_strong_reaction_reaches_the_tied_peer_at_the_next_tick_only():
    """The subject arrives at the only close peer, as word of mouth, with the tie and the community of the two."""
    run = told_after(Turn(0, Action.LIKE, 2, FEED, 0.9))
    view = run.seen.word_of_mouth
    assert run.told() == [(1, 2, 0, 800)]
    assert (view.reason[1, 0], view.shared_community[1, 0], view.attention[1, 0]) == (Reason.WORD_OF_MOUTH, 1, 10_000)
    assert view.counts[1, 0].tolist() == [1, 0, 0, 0, 0] and view.author[1, 0] == -1
    assert run.step().told() == []


def test_both_gates_are_inclusive():
    """A sentiment of .6 and a tie of .3 suffice, the least bit below does not."""
    assert told_after(Turn(0, Action.LIKE, 2, FEED, 0.6)).told() == [(1, 2, 0, 800)]
    assert told_after(Turn(0, Action.LIKE, 2, FEED, 0.599999)).told() == []
    strong = Turn(1, Action.LIKE, 2, FEED, 1.0)
    assert told_after(strong).told() == [(0, 2, 1, 800)]
    assert told_after(strong, tie_threshold=0.2).told() == [(0, 2, 1, 800), (2, 2, 1, 200)]
    assert told_after(strong, tie_threshold=0.201).told() == [(0, 2, 1, 800)]


@pytest.mark.parametrize("gate", [{"sentiment_threshold": 0.95}, {"tie_threshold": 0.9}, {"peers_told": 0}])
def test_closed_gates_silence_everybody(gate):
    """Either threshold alone, or no peers to tell, and nothing is passed on."""
    assert told_after(*(Turn(persona, Action.LIKE, 1, FEED, 0.9) for persona in range(4)), **gate).told() == []


def test_two_tellers_of_one_subject_are_one_exposure_by_the_closer_one():
    """The strongest tie is shown, once, and nothing is dropped."""
    run = told_after(Turn(1, Action.LIKE, 2, FEED, 0.9), Turn(3, Action.UPVOTE, 2, FORUM, 0.9), tie_threshold=0.2)
    assert [row for row in run.told() if row[0] == 2] == [(2, 2, 3, 600)]
    assert run.drops("word_of_mouth") == []


def test_equal_ties_go_to_the_first_mention():
    """Mentions come feed before forum, then by persona."""
    tied = four_people(strengths=[500, 500, 500])
    run = Run(everything(), population=tied)
    run.step(Turn(3, Action.LIKE, 1, FEED, 0.9), Turn(1, Action.UPVOTE, 1, FORUM, 0.9))
    assert [row for row in run.told() if row[0] == 2] == [(2, 1, 3, 500)]


def test_a_teller_tells_the_same_peers_about_everything():
    """The cap bounds peers, not subjects: with one peer a tick, both strong turns go to the same one."""
    both = set()
    for seed in range(12):
        run = Run(everything(), seed, tie_threshold=0.2, peers_told=1)
        run.step(Turn(1, Action.LIKE, 1, FEED, 0.9), Turn(1, Action.UPVOTE, 2, FORUM, 0.9))
        recipients = {row[0] for row in run.told()}
        assert len(recipients) == 1 and [row[1] for row in run.told()] == [1, 2]
        both |= recipients
    assert both == {0, 2}, "which peer is drawn by the seed"


def test_nobody_tells_more_peers_than_the_cap():
    """Over random turns, tellers tell at most two peers, of whom each is tied to them, and drops have reasons."""
    run, rng = Run(everything(), tie_threshold=0.0, activation_rate=0.7), np.random.default_rng(2)
    ties = {(0, 1): 800, (2, 3): 600, (1, 2): 200}
    for _ in range(12):
        run.step(*random_turns(rng, 4, int(run.state.num_stimuli)))
        told = run.told()
        for recipient, _, teller, tie in told:
            assert ties[min(recipient, teller), max(recipient, teller)] == tie and run.seen.active[recipient]
        for teller in range(4):
            assert len({row[0] for row in told if row[2] == teller}) <= 2
        assert len({row[:2] for row in told}) == len(told)
        for persona, _, reason in run.drops("word_of_mouth"):
            asleep = not run.seen.active[persona]
            assert reason == (DropReason.ASLEEP if asleep else DropReason.BUDGET_EXHAUSTED)


def test_sleepers_miss_what_they_are_told_on_record():
    """A delivery to a persona that is not awake is dropped with that reason."""
    run = Run(everything(), population=four_people(involvement=[1, 0, 1, 1])).step(Turn(0, Action.LIKE, 2, FEED, 0.9))
    assert run.told() == [] and run.drops("word_of_mouth") == [(1, 2, int(DropReason.ASLEEP))]


def test_the_budget_bounds_what_is_heard():
    """More subjects than the budget: the first mentioned are heard, the rest dropped, attention as on the feed."""
    run = told_after(*(Turn(0, Action.LIKE, subject, FEED, 0.9) for subject in (3, 1, 0, 2)), budget=2)
    assert [row[1] for row in run.told()] == [0, 1]
    assert run.drops("word_of_mouth") == [(1, subject, int(DropReason.BUDGET_EXHAUSTED)) for subject in (2, 3)]
    assert run.seen.word_of_mouth.attention[1].tolist() == [10_000, 5_000, 0]


def test_what_is_heard_can_be_told_on():
    """A strong reaction by word of mouth sparks the next delivery."""
    run = told_after(Turn(0, Action.LIKE, 2, FEED, 0.9), tie_threshold=0.2)
    run.step(Turn(1, Action.ASK_PEER, 2, WOM, 0.9))
    assert (2, 2, 1, 200) in run.told()


def test_surveys_ignored_and_rejected_turns_are_not_told():
    """Only landed acts are passed on."""
    turns = [
        Turn(0, Action.ANSWER, 1, SURVEY, 1.0), Turn(0, Action.IGNORE, 1, FEED, 1.0), Turn(0, Action.BUY, 1, FEED, 1.0),
    ]  # fmt: skip
    assert told_after(*turns).told() == []


def test_earlier_semantics_tell_ignored_and_rejected_turns():
    """With the switch of the earlier generation they are passed on, answers still not."""
    run = Run(chronological()).step(
        Turn(0, Action.ANSWER, 0, SURVEY, 1.0), Turn(0, Action.IGNORE, 1, FEED, 1.0), Turn(0, Action.BUY, 2, FEED, 1.0)
    )
    assert run.told() == [(1, 1, 0, 800), (1, 2, 0, 800)]


def test_without_ties_nothing_is_told():
    """No ties, no deliveries and no error."""
    run = Run(strangers())
    for _ in range(3):
        run.step(*(Turn(persona, Action.ASK_PEER, 1, WOM, 1.0) for persona in range(4)))
        assert run.told() == [] and run.drops("word_of_mouth") == []
    run.driver.world.check_flags(run.state)


def test_same_seed_same_deliveries():
    """Word of mouth replays."""
    runs = [Run(everything(), 9, tie_threshold=0.0, peers_told=1) for _ in range(2)]
    for _ in range(4):
        for run in runs:
            run.step(*random_turns(np.random.default_rng(run.tick), 4, 4))
        assert_same(runs[0].seen.word_of_mouth, runs[1].seen.word_of_mouth)


def test_the_study_launches_word_of_mouth_alone():
    """Half of four personas hear the concept at tick 0 from the study itself, and the world runs on."""
    run = Run(strangers(), horizon=5)
    view, launched = run.seen.word_of_mouth, run.info.launched
    assert launched.sum() == 2
    assert (view.stimulus[launched] == [0, -1, -1]).all() and (view.stimulus[~launched] == -1).all()
    assert (view.reason[launched, 0] == Reason.LAUNCH).all() and (view.attention[launched, 0] == 10_000).all()
    assert (view.via == -1).all() and (view.tie == -1).all() and (view.counts == 0).all()
    ended = [run.step().timestep.terminated.all() for _ in range(4)]
    assert ended == [False, False, False, True] and not run.info.launched.any()


def test_who_is_launched_is_drawn_by_the_seed():
    """The same seed launches the same two; over many seeds everybody is launched equally often."""
    launched = np.asarray([Run(strangers(), seed).info.launched for seed in range(200)])
    assert (launched.sum(axis=1) == 2).all()
    assert (launched[7] == Run(strangers(), 7).info.launched).all()
    assert (np.abs(launched.mean(axis=0) - 0.5) < 0.15).all()


@pytest.mark.parametrize(("reach", "number"), [(0.0, 0), (0.25, 1), (1.0, 4)])
def test_launch_reach_is_a_share_of_those_present(reach, number):
    assert Run(strangers(), launch_reach=reach).info.launched.sum() == number


def test_other_worlds_launch_nobody():
    """With a platform, tick 0 is silent."""
    assert not Run(everything()).info.launched.any() and Run(everything()).told() == []
