"""What a search for best responses is asked to do."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from jaxworld.core.checks import number, whole
from jaxworld.core.errors import require
from jaxworld.markov.solve.discounted import check_discount

GAMES = ("chicken", "bertrand", "inspection", "congestion", "public_goods", "matrix")
"""Games in which everybody sees what everybody did last."""
OPPONENTS = ("uniform", "mixed", "mirror", "random", "table", "level1", "level2")
UNNAMED = ("mixed", "mirror", "random")
POLICIES = ("linear", "mlp")


@dataclasses.dataclass(frozen=True, kw_only=True)
class BestResponseSettings:
    """The game, the others, sizes and budget.

    Attributes:
        game: one of :data:`GAMES`; ``matrix`` needs ``payoffs``.
        size: number of players, where the game has such an option.
        options: further options of the game, by name.
        payoffs: of ``matrix``: ``[actions of player 0, ..., actions of the last, players]``.
        player: who is searched.
        opponents: what all the others do, each drawing on its own: ``uniform``; ``mixed`` and ``table``, as below;
            ``mirror``, what the searched player did last, action 0 at first; ``random``, by a table with a random row
            for each state; ``level1`` and ``level2``, see ``level_policies``. If none is named: mixed, mirror, random,
            and table if it is given.
        mixed: probabilities of an other player's actions, whatever happened. If not given, each is half as likely as
            the one before.
        table: probabilities for each state: one row at first and one after each joint action, player 0's action
            slowest.
        discount: of a round over the one before; 0 for a single round.
        steps: rounds that are played.
        policy, hidden: ``linear`` or ``mlp`` on the public bits, and the width of its hidden layer.
        strategy, population_size, sigma, learning_rate: see ``make_strategy``.
        generations, worlds, held_out_worlds: see ``SearchSettings``.
        seed: of the searches and their worlds.
    """

    game: str = "chicken"
    size: int | None = None
    options: Any = ()
    payoffs: Any = None
    player: int = 0
    opponents: tuple[str, ...] = ()
    mixed: tuple[float, ...] = ()
    table: tuple[tuple[float, ...], ...] = ()
    discount: float = 0.9
    steps: int = 100
    policy: str = "mlp"
    hidden: int = 16
    strategy: str = "openai_es"
    population_size: int = 32
    sigma: float = 0.3
    learning_rate: float = 0.1
    generations: int = 40
    worlds: int = 8
    held_out_worlds: int = 256
    seed: int = 0

    def __post_init__(self) -> None:
        require(self.game in GAMES, "game", self.game, f"use one of {', '.join(GAMES)}")
        own = self.game == "matrix"
        require(
            own == (self.payoffs is not None), "payoffs", self.payoffs, "give a table with game=matrix, and only then"
        )
        # Hashable, and a cell of a table.
        self._set("options", self._options())
        self._set("payoffs", _frozen(self.payoffs))
        for field in ("mixed", "table"):
            value = getattr(self, field)
            require(isinstance(value, list | tuple), field, value, "give a list of probabilities")
            self._set(field, _frozen(value))
        self._set("opponents", self._opponents())
        check_discount(self.discount)
        whole("steps", self.steps, 1, 2**20)
        whole("hidden", self.hidden, 1, 10_000)
        number("sigma", self.sigma, 1e-9, 1e9)
        require(self.policy in POLICIES, "policy", self.policy, f"use one of {', '.join(POLICIES)}")

    def _options(self) -> tuple[tuple[str, Any], ...]:
        given = tuple(self.options.items()) if isinstance(self.options, Mapping) else self.options
        pairs = isinstance(given, tuple) and all(
            isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str) for pair in given
        )
        require(pairs, "options", self.options, "give the game's options by name, as {name: value}")
        return tuple(_frozen(pair) for pair in sorted(given))

    def _opponents(self) -> tuple[str, ...]:
        names = (self.opponents,) if isinstance(self.opponents, str) else self.opponents
        remedy = f"use names from {', '.join(OPPONENTS)}"
        require(isinstance(names, list | tuple), "opponents", names, remedy)
        for name in names:
            require(name in OPPONENTS, "opponents", name, remedy)
        require("table" not in names or len(self.table) > 0, "opponents", "table", "say what they do with table=...")
        require(len(set(names)) == len(names), "opponents", names, "name each once")
        return tuple(names) or (*UNNAMED, *(["table"] if self.table else []))

    def _set(self, field: str, value: Any) -> None:
        object.__setattr__(self, field, value)


def _frozen(value: Any) -> Any:
    """Lists as tuples, at every depth."""
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value
