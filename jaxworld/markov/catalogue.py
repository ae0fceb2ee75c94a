"""The games by name, and how an option finds its place."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
import inspect
from collections.abc import Mapping
from typing import Any

from jaxworld.core.errors import ConfigurationError
from jaxworld.markov.game import MarkovGame


@dataclasses.dataclass(frozen=True)
class GameEntry:
    """One game.

    Attributes:
        factory: ``module:attribute``.
        summary: one line.
        sizes: options of the factory that one number for the size sets.
    """

    factory: str
    summary: str
    sizes: tuple[str, ...] = ()


_FOLDER = "jaxworld.markov"

GAMES: dict[str, GameEntry] = {
    "chicken": GameEntry(f"{_FOLDER}.stage_games:chicken", "repeated: two drivers, neither wants to swerve"),
    "bertrand": GameEntry(f"{_FOLDER}.stage_games:bertrand", "repeated: two sellers set prices"),
    "inspection": GameEntry(f"{_FOLDER}.stage_games:inspection", "repeated: an inspector and one who may violate"),
    "congestion": GameEntry(
        f"{_FOLDER}.stage_games:congestion", "repeated: drivers choose one of two roads", ("num_players",)
    ),
    "public_goods": GameEntry(
        f"{_FOLDER}.public_goods:PublicGoods", "a pot that contributions fill and payments drain"
    ),
    "gathering": GameEntry(
        f"{_FOLDER}.gathering:Gathering", "two players pick apples and send each other away", ("height", "width")
    ),
    "pursuit": GameEntry(f"{_FOLDER}.pursuit:Pursuit", "an evader crosses a slippery grid past pursuers", ("size",)),
    "ice_duel": GameEntry(f"{_FOLDER}.ice_duel:IceDuel", "two players push one another off the ice", ("size",)),
    "stag_hunt": GameEntry(
        f"{_FOLDER}.stag_hunt:StagHunt", "plants for one, a stag for several together", ("height", "width")
    ),
    "matrix": GameEntry(f"{_FOLDER}.matrix:MatrixGame", "a payoff table of one's own, repeated"),
    "table": GameEntry(f"{_FOLDER}.tables:TableGame", "a stochastic game from tables of one's own"),
}
"""Registered as ``markov/NAME``."""

BUILT_IN = tuple(name for name in GAMES if name not in ("matrix", "table"))
"""Games that need no table."""


def make_game(
    name: str, size: int | None = None, options: Mapping[str, Any] | None = None
) -> tuple[MarkovGame[Any, Any], Any]:
    """A game with its parameters, from options of either.

    Args:
        name: one of :data:`GAMES`.
        size: one number for the size, where the game has one.
        options: arguments of the game or of its ``params``.

    Returns:
        The game and its parameters.

    Raises:
        ConfigurationError: for an unknown name or option, a size the game does not have, or a value it refuses.
    """
    entry = _entry(name)
    given = dict(options or {})
    if size is not None:
        if not entry.sizes:
            raise ConfigurationError("size", size, f"{name} has no size")
        given = {**dict.fromkeys(entry.sizes, size), **given}
    module, attribute = entry.factory.split(":")
    factory = getattr(importlib.import_module(module), attribute)
    static = {option: value for option, value in given.items() if option in inspect.signature(factory).parameters}
    game: MarkovGame[Any, Any] = factory(**static)
    rest = {option: value for option, value in given.items() if option not in static}
    build = getattr(game, "params", None)
    known = list(inspect.signature(build).parameters) if build is not None else []
    for option, value in rest.items():
        if option not in known:
            accepted = [*inspect.signature(factory).parameters, *known]
            near = difflib.get_close_matches(option, accepted, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ConfigurationError(option, value, f"{hint}{name} has {', '.join(accepted)}")
    return game, build(**rest) if rest and build is not None else game.default_params()


def _entry(name: str) -> GameEntry:
    if name not in GAMES:
        near = difflib.get_close_matches(name, GAMES, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ConfigurationError("game", name, f"{hint}use one of {', '.join(GAMES)}")
    return GAMES[name]
