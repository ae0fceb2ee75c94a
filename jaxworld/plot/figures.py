"""What all figures share: colours, the library, and writing to a file."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxworld.core.errors import MissingExtraError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Colours that stay apart for colour-blind readers (Okabe and Ito 2008, without the yellow, too faint on white)."""
LINE_STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def series_style(number: int) -> dict[str, Any]:
    """Colour, line style and marker of a series: all change, so that a print in grey is readable too."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": LINE_STYLES[number % len(LINE_STYLES)],
        "marker": MARKERS[number % len(MARKERS)],
    }


def draw_band(panel: Any, x: Sequence[Any], bands: Sequence[Mapping[str, float]], number: int, label: str) -> None:
    """A line through means with a band from ``low`` to ``high``, in the style of series ``number``."""
    style = series_style(number)
    panel.plot(x, [band["mean"] for band in bands], label=label, markersize=4, **style)
    low, high = ([band[end] for band in bands] for end in ("low", "high"))
    panel.fill_between(x, low, high, color=style["color"], alpha=0.18, linewidth=0)


def tidy(panel: Any, *, grid: str = "both") -> None:
    """A faint grid behind the data (``x``, ``y`` or ``both``) and no frame above or to the right."""
    panel.grid(axis=grid, color="0.92", linewidth=0.8)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)


def new_figure(width: float, height: float) -> Any:
    """An empty ``matplotlib.figure.Figure`` in inches that belongs to no window and no global state.

    Raises:
        MissingExtraError: if matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot", "a figure") from error
    return Figure(figsize=(width, height), layout="constrained")


def write_figure(figure: Any, path: str | Path, *, dpi: int = 150) -> None:
    """Write a figure as PNG. It is drawn in memory first, because the image writer says nothing about a full disk.

    Raises:
        OSError: if the file cannot be written.
    """
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=dpi)
    Path(path).write_bytes(picture.getvalue())
