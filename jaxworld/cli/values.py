"""Values written on the command line: ``name=value`` and lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxworld.core.errors import ConfigurationError

_WORDS = {"true": True, "false": False, "none": None}


def assignment(option: str, text: str, parse: Callable[[str], Any]) -> tuple[str, Any]:
    """``("name", parse("value"))`` of ``name=value``.

    Raises:
        ConfigurationError: for a text of another form.
    """
    name, sign, value = text.partition("=")
    if not (name.strip() and sign and value.strip()):
        raise ConfigurationError(option, text, "write NAME=VALUE")
    return name.strip(), parse(value.strip())


def parse_option(text: str) -> Any:
    """One value; with commas a tuple (``feed,`` is a tuple of one)."""
    return tuple(parse_values(text)) if "," in text else parse_value(text)


def parse_values(text: str) -> list[Any]:
    """Values between commas."""
    return [parse_value(part) for part in text.split(",") if part.strip()]


def parse_value(text: str) -> Any:
    """A whole number, a number, true, false, none, or else the text itself."""
    text = text.strip()
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
