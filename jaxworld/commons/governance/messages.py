"""Coded talk between players: what is sent in one turn is read in the next, and nowhere else.

Up to 64 players, everyone may send one letter to everyone else in a turn: a table. Beyond that a table would grow with
the square of the number of players, so each sends one letter a turn, to one player or to everyone, and each has a
mailbox of fixed length, in which later letters push out earlier ones; within a turn the player with the lower identity
writes first.
"""

from __future__ import annotations

import enum

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.ordering import lexicographic_order
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.spaces import Box, Composite


class Message(enum.IntEnum):
    """What a letter says; ``argument`` is the number with it. Codes from ``USER`` on are free to use."""

    NONE = 0
    PROPOSE_CAP = 1
    ACCEPT = 2
    REJECT = 3
    PROMISE = 4
    ACCUSE = 5
    WARN_STOCK = 6
    THANKS = 7
    USER = 8


MAX_CODE = 2**20
NOBODY, EVERYONE = -1, -2
"""Receivers of a letter that are no player."""


@pytree_dataclass
class Letters:
    """What players send in one turn.

    Attributes:
        code: ``int32[N, N]``, a ``Message`` for each sender (row) and receiver (column); one code along a row is a
            broadcast. With more than 64 players ``int32[N]``, one letter a sender. 0 sends nothing.
        argument: float32 of the same shape.
        to: None for a table; else ``int32[N]``: the receiver's row, ``NOBODY`` or ``EVERYONE``.
    """

    code: jax.Array
    argument: jax.Array
    to: jax.Array | None


@pytree_dataclass
class Mail:
    """What is on its way or was delivered last.

    Attributes:
        sender: None for a table; else ``int32[N, L]``, -1 for an empty place, oldest first.
        code, argument: ``[N, N]`` (receiver, sender) for a table, else ``[N, L]``.
        turn: ``int32[]``, the turn in which all of it was sent, -1 before the first.
        dropped: ``int32[N]``, letters that each player's full mailbox has lost so far.
    """

    sender: jax.Array | None
    code: jax.Array
    argument: jax.Array
    turn: jax.Array
    dropped: jax.Array


@pytree_dataclass
class Inbox:
    """What each player reads, one row a reader.

    Attributes:
        sender: ``int32[N, I]``, who wrote, -1 where there is no letter. In a table, place j is for player j.
        code: ``int32[N, I]``, 0 where there is no letter.
        argument: ``float32[N, I]``.
        turn: ``int32[N]``, the turn in which the letters were sent, -1 before the first.
    """

    sender: jax.Array
    code: jax.Array
    argument: jax.Array
    turn: jax.Array


def no_letters(num_players: int, dense: bool) -> Letters:
    """Silence."""
    shape = (num_players, num_players) if dense else (num_players,)
    to = None if dense else jnp.full(num_players, NOBODY, jnp.int32)
    return Letters(code=jnp.zeros(shape, jnp.int32), argument=jnp.zeros(shape, jnp.float32), to=to)


def letter_to(code: jax.Array, argument: jax.Array, to: jax.Array, dense: bool) -> Letters:
    """One letter a player, to one player (its row), ``EVERYONE`` or ``NOBODY``, in either form.

    Args:
        code: ``int32[N]``.
        argument: ``float32[N]``.
        to: ``int32[N]``.
        dense: whether the world's letters are a table.
    """
    if not dense:
        return Letters(code=code, argument=argument, to=to)
    column = jnp.arange(code.shape[0], dtype=jnp.int32)[None, :]
    meant = (to[:, None] == column) | (to == EVERYONE)[:, None]
    zero = jnp.zeros((), jnp.float32)
    return Letters(code=jnp.where(meant, code[:, None], 0), argument=jnp.where(meant, argument[:, None], zero), to=None)


def empty_mail(num_players: int, inbox_length: int | None) -> Mail:
    """No letters; ``inbox_length`` None makes a table."""
    width = num_players if inbox_length is None else inbox_length
    return Mail(
        sender=None if inbox_length is None else jnp.full((num_players, width), -1, jnp.int32),
        code=jnp.zeros((num_players, width), jnp.int32),
        argument=jnp.zeros((num_players, width), jnp.float32),
        turn=jnp.full((), -1, jnp.int32),
        dropped=jnp.zeros(num_players, jnp.int32),
    )


