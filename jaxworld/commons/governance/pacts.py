"""Pacts: voluntary caps on the harvest, offered, signed, kept or broken.

A pact sits in one of P slots. It is offered in one turn, can be signed from the next one on, starts if enough players
have signed and is void otherwise, binds its signatories up to and including its last turn, and then expires. A slot
keeps the record of an ended pact until another offer needs it.
"""

from __future__ import annotations

import enum

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.ordering import lexicographic_order
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.core.spaces import Boolean, Box, Composite, Discrete

_LATEST = np.int32(2**31 - 1)
_LONGEST = np.int32(2**28)
"""Turns beyond which delays and durations are cut, so that sums of them fit an int32."""


class PactStatus(enum.IntEnum):
    """Where a slot stands. Expired and void slots count as free for a new offer."""

    FREE = 0
    OFFERED = 1
    ACTIVE = 2
    EXPIRED = 3
    VOID = 4


@pytree_dataclass
class Pacts:
    """The slots.

    Attributes:
        status: ``int32[P]``, ``PactStatus``.
        proposer: ``int32[P]``, row of who offered it, -1 for none.
        cap: ``float32[P]``, most that a signatory may harvest in a turn.
        start, end: ``int32[P]``, first and last turn it binds, both included; -1 in a slot never used.
        deadline: ``int32[P]``, last turn in which it can be signed.
        min_signatures: ``int32[P]``, signatures it needs to start and to go on.
        fine: ``float32[P]``, what a unit above the cap costs, where fines are imposed.
        invited, accepted: ``bool[P, N]``, who may sign and who has.
        violations, exposed: ``int32[P, N]``, turns each signatory broke it and was bound by it.
        dropped: ``int32[]``, offers that found no free slot so far.
    """

    status: jax.Array
    proposer: jax.Array
    cap: jax.Array
    start: jax.Array
    end: jax.Array
    deadline: jax.Array
    min_signatures: jax.Array
    fine: jax.Array
    invited: jax.Array
    accepted: jax.Array
    violations: jax.Array
    exposed: jax.Array
    dropped: jax.Array


@pytree_dataclass
class Offers:
    """At most one offer a player and turn.

    Attributes:
        make: ``bool[N]``, whether the player offers anything.
        cap: ``float32[N]``, finite and at least 0, else there is no offer.
        delay: ``int32[N]``, turns from now to its start; 1 leaves nobody else time to sign. Less than 1 counts as 1.
        duration: ``int32[N]``, turns it binds, at least 1, else there is no offer.
        open_turns: ``int32[N]``, turns after this one in which it can be signed, at most up to its start.
        min_signatures: ``int32[N]``, the proposer's own included; less than 1 counts as 1.
        fine: ``float32[N]``; what is not a finite number of at least 0 counts as 0.
        invited: ``bool[N, N]``, whom each proposer (row) invites. Proposers sign their own offers by making them.
    """

    make: jax.Array
    cap: jax.Array
    delay: jax.Array
    duration: jax.Array
    open_turns: jax.Array
    min_signatures: jax.Array
    fine: jax.Array
    invited: jax.Array


@pytree_dataclass
class PactView:
    """The pacts each player was invited to or has signed, one row a viewer; elsewhere -1, 0 and False.

    Attributes:
        status: ``int32[N, P]``, ``FREE`` where there is nothing to see.
        proposer, start, end, deadline, min_signatures: ``int32[N, P]``.
        cap, fine: ``float32[N, P]``.
        signed: ``bool[N, P]``, the viewer's own signature.
        signatories: ``bool[N, P, N]``, everyone's.
        violations: ``int32[N, P, N]``, turns in which each of them broke it.
    """

    status: jax.Array
    proposer: jax.Array
    cap: jax.Array
    start: jax.Array
    end: jax.Array
    deadline: jax.Array
    min_signatures: jax.Array
    fine: jax.Array
    signed: jax.Array
    signatories: jax.Array
    violations: jax.Array


def sustainable_cap(
    growth_rate: jax.Array | float, capacity: jax.Array | float, num_players: int, share: float = 0.8
) -> jax.Array:
    """A share of each player's part of the maximum sustainable yield ``r K / 4`` of logistic growth, ``float32[]``.

    The full part leaves no slack: growth after the harvest can replace the maximum sustainable yield only from a stock
    of ``K / 2`` plus that yield on, and a commons that starts lower dies under honest signatories.
    """
    yearly = jnp.asarray(growth_rate, jnp.float32) * jnp.asarray(capacity, jnp.float32) * np.float32(0.25)
    return yearly * np.float32(share / num_players)


