"""The loop of a social world: the reset, waves, time, replay, and what a tick may show at all."""

import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

from jaxworld.core.leaves import digest, named_leaves
from jaxworld.social import Action, StimulusKind
from tests.social.worlds import (
    FORUM,
    SURVEY,
    WOM,
    Run,
    Turn,
    assert_same,
    driver,
    everything,
    random_turns,
    strangers,
    turn_batch,
)

ANSWERS = [Turn(persona, Action.ANSWER, 0, SURVEY, sentiment=1.0) for persona in range(4)]
CHANNELS = ("feed", "forum", "word_of_mouth")


def eventful(run: Run, ticks: int, seed: int = 1) -> list[str]:
    """Step through random turns about anything; the digest of each tick."""
    rng = np.random.default_rng(seed)
    digests = []
    for _ in range(ticks):
        run.step(*random_turns(rng, 4, int(run.state.num_stimuli), 12))
        digests.append(digest((run.state, run.timestep)))
    return digests


def test_reset_publishes_the_concept_and_then_the_claims():
    """Tick 0 holds the study's stimuli without author, a wave for everybody, no drops and nothing on any channel."""
    run = Run(everything())
    assert run.state.tick == 0 and run.state.num_stimuli == 4
    assert run.state.stimuli.kind[:5].tolist() == [StimulusKind.CONCEPT] + [StimulusKind.CLAIM_POST] * 3 + [-1]
    assert run.state.stimuli.author.max() == -1 and run.state.stimuli.tick[:4].tolist() == [0] * 4
    assert run.state.stimuli.root[:4].tolist() == [0, 1, 2, 3]
    assert run.seen.survey.all() and not run.seen.active.any() and not run.info.launched.any()
    assert (run.info.published_start, run.info.published_count) == (0, 4)
    for channel in CHANNELS:
        assert (getattr(run.seen, channel).stimulus == -1).all() and run.drops(channel) == []
        assert (getattr(run.seen, channel).attention == 0).all()


def test_a_tick_shows_what_personas_may_see_and_nothing_else():
    """The observation holds exactly these arrays: no state, no ids, no sequence numbers."""
    view = {"stimulus", "attention", "reason", "author", "kind", "vector", "depth", "age", "counts", "tie"}
    view |= {"shared_community", "via"}
    shown = {path.lstrip(".") for path, _ in named_leaves(Run(everything()).seen)}
    assert shown == {"tick", "active", "survey"} | {f"{channel}.{leaf}" for channel in CHANNELS for leaf in view}


def test_answers_change_nothing():
    """Answers in the survey room publish nothing, engage nothing, move nobody, and are not rejected."""
    with_answers, without = Run(everything()), Run(everything())
    for _ in range(3):
        assert_same(with_answers.step(*ANSWERS).timestep, without.step().timestep)
        assert_same(with_answers.state, without.state)
    assert with_answers.state.num_stimuli == 4 and with_answers.told() == []


def test_the_survey_room_carries_no_social_signal():
    """A wave is one bit a persona, whatever engagement the concept has."""
    run = Run(everything())
    run.step(*(Turn(persona, Action.LIKE, 0) for persona in range(4)))
    assert run.state.counts[0].sum() == 4
    assert run.seen.survey.dtype == bool and run.seen.survey.shape == (4,) and run.seen.survey.all()


def test_other_actions_in_the_survey_room_are_rejected():
    """Only answering lands there."""
    run = Run(everything()).step(Turn(0, Action.LIKE, 0, SURVEY), Turn(1, Action.ANSWER, 0, SURVEY))
    assert run.info.rejected[:2].tolist() == [True, False] and run.state.counts.sum() == 0


@pytest.mark.parametrize(
    ("every", "horizon", "waves"), [(2, 7, [0, 2, 4, 6]), (3, 5, [0, 3, 4]), (9, 5, [0, 4]), (1, 1, [0])]
)
def test_waves_come_at_multiples_and_at_the_end(every, horizon, waves):
    """Everybody is surveyed at tick 0, every so often, and at the last tick; nobody in between."""
    run = Run(everything(), survey_every=every, horizon=horizon)
    reached = [run.seen.survey]
    for _ in range(1, horizon):
        reached.append(run.step().seen.survey)
    assert [tick for tick, wave in enumerate(reached) if wave.all()] == waves
    assert not np.asarray(reached)[[tick for tick in range(horizon) if tick not in waves]].any()


def test_waves_change_nothing_else():
    """With and without waves, every other leaf and the state are the same."""
    often, never = Run(everything()), Run(everything(), survey_every=1000)
    rng = np.random.default_rng(3)
    for _ in range(5):
        turns = random_turns(rng, 4, int(often.state.num_stimuli), 10)
        often.step(*turns, *ANSWERS)
        never.step(*turns)
        for channel in (*CHANNELS, "active"):
            assert_same(getattr(often.seen, channel), getattr(never.seen, channel))
        assert_same(often.state, never.state)
        assert often.seen.survey.all() and not never.seen.survey.any()


def test_thinning_spares_waves():
    """With an activation rate of 0 nobody is awake, nothing is shown, and everybody is still surveyed."""
    run = Run(everything(), activation_rate=0.0).step()
    assert run.seen.survey.all() and not run.seen.active.any()
    assert (run.seen.feed.stimulus == -1).all() and (run.seen.forum.stimulus == -1).all()


def test_gated_waves_reach_those_awake():
    """Earlier semantics: no wave at tick 0, and later waves for awake personas only."""
    run = Run(driver(channels=(), survey=True, survey_gated=True, tick_unit="day"), activation_rate=0.5)
    assert not run.seen.survey.any()
    reached = np.asarray([run.step().seen.survey for _ in range(12)])
    assert 0 < reached.sum() < reached.size
    assert (run.seen.survey == run.seen.active).all()


