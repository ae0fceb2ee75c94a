"""Drawings of 8 x 8 pixels as text, and which category of which grid they show."""

from jaxworld.grid.sprites.art import SIZE
from jaxworld.grid.sprites.table import Plane, planes

__all__ = ["SIZE", "Plane", "planes"]
