"""The named random streams of the social family and what each draw is keyed by.

==========================  =========================  ==================================================
stream                      identity                   use
==========================  =========================  ==================================================
activation                  persona                    word 0: awake when below the activation probability
sample/<platform>           persona                    word k: k-th pick of a uniform draw
tie/<platform>              stimulus; persona          word 0: tie-break of an order (stimulus, xor persona if
                                                       the order is personal)
mixture/<platform>          persona                    word k: which recommender fills slot k
reach/<platform>            persona                    word 0: reached by an intervention
peers                       teller, then peer          which qualifying peers a teller tells
launch                      persona                    word 0: the lowest words are launched at tick 0
==========================  =========================  ==================================================
"""

from __future__ import annotations

import jax

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.random import purpose_keys, register_purpose

_NAMES = (
    "social/activation",
    "social/peers",
    "social/launch",
    "social/sample/feed",
    "social/tie/feed",
    "social/mixture/feed",
    "social/reach/feed",
    "social/sample/forum",
    "social/tie/forum",
    "social/mixture/forum",
    "social/reach/forum",
)
_CODES = tuple(register_purpose(name) for name in _NAMES)


@pytree_dataclass
class PlatformStreams:
    """Raw purpose keys ``uint32[2]`` of one platform."""

    sample: jax.Array
    tie: jax.Array
    mixture: jax.Array
    reach: jax.Array


@pytree_dataclass
class Streams:
    """Raw purpose keys ``uint32[2]`` of one tick."""

    activation: jax.Array
    peers: jax.Array
    launch: jax.Array
    feed: PlatformStreams
    forum: PlatformStreams


def open_streams(key: jax.Array) -> Streams:
    """All purpose keys of a tick key, in one vector operation."""
    keys = purpose_keys(key, _CODES)

    def platform(first: int) -> PlatformStreams:
        return PlatformStreams(sample=keys[first], tie=keys[first + 1], mixture=keys[first + 2], reach=keys[first + 3])

    return Streams(activation=keys[0], peers=keys[1], launch=keys[2], feed=platform(3), forum=platform(7))
