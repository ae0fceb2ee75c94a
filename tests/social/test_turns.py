"""Turns: what lands where, what it publishes and counts, when that shows, and in what context."""

import numpy as np
import pytest

from jaxworld.core.pytree import replace
from jaxworld.social import Action, Channel, Platform, StimulusKind
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
    permuted,
    random_turns,
    turn_batch,
)

LANDS = {
    SURVEY: {Action.ANSWER},
    FEED: {Action.POST, Action.COMMENT, Action.LIKE, Action.REPOST, Action.QUOTE, Action.FOLLOW},
    FORUM: {Action.POST, Action.REPLY, Action.UPVOTE, Action.DOWNVOTE},
    WOM: {Action.ASK_PEER, Action.COMMENT, Action.COMPLAIN, Action.REJECT, Action.BUY},
}
PAIRS = [(channel, action) for channel in Channel for action in Action]
LIKES, REPOSTS, REPLIES, UPVOTES, DOWNVOTES = range(5)


def stimulus(run: Run, slot: int) -> dict[str, int]:
    names = ("tick", "author", "kind", "parent", "root", "depth", "platform", "text")
    return {name: int(getattr(run.state.stimuli, name)[slot]) for name in names}


def test_every_action_lands_where_it_is_afforded_and_only_there():
    """All pairs of channel and action at once; ignoring lands everywhere."""
    run = Run(everything()).step(*(Turn(0, action, 1, channel) for channel, action in PAIRS))
    expected = [action != Action.IGNORE and action not in LANDS[channel] for channel, action in PAIRS]
    assert run.info.rejected[: len(PAIRS)].tolist() == expected
    assert not run.info.rejected[len(PAIRS) :].any()


def test_rejected_turns_change_nothing():
    """Actions that do not land are recorded and leave state, counts, word of mouth and views bit-equal."""
    refused = [Turn(0, a, 1, c, 1.0) for c, a in PAIRS if a != Action.IGNORE and a not in LANDS[c]]
    unborn = [Turn(1, Action.LIKE, 9, FEED, 1.0), Turn(1, Action.POST, 40, FEED, 1.0)]
    run, quiet = Run(everything()).step(*refused, *unborn), Run(everything()).step()
    assert run.info.rejected.sum() == len(refused) + len(unborn)
    assert_same((run.state, run.seen), (quiet.state, quiet.seen))


def test_feed_actions_publish_and_count():
    """Posts and quotes start threads, comments answer their subject; quotes count as reposts."""
    run = Run(everything()).step(
        Turn(3, Action.POST, 0, text=30), Turn(2, Action.QUOTE, 1, text=20), Turn(1, Action.COMMENT, 2, text=10),
        Turn(0, Action.LIKE, 1), Turn(0, Action.REPOST, 1),
    )  # fmt: skip
    assert (run.info.published_start, run.info.published_count, run.state.num_stimuli) == (4, 3, 7)
    post, reply = int(StimulusKind.PEER_POST), int(StimulusKind.PEER_REPLY)
    shared = {"tick": 1, "platform": int(Platform.FEED)}
    assert stimulus(run, 4) == {**shared, "author": 1, "kind": reply, "parent": 2, "root": 2, "depth": 1, "text": 10}
    assert stimulus(run, 5) == {**shared, "author": 2, "kind": post, "parent": -1, "root": 5, "depth": 0, "text": 20}
    assert stimulus(run, 6) == {**shared, "author": 3, "kind": post, "parent": -1, "root": 6, "depth": 0, "text": 30}
    assert run.state.counts[1].tolist() == [1, 2, 0, 0, 0]