def post(mail: Mail, letters: Letters, present: jax.Array, identity: jax.Array, turn: jax.Array) -> Mail:
    """Replace the mail by what was sent this turn.

    Letters of absent players and to oneself, with a code that is not from 1 to ``MAX_CODE``, or to a player that does
    not exist, are not sent. An argument that is not a finite number becomes 0.
    """
    code = jnp.where((letters.code > 0) & (letters.code <= MAX_CODE), letters.code, 0)
    argument = jnp.where(jnp.isfinite(letters.argument), letters.argument, jnp.zeros((), jnp.float32))
    if letters.to is None:
        others = ~np.eye(code.shape[0], dtype=bool)
        sent = (code > 0) & present[:, None] & others
        code, argument = jnp.where(sent, code, 0), jnp.where(sent, argument, jnp.zeros((), jnp.float32))
        return Mail(sender=None, code=code.T, argument=argument.T, turn=turn, dropped=mail.dropped)
    to = jnp.where(present & (code > 0), letters.to, NOBODY)
    sender, arrived = _mailboxes(to, identity, mail.code.shape[1])
    filled, row = sender >= 0, jnp.maximum(sender, 0)
    return Mail(
        sender=sender,
        code=jnp.where(filled, code[row], 0),
        argument=jnp.where(filled, argument[row], jnp.zeros((), jnp.float32)),
        turn=turn,
        dropped=mail.dropped + jnp.maximum(arrived - np.int32(mail.code.shape[1]), 0),
    )


def _mailboxes(to: jax.Array, identity: jax.Array, length: int) -> tuple[jax.Array, jax.Array]:
    """The last ``length`` senders to each player in order of identity: ``int32[N, L]``, and all arrivals ``int32[N]``.

    A mailbox holds the end of two queues, the player's own letters and what was sent to everyone, merged by order.
    """
    count = to.shape[0]
    order = lexicographic_order([-identity])  # the sender at each place, lowest identity first
    place = jnp.zeros(count, jnp.int32).at[order].set(jnp.arange(count, dtype=jnp.int32))
    player = jnp.arange(count, dtype=jnp.int32)
    receiver = jnp.where((to >= 0) & (to < count) & (to != player), to, count)[order]
    sorted_receiver, own_queue = jax.lax.sort((receiver, player), num_keys=2)  # places, grouped by receiver
    first = jnp.searchsorted(sorted_receiver, player, side="left").astype(jnp.int32)
    beyond = jnp.searchsorted(sorted_receiver, player, side="right").astype(jnp.int32)
    own = _tail(own_queue, first, beyond, length)
    everyone = (to == EVERYONE)[order]
    broadcasters = everyone.sum(dtype=jnp.int32)
    shared_queue = jax.lax.sort(jnp.where(everyone, player, count))
    shared = _tail(shared_queue, jnp.zeros_like(first), jnp.broadcast_to(broadcasters, first.shape), length + 1)
    shared = jnp.where(shared == place[:, None], -1, shared)
    merged = jax.lax.sort(jnp.concatenate([own, shared], axis=1), dimension=1)[:, -length:]
    # Filled places first, oldest first.
    empty = (merged < 0).sum(axis=1, dtype=jnp.int32)[:, None]
    shifted = jnp.arange(length, dtype=jnp.int32)[None, :] + empty
    kept = jnp.take_along_axis(merged, jnp.minimum(shifted, length - 1), axis=1)
    sender = jnp.where(shifted < length, order[jnp.maximum(kept, 0)], -1)
    arrived = (beyond - first) + broadcasters - (to == EVERYONE).astype(jnp.int32)
    return sender, arrived


def _tail(queue: jax.Array, first: jax.Array, beyond: jax.Array, length: int) -> jax.Array:
    """The last entries of ``queue[first:beyond]`` for each row, ``int32[N, length]``, -1 where there are fewer."""
    at = beyond[:, None] - 1 - jnp.arange(length, dtype=jnp.int32)[None, :]
    return jnp.where(at >= first[:, None], queue[jnp.maximum(at, 0)], -1)


def read_inbox(mail: Mail) -> Inbox:
    """What each player reads this turn."""
    count = mail.code.shape[0]
    if mail.sender is None:
        column = jnp.broadcast_to(jnp.arange(count, dtype=jnp.int32)[None, :], mail.code.shape)
        sender = jnp.where(mail.code > 0, column, -1)
    else:
        sender = mail.sender
    turn = jnp.broadcast_to(mail.turn, (count,))
    return Inbox(sender=sender, code=mail.code, argument=mail.argument, turn=turn)


def letters_space(num_players: int, dense: bool) -> Composite:
    """Space of :class:`Letters` with the codes that have a name."""
    shape = (num_players, num_players) if dense else (num_players,)
    spaces = {
        "code": Box(0, MAX_CODE, shape, np.int32),
        "argument": Box(-np.inf, np.inf, shape),
        "to": None if dense else Box(EVERYONE, num_players - 1, shape, np.int32),
    }
    return Composite(Letters, spaces)


def inbox_space(num_players: int, inbox_length: int | None) -> Composite:
    """Space of :class:`Inbox`."""
    shape = (num_players, num_players if inbox_length is None else inbox_length)
    spaces = {
        "sender": Box(-1, num_players - 1, shape, np.int32),
        "code": Box(0, MAX_CODE, shape, np.int32),
        "argument": Box(-np.inf, np.inf, shape),
        "turn": Box(-1, 2**31 - 1, (num_players,), np.int32),
    }
    return Composite(Inbox, spaces)
