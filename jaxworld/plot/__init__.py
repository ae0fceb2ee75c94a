"""Floor 5: figures from results."""

from jaxworld.plot.exposure import draw_exposure, write_exposure_figure

__all__ = ["draw_exposure", "write_exposure_figure"]
