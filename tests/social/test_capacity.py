"""Buffers have fixed sizes: what does not fit raises a flag, and the flag refuses the run, naming the remedy."""

import numpy as np
import pytest

from jaxworld.core.errors import CapacityError
from jaxworld.core.pytree import replace
from jaxworld.social import Action
from tests.social.worlds import FEED, FORUM, SMALL, WOM, Run, Turn, driver, four_people, turn_batch

POSTS = [Turn(persona, Action.POST) for persona in range(4)]
UPVOTES = [Turn(persona, Action.UPVOTE, 1, FORUM) for persona in range(4)]


def tight(**options) -> Run:
    """Room for eight stimuli, two publications, two follows a tick, one followee, two deliveries and three votes."""
    small = {"stimulus_capacity": 8, "max_publications": 2, "max_follows": 2, "max_followees": 1, "max_deliveries": 2}
    made = driver(**{**SMALL, **small}, channels=("feed", "forum", "wom"), max_net_votes=3, tie_threshold=0.0)
    return Run(made, **options)


def refuse(run: Run, remedy: str) -> None:
    with pytest.raises(CapacityError, match=remedy) as caught:
        run.driver.world.check_flags(run.state)
    assert len(caught.value.args[0].split(";")) == 1, "only what overflowed is named"
    assert run.info.overflow == run.state.overflow


def accept(run: Run) -> None:
    run.driver.world.check_flags(run.state)
    assert run.state.overflow == 0


def test_publications_of_one_tick():
    accept(tight().step(*POSTS[:2]))
    refuse(tight().step(*POSTS[:3]), "raise max_publications")


def test_stimuli():
    run = tight().step(*POSTS[:2]).step(*POSTS[:2])
    assert run.state.num_stimuli == 8
    accept(run)
    refuse(run.step(POSTS[0]), "raise stimulus_capacity")
    assert run.state.num_stimuli == 8


def test_follows_of_one_tick():
    run = tight().step(POSTS[3])
    accept(run.step(*(Turn(persona, Action.FOLLOW, 4) for persona in (0, 1))))
    refuse(
        tight().step(POSTS[3]).step(*(Turn(persona, Action.FOLLOW, 4) for persona in (0, 1, 2))), "raise max_follows"
    )


def test_followees_of_one_persona():
    run = tight().step(*POSTS[2:])
    accept(run.step(Turn(0, Action.FOLLOW, 4)).step(Turn(0, Action.FOLLOW, 4)))
    refuse(run.step(Turn(0, Action.FOLLOW, 5)), "max_followees")


def test_deliveries():
    accept(tight().step(*(Turn(0, Action.LIKE, subject, FEED, 1.0) for subject in (0, 1))))
    refuse(tight().step(*(Turn(0, Action.LIKE, subject, FEED, 1.0) for subject in (0, 1, 2))), "raise max_deliveries")


@pytest.mark.parametrize("vote", [Action.UPVOTE, Action.DOWNVOTE])
def test_net_votes(vote):
    votes = [replace_action(turn, vote) for turn in UPVOTES]
    run = tight().step(*votes[:3])
    accept(run)
    refuse(run.step(votes[3]), "raise max_net_votes")


def replace_action(turn: Turn, action: Action) -> Turn:
    return Turn(turn.persona, action, turn.subject, turn.channel)


@pytest.mark.parametrize(
    ("column", "value"),
    [("persona", 4), ("persona", -1), ("channel", 4), ("channel", -1), ("action", 15), ("action", -1), ("subject", 8),
     ("subject", -1)],
)  # fmt: skip
def test_malformed_turns(column, value):
    """Rows that no batch can mean are not taken for something else; padding may hold anything."""
    batch = turn_batch([Turn(0, Action.LIKE, 1), Turn(1, Action.LIKE, 2)])
    values = getattr(batch, column).copy()
    values[1] = value
    bent = replace(batch, **{column: values})
    run = tight().step_batch(bent)
    refuse(run, "mend the policy or the turn batch")
    assert run.state.counts.sum() == 1 and not run.info.rejected.any()
    padding = replace(bent, valid=bent.valid & (np.arange(len(bent.valid)) != 1))
    accept(tight().step_batch(padding))


def test_everything_at_once_and_flags_stay():
    """All overflows are named together, also from a batch of worlds, and a later quiet tick forgives nothing."""
    people = four_people()
    run = tight(population=people).step(*POSTS, *UPVOTES, *(Turn(0, Action.ASK_PEER, s, WOM, 1.0) for s in range(3)))
    quiet = tight().step()
    both = replace(run.step().state, overflow=np.stack([quiet.state.overflow, run.state.overflow]))
    with pytest.raises(CapacityError) as caught:
        run.driver.world.check_flags(both)
    for remedy in ("max_publications", "max_net_votes", "max_deliveries"):
        assert f"raise {remedy}" in str(caught.value)
