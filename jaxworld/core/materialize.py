"""Keeping XLA from computing the same draw many times."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

_WIDTH = 8
_IDENTITY = np.eye(_WIDTH, dtype=np.float32)


def materialize(values: jax.Array) -> jax.Array:
    """``values`` itself, written to memory once.

    XLA's CPU backend fuses a chain of element-wise operations into every consumer, so what costs a random draw is
    computed again for each of them, and an optimisation barrier is gone before fusion. A product with the identity
    is an operation it neither fuses nor simplifies, and it is exact for these values.

    Args:
        values: ``bool[n]``, or ``int32[n]`` below 2**24 in magnitude.
    """
    size = values.shape[0]
    rows = jnp.pad(values.astype(jnp.float32), (0, -size % _WIDTH)).reshape(-1, _WIDTH)
    same = jnp.matmul(rows, jnp.asarray(_IDENTITY), precision="highest").reshape(-1)[:size]
    return same.astype(values.dtype)
