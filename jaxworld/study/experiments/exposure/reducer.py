"""Counting who saw what, on the device."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.core.timestep import TimeStep
from jaxworld.social.config import SocialConfig
from jaxworld.social.state import SocialObservation


@pytree_dataclass
class ExposureCounts:
    """Integers of one world.

    Attributes:
        exposures: ``int32[S]``, times each stimulus was shown so far.
        reach: ``int32[S]``, personas it was shown to so far.
        seen: ``bool[N, S]`` (carry only), who has seen what.
    """

    exposures: jax.Array
    reach: jax.Array
    seen: jax.Array | None


@pytree_dataclass
class ExposureTick:
    """What a tick leaves of a world: the counts so far, and what happened at it.

    Attributes:
        exposures, reach: ``int32[S]``, see :class:`ExposureCounts`.
        drops: ``int32[]``, ranked or told but not shown.
        active: ``int32[]``, personas awake.
        candidates: ``int32[]``, stimuli that could be shown.
        overflow: ``int32[]``, flags of the world.
    """

    exposures: jax.Array
    reach: jax.Array
    drops: jax.Array
    active: jax.Array
    candidates: jax.Array
    overflow: jax.Array


@pytree_dataclass
class ExposureReducer:
    """Counts exposures and distinct viewers of every stimulus over all channels."""

    config: SocialConfig = static_field()

    def init(self, timestep: TimeStep) -> ExposureCounts:
        """Counts of tick 0."""
        size, people = self.config.stimulus_capacity, self.config.num_personas
        nothing = jnp.zeros(size, jnp.int32)
        empty = ExposureCounts(exposures=nothing, reach=nothing, seen=jnp.zeros((people, size), bool))
        return self._count(empty, timestep.observation)

    def update(self, carry: ExposureCounts, timestep: TimeStep, action: object) -> tuple[ExposureCounts, ExposureTick]:
        """Count one tick."""
        del action
        counts, info = self._count(carry, timestep.observation), timestep.info
        drops = [
            channel.count.sum(dtype=jnp.int32) for channel in (info.feed, info.forum, info.word_of_mouth) if channel
        ]
        return counts, ExposureTick(
            exposures=counts.exposures,
            reach=counts.reach,
            drops=jnp.stack(drops).sum(dtype=jnp.int32),
            active=timestep.observation.active.sum(dtype=jnp.int32),
            candidates=info.published_start,
            overflow=info.overflow,
        )

    def final(self, carry: ExposureCounts) -> None:
        """Nothing beyond the ticks."""
        del carry

    def _count(self, counts: ExposureCounts, observation: SocialObservation) -> ExposureCounts:
        size, people = self.config.stimulus_capacity, self.config.num_personas
        exposures, reach, seen = counts.exposures, counts.reach, counts.seen
        persona = jnp.broadcast_to(jnp.arange(people, dtype=jnp.int32)[:, None], (people, self.config.max_budget))
        for view in (observation.feed, observation.forum, observation.word_of_mouth):
            if view is None:
                continue
            shown = view.stimulus >= 0
            slot = jnp.where(shown, view.stimulus, size)
            exposures = exposures.at[slot].add(1, mode="drop")
            assert seen is not None
            first = shown & ~seen[persona, jnp.maximum(view.stimulus, 0)]
            reach = reach.at[jnp.where(first, view.stimulus, size)].add(1, mode="drop")
            seen = seen.at[persona, slot].set(True, mode="drop")
        return ExposureCounts(exposures=exposures, reach=reach, seen=seen)
