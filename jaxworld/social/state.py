"""State of a social world and what it shows."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxworld.core.errors import CapacityError
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.social.config import SocialConfig

OVERFLOWS = {
    1: ("stimuli", "raise stimulus_capacity"),
    2: ("publications of one tick", "raise max_publications"),
    4: ("follows", "raise max_follows (in one tick) or max_followees (of one persona)"),
    8: ("word-of-mouth deliveries of one tick", "raise max_deliveries"),
    16: ("net votes on a stimulus", "raise max_net_votes"),
    32: ("malformed turns (unknown persona, channel, action or stimulus)", "mend the policy or the turn batch"),
}
"""Bits of ``SocialState.overflow``: what did not fit, and the remedy."""
OVERFLOW_BIT = {
    name: bit
    for bit, name in zip(
        OVERFLOWS, ("stimuli", "publications", "followees", "deliveries", "votes", "turns"), strict=True
    )
}


@pytree_dataclass
class Stimuli:
    """Stimuli in publication order, ``int32[S]`` each; rows at and beyond ``num_stimuli`` hold -1.

    Attributes:
        tick: publication tick.
        author: persona, -1 for the study.
        kind: ``StimulusKind``.
        parent: the stimulus replied to, -1 for none.
        root: first stimulus of the thread (itself for a post).
        depth: replies between it and the root.
        platform: ``Platform``.
        vector: handle of its vector, see :func:`~jaxworld.social.vectors.lookup_vectors`.
        text: handle of its text on the host, -1 for none.
    """

    tick: jax.Array
    author: jax.Array
    kind: jax.Array
    parent: jax.Array
    root: jax.Array
    depth: jax.Array
    platform: jax.Array
    vector: jax.Array
    text: jax.Array


@pytree_dataclass
class SocialState:
    """Everything a future tick depends on.

    Attributes:
        tick: ``int32[]``, last tick presented.
        stimuli: published stimuli.
        num_stimuli: ``int32[]``.
        counts: ``int32[S, 5]``, engagement as views of ``tick`` show it (columns: ``Count``).
        followees: ``int32[N, max_followees]``, -1 padded, oldest first.
        followers_gained: ``int32[N]``.
        engaged: ``bool[5, N, S]`` engagement history where it is idempotent, else None.
        seen: ``bool[P, N, S]`` what was shown on each platform where that hides it, else None.
        overflow: ``int32[]`` bits of ``OVERFLOWS``; any bit makes the run's results void.
    """

    tick: jax.Array
    stimuli: Stimuli
    num_stimuli: jax.Array
    counts: jax.Array
    followees: jax.Array
    followers_gained: jax.Array
    engaged: jax.Array | None
    seen: jax.Array | None
    overflow: jax.Array


@pytree_dataclass
class TurnBatch:
    """Turns of personas, padded to a fixed number of rows R; the order of rows never matters.

    Attributes:
        valid: ``bool[R]``; other rows are padding.
        persona: ``int32[R]``.
        channel: ``int32[R]``, a ``Channel``.
        subject: ``int32[R]``, the stimulus reacted to.
        action: ``int32[R]``, an ``Action``.
        sentiment: ``int32[R]`` in 1e-6: the largest belief change, or ``|E[intent] - 3| / 2``.
        vector: ``int32[R]``, vector handle of an authored text, -1 for the author's profile.
        text: ``int32[R]``, text handle on the host, -1 for none.
    """

    valid: jax.Array
    persona: jax.Array
    channel: jax.Array
    subject: jax.Array
    action: jax.Array
    sentiment: jax.Array
    vector: jax.Array
    text: jax.Array


@pytree_dataclass
class ChannelView:
    """What each persona is shown on one channel, ``int32[N, E]`` unless said otherwise; -1 marks an empty slot.

    Attributes:
        stimulus: stimuli in rank order.
        attention: in 1/10,000; 0 means shown but not noticed.
        reason: ``Reason``.
        author: persona, -1 for the study.
        kind: ``StimulusKind``.
        vector: handle of its content vector, see ``Stimuli``.
        depth: replies between the stimulus and its thread's root.
        age: ticks since publication.
        counts: ``int32[N, E, 5]``, visible engagement; 0 in empty slots.
        tie: strength of the tie to the author (to the teller, if told) in 1/1,000; -1 for study or own stimuli.
        shared_community: 1 or 0; -1 where it is not defined.
        via: persona who told it, -1 where nobody did.
    """

    stimulus: jax.Array
    attention: jax.Array
    reason: jax.Array
    author: jax.Array
    kind: jax.Array
    vector: jax.Array
    depth: jax.Array
    age: jax.Array
    counts: jax.Array
    tie: jax.Array
    shared_community: jax.Array
    via: jax.Array


@pytree_dataclass
class SocialObservation:
    """What personas see at one tick; channels that are off are None.

    Attributes:
        tick: ``int32[]``.
        active: ``bool[N]``, awake on feed, forum and word of mouth.
        survey: ``bool[N]``, in the survey room: the concept alone, no social signal.
        feed, forum, word_of_mouth: views.
    """

    tick: jax.Array
    active: jax.Array
    survey: jax.Array
    feed: ChannelView | None
    forum: ChannelView | None
    word_of_mouth: ChannelView | None


@pytree_dataclass
class Drops:
    """What was ranked or told but not shown on one channel.

    Attributes:
        stimulus: ``int32[N, K]`` (feed, forum) or ``int32[W]`` rows (word of mouth), -1 for none.
        persona: ``int32[W]`` for word of mouth, None where the row is the persona.
        reason: ``DropReason`` of each entry, -1 for none.
        count: ``int32[N]``, drops of each persona.
    """

    stimulus: jax.Array
    persona: jax.Array | None
    reason: jax.Array
    count: jax.Array


@pytree_dataclass
class SocialInfo:
    """For observers only.

    Attributes:
        feed, forum, word_of_mouth: drops per channel, None for channels that are off.
        rejected: ``bool[R]``, turns whose action does not land on their channel.
        published_start: ``int32[]``, first stimulus published at this tick.
        published_count: ``int32[]``, how many; they are a contiguous slice.
        interventions: ``bool[3]``, kinds that start at this tick.
        launched: ``bool[N]``, told by the study at tick 0.
        overflow: ``int32[]``, see ``OVERFLOWS``.
    """

    feed: Drops | None
    forum: Drops | None
    word_of_mouth: Drops | None
    rejected: jax.Array
    published_start: jax.Array
    published_count: jax.Array
    interventions: jax.Array
    launched: jax.Array
    overflow: jax.Array


def empty_stimuli(capacity: int) -> Stimuli:
    """A table without stimuli."""
    nothing = jnp.full(capacity, -1, jnp.int32)
    return Stimuli(
        tick=nothing,
        author=nothing,
        kind=nothing,
        parent=nothing,
        root=nothing,
        depth=nothing,
        platform=nothing,
        vector=nothing,
        text=nothing,
    )


def raise_on_overflow(overflow: object, config: SocialConfig) -> None:
    """Host: raise ``CapacityError`` naming every buffer that was too small in any world."""
    import numpy as np

    bits = int(np.bitwise_or.reduce(np.asarray(overflow).ravel(), initial=0))
    problems = [f"{what}: {remedy}" for bit, (what, remedy) in OVERFLOWS.items() if bits & bit]
    if problems:
        raise CapacityError(
            f"a buffer was too small (stimulus_capacity = {config.stimulus_capacity}, max_publications = "
            f"{config.max_publications}, max_followees = {config.max_followees}): " + "; ".join(problems)
        )
