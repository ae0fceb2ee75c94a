"""What must hold in every step of a grid world, said once more from the docs and not from the kernel.

Each law is ``bool[]``: whether this step of one world breaks it. Nothing here calls the functions that move players,
cast beams, bring back or collect; only tables of a world's configuration are read.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.grid_matrix_laws import due, matrix_laws
from benchmarks.grid_step import Laws, Step, rows_and_cols
from jaxworld.grid import Coins, CommonsHarvest, GridState, TheMatrix

ROWS, COLS = np.array([-1, 0, 1, 0], np.int32), np.array([0, 1, 0, -1], np.int32)
"""One cell north, east, south, west."""
BEARING = np.array([0, 0, 2, 3, 1, 0, 0], np.int32)
TURN = np.array([0, 0, 0, 0, 0, -1, 1], np.int32)
FIRE = 7


def laws(step: Step) -> Laws:
    """Every law of the step's world."""
    own = {Coins: coins_laws, CommonsHarvest: harvest_laws, TheMatrix: matrix_laws}
    found = next(function for kind, function in own.items() if isinstance(step.world, kind))
    return {**board_laws(step), **timer_laws(step), **found(step)}


def happened(step: Step) -> dict[str, jax.Array]:
    """``int32[]``: how often things happened, so that no broken law means something."""
    moved = step.was_present & (step.made.avatars.cell != step.before.avatars.cell)
    counted = {
        "moved": moved,
        "fired": step.events.get("fired", jnp.zeros(1, bool)),
        "removed": step.removed,
        "returned": step.returned,
        "ended": step.made.ended,
    }
    events = step.events
    if isinstance(step.world, TheMatrix):
        counted |= {"collected": events["collected"] > 0, "interacted": events["partner"] >= 0, "paid": due(step)}
        grown = (step.before.own.waiting > 0) & ((step.made.own.waiting == 0) | (step.made.own.waiting == 1))
        counted |= {"grown": grown, "destroyed": events["destroyed"]}
    elif isinstance(step.world, Coins):
        counted |= {"collected": events["took_coin"], "mismatched": events["took_mismatched_coin"]}
    else:
        counted |= {"collected": events["ate"], "zapped": events["zapped"], "grown": _sprouts(step)}
    return {name: happens.sum(dtype=jnp.int32) for name, happens in counted.items()}


def board_laws(step: Step) -> Laws:
    """Where players may be, and how they may get there."""
    before, made = step.before.avatars, step.made.avatars
    action = jnp.where(step.mobile & (step.action < FIRE), step.action, 0)
    heading = (before.orientation + jnp.asarray(BEARING)[action]) & 3
    target = before.cell + jnp.asarray(ROWS)[heading] * step.world.board.cols + jnp.asarray(COLS)[heading]
    steps = (action >= 1) & (action <= 4) & (made.cell == target)
    strays = (made.cell != before.cell) & ~steps
    turned = (before.orientation + jnp.asarray(TURN)[action]) & 3
    left = ~step.was_present & (made.absence > 0)
    changed = (made.cell != before.cell) | (made.orientation != before.orientation)
    return {
        "nobody shares a cell": _shared(step.before) | _shared(step.made),
        "nobody is in a wall": _in_wall(step, step.before) | _in_wall(step, step.made),
        "cells change by one step ahead, back or aside": (step.was_present & strays).any(),
        "facings change by the turn chosen": (step.was_present & (made.orientation != turned)).any(),
        "who is away stays as it left": (left & changed).any(),
        "facings are 0 to 3": ((made.orientation < 0) | (made.orientation > 3)).any(),
    }


def timer_laws(step: Step) -> Laws:
    """Absence, cooldown, the clock and the end."""
    before, made = step.before.avatars, step.made.avatars
    due = before.absence > step.delay
    waits = ~step.was_present & ~step.returned
    points = _spawn_points(step.world)
    on_point = jnp.asarray(points)[made.cell] & step.there
    crowded = on_point.sum(dtype=jnp.int32) >= int(points.sum())
    counting = jnp.where(step.was_present, made.absence > 1, waits & (made.absence != before.absence + 1))
    by_chance = (step.made.steps >= step.params.ending.minimum) & (
        (step.made.steps + 1) % step.params.ending.interval == 0
    )
    may_end = by_chance
    if getattr(step.world.config, "kind", "") == "one_shot":
        must_end = (before.absence == 1).any()
        may_end = by_chance | must_end
        counting = counting | (must_end & ~step.made.ended)
    return {
        "absence counts observations": counting.any(),
        "back after the delay, on a spawn point": (step.returned & ~(due & on_point)).any(),
        "overdue only without a free point": (waits & due).any() & ~crowded,
        "cooldown": _cooldown(step),
        "steps count, and ends are due": (step.made.steps != step.before.steps + 1) | (step.made.ended & ~may_end),
    }


