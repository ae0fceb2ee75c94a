"""Spaces of the social family."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp

from jaxworld.core.pytree import replace
from jaxworld.core.spaces import Boolean, Box, Composite, Discrete
from jaxworld.social.config import SocialConfig
from jaxworld.social.state import ChannelView, SocialObservation, TurnBatch
from jaxworld.social.vocabulary import (
    ATTENTION_UNIT,
    SENTIMENT_UNIT,
    TIE_UNIT,
    Action,
    Channel,
    Count,
    Reason,
    StimulusKind,
)

_LARGE = 2**31 - 1


def turn_channels(config: SocialConfig) -> tuple[Channel, ...]:
    """Channels on which a persona can take a turn, in the order of the rows of a turn batch."""
    switches = (config.has_feed, config.has_forum, config.has_word_of_mouth, config.survey)
    order = (Channel.SOCIAL_FEED, Channel.FORUM, Channel.WORD_OF_MOUTH, Channel.SURVEY_ROOM)
    return tuple(channel for channel, on in zip(order, switches, strict=True) if on) or (Channel.SURVEY_ROOM,)


@dataclasses.dataclass(frozen=True)
class TurnSpace(Composite):
    """A ``TurnBatch`` with one row for every channel and persona, channel by channel.

    ``sample`` fills in each row's own persona and channel and picks any action about a study stimulus; ``contains``
    accepts any well-formed batch of this length.
    """

    channels: tuple[Channel, ...] = ()
    num_personas: int = 0
    num_study: int = 0

    __hash__ = Composite.__hash__

    @property
    def rows(self) -> int:
        """R."""
        return len(self.channels) * self.num_personas

    def sample(self, key: jax.Array) -> TurnBatch:
        """Random turns of every persona on every channel."""
        drawn = super().sample(key)
        persona = jnp.arange(self.num_personas, dtype=jnp.int32)
        return replace(
            drawn,
            persona=jnp.tile(persona, len(self.channels)),
            channel=jnp.repeat(jnp.asarray([int(c) for c in self.channels], jnp.int32), self.num_personas),
            subject=jnp.mod(jnp.maximum(drawn.subject, 0), self.num_study),
            vector=jnp.full_like(drawn.vector, -1),
            text=jnp.full_like(drawn.text, -1),
        )


def social_action_space(config: SocialConfig) -> TurnSpace:
    """Space of turn batches."""
    channels = turn_channels(config)
    shape = (len(channels) * config.num_personas,)
    fields = {
        "valid": Boolean(shape),
        "persona": Discrete(config.num_personas, shape),
        "channel": Discrete(len(Channel), shape, names=tuple(c.name.lower() for c in Channel)),
        "subject": Discrete(config.stimulus_capacity + 1, shape, low=-1),
        "action": Discrete(len(Action), shape, names=tuple(a.name.lower() for a in Action)),
        "sentiment": Box(0, SENTIMENT_UNIT, shape, jnp.int32, unit="1e-6"),
        "vector": Box(-1, 2**24 - 1, shape, jnp.int32),
        "text": Box(-1, 2**24 - 1, shape, jnp.int32),
    }
    return TurnSpace(TurnBatch, fields, channels=channels, num_personas=config.num_personas, num_study=config.num_study)


def _view_space(config: SocialConfig) -> Composite:
    shape = (config.num_personas, config.max_budget)
    return Composite(
        ChannelView,
        {
            "stimulus": Discrete(config.stimulus_capacity + 1, shape, low=-1),
            "attention": Box(0, ATTENTION_UNIT, shape, jnp.int32, unit="1e-4"),
            "reason": Discrete(len(Reason), shape, names=tuple(r.name.lower() for r in Reason), low=-1),
            "author": Discrete(config.num_personas + 1, shape, low=-1),
            "kind": Discrete(len(StimulusKind) + 1, shape, low=-1),
            "vector": Box(-1, 2**24 - 1, shape, jnp.int32),
            "depth": Box(-1, _LARGE, shape, jnp.int32),
            "age": Box(-1, _LARGE, shape, jnp.int32, unit="ticks"),
            "counts": Box(0, _LARGE, (*shape, len(Count)), jnp.int32),
            "tie": Box(-1, TIE_UNIT, shape, jnp.int32, unit="1e-3"),
            "shared_community": Discrete(3, shape, low=-1),
            "via": Discrete(config.num_personas + 1, shape, low=-1),
        },
    )


def social_observation_space(config: SocialConfig) -> Composite:
    """Space of ``SocialObservation``; channels that are off stay None."""
    view = _view_space(config)
    return Composite(
        SocialObservation,
        {
            "tick": Box(0, _LARGE, (), jnp.int32, unit="ticks"),
            "active": Boolean((config.num_personas,)),
            "survey": Boolean((config.num_personas,)),
            "feed": view if config.has_feed else None,
            "forum": view if config.has_forum else None,
            "word_of_mouth": view if config.has_word_of_mouth else None,
        },
    )