def empty_pacts(num_players: int, max_pacts: int) -> Pacts:
    """Free slots."""
    absent = jnp.full(max_pacts, -1, jnp.int32)
    nothing, nobody = jnp.zeros(max_pacts, jnp.float32), jnp.zeros((max_pacts, num_players), bool)
    counts = jnp.zeros((max_pacts, num_players), jnp.int32)
    return Pacts(
        status=jnp.zeros(max_pacts, jnp.int32),
        proposer=absent,
        cap=nothing,
        start=absent,
        end=absent,
        deadline=absent,
        min_signatures=jnp.zeros(max_pacts, jnp.int32),
        fine=nothing,
        invited=nobody,
        accepted=nobody,
        violations=counts,
        exposed=counts,
        dropped=jnp.zeros((), jnp.int32),
    )


def no_offers(num_players: int) -> Offers:
    """Nobody offers anything."""
    zeros, none = jnp.zeros(num_players, jnp.int32), jnp.zeros(num_players, jnp.float32)
    return Offers(
        make=jnp.zeros(num_players, bool),
        cap=none,
        delay=zeros,
        duration=zeros,
        open_turns=zeros,
        min_signatures=zeros,
        fine=none,
        invited=jnp.zeros((num_players, num_players), bool),
    )


def signed(pacts: Pacts) -> jax.Array:
    """``bool[P, N]``: signatures under active pacts."""
    return pacts.accepted & (pacts.status == PactStatus.ACTIVE)[:, None]


def begin(pacts: Pacts, turn: jax.Array, present: jax.Array) -> Pacts:
    """Expire what has ended, start what is due, and void what lacks signatures of players still in the game.

    An active pact is void too once fewer than its minimum of signatories are left, an offer once its proposer is gone.
    """
    enough = (pacts.accepted & present[None, :]).sum(axis=1, dtype=jnp.int32) >= pacts.min_signatures
    orphaned = ~present[jnp.maximum(pacts.proposer, 0)]
    offered, active = pacts.status == PactStatus.OFFERED, pacts.status == PactStatus.ACTIVE
    due = offered & (pacts.start <= turn)
    status = jnp.where(due & enough, PactStatus.ACTIVE, pacts.status)
    status = jnp.where((due & ~enough) | (offered & orphaned), PactStatus.VOID, status)
    status = jnp.where(active & ~enough, PactStatus.VOID, status)
    ended = (status == PactStatus.ACTIVE) & (pacts.end < turn)
    return replace(pacts, status=jnp.where(ended, PactStatus.EXPIRED, status).astype(jnp.int32))


def accept(pacts: Pacts, signs: jax.Array, turn: jax.Array) -> Pacts:
    """Add the signatures ``signs bool[N, P]`` of invited players under offers still open; none is ever withdrawn."""
    still_open = (pacts.status == PactStatus.OFFERED) & (turn <= pacts.deadline) & (turn < pacts.start)
    return replace(pacts, accepted=pacts.accepted | (signs.T & pacts.invited & still_open[:, None]))


def offer(pacts: Pacts, offers: Offers, present: jax.Array, identity: jax.Array, turn: jax.Array) -> Pacts:
    """Put this turn's offers into free slots: the lowest slot for the lowest identity, and so on.

    Offers beyond the free slots are dropped and counted.
    """
    valid = offers.make & present & jnp.isfinite(offers.cap) & (offers.cap >= 0) & (offers.duration >= 1)
    order = lexicographic_order([jnp.where(valid, -identity, -_LATEST)])
    count = valid.sum(dtype=jnp.int32)
    taken = (pacts.status == PactStatus.OFFERED) | (pacts.status == PactStatus.ACTIVE)
    number = jnp.cumsum((~taken).astype(jnp.int32), dtype=jnp.int32) - 1  # a free slot's number among the free ones
    fills = ~taken & (number < count)
    who = order[jnp.clip(number, 0, order.shape[0] - 1)]

    def put(new: jax.Array, old: jax.Array) -> jax.Array:
        return jnp.where(fills.reshape(fills.shape + (1,) * (old.ndim - 1)), new, old)

    start = turn + jnp.clip(offers.delay, 1, _LONGEST)
    own = who[:, None] == jnp.arange(valid.shape[0], dtype=jnp.int32)[None, :]
    fine = jnp.where(jnp.isfinite(offers.fine) & (offers.fine > 0), offers.fine, jnp.zeros((), jnp.float32))
    return Pacts(
        status=put(jnp.full_like(pacts.status, PactStatus.OFFERED), pacts.status),
        proposer=put(who, pacts.proposer),
        cap=put(offers.cap[who], pacts.cap),
        start=put(start[who], pacts.start),
        end=put((start + jnp.minimum(offers.duration, _LONGEST) - 1)[who], pacts.end),
        deadline=put(jnp.minimum(turn + jnp.clip(offers.open_turns, 0, _LONGEST), start - 1)[who], pacts.deadline),
        min_signatures=put(jnp.maximum(offers.min_signatures, 1)[who], pacts.min_signatures),
        fine=put(fine[who], pacts.fine),
        invited=put(offers.invited[who] | own, pacts.invited),
        accepted=put(own, pacts.accepted),
        violations=put(jnp.zeros_like(pacts.violations), pacts.violations),
        exposed=put(jnp.zeros_like(pacts.exposed), pacts.exposed),
        dropped=pacts.dropped + count - fills.sum(dtype=jnp.int32),
    )


