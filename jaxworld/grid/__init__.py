"""Floor 3: players on a board of tiles, seen as named grids of categories."""

from jaxworld.grid.maps import GridMap, load_map, parse_map
from jaxworld.grid.substrate import GridInfo, GridState, Substrate
from jaxworld.grid.substrates.coins import Coins
from jaxworld.grid.substrates.commons_harvest import CommonsHarvest
from jaxworld.grid.views import Window

__all__ = [
    "Coins",
    "CommonsHarvest",
    "GridInfo",
    "GridMap",
    "GridState",
    "Substrate",
    "Window",
    "load_map",
    "parse_map",
]