def test_the_end_ends_everything():
    """The last tick of the horizon terminates all personas; further steps change nothing and reward nothing."""
    run = Run(everything(), horizon=4)
    ended = [run.step(Turn(1, Action.POST)).timestep.terminated.all() for _ in range(3)]
    assert ended == [False, False, True] and not run.timestep.truncated.any()
    before = run.state
    run.step(Turn(0, Action.POST), Turn(0, Action.LIKE, 1, sentiment=1.0), Turn(2, Action.FOLLOW, 4))
    assert_same(before, run.state)
    assert run.timestep.terminated.all() and (run.timestep.reward == 0).all()
    assert run.info.published_count == 0 and not run.seen.active.any()


def test_same_seed_same_world_and_another_seed_another():
    """State and time steps are the same bytes for one seed; another seed draws differently."""
    one, again, other = (eventful(Run(everything(), seed), 4) for seed in (5, 5, 6))
    assert one == again and one != other


def test_another_process_has_the_same_world():
    """A fresh interpreter with another hash seed makes the same bytes, compiled as users compile."""
    script = "import tests.conftest\nfrom tests.social.test_loop import *\nprint(eventful(Run(everything(), 5), 4))"
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(root), "XLA_FLAGS": ""}
    command = [sys.executable, "-W", "ignore", "-c", script]
    child = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
    assert child.stdout.strip() == str(eventful(Run(everything(), 5), 4))


def test_both_words_of_a_seed_count():
    """Seeds that share their low 32 bits are different worlds."""
    one, other = (eventful(Run(everything(), seed), 3) for seed in (7, 7 + 2**32))
    assert one != other


def test_a_stored_state_continues_the_run(tmp_path):
    """State is all there is to store: written to a file after two ticks and read back, the suffix is the same."""
    whole, part = Run(everything()), Run(everything())
    expected = eventful(whole, 5)
    assert eventful(part, 2) == expected[:2]
    leaves, structure = jax.tree.flatten(part.state)
    np.savez(tmp_path / "state.npz", *leaves)
    with np.load(tmp_path / "state.npz") as stored:
        read = jax.tree.unflatten(structure, [stored[f"arr_{number}"] for number in range(len(leaves))])
    resumed = Run(everything())
    resumed.state, resumed.tick = read, 2
    rng, whole_again = np.random.default_rng(1), Run(everything())
    for tick in range(5):
        turns = random_turns(rng, 4, int(whole_again.state.num_stimuli), 12)
        whole_again.step(*turns)
        if tick >= 2:
            resumed.step(*turns)
            assert digest((resumed.state, resumed.timestep)) == expected[tick]


def test_no_personal_draw_depends_on_the_channels():
    """The same personas are awake at the same ticks whatever channels a world has."""
    worlds = [Run(made, activation_rate=0.5) for made in (everything(), strangers())]
    awake = np.asarray([[run.step().seen.active for _ in range(10)] for run in worlds])
    assert (awake[0] == awake[1]).all() and 0 < awake[0].sum() < awake[0].size


def test_feed_and_forum_are_shown_to_the_same_personas():
    """Each awake persona gets one presentation on each platform, everybody else none."""
    run = Run(everything(), activation_rate=0.5)
    for _ in range(4):
        run.step()
        for view in (run.seen.feed, run.seen.forum):
            assert ((view.stimulus[:, 0] >= 0) == run.seen.active).all()


def test_turns_of_other_channels_leave_the_feed_alone():
    """Word of mouth, forum and survey turns that author and engage nothing do not change a bit of the feed."""
    busy, quiet = Run(everything()), Run(driver(**{**everything().options, "channels": ("feed",), "survey": False}))
    rng = np.random.default_rng(6)
    for _ in range(5):
        feed = [Turn(int(rng.integers(4)), action, 1, text=7) for action in (Action.POST, Action.LIKE, Action.COMMENT)]
        others = [
            Turn(0, Action.ASK_PEER, 0, WOM, sentiment=1.0),
            Turn(3, Action.BUY, 2, WOM, sentiment=1.0),
            Turn(1, Action.IGNORE, 1, FORUM),
            *ANSWERS,
        ]
        busy.step(*feed, *others)
        quiet.step(*feed)
        assert_same(busy.seen.feed, quiet.seen.feed)
        assert_same(busy.info.feed, quiet.info.feed)
        assert_same((busy.state, busy.seen.active), (quiet.state, quiet.seen.active))
    assert busy.told() != [], "something must have been told"


def test_what_is_written_on_the_forum_does_not_shift_a_random_feed():
    """Forum posts take slots between the feed's, and still the same texts are drawn for the same personas."""
    busy, quiet = Run(everything()), Run(everything())
    for tick in range(6):
        feed = [Turn(persona, Action.POST, 0, text=10 * tick + persona) for persona in range(4)]
        busy.step(*feed, *(Turn(persona, Action.POST, 0, FORUM, text=1000 + persona) for persona in range(4)))
        quiet.step(*feed)
        texts = [run.state.stimuli.text[run.window("feed")] for run in (busy, quiet)]
        assert (texts[0] == texts[1]).all()
    assert not (busy.window("feed") == quiet.window("feed")).all()


def test_batches_of_any_fixed_size_are_the_same():
    """Rows of padding change nothing."""
    short, long = Run(strangers()), Run(strangers())
    turns = random_turns(np.random.default_rng(2), 4, 4, 10)
    short.step_batch(turn_batch(turns, 10))
    long.step(*turns)
    assert_same((short.state, short.seen), (long.state, long.seen))
