"""Floor 3: players on a board of tiles, seen as named grids of categories."""

from jaxworld.core.registry import register
from jaxworld.grid.maps import GridMap, load_map, parse_map
from jaxworld.grid.substrate import GridInfo, GridState, Substrate
from jaxworld.grid.substrates.catalogue import VARIANTS
from jaxworld.grid.substrates.coins import Coins
from jaxworld.grid.substrates.commons_harvest import CommonsHarvest
from jaxworld.grid.substrates.matrix_games import GAMES
from jaxworld.grid.substrates.real_matrix import RealMatrix
from jaxworld.grid.substrates.the_matrix import TheMatrix
from jaxworld.grid.views import Window

for _name, _entry in VARIANTS.items():
    register(f"grid/{_name}", _entry.build(), summary=_entry.summary)

__all__ = [
    "GAMES",
    "VARIANTS",
    "Coins",
    "CommonsHarvest",
    "GridInfo",
    "GridMap",
    "GridState",
    "RealMatrix",
    "Substrate",
    "TheMatrix",
    "Window",
    "load_map",
    "parse_map",
]
