"""Maps of the grid worlds: our own layouts as readable text, the parser, and an importer of the original ones."""

from jaxworld.grid.maps.grid_map import (
    APPLE,
    FLOOR,
    INSIDE_SPAWN,
    LEGEND,
    OUT_OF_PLAY,
    RANDOM_RESOURCE,
    RESOURCES,
    SPAWN,
    WALL,
    GridMap,
    parse_map,
)
from jaxworld.grid.maps.original import ORIGINAL_VARIANTS, original_map
from jaxworld.grid.maps.packaged import layout_names, load_map

__all__ = [
    "APPLE",
    "FLOOR",
    "INSIDE_SPAWN",
    "LEGEND",
    "ORIGINAL_VARIANTS",
    "OUT_OF_PLAY",
    "RANDOM_RESOURCE",
    "RESOURCES",
    "SPAWN",
    "WALL",
    "GridMap",
    "layout_names",
    "load_map",
    "original_map",
    "parse_map",
]
