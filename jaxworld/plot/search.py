"""Figures of searches: learning curves with bands, against a known optimum where there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import jaxworld
from jaxworld.plot.figures import new_figure, series_style, tidy, write_figure
from jaxworld.study.experiments.reference import ReferenceResult
from jaxworld.study.search import SearchResult

_BAND = 0.18


def write_learning_curve(
    result: SearchResult, path: str | Path, *, title: str = "", optimum: float | None = None
) -> None:
    """Draw :func:`draw_learning_curve` into a PNG file.

    Raises:
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    write_figure(draw_learning_curve(result, title=title, optimum=optimum), path)


def draw_learning_curve(result: SearchResult, *, title: str = "", optimum: float | None = None) -> Any:
    """Raw fitness of each generation on its training worlds, and the solution's score on held-out worlds.

    Args:
        result: a search.
        title: what was searched.
        optimum: the best possible score, if it is known.

    Returns:
        A ``matplotlib.figure.Figure``.
    """
    figure = new_figure(7.0, 4.6)
    panel = figure.subplots()
    generations = np.arange(1, len(result.history["raw_mean"]) + 1)
    mean, spread = result.history["raw_mean"], result.history["raw_spread"]
    grey = "0.45"
    panel.fill_between(generations, mean - spread, mean + spread, color=grey, alpha=_BAND, linewidth=0)
    panel.plot(generations, mean, color=grey, linewidth=1.2, label="candidates, training worlds (mean ± 1 sd)")
    panel.plot(generations, result.history["raw_best"], color=grey, linewidth=0.8, linestyle=":", label="best of them")
    draw_held_out(panel, result, 0, "solution, held-out worlds (95 % interval)")
    _draw_optimum(panel, optimum)
    panel.set(title=title, xlabel="generation", ylabel="raw score")
    tidy(panel)
    panel.legend(frameon=False, fontsize=9)
    settings = result.settings
    _note(figure, f"{settings.worlds} training worlds a generation, {settings.held_out_worlds} held out, "
                  f"seed {settings.seed}")  # fmt: skip
    return figure


def draw_held_out(panel: Any, result: SearchResult, number: int, label: str) -> None:
    """The solution's mean held-out score over generations, with its interval."""
    curve, style = result.curve, series_style(number)
    panel.fill_between(curve["generation"], curve["low"], curve["high"], color=style["color"], alpha=_BAND, linewidth=0)
    panel.plot(curve["generation"], curve["mean"], label=label, linewidth=1.8, markersize=4, **style)


def write_reference_figure(result: ReferenceResult, path: str | Path) -> None:
    """Learning curves of the reference searches as shares of the closed-form optimum, one panel a kind of policy.

    Raises:
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    arms = list(result.searches)
    columns = min(len(arms), 2)
    rows = -(-len(arms) // columns)
    figure = new_figure(5.4 * columns, 3.6 * rows + 0.4)
    panels = np.atleast_1d(figure.subplots(rows, columns, sharex=True)).reshape(-1)
    for panel, arm in zip(panels, arms, strict=False):
        share = result.summary[arm]["share"]
        for number, found in enumerate(result.searches[arm]):
            draw_held_out(panel, found, number, f"search {number + 1}")
        _draw_optimum(panel, result.summary[arm]["optimum"])
        panel.set(
            title=f"{arm}: {100 * share['mean']:.1f} % [{100 * share['low']:.1f}, {100 * share['high']:.1f}]",
            xlabel="generation",
            ylabel="return, held-out worlds",
        )
        tidy(panel)
    for panel in panels[len(arms) :]:
        panel.set_visible(False)
    panels[0].legend(frameon=False, fontsize=9)
    figure.suptitle("Share of the closed-form optimum reached [95 % interval over searches]")
    _note(figure, f"{result.settings.held_out_worlds} held-out worlds, {result.settings.steps} steps")
    write_figure(figure, path)


def _draw_optimum(panel: Any, optimum: float | None) -> None:
    if optimum is not None:
        panel.axhline(optimum, color="black", linewidth=1, linestyle="--", label="optimum")


def _note(figure: Any, text: str) -> None:
    figure.supxlabel(f"{text}; jaxworld {jaxworld.__version__}", fontsize=8, color="0.35")


def draw_intervals(
    panel: Any, series: Mapping[str, Sequence[Mapping[str, float]]], labels: Sequence[str], *, title: str, unit: str
) -> None:
    """Dots with intervals: one row a label, one colour a series."""
    step = 0.7 / max(len(series), 1)
    for place, (name, bands) in enumerate(series.items()):
        rows = np.arange(len(labels)) + (place - (len(series) - 1) / 2) * step
        style = series_style(place)
        panel.hlines(rows, [band["low"] for band in bands], [band["high"] for band in bands], color=style["color"])
        panel.plot([band["mean"] for band in bands], rows, label=name, **{**style, "linestyle": ""}, markersize=6)
    panel.set_yticks(range(len(labels)), list(labels))
    panel.set_ylim(len(labels) - 0.5, -0.5)
    panel.set(title=title, xlabel=unit)
    tidy(panel, grid="x")
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncols": 2}
    panel.legend(frameon=False, fontsize=8, **below)
