"""What all records share: immutable, typed, and convertible to plain data and back without loss."""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Mapping, Sequence, Set
from typing import Any, NoReturn, Self

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.records.canonical import canonical_json, read_json, sorted_names


class Record:
    """Base of all records: frozen dataclasses that check themselves when they are made.

    A record is as good as its canonical text: ``from_json(record.to_json()) == record``.
    """

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data: dictionaries, lists, strings, numbers, booleans and None."""
        kind: Any = type(self)
        return {name: _plain(getattr(self, name)) for name in sorted_names(kind)}

    def to_json(self) -> str:
        """The canonical text, see :func:`~jaxworld.social.records.canonical.canonical_json`."""
        return canonical_json(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The record of plain data; it checks everything its constructor checks.

        Raises:
            ConfigurationError: naming the field that is unknown, missing or wrong.
        """
        if not isinstance(values, Mapping):
            raise ConfigurationError(cls.__name__, values, "use an object with named fields")
        kind: Any = cls
        kinds = _field_types(kind)
        for name in values:
            if name not in kinds:
                raise ConfigurationError(f"{cls.__name__}.{name}", values[name], "no such field: leave it out")
        for field in dataclasses.fields(kind):
            needed = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
            if needed and field.name not in values:
                raise ConfigurationError(f"{cls.__name__}.{field.name}", None, "this field is needed")
        given = {name: _typed(kinds[name], value, f"{cls.__name__}.{name}") for name, value in values.items()}
        return cls(**given)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The record of a canonical text."""
        return cls.from_dict(read_json(text))


class FrozenDict(dict[str, Any]):
    """A dictionary that cannot be changed."""

    __slots__ = ()

    def _refuse(self, *arguments: Any, **named: Any) -> NoReturn:
        raise TypeError("records are immutable")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]
    __ior__ = _refuse  # type: ignore[assignment]

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenDict, (dict(self),)


def freeze(value: Any) -> Any:
    """Plain data that cannot be changed: mappings become :class:`FrozenDict`, lists become tuples."""
    if isinstance(value, Mapping):
        return FrozenDict({str(key): freeze(entry) for key, entry in value.items()})
    if isinstance(value, list | tuple):
        return tuple(freeze(entry) for entry in value)
    return value


@functools.cache
def _field_types(cls: Any) -> dict[str, Any]:
    """Types of a record's fields by name."""
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_dict()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {key: _plain(value[key]) for key in sorted(value)}
    if isinstance(value, Set):
        return sorted((_plain(entry) for entry in value), key=canonical_json)
    if isinstance(value, Sequence):
        return [_plain(entry) for entry in value]
    return value


def _typed(kind: Any, value: Any, field: str) -> Any:
    """``value`` from plain data as the annotated ``kind``; scalars are left to the record's own checks."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return None if value is None else _typed(next(i for i in inner if i is not type(None)), value, field)
    if isinstance(kind, type) and issubclass(kind, Record):
        return value if isinstance(value, kind) else kind.from_dict(value)
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise ConfigurationError(field, value, "use an object with named fields")
        return {key: _typed(inner[1], entry, f"{field}[{key!r}]") for key, entry in value.items()}
    if origin in (tuple, Sequence, frozenset):
        if isinstance(value, str) or not isinstance(value, Sequence | Set):
            raise ConfigurationError(field, value, "use a list")
        entries = [_typed(inner[0], entry, f"{field}[{index}]") for index, entry in enumerate(value)]
        return frozenset(entries) if origin is frozenset else tuple(entries)
    return value
