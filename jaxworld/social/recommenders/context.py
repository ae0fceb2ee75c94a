"""What a recommender may look at."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.social.config import SocialConfig
from jaxworld.social.params import SocialParams
from jaxworld.social.state import SocialState, Stimuli
from jaxworld.social.vocabulary import Count, Platform


@pytree_dataclass
class RankingContext:
    """One platform at one tick. Stimulus arrays have length S.

    Attributes:
        config: static configuration.
        platform: ``Platform.FEED`` or ``Platform.FORUM`` (static).
        params: traced parameters, with the population.
        stimuli: all stimuli; only those in ``candidate`` may be shown.
        candidate: ``bool[S]``: on this platform and published at an earlier tick.
        num_candidates: ``int32[]``.
        counts: ``int32[S, 5]``, engagement of earlier ticks.
        followees: ``int32[N, max_followees]``.
        followers: ``int32[N]``, followers at this tick.
        active: ``bool[N]``, who is awake; nobody else is presented anything.
        tick: ``int32[]``, the tick being presented.
    """

    config: SocialConfig = static_field()
    platform: Platform = static_field()
    params: SocialParams
    stimuli: Stimuli
    candidate: jax.Array
    num_candidates: jax.Array
    counts: jax.Array
    followees: jax.Array
    followers: jax.Array
    active: jax.Array
    tick: jax.Array

    @property
    def net_votes(self) -> jax.Array:
        """``int32[S]``: up minus down; likes are upvotes on the feed."""
        ups = self.counts[:, Count.UPVOTES]
        if self.platform == Platform.FEED:
            ups = ups + self.counts[:, Count.LIKES]
        return ups - self.counts[:, Count.DOWNVOTES]

    @property
    def age(self) -> jax.Array:
        """``int32[S]``: ticks since publication."""
        return self.tick - self.stimuli.tick

    def of_author(self, values: jax.Array, study: int) -> jax.Array:
        """Gather a per-persona array ``[N]`` to the authors of stimuli; the study's get ``study``."""
        author = self.stimuli.author
        return jnp.where(author >= 0, values[jnp.maximum(author, 0)], study)


@pytree_dataclass
class PersonaBlock:
    """A block of B personas that a personal order ranks for.

    Attributes:
        index: ``int32[B]``, personas; rows that are not needed hold any persona.
        in_network: ``bool[B, N + 1]``, whom each is tied to or follows; the last column (the study) is False.
    """

    index: jax.Array
    in_network: jax.Array


@pytree_dataclass
class PersonalOrder:
    """Scores of a block.

    Attributes:
        score: ``float32[B, S]``, larger first; ties are broken by a seed per persona.
        eligible: ``bool[B, S]`` or None for all candidates.
        reason: ``int32[B, S]`` or None for the recommender's own reason.
    """

    score: jax.Array
    eligible: jax.Array | None = None
    reason: jax.Array | None = None


def make_context(
    config: SocialConfig,
    platform: Platform,
    params: SocialParams,
    state: SocialState,
    active: jax.Array,
    num_visible: jax.Array,
) -> RankingContext:
    """The context of one platform; stimuli from ``num_visible`` on were published at this tick and stay hidden."""
    slots = jnp.arange(config.stimulus_capacity, dtype=jnp.int32)
    other = Platform.FORUM if platform == Platform.FEED else Platform.FEED
    candidate = (slots < num_visible) & (state.stimuli.platform != other)
    return RankingContext(
        config=config,
        platform=platform,
        params=params,
        stimuli=state.stimuli,
        candidate=candidate,
        num_candidates=candidate.sum(dtype=jnp.int32),
        counts=state.counts,
        followees=state.followees,
        followers=params.population.followers + state.followers_gained,
        active=active,
        tick=state.tick,
    )
