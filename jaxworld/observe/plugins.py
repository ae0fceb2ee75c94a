"""Third-party kinds from a folder or from installed packages. Nothing is loaded unless a function here is called."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from pathlib import Path

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.observe.registry import registered_kinds

ENTRY_POINT_GROUP = "jaxworld.observe"


def load_plugin_folder(folder: str | Path) -> list[str]:
    """Run every ``*.py`` file of a folder, in the order of their names; each calls ``register``.

    Files that begin with an underscore are skipped, and so are folders.

    Returns:
        Names of the kinds that are new.

    Raises:
        ConfigurationError: if there is no such folder, or a file fails; what was registered before it stays.
    """
    folder = Path(folder)
    require(folder.is_dir(), "plugins", str(folder), "there is no such folder")
    before = set(registered_kinds())
    for file in sorted(folder.glob("*.py"), key=lambda path: path.name):
        if not file.name.startswith("_"):
            _run_file(file)
    return sorted(set(registered_kinds()) - before)


def load_entry_points(group: str = ENTRY_POINT_GROUP) -> list[str]:
    """Load every installed entry point of a group, in the order of their names, and call it if it is callable.

    A package announces itself in its ``pyproject.toml`` with
    ``[project.entry-points."jaxworld.observe"]`` and ``name = "module:function"``.

    Returns:
        Names of the kinds that are new.

    Raises:
        ConfigurationError: if one fails; what was registered before it stays.
    """
    before = set(registered_kinds())
    for entry in sorted(importlib.metadata.entry_points(group=group), key=lambda found: (found.name, found.value)):
        try:
            loaded = entry.load()
            if callable(loaded):
                loaded()
        except Exception as error:
            raise _failure(f"plugins.{entry.name}", entry.value, error) from error
    return sorted(set(registered_kinds()) - before)


def _run_file(file: Path) -> None:
    specification = importlib.util.spec_from_file_location(f"jaxworld_observe_plugin_{file.stem}", file)
    assert specification is not None and specification.loader is not None
    try:
        specification.loader.exec_module(importlib.util.module_from_spec(specification))
    except Exception as error:
        raise _failure(f"plugins.{file.name}", str(file), error) from error


def _failure(field: str, value: str, error: Exception) -> ConfigurationError:
    reason = f"{type(error).__name__}: {error}".splitlines()[0]
    return ConfigurationError(field, value, f"the plugin failed with {reason}")
