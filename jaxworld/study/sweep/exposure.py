"""How unequally exposure is spread in a social world: integers on the device, ratios on the host."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import CapacityError
from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.core.timestep import TimeStep
from jaxworld.social.config import SocialConfig


@pytree_dataclass
class ExposureTally:
    """What :class:`ExposureFigures` carries.

    Attributes:
        exposures: ``int32[S]``, times each stimulus was shown so far.
        candidates: ``int32[]``, stimuli that could be shown so far.
        active: ``int32[]``, persona-ticks awake so far.
        drops: ``int32[]``, ranked or told but not shown so far.
    """

    exposures: jax.Array
    candidates: jax.Array
    active: jax.Array
    drops: jax.Array


@pytree_dataclass
class ExposureFigures:
    """Concentration of exposure over all stimuli that could be shown, all channels together.

    Columns: ``exposures``, ``candidates``, ``active``, ``drops`` (totals so far), ``gini``, ``top_1_share`` (of the
    most shown stimulus) and ``coverage`` (share of stimuli shown at all).

    With exposures in ascending order and ranks 1..n, Gini = 2 * sum(rank * exposure) / (n * total) - (n + 1) / n.
    """

    config: SocialConfig = static_field()

    def init(self, timestep: TimeStep) -> ExposureTally:
        nothing = jnp.zeros(self.config.stimulus_capacity, jnp.int32)
        zero = jnp.zeros((), jnp.int32)
        return self._count(ExposureTally(exposures=nothing, candidates=zero, active=zero, drops=zero), timestep)

    def update(
        self, carry: ExposureTally, timestep: TimeStep, action: object
    ) -> tuple[ExposureTally, dict[str, jax.Array]]:
        del action
        made = self._count(carry, timestep)
        return made, self.final(made)

    def final(self, carry: ExposureTally) -> dict[str, jax.Array]:
        """Integers from which the host forms the ratios; the sum over ranks is cut in two lest it overflows."""
        size = self.config.stimulus_capacity
        # Stimuli yet to come have no exposures: in ascending order they come first, with ranks of 0 and below.
        ordered = jnp.sort(carry.exposures)
        rank = jnp.maximum(jnp.arange(1, size + 1, dtype=jnp.int32) - (size - carry.candidates), 0)
        digit = _digit(size)
        return {
            "exposures": carry.exposures.sum(dtype=jnp.int32),
            "candidates": carry.candidates,
            "active": carry.active,
            "drops": carry.drops,
            "_most": ordered[-1],
            "_shown": (carry.exposures > 0).sum(dtype=jnp.int32),
            "_rank_high": ((rank // digit) * ordered).sum(dtype=jnp.int32),
            "_rank_low": ((rank % digit) * ordered).sum(dtype=jnp.int32),
        }

    def host_columns(self, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Form the ratios; 0 where nothing was shown.

        Raises:
            CapacityError: if the sums did not fit 32 bits.
        """
        digit = _digit(self.config.stimulus_capacity)
        total, count = columns["exposures"].astype(np.float64), columns["candidates"].astype(np.float64)
        if total.size and total.max() * digit >= 2**31:
            raise CapacityError("too many exposures to sum in 32 bits: run fewer ticks, or lower stimulus_capacity")
        ranked = columns["_rank_high"].astype(np.float64) * digit + columns["_rank_low"]
        some, many = np.maximum(total, 1), np.maximum(count, 1)
        kept = {name: values for name, values in columns.items() if not name.startswith("_")}
        kept["gini"] = np.where(total > 0, (2 * ranked - (count + 1) * total) / (many * some), 0.0)
        kept["top_1_share"] = columns["_most"] / some
        kept["coverage"] = columns["_shown"] / many
        return kept

    def _count(self, tally: ExposureTally, timestep: TimeStep) -> ExposureTally:
        observation, info = timestep.observation, timestep.info
        exposures, drops = tally.exposures, tally.drops
        for view in (observation.feed, observation.forum, observation.word_of_mouth):
            if view is not None:
                slot = jnp.where(view.stimulus >= 0, view.stimulus, self.config.stimulus_capacity)
                exposures = exposures.at[slot].add(1, mode="drop")
        for channel in (info.feed, info.forum, info.word_of_mouth):
            if channel is not None:
                drops = drops + channel.count.sum(dtype=jnp.int32)
        return ExposureTally(
            exposures=exposures,
            candidates=info.published_start,
            active=tally.active + observation.active.sum(dtype=jnp.int32),
            drops=drops,
        )


def _digit(size: int) -> int:
    """About the square root of the number of ranks."""
    return 1 << max(math.ceil(math.log2(max(size, 2)) / 2), 1)