def test_forum_actions_publish_and_count():
    """Posts and replies land on the forum; votes count there; replies to replies deepen the thread."""
    run = Run(everything()).step(Turn(0, Action.POST, 0, FORUM), Turn(1, Action.UPVOTE, 2, FORUM))
    run.step(Turn(1, Action.REPLY, 4, FORUM), Turn(2, Action.DOWNVOTE, 2, FORUM))
    run.step(Turn(2, Action.REPLY, 5, FORUM))
    rows = [stimulus(run, slot) for slot in (4, 5, 6)]
    assert [row["platform"] for row in rows] == [Platform.FORUM] * 3
    assert [(row["parent"], row["root"], row["depth"]) for row in rows] == [(-1, 4, 0), (4, 4, 1), (5, 4, 2)]
    assert run.state.counts[2].tolist() == [0, 0, 0, 1, 1]


def test_told_comments_live_where_their_subject_lives():
    """A comment by word of mouth joins the platform of what it is about."""
    run = Run(everything()).step(Turn(0, Action.POST, 0, FORUM), Turn(1, Action.POST, 0, FEED))
    run.step(*(Turn(2, Action.COMMENT, subject, WOM) for subject in (0, 4, 5)))
    assert run.state.stimuli.platform[4:9].tolist() == [
        Platform.FORUM, Platform.FEED, Platform.STUDY, Platform.FORUM, Platform.FEED,
    ]  # fmt: skip


def test_publication_is_ordered_by_persona_subject_and_action():
    """The order of turns leaves no trace in the order of publication."""
    turns = [
        Turn(2, Action.POST, 0), Turn(0, Action.COMMENT, 3), Turn(0, Action.QUOTE, 1), Turn(0, Action.POST, 3),
        Turn(2, Action.POST, 0, FORUM), Turn(1, Action.REPLY, 0, FORUM),
    ]  # fmt: skip
    stimuli = Run(everything()).step(*turns).state.stimuli
    written = list(zip(stimuli.author[4:10].tolist(), stimuli.parent[4:10].tolist(), stimuli.platform[4:10].tolist(),
                       strict=True))  # fmt: skip
    feed, forum = int(Platform.FEED), int(Platform.FORUM)
    assert written == [(0, -1, feed), (0, -1, feed), (0, 3, feed), (1, 0, forum), (2, -1, feed), (2, -1, forum)]


def test_the_order_of_turns_never_matters():
    """Any permutation of the rows gives the same state and time step, bit for bit."""
    rng = np.random.default_rng(12)
    run, other = Run(everything()), Run(everything())
    for _ in range(6):
        batch = turn_batch(random_turns(rng, 4, int(run.state.num_stimuli)))
        order = rng.permutation(len(batch.valid))
        run.step_batch(batch)
        other.step_batch(permuted(batch, order))
        assert (run.info.rejected[order] == other.info.rejected).all()
        info = replace(other.info, rejected=run.info.rejected)
        assert_same((run.state, run.timestep), (other.state, replace(other.timestep, info=info)))


def test_large_text_handles_keep_their_order():
    """Two texts of one persona about one subject are published by handle, however large, in any order of rows."""
    turns = [Turn(0, Action.POST, 0, text=2**24 + 1), Turn(0, Action.POST, 0, text=2**24)]
    one, other = (Run(everything()).step(*rows).state for rows in (turns, turns[::-1]))
    assert_same(one, other)


def test_engagement_shows_at_once_texts_a_tick_later_replies_with_their_texts():
    """Turns of one tick: likes count at the next; texts are candidates, and replies counted, at the one after."""
    run = Run(everything())
    run.step(Turn(0, Action.LIKE, 1), Turn(1, Action.COMMENT, 1), Turn(2, Action.POST, 0, FORUM))
    assert run.state.counts[1].tolist() == [1, 0, 0, 0, 0]
    assert run.window("forum").max() < 4 and run.window("feed").max() < 4
    run.step()
    assert run.state.counts[1].tolist() == [1, 0, 1, 0, 0]
    assert (run.window("forum")[:, 0] == 5).all(), "a fresh post leads a forum of old and silent ones"
    assert (np.sort(run.window("feed")[:, :5], axis=1) == np.arange(5)).all()


