"""Payoffs and colours of results against float64, and exactly at the edges."""

from __future__ import annotations

from fractions import Fraction

import jax
import numpy as np
import pytest

from jaxworld.grid import GAMES
from jaxworld.grid.substrates.matrix_games import check_edges, mixed_payoff, result_colour

CASES = 2000


@pytest.mark.parametrize("game", GAMES)
def test_payoffs_and_colours_of_random_inventories(game: str) -> None:
    known = GAMES[game]
    size = len(known.strategies)
    generator = np.random.default_rng(size)
    counts = generator.integers(1, generator.choice([3, 12, 60], (CASES, 1, 1)) + 1, (CASES, 2, size))
    mine, theirs = counts[:, 0].astype(np.int32), counts[:, 1].astype(np.int32)
    shares = counts / counts.sum(axis=-1, keepdims=True)
    for table in known.payoffs[0], known.payoffs[1].T:
        tables = np.broadcast_to(table.astype(np.float32), (CASES, size, size))
        numerator, denominator = (np.asarray(part) for part in mixed_payoff(mine, theirs, tables))
        expected = np.einsum("ni,ij,nj->n", shares[:, 0], table, shares[:, 1])
        np.testing.assert_allclose(numerator / denominator, expected, rtol=2e-7, atol=1e-6)
        colours = np.asarray(result_colour(jax.numpy.asarray(numerator), denominator, check_edges(known.edges)))
        exact = [Fraction(int(top), int(bottom)) for top, bottom in zip(numerator, denominator, strict=True)]
        edges = [Fraction(str(edge)) for edge in known.edges]
        assert colours.tolist() == [1 + sum(value >= edge for edge in edges) for value in exact]
        assert any(value in edges for value in exact)  # the cases that rounding would get wrong are among them


def test_tables_are_those_of_two_players() -> None:
    for name, game in GAMES.items():
        row, column = game.payoffs
        assert row.shape == column.shape == (len(game.strategies),) * 2
        assert (row == column.T).all() == (name != "bach_or_stravinsky")
        assert row.min() <= game.edges[0]
        assert game.edges[-1] < row.max()
