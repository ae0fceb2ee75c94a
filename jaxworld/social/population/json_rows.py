"""Objects of a list in a JSON file; every refusal names file, row and field."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.population.attributes import Attribute
from jaxworld.social.population.checks import LARGEST_COUNT

AttributeValue = str | float | None


@dataclasses.dataclass(frozen=True)
class JsonRow:
    """One object and where it stands.

    Attributes:
        file: name of the file.
        place: which object it is, such as ``personas[3]``.
        content: the object.
    """

    file: str
    place: str
    content: Mapping[str, Any]

    def refuse(self, field: str, remedy: str, value: Any = ...) -> ConfigurationError:
        """An error that points at one field."""
        shown = self.content.get(field) if value is ... else value
        return ConfigurationError(f"{self.file}, {self.place}, field {field}", shown, remedy)

    def check_fields(self, required: Collection[str], optional: Collection[str]) -> None:
        """Refuse missing and unknown fields."""
        missing = [field for field in required if field not in self.content]
        if missing:
            raise self.refuse(missing[0], "add this field")
        unknown = [field for field in self.content if field not in required and field not in optional]
        if unknown:
            raise self.refuse(unknown[0], f"remove or rename it (known: {', '.join((*required, *optional))})")

    def text(self, field: str, *, empty: bool = True) -> str:
        """A string; ``""`` where the field is missing or null and may be empty."""
        value = self.content.get(field)
        if value is None and empty:
            return ""
        if not isinstance(value, str) or not (empty or value):
            raise self.refuse(field, "write a text" if empty else "write a text that is not empty")
        return value

    def number(self, field: str, low: float, high: float, default: float) -> float:
        """A number from ``low`` to ``high``; the default where the field is missing."""
        value = self.content.get(field, default)
        if not is_number(value) or not low <= value <= high:
            raise self.refuse(field, f"write a number from {low:g} to {high:g}")
        return float(value)

    def count(self, field: str) -> int:
        """A whole number from 0 to the largest int32."""
        value: Any = self.content.get(field)
        if not is_number(value) or int(value) != value or not 0 <= value <= LARGEST_COUNT:
            raise self.refuse(field, f"write a whole number from 0 to {LARGEST_COUNT}")
        return int(value)

    def numbers(self, field: str, length: int) -> list[float]:
        """A list of finite numbers of one length."""
        values = self.content.get(field)
        if not isinstance(values, list) or len(values) != length or not all(map(is_number, values)):
            raise self.refuse(field, f"write a list of {length} numbers")
        return [float(value) for value in values]


def is_number(value: Any) -> bool:
    """Whether this is a finite JSON number that a float holds."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def json_rows(file: str, name: str, value: Any) -> list[JsonRow]:
    """The objects of a list.

    Args:
        file: name of the file.
        name: what the list is called there; a list without a name has ``row 0`` and so on.
        value: the list.

    Raises:
        ConfigurationError: if it is no list of objects.
    """
    if not isinstance(value, list):
        raise ConfigurationError(f"{file}, {name}" if name else file, value, "write a list of objects")
    rows = []
    for number, content in enumerate(value):
        place = f"{name}[{number}]" if name else f"row {number}"
        if not isinstance(content, dict):
            raise ConfigurationError(f"{file}, {place}", content, "write an object")
        rows.append(JsonRow(file, place, content))
    return rows


def attribute_from_values(name: str, values: Sequence[AttributeValue]) -> Attribute:
    """An attribute of all personas: ordinal if its values are numbers, categorical if they are texts.

    Args:
        name: its name.
        values: one for each persona, all of one sort; None where a persona does not carry it.
    """
    missing = np.asarray([value is None for value in values])
    if any(isinstance(value, str) for value in values):
        carried = sorted({str(value) for value in values if value is not None})
        codes = {value: code for code, value in enumerate(carried)}
        numbers = [0.0 if value is None else float(codes[str(value)]) for value in values]
        return Attribute(name, "categorical", np.asarray(numbers), missing)
    return Attribute(name, "ordinal", np.asarray([0.0 if value is None else float(value) for value in values]), missing)
