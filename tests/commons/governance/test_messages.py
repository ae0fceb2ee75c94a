"""Letters: sent in one turn, read in the next, by whom they are for."""

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld.commons.governance import EVERYONE, NOBODY, Letters, Message, TextTable, letter_to
from jaxworld.commons.governance.messages import empty_mail, post, read_inbox
from jaxworld.core.errors import ConfigurationError
from tests.commons.governance.common import Game, N
from tests.oracles.governance import delivered

L, R = 3, 9
"""Places in a mailbox, and players with mailboxes."""


def said(code):
    """A letter from 0 to 1 and a broadcast of 2, each with this code."""
    table = np.zeros((N, N), np.int32)
    table[0, 1], table[2] = code, code
    return table, np.where(table > 0, 7.5, np.nan).astype(np.float32)


def test_an_inbox_holds_exactly_the_last_turn():
    """What is sent at turn 0 is read at turn 1 and gone at turn 2; nobody hears themselves."""
    game, inboxes = Game(), []
    for letters in (said(Message.PROMISE), said(Message.ACCUSE), None, None):
        game.play(letters=letters)
        inboxes.append(jax.device_get(game.seen.inbox))
    assert [int(inbox.turn[0]) for inbox in inboxes] == [-1, 0, 1, 2]
    assert not inboxes[0].code.any() and not inboxes[3].code.any()
    for inbox, code in ((inboxes[1], Message.PROMISE), (inboxes[2], Message.ACCUSE)):
        assert inbox.code[1].tolist() == [code, 0, code, 0, 0]
        assert inbox.sender[1].tolist() == [0, -1, 2, -1, -1]
        assert inbox.argument[1].tolist() == [7.5, 0, 7.5, 0, 0]
        assert inbox.code[2].tolist() == [0] * N
        assert inbox.code[4].tolist() == [0, 0, code, 0, 0]


def test_the_absent_and_the_senseless_are_not_heard():
    game = Game()
    table, argument = said(Message.THANKS)
    table[0, 1] = -4
    game.play(letters=(table, argument), present=[0, 1, 3])
    game.play()
    assert not np.asarray(game.seen.inbox.code).any()


LETTER = st.tuples(st.sampled_from([NOBODY, EVERYONE, EVERYONE, R + 3, *range(R)]), st.integers(0, 3))
POST = jax.jit(post)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    turns=st.lists(st.lists(LETTER, min_size=R, max_size=R), min_size=1, max_size=3),
    identity=st.permutations(range(0, 2 * R, 2)),
    absent=st.sets(st.integers(0, R - 1), max_size=3),
)
def test_full_mailboxes_keep_the_latest_and_count_the_rest(turns, identity, absent):
    present, lost = set(range(R)) - absent, np.zeros(R, int)
    mail, here = empty_mail(R, L), np.isin(np.arange(R), list(present))
    for turn, letters in enumerate(turns):
        to, code = (np.asarray(column, np.int32) for column in zip(*letters, strict=True))
        argument = np.arange(R, dtype=np.float32) + 0.5
        batch = Letters(code=code, argument=argument, to=to)
        mail = POST(mail, batch, here, np.asarray(identity, np.int32), np.int32(turn))
        rows = list(zip(range(R), to.tolist(), code.tolist(), argument.tolist(), strict=True))
        wanted, more = delivered(rows, present, identity, L)
        lost += list(more.values())
        inbox = jax.device_get(read_inbox(mail))
        for reader, found in wanted.items():
            padded = found + [(-1, 0, 0.0)] * (L - len(found))
            got = zip(inbox.sender[reader], inbox.code[reader], inbox.argument[reader], strict=True)
            assert list(got) == padded
        np.testing.assert_array_equal(inbox.turn, turn)
        np.testing.assert_array_equal(mail.dropped, lost)


def test_one_letter_a_player_means_the_same_in_both_forms():
    rng = np.random.default_rng(3)
    to = rng.choice([NOBODY, EVERYONE, *range(R)], R).astype(np.int32)
    code, argument = rng.integers(0, 4, R).astype(np.int32), rng.random(R, np.float32)
    identity = np.arange(R, dtype=np.int32)
    heard = []
    for length in (None, R):
        letters = letter_to(code, argument, to, length is None)
        mail = POST(empty_mail(R, length), letters, np.ones(R, bool), identity, np.int32(4))
        inbox = jax.device_get(read_inbox(mail))
        rows = [zip(*row, strict=True) for row in zip(inbox.sender, inbox.code, inbox.argument, strict=True)]
        heard.append([[letter for letter in row if letter[0] >= 0] for row in rows])
    assert heard[0] == heard[1] and sum(map(len, heard[0])) > R


def test_words_travel_with_the_letters():
    texts = TextTable(3)
    texts.write(4, 0, 2, "only for you")
    texts.broadcast(4, 1, "for all")
    assert texts.inbox(5, 2) == {0: "only for you", 1: "for all"}
    assert texts.inbox(5, 0) == {1: "for all"}
    assert texts.inbox(4, 2) == texts.inbox(6, 2) == {}
    assert texts.records()[0] == {"turn": 4, "from": 0, "to": 2, "text": "only for you"}
    with pytest.raises(ConfigurationError, match="receiver"):
        texts.write(0, 1, 1, "to myself")
