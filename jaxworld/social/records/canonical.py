"""Canonical JSON: one text for one value, the equality that replay uses."""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import json
import math
import operator
from collections.abc import Callable, Mapping, Sequence, Set
from json.encoder import encode_basestring
from typing import Any

from jaxworld.core.errors import ConfigurationError


def canonical_json(value: Any) -> str:
    """The canonical text of a record or of plain data: keys sorted, no white space, Unicode as it is.

    Sets become sorted lists, enum members their words, absent optional fields ``null``.

    Raises:
        ConfigurationError: for NaN, an infinity, or what JSON cannot hold.
    """
    kind = type(value)
    if kind is str:
        return encode_basestring(value)
    if kind is int:
        return int.__repr__(value)
    if kind is float:
        return _number(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is tuple:
        return "[" + ",".join([canonical_json(entry) for entry in value]) + "]"
    if isinstance(value, str):
        return encode_basestring(value)
    if dataclasses.is_dataclass(kind):
        values, template = _layout(kind)
        return template % tuple(map(canonical_json, values(value)))
    if isinstance(value, Mapping):
        return _object(value)
    return _other(value)


@functools.cache
def sorted_names(kind: Any) -> tuple[str, ...]:
    """Names of a dataclass's fields in the order of its canonical text."""
    return tuple(sorted(field.name for field in dataclasses.fields(kind)))


@functools.cache
def _layout(kind: Any) -> tuple[Callable[[Any], tuple[Any, ...]], str]:
    """The values of a record in canonical order, and the text they are put into."""
    names = sorted_names(kind)
    template = ",".join(f"{encode_basestring(name)}:%s" for name in names)
    if len(names) == 1:
        (name,) = names
        return lambda record: (getattr(record, name),), "{" + template + "}"
    return operator.attrgetter(*names), "{" + template + "}"


def canonical_hash(value: Any) -> str:
    """SHA-256 (hex) of the canonical text."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def read_json(text: str) -> Any:
    """Plain data from JSON; NaN and infinities, which JSON does not have, are refused.

    Raises:
        ConfigurationError: if the text is no JSON.
    """

    def refuse(constant: str) -> Any:
        raise ConfigurationError("json", constant, "use finite numbers")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise ConfigurationError("json", text, f"no JSON: {error}") from None


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise ConfigurationError("number", value, "use a finite number")
    return float.__repr__(value)


def _object(value: Mapping[Any, Any]) -> str:
    for key in value:
        if not isinstance(key, str):
            raise ConfigurationError("key", key, "use strings as keys")
    return "{" + ",".join([f"{encode_basestring(key)}:{canonical_json(value[key])}" for key in sorted(value)]) + "}"


def _other(value: Any) -> str:
    if isinstance(value, enum.Enum):
        return canonical_json(value.value)
    if isinstance(value, Set):
        return "[" + ",".join(sorted(canonical_json(entry) for entry in value)) + "]"
    if isinstance(value, Sequence):
        return "[" + ",".join([canonical_json(entry) for entry in value]) + "]"
    raise ConfigurationError("value", value, f"{type(value).__name__} is nothing JSON can hold")
