"""The one optional library of this package."""

from __future__ import annotations

from typing import Any

from jaxworld.core.errors import MissingExtraError


def import_networkx(purpose: str) -> Any:
    """Import networkx or say which extra brings it.

    Raises:
        MissingExtraError: if networkx is not installed.
    """
    try:
        import networkx
    except ImportError as error:
        raise MissingExtraError("networkx", "graph", purpose) from error
    return networkx
