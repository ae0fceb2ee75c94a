"""The text that stands for a persona when it is embedded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

RECENT_POST = " # Recent post:"
"""OASIS appends a persona's latest post to its profile under this mark."""


def profile_text(about: str, recent_post: str = "") -> str:
    """What a persona says about itself, then its latest post where there is one."""
    about = about.strip()
    return f"{about}{RECENT_POST}{recent_post.strip()}" if recent_post.strip() else about


def attribute_text(values: Mapping[str, Any]) -> str:
    """``age: 18 to 24; country: UK``: attributes in words, sorted by name; what is None is left out."""
    carried = sorted((name, value) for name, value in values.items() if value is not None)
    return "; ".join(f"{name}: {_in_words(value)}" for name, value in carried)


def _in_words(value: Any) -> str:
    return f"{value[0]} to {value[1]}" if isinstance(value, list) else str(value)
