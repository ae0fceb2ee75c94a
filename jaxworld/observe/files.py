"""Configurations of observability in JSON and TOML files."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.observe.fields import read_table

TABLE = "observability"


def load_configuration(file: str | Path) -> dict[str, Any]:
    """The observability table of a ``.json`` or ``.toml`` file, for ``compile_pipeline``.

    Returns:
        What the file has under ``observability``; the whole file if it has no such entry.

    Raises:
        ConfigurationError: if the file cannot be read or parsed, or holds no table.
    """
    file = Path(file)
    require(file.suffix in (".json", ".toml"), "configuration", str(file), "use a .json or .toml file")
    try:
        text = file.read_text(encoding="utf-8")
        document = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text, object_pairs_hook=_unique)
    except (OSError, ValueError) as error:
        raise ConfigurationError("configuration", str(file), f"cannot be read: {error}") from None
    document = read_table(file.name, document)
    return read_table(TABLE, document.get(TABLE, document))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON keeps the last of several equal names without a word; a configuration must not."""
    table = dict(pairs)
    if len(table) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"written twice: {next(name for name in names if names.count(name) > 1)!r}")
    return table
