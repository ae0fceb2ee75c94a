"""The built-in kinds of transforms; importing this registers them."""

from jaxworld.observe.kinds import clamp, noise, resolution

__all__ = ["clamp", "noise", "resolution"]
