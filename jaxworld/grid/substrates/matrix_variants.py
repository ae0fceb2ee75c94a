"""What sets the variants of The Matrix apart, and what one is made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from jaxworld.core.errors import require
from jaxworld.grid.substrate import SubstrateConfig
from jaxworld.grid.substrates.matrix_games import GAMES, PayoffGame
from jaxworld.grid.views import NARROW, WIDE, Window


@dataclasses.dataclass(frozen=True)
class Kind:
    """Arena, repeated or one-shot.

    Attributes:
        players: how many.
        view: their window.
        respawn_delay: observations missed after the step of a removal.
        regrowth, regrowth_delay: chance that a resource comes back in a step, and steps before it may.
        ending: chance of an end every 100 steps.
        max_steps: the original's longest episode.
    """

    players: int
    view: Window
    respawn_delay: int
    regrowth: float
    regrowth_delay: int
    ending: float
    max_steps: int = 5000


KINDS: Mapping[str, Kind] = {
    "arena": Kind(8, WIDE, 50, 0.04, 10, 0.2),
    "repeated": Kind(2, NARROW, 5, 0.02, 10, 0.1),
    "one_shot": Kind(2, NARROW, 100, 0.0, 1000, 0.0, 1000),
}
_EXCEPTIONS: Mapping[tuple[str, str], Mapping[str, Any]] = {
    ("prisoners_dilemma", "arena"): {"ending": 0.15},
    ("running_with_scissors", "repeated"): {"ending": 0.2, "regrowth_delay": 15},
    ("stag_hunt", "arena"): {"ending": 0.1},
    ("stag_hunt", "repeated"): {"max_steps": 2500},
}
ONE_SHOT_GAME = "running_with_scissors"
MATRIX_VARIANTS = (*((game, kind) for game in GAMES for kind in ("arena", "repeated")), (ONE_SHOT_GAME, "one_shot"))
"""The fifteen that the original has: (game, kind)."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatrixConfig(SubstrateConfig):
    """Static configuration.

    Attributes:
        game, kind: which variant.
        row_players: who is a row player, where roles are settled beforehand; empty where whoever fires is.
        payoffs: the default tables, row's and column's.
    """

    game: str
    kind: str
    row_players: tuple[bool, ...]
    payoffs: tuple[tuple[tuple[float, ...], ...], ...]


def kind_of(game: str, kind: str) -> Kind:
    """The numbers of a variant.

    Raises:
        ConfigurationError: for an unknown kind.
    """
    require(isinstance(kind, str) and kind in KINDS, "kind", kind, f"use one of {', '.join(KINDS)}")
    return dataclasses.replace(KINDS[kind], **_EXCEPTIONS.get((game, kind), {}))


def layout_of(game: str, kind: str) -> str:
    """The name of a variant's own map.

    Raises:
        ConfigurationError: for a one-shot game that has none.
    """
    if kind == "one_shot":
        remedy = f"only {ONE_SHOT_GAME} has a one-shot map: use another kind, or give a map"
        require(game == ONE_SHOT_GAME, "kind", kind, remedy)
        return "matrix_one_shot"
    shape = {2: "two", 3: "three"}[len(GAMES[game].strategies)]
    return f"matrix_{kind}_{'stag_hunt' if game == 'stag_hunt' else shape}"


def row_players(game: PayoffGame, num_players: int, roles: Sequence[str] | None) -> tuple[bool, ...]:
    """Who is a row player: by role, the first half by default; nobody where a game has no roles.

    Raises:
        ConfigurationError: for roles in a game that has none, unknown ones, or too few or many.
    """
    if game.roles is None:
        require(roles is None, "roles", roles, "leave it out: in this game whoever fires is the row player")
        return ()
    if roles is None:
        return tuple(player < (num_players + 1) // 2 for player in range(num_players))
    remedy = f"give {num_players} of {', '.join(game.roles)}"
    fits = not isinstance(roles, str) and len(roles) == num_players and set(roles) <= set(game.roles)
    require(fits, "roles", roles, remedy)
    return tuple(role == game.roles[0] for role in roles)
