"""Options that several commands share."""

from __future__ import annotations

import argparse
import dataclasses
import math
from typing import Any


def split_names(values: list[str]) -> tuple[str, ...]:
    """``["a,b", "c"]`` as ``("a", "b", "c")``: names may be separated by commas, spaces, or both."""
    return tuple(name for value in values for name in value.replace(",", " ").split())


def number(text: str) -> float:
    """A finite number; the parser names this function when it refuses a text."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def defaults_of(settings: type) -> dict[str, Any]:
    """The default of each field of a settings dataclass, so that a command states none of its own."""
    return {field.name: field.default for field in dataclasses.fields(settings)}


def add_output_options(parser: argparse.ArgumentParser, *, folder: str) -> None:
    """``--out``, ``--json`` and ``--quiet``."""
    group = parser.add_argument_group("output")
    group.add_argument("--out", metavar="DIR", default=folder, help="folder for the files (default %(default)s)")
    group.add_argument("--json", action="store_true", help="print the summary as one JSON object and nothing else")
    group.add_argument("--quiet", action="store_true", help="no progress and no remarks on stderr")
