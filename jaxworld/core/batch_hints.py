"""Facts about a whole batch that let one world's code skip work nobody in the batch needs.

Under ``vmap`` a condition that depends on a batched value becomes a selection: both branches run for everyone. These
functions widen such a value to a bound over the batch, which is one scalar, so that ``lax.cond`` and ``lax.fori_loop``
stay real control flow. What a caller computes must not depend on the widening, only how much work is done for it.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.custom_batching import custom_vmap


@custom_vmap
def any_in_batch(flag: jax.Array) -> jax.Array:
    """``bool[]``: whether ``flag`` holds in any world of the batch; ``flag`` itself outside ``vmap``."""
    return flag


@any_in_batch.def_vmap
def _any_in_batch_rule(axis_size: int, in_batched: list[bool], flag: jax.Array) -> tuple[jax.Array, bool]:
    del axis_size
    return any_in_batch(jnp.any(flag, axis=0) if in_batched[0] else flag), False


@custom_vmap
def max_in_batch(value: jax.Array) -> jax.Array:
    """``int32[]``: the largest ``value`` in the batch; ``value`` itself outside ``vmap``."""
    return value


@max_in_batch.def_vmap
def _max_in_batch_rule(axis_size: int, in_batched: list[bool], value: jax.Array) -> tuple[jax.Array, bool]:
    del axis_size
    return max_in_batch(jnp.max(value, axis=0) if in_batched[0] else value), False