def test_nothing_is_shown_in_the_tick_it_is_published_nor_on_another_platform():
    """Every shown or dropped stimulus is older than the tick and lives on the platform, or is the study's."""
    run, rng = Run(everything()), np.random.default_rng(4)
    for _ in range(6):
        run.step(*random_turns(rng, 4, int(run.state.num_stimuli), 12))
        for channel, platform in (("feed", Platform.FEED), ("forum", Platform.FORUM)):
            window = run.window(channel)
            shown = window[window >= 0]
            assert (run.state.stimuli.tick[shown] < run.tick).all()
            assert np.isin(run.state.stimuli.platform[shown], [Platform.STUDY, platform]).all()
            assert shown.size


def test_views_carry_counts_ancestry_and_relations():
    """What is seen of a post and a reply: counts, depth, age, and how the viewer stands to the author."""
    run = Run(everything()).step(Turn(1, Action.POST, 0, FORUM))
    run.step(Turn(2, Action.REPLY, 4, FORUM), Turn(0, Action.UPVOTE, 4, FORUM)).step()
    view = run.seen.forum
    by_slot = [{int(s): k for k, s in enumerate(row)} for row in view.stimulus]
    assert all({4, 5} <= set(slots) for slots in by_slot)
    post, reply = [s[4] for s in by_slot], [s[5] for s in by_slot]
    viewer = np.arange(4)
    assert view.tie[viewer, post].tolist() == [800, -1, 200, 0]
    assert view.shared_community[viewer, post].tolist() == [1, -1, 0, 0]
    assert view.tie[viewer, reply].tolist() == [0, 200, -1, 600]
    assert view.shared_community[viewer, reply].tolist() == [0, 0, -1, 1]
    assert view.author[viewer, post].tolist() == [1] * 4 and view.age[viewer, post].tolist() == [2] * 4
    assert view.depth[viewer, post].tolist() == [0] * 4 and view.depth[viewer, reply].tolist() == [1] * 4
    assert (view.counts[viewer, post] == [0, 0, 1, 1, 0]).all() and (view.via == -1).all()
    study = view.stimulus == 0
    assert study.any() or (view.stimulus < 4).any()
    at_study = (view.stimulus >= 0) & (view.stimulus < 4)
    assert (view.tie[at_study] == -1).all() and (view.shared_community[at_study] == -1).all()


def test_without_communities_nothing_is_shared():
    """A persona without a community shares none, rather than another one."""
    run = Run(everything(), population=four_people(community=None)).step(Turn(1, Action.POST, 0, FORUM)).step()
    slot = (run.seen.forum.stimulus == 4).argmax(axis=1)
    assert run.seen.forum.shared_community[np.arange(4), slot].tolist() == [-1] * 4


def test_all_viewers_share_one_snapshot_of_counts():
    """Views show exactly the counts of earlier ticks that the state holds."""
    run, rng = Run(everything()), np.random.default_rng(9)
    for _ in range(5):
        run.step(*random_turns(rng, 4, int(run.state.num_stimuli), 12))
        for view in (run.seen.feed, run.seen.forum, run.seen.word_of_mouth):
            at = view.stimulus >= 0
            assert (view.counts[at] == run.state.counts[view.stimulus[at]]).all() and (view.counts[~at] == 0).all()


def test_a_presentation_holds_nothing_twice():
    """No stimulus occurs twice in what one persona is shown and dropped on one channel."""
    run, rng = Run(everything()), np.random.default_rng(10)
    for _ in range(5):
        run.step(*random_turns(rng, 4, int(run.state.num_stimuli), 12))
        for channel in ("feed", "forum"):
            for row in run.window(channel):
                filled = row[row >= 0]
                assert len(set(filled.tolist())) == len(filled)
                assert (row[: len(filled)] >= 0).all()


