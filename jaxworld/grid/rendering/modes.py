"""Whether a world makes pictures, and for whom."""

from __future__ import annotations

from jaxworld.core.errors import ConfigurationError

RENDER_MODES = (None, "rgb_array", "human")
"""No picture at all; pictures as arrays; pictures in a window, which adapters open."""


def check_render_mode(mode: str | None) -> str | None:
    """A known render mode.

    Raises:
        ConfigurationError: for another one.
    """
    if mode not in RENDER_MODES:
        raise ConfigurationError("render_mode", mode, 'use None, "rgb_array" or "human"')
    return mode
