"""All variants of all substrates by name."""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from jaxworld.grid.substrates.commons_harvest import VARIANTS as HARVESTS
from jaxworld.grid.substrates.matrix_games import GAMES
from jaxworld.grid.substrates.matrix_variants import MATRIX_VARIANTS


@dataclasses.dataclass(frozen=True)
class VariantEntry:
    """One variant.

    Attributes:
        factory: ``module:attribute``.
        config: keywords of the factory that make it this variant.
        summary: one line.
    """

    factory: str
    config: Mapping[str, Any]
    summary: str

    def build(self) -> Callable[..., Any]:
        """The factory with these keywords set; it takes all others."""
        module, attribute = self.factory.split(":")
        return functools.partial(getattr(importlib.import_module(module), attribute), **self.config)


_FOLDER = "jaxworld.grid.substrates"
_HARVEST = f"{_FOLDER}.commons_harvest:CommonsHarvest"
_MATRIX = f"{_FOLDER}.the_matrix:TheMatrix"
_REAL = f"{_FOLDER}.real_matrix:RealMatrix"
_KINDS = {
    "arena": "eight gather strategies and play whom they meet",
    "repeated": "two gather strategies and play one another again and again",
    "one_shot": "two gather strategies and play one another once",
}


def _named(name: str) -> str:
    return name.replace("_", " ")


VARIANTS: Mapping[str, VariantEntry] = MappingProxyType(
    {
        "coins": VariantEntry(f"{_FOLDER}.coins:Coins", {}, "two players, two colours of coins, and whose one takes"),
        **{
            f"commons_harvest_{variant}": VariantEntry(
                _HARVEST, {"variant": variant}, f"apples that grow where apples are: the {variant} map"
            )
            for variant in HARVESTS
        },
        **{
            f"{game}_in_the_matrix_{kind}": VariantEntry(
                _MATRIX, {"game": game, "kind": kind}, f"{_named(game)}: {_KINDS[kind]}"
            )
            for game, kind in MATRIX_VARIANTS
        },
        **{
            f"real_matrix_{game}": VariantEntry(_REAL, {"game": game}, f"{_named(game)}: two choose, without a map")
            for game in GAMES
        },
    }
)
"""Registered as ``grid/NAME``."""
