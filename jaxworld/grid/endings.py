"""When an episode ends by itself: at multiples of an interval, by chance."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.pytree import pytree_dataclass


@pytree_dataclass
class IntervalEnding:
    """In every step k of at least ``minimum`` for which ``k + 1`` is a multiple of ``interval``, the episode may end.

    Attributes:
        minimum, interval: ``int32[]``, steps.
        chance: ``uint32[]``, threshold of the probability of an end; 0 never ends.
    """

    minimum: jax.Array
    interval: jax.Array
    chance: jax.Array


def interval_ending(minimum: int, interval: int, probability: float) -> IntervalEnding:
    """Parameters of an ending.

    Raises:
        ConfigurationError: for steps below 1 or a probability outside 0 to 1.
    """
    made = {
        "minimum": checks.whole("ending_minimum", minimum, 0, 2**31 - 2),
        "interval": checks.whole("ending_interval", interval, 1, 2**31 - 2),
    }
    steps = {name: jnp.asarray(value, jnp.int32) for name, value in made.items()}
    return IntervalEnding(chance=jnp.asarray(checks.threshold("ending_probability", probability)), **steps)


def ends(ending: IntervalEnding, step: jax.Array, word: jax.Array) -> jax.Array:
    """``bool[]``: whether step number ``step int32[]`` (the first is 1) ends the episode, given a random word."""
    due = (step >= ending.minimum) & ((step + np.int32(1)) % ending.interval == np.int32(0))
    return due & (word < ending.chance)