@pytest.mark.parametrize("action", [Action.LIKE, Action.REPOST, Action.QUOTE])
def test_repeats_count_each_time_unless_engagement_is_idempotent(action):
    """The same act of the same persona, twice in one tick and once more later."""
    counting, once = Run(everything()), Run(chronological())
    for run in (counting, once):
        run.step(Turn(0, action, 1), Turn(0, action, 1), Turn(2, action, 1)).step(Turn(0, action, 1))
    column = LIKES if action == Action.LIKE else REPOSTS
    assert counting.state.counts[1, column] == 4
    assert once.state.counts[1, column] == 2
    assert counting.state.counts[:4].sum() == 4 and once.state.counts[:4].sum() == 2


def test_follows_are_kept_once_and_never_of_the_study_or_oneself():
    """Following a subject means following its author; the oldest follow comes first."""
    run = Run(everything()).step(Turn(1, Action.POST), Turn(2, Action.POST), Turn(0, Action.POST))
    run.step(Turn(0, Action.FOLLOW, 6), Turn(0, Action.FOLLOW, 0), Turn(0, Action.FOLLOW, 4))
    run.step(Turn(0, Action.FOLLOW, 5), Turn(0, Action.FOLLOW, 5), Turn(0, Action.FOLLOW, 6), Turn(3, Action.FOLLOW, 6))
    assert run.state.followees[:, :3].tolist() == [[2, 1, -1], [-1] * 3, [-1] * 3, [2, -1, -1]]
    assert run.state.followers_gained.tolist() == [0, 1, 2, 0]
    assert not run.info.rejected.any()


def test_own_and_seen_stimuli_can_be_hidden():
    """With both switches nobody is shown its own post, and nobody the same stimulus at two ticks."""
    run = Run(chronological(), budget=1)
    shown = [[] for _ in range(4)]
    for tick in range(7):
        run.step(*(Turn(persona, Action.POST, 0) for persona in range(4) if tick < 2))
        for persona, slot in enumerate(run.seen.feed.stimulus[:, 0].tolist()):
            shown[persona].append(slot)
            assert slot < 0 or run.state.stimuli.author[slot] != persona
    assert all(len(set(slots)) == len(slots) and min(slots) >= 0 for slots in shown)
    assert not any(4 + persona in shown[persona] for persona in range(4))


def test_by_default_authors_see_their_own_posts():
    """Nothing is hidden unless asked for: own and already seen stimuli stay candidates."""
    run = Run(everything()).step(*(Turn(persona, Action.POST, 0) for persona in range(4))).step()
    own = run.window("feed") == 4 + np.arange(4)[:, None]
    for _ in range(8):
        own |= run.step().window("feed") == 4 + np.arange(4)[:, None]
    assert own.any()


def test_private_matters_do_not_show():
    """Reactions below every threshold, text handles and private attributes change no byte of what is presented."""
    louder = four_people(involvement=[1.0, 2.0, 9.0, 1.5], followers=[9, 8, 7, 6])
    run, other = Run(everything()), Run(everything(), population=louder)
    rng = np.random.default_rng(5)
    for _ in range(5):
        batch = turn_batch(random_turns(rng, 4, int(run.state.num_stimuli), 20))
        sentiment = np.where(batch.sentiment >= 600_000, batch.sentiment // 3, batch.sentiment)
        run.step_batch(replace(batch, sentiment=sentiment))
        other.step_batch(replace(batch, sentiment=(sentiment * 0 + 599_999).astype(np.int32), text=batch.text + 7))
        assert_same(run.timestep, other.timestep)


def test_authors_are_rewarded_for_being_noticed_by_others():
    """The reward counts noticed exposures of one's stimuli to others."""
    run = Run(everything(), budget=1).step(Turn(2, Action.POST, 0, FORUM)).step()
    on_feed = (run.seen.feed.author[:, 0] == 2) & (np.arange(4) != 2)
    assert (run.seen.forum.stimulus[:, 0] == 4).all()
    assert run.timestep.reward.tolist() == [0, 0, 3 + on_feed.sum(), 0]
