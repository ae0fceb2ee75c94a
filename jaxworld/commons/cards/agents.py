"""Players of Cedar Grove.

==============  ================================================================================  ===============
name            plays, in order of what it holds                                                  reads
==============  ================================================================================  ===============
axe             fell three, fell one, guard, plant                                                own hand
keeper          plant, guard, fell one, fell three                                                own hand
mirror          like axe if two others or more felled three last, else fell one, plant, guard,    own hand, last
                fell three                                                                        cards
random          a card of its hand, each as likely                                                own hand
bucket_counter  like axe, mirror at peace or keeper as the forest reads high, medium or low       forest in thirds
exact_counter   like axe if more than half of the grove stands, else like keeper                  forest
==============  ================================================================================  ===============

The counters are there to show that noise does something: the others do not read the forest at all, so that noise on it
cannot change what they play.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.commons.cards.rules import Card
from jaxworld.commons.cards.world import CedarGroveObservation
from jaxworld.core.errors import require
from jaxworld.core.random import entity_bits, index_identity, key_words, uniform_index
from jaxworld.observe.delivered import Delivered

AGENTS = ("axe", "keeper", "mirror", "random", "bucket_counter", "exact_counter")
READERS = frozenset({"bucket_counter", "exact_counter"})
"""Agents whose play depends on the reading of the forest."""

_AXE = np.asarray([Card.FELL_THREE, Card.FELL_ONE, Card.GUARD, Card.PLANT], np.int32)
_KEEPER = np.asarray([Card.PLANT, Card.GUARD, Card.FELL_ONE, Card.FELL_THREE], np.int32)
_PEACE = np.asarray([Card.FELL_ONE, Card.PLANT, Card.GUARD, Card.FELL_THREE], np.int32)


@dataclasses.dataclass(frozen=True)
class CardPlayers:
    """A policy: one named agent a seat.

    Args:
        agents: a name of ``AGENTS`` for each player.

    Raises:
        ConfigurationError: for an unknown name.
    """

    agents: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "agents", tuple(self.agents))
        for seat, name in enumerate(self.agents):
            require(name in AGENTS, f"agents[{seat}]", name, f"use one of {', '.join(AGENTS)}")

    def init(self, key: jax.Array, params: Any) -> tuple[()]:
        """Nothing is remembered."""
        del key, params
        return ()

    def act(self, key: jax.Array, carry: tuple[()], observation: CedarGroveObservation) -> tuple[jax.Array, tuple[()]]:
        """The card of every player; ``key`` serves the random agent only."""
        size = observation.hand.shape[0]
        require(len(self.agents) == size, "agents", self.agents, f"name one agent for each of {size} players")
        played = jnp.zeros(size, jnp.int32)
        for name in dict.fromkeys(self.agents):
            theirs = np.asarray([agent == name for agent in self.agents])
            played = jnp.where(theirs, _play(name, key, observation), played)
        return played, carry


def _play(name: str, key: jax.Array, observation: CedarGroveObservation) -> jax.Array:
    """What every player would play as this agent, ``int32[N]``."""
    if name == "random":
        return _random_card(key, observation)
    if name == "axe":
        taste = jnp.broadcast_to(_AXE, (observation.hand.shape[0], len(Card)))
    elif name == "keeper":
        taste = jnp.broadcast_to(_KEEPER, (observation.hand.shape[0], len(Card)))
    elif name == "mirror":
        others = (observation.last == Card.FELL_THREE) & ~_own_column(observation)
        harsh = others.sum(axis=1, dtype=jnp.int32) >= 2
        taste = jnp.where(harsh[:, None], _AXE[None, :], _PEACE[None, :])
    elif name == "bucket_counter":
        taste = jnp.asarray(np.stack([_KEEPER, _PEACE, _AXE]))[_third(observation.forest)]
    else:
        require(observation.forest.kind == "number", "exact_counter", observation.forest.kind, "let it see a number")
        plenty = 2 * observation.forest.value > observation.forest.high
        taste = jnp.where(plenty[:, None], _AXE[None, :], _KEEPER[None, :])
    return _first_held(observation.hand, taste)


def _own_column(observation: CedarGroveObservation) -> jax.Array:
    column = jnp.arange(observation.last.shape[1], dtype=jnp.int32)
    return observation.seat[:, None] == column[None, :]


def _first_held(hand: jax.Array, taste: jax.Array) -> jax.Array:
    """``int32[N]``: the first kind in each row of ``taste int32[N, 4]`` that the player holds."""
    held = jnp.take_along_axis(hand, taste, axis=1) > 0
    return jnp.take_along_axis(taste, jnp.argmax(held, axis=1)[:, None], axis=1)[:, 0]


def _random_card(key: jax.Array, observation: CedarGroveObservation) -> jax.Array:
    """One card of the hand, each as likely, drawn by the player's own number."""
    bits = entity_bits(key_words(key), index_identity(observation.seat), 1)[0]
    number = uniform_index(bits, observation.hand.sum(axis=1, dtype=jnp.int32))
    passed = jnp.cumsum(observation.hand, axis=1, dtype=jnp.int32) <= number[:, None]
    return passed.sum(axis=1, dtype=jnp.int32)


def _third(forest: Delivered) -> jax.Array:
    """``int32[N]``: 0 low, 1 medium, 2 high, from a code of three buckets or from a number; hidden is medium."""
    share = forest.value * np.float32(3) / forest.high
    of_number = jnp.clip(jnp.floor(share), 0, 2).astype(jnp.int32)
    third = jnp.where(forest.code >= 0, jnp.minimum(forest.code, 2), of_number)
    return jnp.where(forest.mask, third, 1)
