"""One step of one grid world, with everything its laws speak of."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.grid import GridState

Laws = dict[str, jax.Array]
"""Name of a law to ``bool[]``: whether the step breaks it."""


@dataclasses.dataclass(frozen=True)
class Step:
    """One step of one world: what was there, what was drawn and done, and what came of it."""

    world: Any
    params: Any
    before: GridState
    action: jax.Array
    draws: dict[str, jax.Array]
    made: GridState
    reward: jax.Array
    events: dict[str, jax.Array]

    @property
    def was_present(self) -> jax.Array:
        """``bool[A]``: on the board as the step began."""
        return self.before.avatars.absence == 0

    @property
    def there(self) -> jax.Array:
        """``bool[A]``: on the board when things were collected; who is removed leaves after that."""
        return self.made.avatars.absence <= 1

    @property
    def removed(self) -> jax.Array:
        """``bool[A]``: who left in this step."""
        return self.made.avatars.absence == 1

    @property
    def returned(self) -> jax.Array:
        """``bool[A]``: who came back in this step."""
        return ~self.was_present & (self.made.avatars.absence == 0)

    @property
    def mobile(self) -> jax.Array:
        """``bool[A]``: who could act; a freeze of 1 runs out as the step begins."""
        return self.was_present & (self.before.avatars.frozen <= 1)

    @property
    def site(self) -> jax.Array:
        """``int32[A]``: the site each one stood on when things were collected, S for none."""
        sites = self.world.sites
        return jnp.where(self.there, jnp.asarray(sites.number())[self.made.avatars.cell], sites.size)

    @property
    def delay(self) -> jax.Array:
        """``int32[]``: observations missed after that of a removal."""
        return getattr(self.params, "respawn_delay", jnp.zeros((), jnp.int32))

    def at_sites(self, who: jax.Array) -> jax.Array:
        """``bool[S]``: where somebody of ``who bool[A]`` stood."""
        here = self.site[:, None] == np.arange(self.world.sites.size, dtype=np.int32)[None, :]
        return (here & who[:, None]).any(axis=0)

    @property
    def in_reach(self) -> jax.Array:
        """``bool[A, A]``: whether the first axis could hit the second: another one, as near as the longest ray."""
        (beam,) = self.world.beams.values()
        row, col = rows_and_cols(self.world, self.made.avatars.cell)
        far = abs(row[:, None] - row[None, :]) + abs(col[:, None] - col[None, :])
        return (far <= beam.length) & (far > 0)


def rows_and_cols(world: Any, cell: Any) -> tuple[Any, Any]:
    """Where cells lie."""
    return cell // world.board.cols, cell % world.board.cols
