"""The layouts that come with the package: one text file each, nothing in it but the map."""

from __future__ import annotations

import difflib
from importlib import resources

from jaxworld.core.errors import ConfigurationError

_SUFFIX = ".txt"


def layout_names() -> tuple[str, ...]:
    """The names that :func:`load_map` knows, sorted."""
    files = (resources.files("jaxworld.grid.maps") / "layouts").iterdir()
    return tuple(sorted(file.name.removesuffix(_SUFFIX) for file in files if file.name.endswith(_SUFFIX)))


def load_map(name: str) -> str:
    """The text of a packaged layout, for :func:`~jaxworld.grid.maps.grid_map.parse_map`.

    Raises:
        ConfigurationError: if there is no layout of that name; it lists the nearest ones.
    """
    known = layout_names()
    if name not in known:
        nearest = difflib.get_close_matches(str(name), known, n=3, cutoff=0.3) or known
        raise ConfigurationError("layout", name, f"use a packaged layout, such as {', '.join(nearest)}")
    return (resources.files("jaxworld.grid.maps") / "layouts" / f"{name}{_SUFFIX}").read_text(encoding="utf-8")
