"""Checks of single fields: each returns the value in its canonical type or names the field that is wrong."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping, Set
from typing import Any, TypeVar

from jaxworld.core.checks import number, whole
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.records.record import Record

Word = TypeVar("Word", bound=enum.StrEnum)
Kind = TypeVar("Kind", bound=Record)

LAST_TICK = 2**30
_BODY = "[0-7][0-9a-hjkmnp-tv-z]{25}"
_IDENTIFIERS = {prefix: re.compile(f"{prefix}-{_BODY}").fullmatch for prefix in ("st", "im", "rc", "me")}


def put(record: Any, name: str, value: Any) -> None:
    """Set a field of a frozen dataclass that is being made."""
    object.__setattr__(record, name, value)


def identifier(field: str, value: Any, prefix: str) -> str:
    """An id such as ``st-01h…``: the prefix and 26 lower-case Crockford characters."""
    if not (isinstance(value, str) and _IDENTIFIERS[prefix](value)):
        raise ConfigurationError(
            field, value, f"use an id of the form {prefix}- and 26 lower-case Crockford characters"
        )
    return value


def persona(field: str, value: Any) -> str:
    """A persona id: ``p-`` and something."""
    if not (isinstance(value, str) and value.startswith("p-") and len(value) > 2):
        raise ConfigurationError(field, value, "use a persona id, which starts with p-")
    return value


def text(field: str, value: Any) -> str:
    """A string that is not empty."""
    if not (isinstance(value, str) and value.strip()):
        raise ConfigurationError(field, value, "use a text that is not empty")
    return value


def optional_text(field: str, value: Any) -> str | None:
    """None, or a string that is not empty."""
    return None if value is None else text(field, value)


def tick(field: str, value: Any) -> int:
    """A whole number of at least 0."""
    return value if type(value) is int and 0 <= value <= LAST_TICK else whole(field, value, 0, LAST_TICK)


def unit_interval(field: str, value: Any) -> float:
    """A number in [0, 1]."""
    return value if type(value) is float and 0.0 <= value <= 1.0 else number(field, value, 0, 1)


def signed_unit(field: str, value: Any) -> float:
    """A number in [-1, 1]."""
    return number(field, value, -1, 1)


def member(field: str, kind: type[Word], value: Any) -> Word:
    """A member of an enum, or the word of one."""
    if type(value) is kind:
        return value
    try:
        return kind(value)
    except ValueError:
        raise ConfigurationError(field, value, f"use one of {', '.join(kind)}") from None


def items(field: str, kind: type[Kind], values: Any) -> tuple[Kind, ...]:
    """A tuple of records of one kind."""
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise ConfigurationError(field, values, f"use a sequence of {kind.__name__}")
    made = tuple(values)
    for index, value in enumerate(made):
        if type(value) is not kind:
            raise ConfigurationError(f"{field}[{index}]", value, f"use a {kind.__name__}")
    return made


def one(field: str, kind: type[Kind], value: Any) -> Kind:
    """A record of one kind."""
    if type(value) is not kind:
        raise ConfigurationError(field, value, f"use a {kind.__name__}")
    return value


def strings(field: str, values: Any) -> tuple[str, ...]:
    """A tuple of strings."""
    fits = isinstance(values, tuple | list) and all(isinstance(value, str) for value in values)
    require(fits, field, values, "use a sequence of strings")
    return tuple(values)


def members(field: str, kind: type[Word], values: Any) -> frozenset[Word]:
    """A set of members of an enum."""
    require(isinstance(values, Set | tuple | list), field, values, f"use a set of {', '.join(kind)}")
    return frozenset(member(field, kind, value) for value in values)


def mapping(field: str, value: Any) -> Mapping[str, Any]:
    """A mapping with strings as keys."""
    fits = isinstance(value, Mapping) and all(isinstance(key, str) for key in value)
    require(fits, field, value, "use a mapping with strings as keys")
    return value


def distinct(field: str, values: Iterable[Any], what: str) -> None:
    """Refuse what occurs twice."""
    seen: set[Any] = set()
    for value in values:
        require(value not in seen, field, value, f"{what} occurs twice")
        seen.add(value)