def breaches(pacts: Pacts, bound: jax.Array, harvest: jax.Array, tolerance: jax.Array) -> jax.Array:
    """``bool[P, N]``: which of the ``bound`` signatories harvested more than the cap and the tolerance allow.

    It is the realised harvest that counts, not the request. Under several pacts the lowest cap is the one to keep, and
    each pact that is broken counts it.
    """
    return bound & (harvest[None, :] > (pacts.cap + tolerance)[:, None])


def record(pacts: Pacts, bound: jax.Array, broken: jax.Array) -> Pacts:
    """Count one more turn: who was bound and who broke what, ``bool[P, N]`` each."""
    violations = pacts.violations + broken.astype(jnp.int32)
    return replace(pacts, violations=violations, exposed=pacts.exposed + bound.astype(jnp.int32))


def own_cap(view: PactView) -> jax.Array:
    """``float32[N]``: the lowest cap among the active pacts each viewer has signed, infinite for none."""
    binds = view.signed & (view.status == PactStatus.ACTIVE)
    return jnp.where(binds, view.cap, jnp.float32(np.inf)).min(axis=1)


def view_for(pacts: Pacts) -> PactView:
    """What each player sees: the pacts it was invited to or has signed."""
    used = (pacts.status != PactStatus.FREE)[:, None]
    visible = ((pacts.invited | pacts.accepted) & used).T  # [N, P]

    def show(values: jax.Array, absent: int) -> jax.Array:
        return jnp.where(visible, values[None, :], jnp.asarray(absent, values.dtype))

    return PactView(
        status=show(pacts.status, 0),
        proposer=show(pacts.proposer, -1),
        cap=show(pacts.cap, 0),
        start=show(pacts.start, -1),
        end=show(pacts.end, -1),
        deadline=show(pacts.deadline, -1),
        min_signatures=show(pacts.min_signatures, 0),
        fine=show(pacts.fine, 0),
        signed=visible & pacts.accepted.T,
        signatories=visible[:, :, None] & pacts.accepted[None, :, :],
        violations=jnp.where(visible[:, :, None], pacts.violations[None, :, :], 0),
    )


def offers_space(num_players: int) -> Composite:
    """Space of :class:`Offers`; values that make no offer are members too."""
    shape = (num_players,)
    turns = Box(0, int(_LATEST), shape, np.int32, unit="turns")
    spaces = {
        "make": Boolean(shape),
        "cap": Box(0, np.inf, shape),
        "delay": turns,
        "duration": turns,
        "open_turns": turns,
        "min_signatures": Box(0, int(_LATEST), shape, np.int32, unit="players"),
        "fine": Box(0, np.inf, shape),
        "invited": Boolean((num_players, num_players)),
    }
    return Composite(Offers, spaces)


def pact_view_space(num_players: int, max_pacts: int) -> Composite:
    """Space of :class:`PactView`."""
    shape = (num_players, max_pacts)
    turn, amount = Box(-1, int(_LATEST), shape, np.int32), Box(0, np.inf, shape)
    spaces = {
        "status": Discrete(len(PactStatus), shape, names=tuple(status.name.lower() for status in PactStatus)),
        "proposer": Box(-1, num_players - 1, shape, np.int32),
        "cap": amount,
        "start": turn,
        "end": turn,
        "deadline": turn,
        "min_signatures": Box(0, int(_LATEST), shape, np.int32),
        "fine": amount,
        "signed": Boolean(shape),
        "signatories": Boolean((*shape, num_players)),
        "violations": Box(0, int(_LATEST), (*shape, num_players), np.int32),
    }
    return Composite(PactView, spaces)
