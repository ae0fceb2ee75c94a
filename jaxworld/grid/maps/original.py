"""The original maps, read at run time from an installed Melting Pot (``dm-meltingpot``), in our symbols.

The package holds none of them. An original configuration file states its map as text and a table of what each character
stands for, both as constants; they are read from the source without running it, so neither Melting Pot's own
dependencies nor its engine are needed.
"""

from __future__ import annotations

import ast
import difflib
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.grid.maps.grid_map import APPLE, FLOOR, INSIDE_SPAWN, RANDOM_RESOURCE, RESOURCES, SPAWN, WALL

_GAMES = (
    "bach_or_stravinsky",
    "chicken",
    "prisoners_dilemma",
    "pure_coordination",
    "rationalizable_coordination",
    "running_with_scissors",
    "stag_hunt",
)

#: The original variants whose maps can be imported, by their names in Melting Pot.
ORIGINAL_VARIANTS: tuple[str, ...] = (
    *(f"commons_harvest__{kind}" for kind in ("closed", "open", "partnership")),
    *(f"{game}_in_the_matrix__{kind}" for game in _GAMES for kind in ("arena", "repeated")),
    "running_with_scissors_in_the_matrix__one_shot",
)

_RESOURCE_SYMBOLS = {f"resource_class{symbol}": symbol for symbol in RESOURCES}

# What an original object is on our map. The tile that rewards or punishes special roles does nothing to the default
# role, the only one we have, so it is floor.
_SYMBOLS = {
    "wall": WALL,
    "floor": FLOOR,
    "grass": FLOOR,
    "hidden_role_based_punishment_tile": FLOOR,
    "spawn_point": SPAWN,
    "inside_spawn_point": INSIDE_SPAWN,
    "apple": APPLE,
    **_RESOURCE_SYMBOLS,
}

_REMEDY = "docs/grid_parity.md says how to install it (a plain pip install fails), and  make parity  does it"


def original_map(variant: str) -> str:
    """The map of an original variant in our symbols, for :func:`~jaxworld.grid.maps.grid_map.parse_map`.

    Args:
        variant: its name in Melting Pot, one of :data:`ORIGINAL_VARIANTS`.

    Raises:
        ConfigurationError: if the variant is unknown, or its file is not as version 2.4.1 has it.
        MissingExtraError: if Melting Pot is not installed.
    """
    if variant not in ORIGINAL_VARIANTS:
        nearest = difflib.get_close_matches(str(variant), ORIGINAL_VARIANTS, n=3, cutoff=0.3) or ORIGINAL_VARIANTS
        remedy = f"use an original variant that has a map, such as {', '.join(nearest)}"
        raise ConfigurationError("variant", variant, remedy)
    constants = _module_constants(_substrates_folder() / f"{variant}.py")
    try:
        text, objects = constants["ASCII_MAP"], constants["CHAR_PREFAB_MAP"]
    except KeyError as error:
        remedy = f"the installed version does not state {error.args[0]}: use dm-meltingpot 2.4.1"
        raise ConfigurationError("variant", variant, remedy) from None
    return _translated(text, objects, variant)


def _substrates_folder() -> Path:
    """Where Melting Pot keeps its configurations; its modules are looked up but not imported."""
    found = importlib.util.find_spec("meltingpot")
    for place in (found and found.submodule_search_locations) or ():
        folder = Path(place) / "configs" / "substrates"
        if folder.is_dir():
            return folder
    raise MissingExtraError("dm-meltingpot", None, "an original map", _REMEDY)


def _module_constants(path: Path) -> dict[str, Any]:
    """The constants that a module assigns at its top level and that can be read without running it.

    Raises:
        ConfigurationError: if the file is not there or not Python.
    """
    try:
        statements = ast.parse(path.read_text(encoding="utf-8")).body
    except (OSError, SyntaxError) as error:
        raise ConfigurationError("file of the variant", str(path), f"use dm-meltingpot 2.4.1 ({error})") from None
    constants: dict[str, Any] = {}
    for statement in statements:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            try:
                constants[statement.targets[0].id] = _constant(statement.value, constants)
            except (ValueError, LookupError, TypeError):
                continue  # not a constant, so not what we look for
    return constants


def _constant(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of literals, of names already known, and of items of those."""
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.Subscript):
        return _constant(node.value, names)[_constant(node.slice, names)]
    if isinstance(node, ast.List | ast.Tuple):
        return [_constant(item, names) for item in node.elts]
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {_constant(key, names): _constant(value, names) for key, value in pairs if key is not None}
    return ast.literal_eval(node)


def _translated(text: str, objects: Mapping[str, Any], variant: str) -> str:
    """The map in our symbols. What the table does not name is open floor, as the original engine has it."""
    symbols = {character: _symbol(entry, f"{character!r} in {variant}") for character, entry in objects.items()}
    lines = text.strip("\n").split("\n")
    return "\n".join("".join(symbols.get(character, FLOOR) for character in line) for line in lines)


def _symbol(entry: str | Mapping[str, Any], field: str) -> str:
    """Our symbol for an entry of the original table: one object, all of several, or a choice of one."""
    names = [entry] if isinstance(entry, str) else list(entry["list"])
    unknown = [name for name in names if name not in _SYMBOLS]
    if unknown:
        raise ConfigurationError(field, unknown[0], "no symbol of ours stands for this object: use dm-meltingpot 2.4.1")
    if not isinstance(entry, str) and entry["type"] == "choice":
        if all(name in _RESOURCE_SYMBOLS for name in names):
            return RANDOM_RESOURCE
        raise ConfigurationError(field, names, "only a choice of resources can be imported: use dm-meltingpot 2.4.1")
    above_floor = [_SYMBOLS[name] for name in names if _SYMBOLS[name] != FLOOR]
    return above_floor[0] if above_floor else FLOOR