def harvest_laws(step: Step) -> Laws:
    """Apples, what they pay, and beams."""
    before, made, events = step.before.own, step.made.own, step.events
    sprouts, ate, hits = _sprouts(step), events["ate"], events["zapped"]
    grown = before.live | sprouts
    on_apple = jnp.append(grown, False)[step.site]
    wanted = (
        jnp.where(ate, step.params.apple_reward, 0.0)
        + step.params.zap_reward * hits.sum(axis=1).astype(jnp.float32)
        + step.params.zapped_reward * hits.any(axis=0).astype(jnp.float32)
    )
    count = {"before": before.live.sum(), "made": made.live.sum(), "grown": sprouts.sum(), "eaten": ate.sum()}
    wild = hits & ~(events["fired"][:, None] & step.was_present[None, :] & step.in_reach)
    return {
        "apples after = before + sprouts - eaten": count["made"] != count["before"] + count["grown"] - count["eaten"],
        "apples go where they are eaten": (made.live != (grown & ~step.at_sites(ate))).any(),
        "who stands on an apple eats it": (ate != on_apple).any(),
        "rewards": (step.reward != wanted).any(),
        "only shooters hit, and only in reach": wild.any(),
        "who is hit leaves": (step.removed != hits.any(axis=0)).any(),
        "nobody is frozen": (step.made.avatars.frozen != 0).any(),
    }


def coins_laws(step: Step) -> Laws:
    """Coins by colour, and what they pay whom."""
    before, made, events = step.before.own, step.made.own, step.events
    row, col = rows_and_cols(step.world, np.asarray(step.world.sites.cells))
    height, width = before.size[0], before.size[1]
    start = ((row == 2) & (col == width - 1)) | ((row == height - 1) & (col == 2))
    in_room = (row <= height) & (col <= width)
    appears = in_room & ~start & (before.coins == 0) & (step.draws["sites"] < step.params.regrowth)
    kind = (step.draws["sites"] % 2 + 1).astype(jnp.uint8)
    grown = jnp.where(appears, kind, before.coins)
    here = jnp.append(grown, jnp.uint8(0))[step.site]
    took = here > 0
    other = took & (here != np.array([1, 2], np.uint8))
    wanted = jnp.where(took, step.params.reward, 0.0) + jnp.where(other[::-1], step.params.mismatch, 0.0)
    counts = [
        (made.coins == k).sum() != (before.coins == k).sum() + (appears & (kind == k)).sum() - (here == k).sum()
        for k in (1, 2)
    ]
    told = (events["took_coin"] != took) | (events["took_mismatched_coin"] != other) | (made.mismatched != other)
    kept = (made.size == before.size).all() & (made.colours == before.colours).all()
    return {
        "coins after = before + appeared - taken, by colour": counts[0] | counts[1],
        "coins go where they are taken": (made.coins != jnp.where(step.at_sites(took), 0, grown)).any(),
        "who stands on a coin takes it": told.any(),
        "rewards": (step.reward != wanted).any(),
        "rooms and colours stay, and colours differ": ~kept | (made.colours[0] == made.colours[1]),
        "no coin lies outside the room": ((made.coins > 0) & ~in_room).any(),
        "nobody is removed or frozen": (step.removed | (step.made.avatars.frozen != 0)).any(),
    }


def _sprouts(step: Step) -> jax.Array:
    """``bool[S]``: eaten apples that grow back, by the class of their neighbourhood; 4 and 5 have none yet."""
    own = step.before.own
    chances = jnp.append(step.params.regrowth, jnp.zeros(2, jnp.uint32))
    return ~own.live & (step.draws["sites"] < chances[own.density.astype(jnp.int32)])


def _cooldown(step: Step) -> jax.Array:
    before, made = step.before.avatars.cooldown, step.made.avatars.cooldown
    if not step.world.beams:
        return (made != 0).any()
    harvest = isinstance(step.world, CommonsHarvest)
    able, full = (step.was_present, step.params.zap_cooldown) if harvest else (step.mobile, step.params.cooldown)
    fires = able & (before == 0) & (step.action == FIRE)
    left = jnp.where(fires, full, before - (able & (before > 0)).astype(jnp.int32))
    return ((step.events["fired"] != fires) | (made != left) | (made < 0) | (made > full)).any()


def _shared(state: GridState) -> jax.Array:
    here, cell = state.avatars.absence == 0, state.avatars.cell
    same = (cell[:, None] == cell[None, :]) & here[:, None] & here[None, :]
    return (same & ~np.eye(len(here), dtype=bool)).any()


def _in_wall(step: Step, state: GridState) -> jax.Array:
    here, cell, cells = state.avatars.absence == 0, state.avatars.cell, step.world.board.num_cells
    if isinstance(step.world, Coins):
        row, col = rows_and_cols(step.world, cell)
        solid = (row < 1) | (col < 1) | (row > state.own.size[0]) | (col > state.own.size[1])
    else:
        solid = jnp.asarray(step.world.config.map.mask("#").reshape(-1))[jnp.clip(cell, 0, cells - 1)]
    return (here & (solid | (cell < 0) | (cell >= cells))).any()


def _spawn_points(world: Any) -> np.ndarray:
    """``bool[num_cells]``: where players come back."""
    if world.config.map is None:
        return np.zeros(world.board.num_cells, bool)
    return world.config.map.mask("S").reshape(-1)
