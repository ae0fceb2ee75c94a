"""Codes of the commons: when the stock grows, and who is served first when there is not enough."""

from __future__ import annotations

import enum
from typing import TypeVar

from jaxworld.core.errors import ConfigurationError

CodeT = TypeVar("CodeT", bound="_Code")


class _Code(enum.IntEnum):
    @classmethod
    def parse(cls: type[CodeT], field: str, value: object) -> CodeT:
        """A member from its name (any case), its number, or itself.

        Raises:
            ConfigurationError: for anything else.
        """
        if isinstance(value, str) and value.upper() in cls.__members__:
            return cls[value.upper()]
        if isinstance(value, int) and not isinstance(value, bool) and value in [int(code) for code in cls]:
            return cls(value)
        names = ", ".join(f"{code.name.lower()} ({int(code)})" for code in cls)
        raise ConfigurationError(field, value, f"use one of {names}")


class GrowthBase(_Code):
    """Which stock the regrowth of a turn is computed from; it decides whether restraint pays this turn or the next."""

    AFTER_HARVEST = 0
    BEFORE_HARVEST = 1


class Ration(_Code):
    """Who gets what when more is asked for than there is.

    ``PROPORTIONAL`` scales every request alike. ``RANDOM`` serves the players one after the other in a fresh random
    order, in whole units one unit at a time. ``SEAT`` serves them in the order of their seats.
    """

    PROPORTIONAL = 0
    RANDOM = 1
    SEAT = 2
