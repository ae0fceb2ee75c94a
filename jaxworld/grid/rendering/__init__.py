"""Pictures of grids: in kernels (:func:`draw_traced`) and on the host (:func:`draw`), the same pixels."""

from jaxworld.grid.rendering.atlas import Atlas, make_atlas
from jaxworld.grid.rendering.draw import draw, draw_traced
from jaxworld.grid.rendering.modes import RENDER_MODES, check_render_mode
from jaxworld.grid.rendering.pictures import draw_map, draw_views

__all__ = [
    "RENDER_MODES",
    "Atlas",
    "check_render_mode",
    "draw",
    "draw_map",
    "draw_traced",
    "draw_views",
    "make_atlas",
]
