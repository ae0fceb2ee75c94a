from __future__ import annotations

from typing import Any

import jax

from benchmarks.grid_checks import Tally, line, play
from jaxworld.core.pytree import replace
from jaxworld.grid import CommonsHarvest

GROVE = """
########
#SA..AS#
#.AA.A.#
#SA..AS#
########
"""
BLOCK = 8


class LateCrowd(CommonsHarvest):
    """Commons Harvest in which, from step 8 on, player 1 is put where player 0 is."""

    def act(self, state: Any, action: jax.Array, draws: Any, params: Any) -> Any:
        turn = super().act(state, action, draws, params)
        cell = turn.avatars.cell
        moved = jax.numpy.where(state.steps >= BLOCK, cell.at[1].set(cell[0]), cell)
        return replace(turn, avatars=replace(turn.avatars, cell=moved))


def test_no_law_is_broken_until_one_is():
    """The first block of steps is lawful, and says what happened; the second is not, and says which laws broke."""
    lawful, broken = play(LateCrowd(num_players=3, map=GROVE), worlds=8, steps=2 * BLOCK, block=BLOCK)
    assert lawful.steps == BLOCK and not lawful.broken.total()
    assert all(lawful.counts[name] > 0 for name in ("collected", "grown", "moved", "fired", "zapped", "removed"))
    law = "nobody shares a cell"
    assert broken.broken[law] > BLOCK
    assert f"BROKEN in {broken.broken[law]:,} steps: {law}" in line(broken)
    assert isinstance(broken, Tally) and "BROKEN" not in line(lawful)
