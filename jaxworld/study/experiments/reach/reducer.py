"""Counting, on the device, how many of the audience see the creators."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.timestep import TimeStep


@pytree_dataclass
class ReachCounts:
    """Integers of one world.

    Attributes:
        met: ``int32[]``, moments (one persona of the audience, one tick) with something by the creators on show.
        awake: ``int32[]``, moments at which a persona of the audience was awake.
        overflow: ``int32[]``, flags of the world; any makes the run void.
    """

    met: jax.Array
    awake: jax.Array
    overflow: jax.Array


@pytree_dataclass
class ReachReducer:
    """Counts moments of the audience; ``creator``: ``bool[N]``."""

    creator: jax.Array

    def init(self, timestep: TimeStep) -> ReachCounts:
        """Nothing is by a creator yet at tick 0."""
        del timestep
        zero = jnp.zeros((), jnp.int32)
        return ReachCounts(met=zero, awake=zero, overflow=zero)

    def update(self, carry: ReachCounts, timestep: TimeStep, action: object) -> tuple[ReachCounts, None]:
        """Count one tick."""
        del action
        feed, audience = timestep.observation.feed, ~self.creator
        by_creator = (feed.stimulus >= 0) & (feed.author >= 0) & self.creator[jnp.maximum(feed.author, 0)]
        awake = timestep.observation.active & audience
        met = by_creator.any(axis=1) & awake
        made = ReachCounts(
            met=carry.met + met.sum(dtype=jnp.int32),
            awake=carry.awake + awake.sum(dtype=jnp.int32),
            overflow=carry.overflow | timestep.info.overflow,
        )
        return made, None

    def final(self, carry: ReachCounts) -> ReachCounts:
        return carry


def reach(counts: ReachCounts) -> jax.Array:
    """Share of the audience's waking moments with a creator on show, ``float32[]``; NaN if the run was void."""
    share = counts.met.astype(jnp.float32) / jnp.maximum(counts.awake, 1).astype(jnp.float32)
    return jnp.where(counts.overflow == 0, share, np.float32(np.nan))
