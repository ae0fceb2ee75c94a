"""Fields of a transform's specification: what a configuration may write, and what becomes a traced parameter."""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from jaxworld.core.checks import flag, number, whole
from jaxworld.core.errors import ConfigurationError, require

LARGEST = 3.0e38


@dataclasses.dataclass(frozen=True)
class Number:
    """A traced ``float32[]`` from ``low`` to ``high``. ``default`` None and not ``required``: no leaf if left out."""

    low: float = -LARGEST
    high: float = LARGEST
    default: float | None = None
    required: bool = False

    def read(self, path: str, value: Any) -> float:
        """The checked value."""
        return number(path, value, self.low, self.high)

    def leaf(self, value: Any) -> Any:
        """The traced parameter for this value, None if there is none."""
        return None if value is None else np.float32(value)

    def leaf_range(self) -> tuple[float, float]:
        """Least and largest value of the traced parameter."""
        return float(self.low), float(self.high)


@dataclasses.dataclass(frozen=True)
class Numbers:
    """A traced ``float32[n]``; the configuration fixes n."""

    low: float = -LARGEST
    high: float = LARGEST
    default: tuple[float, ...] | None = None
    required: bool = False

    def read(self, path: str, value: Any) -> tuple[float, ...]:
        """The checked values."""
        listed = isinstance(value, list | tuple | np.ndarray) and len(value) > 0
        require(listed, path, value, "use a list of numbers")
        return tuple(number(f"{path}[{index}]", entry, self.low, self.high) for index, entry in enumerate(value))

    def leaf(self, value: Any) -> Any:
        """The traced parameter for this value, None if there is none."""
        return None if value is None else np.asarray(value, dtype=np.float32)

    def leaf_range(self) -> tuple[float, float]:
        """Least and largest entry of the traced parameter."""
        return float(self.low), float(self.high)


@dataclasses.dataclass(frozen=True)
class Whole:
    """A static whole number from ``low`` to ``high``."""

    low: int
    high: int
    default: int | None = None
    required: bool = False

    def read(self, path: str, value: Any) -> int:
        """The checked value."""
        return whole(path, value, self.low, self.high)

    def leaf(self, value: Any) -> None:
        """None: it is static."""


@dataclasses.dataclass(frozen=True)
class Flag:
    """A static boolean."""

    default: bool | None = False
    required: bool = False

    def read(self, path: str, value: Any) -> bool:
        """The checked value."""
        return flag(path, value)

    def leaf(self, value: Any) -> None:
        """None: it is static."""


@dataclasses.dataclass(frozen=True)
class Choice:
    """One of several static names.

    With ``several`` a configuration may also list different ones. They are read as a tuple, and if there are two or
    more, the traced parameter ``int32[]`` says which one holds: its number in ``options``, at first that of the first.
    """

    options: tuple[str, ...]
    default: str | tuple[str, ...] | None = None
    required: bool = False
    several: bool = False

    def read(self, path: str, value: Any) -> str | tuple[str, ...]:
        """The checked name, or names."""
        listed = self.several and isinstance(value, list | tuple)
        names = list(value) if listed else [value]
        for name in names:
            known = isinstance(name, str) and name in self.options
            require(known, path, value, f"use one of {', '.join(self.options)}" + near(name, self.options))
        require(0 < len(names) == len(set(names)), path, value, "name at least one, and each once")
        return tuple(names) if self.several else names[0]

    def leaf(self, value: Any) -> Any:
        """The traced parameter for this value, None if there is none."""
        listed = self.several and value is not None and len(value) > 1
        return np.int32(self.options.index(value[0])) if listed else None

    def leaf_range(self) -> tuple[float, float]:
        """Least and largest number of an option."""
        return 0.0, float(len(self.options) - 1)


Field = Number | Numbers | Whole | Flag | Choice
FIELD_TYPES = (Number, Numbers, Whole, Flag, Choice)


def near(name: Any, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` with the nearest known name, or nothing."""
    matches = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    return f" (did you mean {matches[0]!r}?)" if matches else ""


def snake_case(name: str) -> str:
    """``stdFraction`` as ``std_fraction``; a name in snake case is itself."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), name)


def read_table(path: str, table: Any) -> dict[str, Any]:
    """A table with string keys, as a dictionary.

    Raises:
        ConfigurationError: for anything else.
    """
    fits = isinstance(table, Mapping) and all(isinstance(key, str) for key in table)
    require(fits, path, table, "use a table of names and values")
    return dict(table)


def read_fields(path: str, table: Mapping[str, Any], schema: Mapping[str, Field]) -> dict[str, Any]:
    """Every field of ``schema`` by its snake-case name, from the table or its default (None if it has none).

    Raises:
        ConfigurationError: with the path of an unknown, doubled, missing or bad field.
    """
    found: dict[str, Any] = {}
    for key, value in table.items():
        name = snake_case(key)
        if name not in schema:
            accepted = ", ".join(schema) or "none"
            raise ConfigurationError(f"{path}.{key}", value, f"unknown field{near(name, schema)}; accepted: {accepted}")
        require(name not in found, f"{path}.{key}", value, "written twice: use one spelling")
        found[name] = schema[name].read(f"{path}.{key}", value)
    for name, field in schema.items():
        if name not in found:
            require(not field.required, f"{path}.{name}", None, "this field is needed")
            found[name] = field.default
    return found
