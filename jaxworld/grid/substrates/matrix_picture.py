"""A payoff table as a picture, for games that have no map."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.grid.sprites import SIZE

_FRAME = np.pad(np.zeros((SIZE - 2, SIZE - 2), bool), 1, constant_values=True)


def draw_tables(tables: jax.Array, last: jax.Array) -> jax.Array:
    """A square of 8 x 8 pixels for each cell of a bimatrix, with the one that was chosen framed in white.

    The more the first table pays, the redder the cell, and the more the second, the bluer; black and full colour are
    the lowest and the highest payoff in both.

    Args:
        tables: ``float32[2, K, K]``.
        last: ``int32[2]``, row and column chosen, numbered from 1; 0 for none.

    Returns:
        ``uint8[8 K, 8 K, 3]``.
    """
    low, high = tables.min(), tables.max()
    shade = jnp.round((tables - low) / jnp.maximum(high - low, np.float32(1e-6)) * np.float32(255)).astype(jnp.uint8)
    colour = jnp.stack([shade[0], jnp.zeros_like(shade[0]), shade[1]], axis=-1)
    numbers = np.arange(1, tables.shape[-1] + 1, dtype=np.int32)
    chosen = (numbers[:, None] == last[0]) & (numbers[None, :] == last[1])
    framed = jnp.kron(chosen.astype(jnp.uint8), np.ones((SIZE, SIZE), np.uint8)) > np.uint8(0)
    framed = framed & np.tile(_FRAME, chosen.shape)
    pixels = jnp.repeat(jnp.repeat(colour, SIZE, axis=0), SIZE, axis=1)
    return jnp.where(framed[..., None], np.uint8(255), pixels)
