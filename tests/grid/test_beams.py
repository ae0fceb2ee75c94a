"""Which cells beams reach, against a plain walk along their rays."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core import ConfigurationError
from jaxworld.core.pytree import replace
from jaxworld.grid.avatars import Avatars, newcomers
from jaxworld.grid.beams import Beam, beam_cells, cast, hit, occupied, pack, unpack
from jaxworld.grid.board import Board

STEPS = np.array([(-1, 0), (0, 1), (1, 0), (0, -1)])
SHAPES = [(3, 1), (4, 1), (2, 2), (2, 1), (3, 0), (5, 0), (1, 3)]


def test_the_popular_shapes_have_their_known_numbers_of_cells() -> None:
    counts = {shape: Beam(*shape).num_cells for shape in SHAPES}
    assert counts == {(3, 1): 9, (4, 1): 12, (2, 2): 8, (2, 1): 6, (3, 0): 3, (5, 0): 5, (1, 3): 3}


def _reach(
    board: Board, beam: Beam, stops: np.ndarray, row: int, col: int, facing: int
) -> Iterator[tuple[int, int, bool]]:
    """Cells a beam comes to, and whether it goes on: rays one by one, a wider side ray only past an open inner one."""
    ahead = STEPS[facing]

    def walk(place: np.ndarray, length: int) -> Iterator[tuple[int, int, bool]]:
        for _ in range(length):
            if board.torus:
                place = place % [board.rows, board.cols]
            outside = (place < 0).any() or (place >= [board.rows, board.cols]).any()
            if outside:
                yield -1, -1, False
                return
            goes_on = not stops[tuple(place)]
            yield int(place[0]), int(place[1]), goes_on
            if not goes_on:
                return
            place = place + ahead

    for side in (3, 1):
        beside = STEPS[(facing + side) % 4]
        for lane in range(1, beam.radius + 1):
            cells = list(walk(np.array([row, col]) + lane * beside, beam.length - lane + 1))
            yield from cells
            if cells and not cells[0][2]:
                break
    yield from walk(np.array([row, col]) + ahead, beam.length)


@pytest.mark.parametrize("shape", [(3, 1), (2, 2), (1, 3)])
@pytest.mark.parametrize("torus", [False, True])
def test_rays_end_at_walls_players_and_the_edge(shape: tuple[int, int], torus: bool) -> None:
    board, beam, rng = Board(6, 7, torus), Beam(*shape), np.random.default_rng(5)
    solid = np.append(rng.random(42) < 0.15, True)
    open_cells = np.flatnonzero(~solid)
    cells = np.stack([rng.choice(open_cells, 5, replace=False) for _ in range(60)])
    facing = rng.integers(0, 4, (60, 5))
    fires = rng.random((60, 5)) < 0.6
    absent = rng.random((60, 5)) < 0.2

    def shoot(avatars: Avatars, fires: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        footprint = beam_cells(board, beam, avatars)
        rays = cast(beam, footprint, fires, occupied(board, solid, avatars)[footprint])
        return hit(rays, avatars), footprint, unpack(pack(rays.lit), beam.num_cells)

    avatars = jax.vmap(newcomers)(jnp.asarray(cells, jnp.int32), jnp.asarray(facing, jnp.int32))
    avatars = replace(avatars, absence=jnp.asarray(absent, jnp.int32))
    made = jax.device_get(jax.jit(jax.vmap(shoot))(avatars, jnp.asarray(fires & ~absent)))
    for world, (hits, footprint, lit) in enumerate(zip(*made, strict=True)):
        standing = {int(cell): i for i, cell in enumerate(cells[world]) if not absent[world, i]}
        stops = solid[:-1].copy()
        stops[list(standing)] = True
        for shooter in range(5):
            expected = list(
                _reach(board, beam, stops.reshape(6, 7), *divmod(int(cells[world, shooter]), 7), facing[world, shooter])
            )
            active = fires[world, shooter] and not absent[world, shooter]
            reached = {row * 7 + col for row, col, _ in expected if row >= 0} if active else set()
            passed = {row * 7 + col for row, col, on in expected if on} if active else set()
            assert set(footprint[shooter][lit[shooter]].tolist()) == passed
            assert set(np.flatnonzero(hits[shooter])) == {i for cell, i in standing.items() if cell in reached}


@pytest.mark.parametrize(("length", "radius"), [(0, 1), (3, -1), (2.5, 1), (7, 7)])
def test_shapes_that_cannot_be_are_refused(length: float, radius: int) -> None:
    with pytest.raises(ConfigurationError):
        Beam(length, radius)  # type: ignore[arg-type]
