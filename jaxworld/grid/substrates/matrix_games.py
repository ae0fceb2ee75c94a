"""Seven two-player games as payoff tables, for players who mix two or three strategies."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import checks
from jaxworld.core.errors import require

Table = tuple[tuple[float, ...], ...]

COLOURS = ("red", "yellow", "green", "blue", "violet")
"""How well an interaction went, from worst to best."""
EDGE_UNITS = 10
"""Edges between colours are kept in tenths: then those of all seven games are whole numbers."""
_BEYOND = 1e30


@dataclasses.dataclass(frozen=True)
class PayoffGame:
    """One game.

    Attributes:
        strategies: names of the K strategies.
        row: ``K x K``, what the row player gets, by its own strategy and the column player's.
        edges: the payoffs at which the colour of a result changes, ascending, at most 4.
        column: what the column player gets, by the same two; the transpose of ``row`` if None.
        roles: names of the row and the column player, if who is which is settled before they meet.
    """

    strategies: tuple[str, ...]
    row: Table
    edges: tuple[float, ...]
    column: Table | None = None
    roles: tuple[str, str] | None = None

    @property
    def payoffs(self) -> np.ndarray:
        """``float64[2, K, K]``: the row player's and the column player's table, both by (row, column) strategy."""
        row = np.asarray(self.row, np.float64)
        return np.stack([row, row.T if self.column is None else np.asarray(self.column, np.float64)])


GAMES: Mapping[str, PayoffGame] = MappingProxyType(
    {
        "bach_or_stravinsky": PayoffGame(
            ("bach", "stravinsky"),
            ((3, 0), (0, 2)),
            (0.5, 1.5, 2.5),
            column=((2, 0), (0, 3)),
            roles=("bach_fan", "stravinsky_fan"),
        ),
        "chicken": PayoffGame(("dove", "hawk"), ((3, 2), (5, 0)), (1.5, 2.5, 3.5)),
        "prisoners_dilemma": PayoffGame(("cooperate", "defect"), ((3, 0), (5, 1)), (1, 2, 3, 4)),
        "pure_coordination": PayoffGame(
            ("first", "second", "third"), ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (0.2, 0.4, 0.6, 0.8)
        ),
        "rationalizable_coordination": PayoffGame(
            ("first", "second", "third"), ((1, 0, 0), (0, 2, 0), (0, 0, 3)), (0.5, 1.5, 2.5)
        ),
        "running_with_scissors": PayoffGame(
            ("rock", "paper", "scissors"), ((0, -10, 10), (10, 0, -10), (-10, 10, 0)), (-5, -2.5, 2.5, 5)
        ),
        "stag_hunt": PayoffGame(("stag", "hare"), ((4, 0), (2, 2)), (0.5, 1.5, 2.5, 3.5)),
    }
)
"""Tables and edges are those of Melting Pot's ``*_in_the_matrix`` (Leibo et al. 2021, arXiv 2107.06857; 2.4.1)."""


def check_game(game: Any) -> PayoffGame:
    """The game of a name.

    Raises:
        ConfigurationError: for another name.
    """
    known = isinstance(game, str) and game in GAMES
    require(known, "game", game, f"use one of {', '.join(GAMES)}")
    return GAMES[game]


def check_payoffs(payoffs: Any, num_strategies: int | None = None) -> np.ndarray:
    """Host: ``float64[2, K, K]`` from one ``K x K`` table of a symmetric game, or from the two tables of a bimatrix.

    Args:
        payoffs: the row player's table by (row, column) strategy, and the column player's by the same two; with one
            table, the column player's is its transpose.
        num_strategies: K, or None for any K of at least 2.

    Raises:
        ConfigurationError: for other shapes, numbers that are not finite, or beyond a million.
    """
    tables = checks.numeric_array("payoffs", payoffs)
    found = tables.shape[-1] if tables.ndim else 0
    size = found if num_strategies is None else num_strategies
    fits = found >= 2 and tables.shape in ((size, size), (2, size, size))
    wanted = "K x K" if num_strategies is None else f"{size} x {size}"
    require(fits, "payoffs", f"shape {tables.shape}", f"give one table {wanted}, or two of them: row's and column's")
    require(bool((np.abs(tables) <= 1e6).all()), "payoffs", "beyond a million", "use numbers from -1e6 to 1e6")
    return np.stack([tables, tables.T]) if tables.ndim == 2 else tables


def check_edges(edges: Sequence[float]) -> np.ndarray:
    """Host: ``float32[4]``, edges between the colours in tenths; colours that are not used lie out of reach.

    Raises:
        ConfigurationError: for more than four edges, or edges that do not ascend.
    """
    given = checks.numeric_array("result_edges", edges)
    most = len(COLOURS) - 1
    fits = given.ndim == 1 and len(given) <= most and bool((np.diff(given) > 0).all())
    require(fits, "result_edges", edges, f"give at most {most} ascending payoffs")
    made = np.full(most, _BEYOND, np.float32)
    made[: len(given)] = given * EDGE_UNITS
    return made


def mixed_payoff(mine: jax.Array, theirs: jax.Array, table: jax.Array) -> tuple[jax.Array, jax.Array]:
    """What somebody gets who mixes strategies in proportion to counts, as a fraction.

    With tables of whole numbers and counts in the hundreds both parts are whole numbers below 2**24, so that they
    and every comparison of them are exact.

    Args:
        mine, theirs: ``int32[..., K]``, counts.
        table: ``float32[..., K, K]``, payoffs by my strategy and theirs.

    Returns:
        Numerator and denominator, ``float32[...]``.
    """
    own, other = mine.astype(jnp.float32), theirs.astype(jnp.float32)
    numerator = jnp.zeros(own.shape[:-1], jnp.float32)
    for i in range(table.shape[-1]):  # written out, because a sum over so short an axis is slow
        for j in range(table.shape[-1]):
            numerator = numerator + own[..., i] * table[..., i, j] * other[..., j]
    return numerator, own.sum(axis=-1) * other.sum(axis=-1)


def result_colour(numerator: jax.Array, denominator: jax.Array, edges: jax.Array) -> jax.Array:
    """The colour of payoffs from :func:`mixed_payoff`, numbered from 1: ``int32[...]``.

    A payoff equal to one of ``edges float32[4]``, which are in tenths, has the higher colour; one below the first or
    above the last of them has the first or last.
    """
    scaled = numerator[..., None] * np.float32(EDGE_UNITS)
    passed = scaled >= edges.reshape((1,) * numerator.ndim + (-1,)) * denominator[..., None]
    return np.int32(1) + passed.sum(axis=-1, dtype=jnp.int32)
