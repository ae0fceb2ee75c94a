"""Share trees: whom a persona has something from, by hand and replayed turn by turn."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from jaxworld.social import Action
from jaxworld.social.shares import ShareReducer
from jaxworld.social.vocabulary import AFFORDANCES
from tests.oracles.cascades import ShareLog
from tests.social import worlds
from tests.social.worlds import FEED, FORUM, Run, Turn, random_turns, turn_batch

STUDY = 4
"""The node of the study among four personas."""
CLAIM = 1
AUTHORED = 4
"""The first stimulus that a persona can write, after the concept and three claims."""


class Shares:
    """A run with a reducer beside it."""

    def __init__(self, roots, edges=None, **changes) -> None:
        self.run = Run(worlds.everything(), **changes)
        given = None if edges is None else np.asarray(edges, np.int32).reshape(-1, 2)
        self.reducer = ShareReducer(config=self.run.driver.world.config, roots=np.asarray(roots, np.int32), edges=given)
        self.update = jax.jit(self.reducer.update)
        self.trees = self.reducer.init(self.run.timestep)

    def step(self, *turns):
        batch = turn_batch(turns)
        self.run.step_batch(batch)
        self.trees, self.cascades = jax.device_get(self.update(self.trees, self.run.timestep, batch))
        return self

    def parents(self, number=0):
        """Parent by persona that has joined, None for the author."""
        parent, tick = self.trees.parent[number], self.trees.tick[number]
        return {node: (int(parent[node]) if parent[node] >= 0 else None) for node in np.flatnonzero(tick >= 0)}


def test_quotes_make_trees_and_reposts_hang_on_the_author_of_what_was_shown():
    shares = Shares([0])
    assert shares.parents() == {STUDY: None}
    shares.step(Turn(0, Action.QUOTE, 0), Turn(1, Action.LIKE, 0), Turn(3, Action.UPVOTE, 0, FORUM))
    assert shares.parents() == {STUDY: None, 0: STUDY} and shares.trees.tick[0].tolist() == [1, -1, -1, -1, 0]
    shares.step(Turn(1, Action.REPOST, AUTHORED), Turn(2, Action.REPOST, CLAIM))  # another's tree is not followed
    assert shares.parents() == {STUDY: None, 0: STUDY, 1: 0}
    shares.step(Turn(0, Action.REPOST, 0), Turn(2, Action.QUOTE, AUTHORED), Turn(2, Action.QUOTE, 0))
    assert shares.parents() == {STUDY: None, 0: STUDY, 1: 0, 2: STUDY}  # the earliest published of the two
    shares.step(Turn(3, Action.QUOTE, AUTHORED + 2), Turn(3, Action.REPOST, 60))  # no such stimulus
    assert shares.parents()[3] == 2 and shares.trees.tick[0].tolist() == [1, 2, 3, 4, 0]
    assert [int(value[0]) for value in (shares.cascades.scale, shares.cascades.depth)] == [5, 2]
    assert shares.cascades.max_breadth.tolist() == [2]


def test_a_followed_stimulus_may_come_later_and_be_a_quote_of_another():
    shares = Shares([0, AUTHORED, AUTHORED + 1])
    shares.step(Turn(2, Action.POST, 0))
    assert shares.parents(1) == {2: None} and shares.parents(2) == {}
    shares.step(Turn(0, Action.QUOTE, 0), Turn(1, Action.QUOTE, AUTHORED))
    assert shares.parents(0) == {STUDY: None, 0: STUDY}
    assert shares.parents(1) == {2: None, 1: 2} and shares.parents(2) == {0: None}
    shares.step(Turn(3, Action.REPOST, AUTHORED + 1))  # followed for itself, no more a part of the concept's tree
    assert shares.parents(2) == {0: None, 3: 0} and 3 not in shares.parents(0)


def test_with_edges_a_repost_hangs_on_the_neighbour_who_shared_last():
    shares = Shares([0], edges=[(2, 0), (2, 1), (2, 3), (3, 2)])
    shares.step(Turn(0, Action.REPOST, 0))
    shares.step(Turn(1, Action.REPOST, 0), Turn(3, Action.REPOST, 0))  # at one tick: neither has it from the other
    assert shares.parents() == {STUDY: None, 0: STUDY, 1: STUDY, 3: STUDY}
    shares.step(Turn(2, Action.REPOST, 0))
    assert shares.parents()[2] == 1  # 1 and 3 are the last, the lower number counts


def test_nothing_is_shared_once_the_world_has_ended():
    shares = Shares([0], horizon=2)
    shares.step(Turn(0, Action.REPOST, 0))
    before = shares.parents()
    shares.step(Turn(1, Action.REPOST, 0))
    assert shares.parents() == before == {STUDY: None, 0: STUDY}


@pytest.mark.parametrize("edges", [None, [(0, 1), (1, 2), (1, 3), (3, 0), (2, 3)]])
def test_any_turns_give_the_trees_of_a_replay(edges):
    """Turns of every kind on every channel, in batches whose rows are shuffled."""
    rng = np.random.default_rng(11)
    roots = [0, CLAIM, AUTHORED]
    shares, log = Shares(roots, edges), ShareLog(roots, num_study=4, study=STUDY, edges=edges or [])
    for now in range(1, 9):
        known = int(shares.run.state.num_stimuli)
        turns = random_turns(rng, 4, known, number=12)
        shared = [int(rng.choice([0, CLAIM, min(AUTHORED, known - 1), int(rng.integers(known))])) for _ in range(2)]
        acts = [Action(int(rng.choice([Action.REPOST, Action.QUOTE]))) for _ in shared]
        turns += [Turn(int(rng.integers(4)), act, subject, text=1000 + at)
                  for at, (act, subject) in enumerate(zip(acts, shared, strict=True))]  # fmt: skip
        landed = [turn for turn in turns if AFFORDANCES[turn.channel, turn.action]]
        shares.step(*[turns[place] for place in rng.permutation(len(turns))])
        stimuli, first = shares.run.state.stimuli, int(shares.run.info.published_start)
        new = range(first, first + int(shares.run.info.published_count))
        published = [(slot, int(stimuli.author[slot]), _quoted(landed, stimuli, slot)) for slot in new]
        shares_made = [(turn.persona, turn.subject) for turn in landed
                       if turn.channel == FEED and turn.action in (Action.REPOST, Action.QUOTE)]  # fmt: skip
        log.tick(now, shares_made, published)
        for number in range(len(roots)):
            assert shares.parents(number) == {node: source for node, (source, _) in log.joined[number].items()}
    assert max(len(joined) for joined in log.joined.values()) > 3  # somebody shared


def _quoted(landed, stimuli, slot):
    """What a published text quotes, found by its author and text handle."""
    author, text = int(stimuli.author[slot]), int(stimuli.text[slot])
    fits = [turn for turn in landed if turn.action == Action.QUOTE and (turn.persona, turn.text) == (author, text)]
    return fits[0].subject if fits else None
