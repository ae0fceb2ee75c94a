"""The figure of the exposure study: how unequal attention is under each recommender, and how it gets there."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import jaxworld
from jaxworld.plot.figures import new_figure, series_style, tidy, write_figure
from jaxworld.study.experiments.exposure import ExposureResult

SHARE_METRICS = {
    "gini": "Gini coefficient",
    "top_1_percent_share": "share of the top 1 %",
    "top_1_share": "share of the top one",
    "coverage": "coverage: shown at all",
    "mean_reach": "mean reach",
}
"""Metrics between 0 and 1, which can share an axis, with labels short enough for one."""
REFERENCE = "random"
_BAND = 0.18


def write_exposure_figure(result: ExposureResult, path: str | Path) -> None:
    """Draw :func:`draw_exposure` into a PNG file.

    Raises:
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    write_figure(draw_exposure(result), path)


def draw_exposure(result: ExposureResult) -> Any:
    """Lorenz curves, the Gini coefficient over ticks, and the differences to random if random was run.

    Lines are means over worlds, bands and bars their 95 % intervals.

    Returns:
        A ``matplotlib.figure.Figure``.

    Raises:
        MissingExtraError: if matplotlib is not installed.
    """
    differences = {
        name: {metric: values[metric]["difference_to_random"] for metric in SHARE_METRICS}
        for name, values in result.summary.items()
        if all("difference_to_random" in values[metric] for metric in SHARE_METRICS)
    }
    num_panels = 3 if differences else 2
    figure = new_figure(4.8 * num_panels, 5.4)
    panels = figure.subplots(1, num_panels)
    names = list(result.summary)
    _draw_lorenz(panels[0], result.lorenz, names)
    _draw_gini(panels[1], result, names)
    if differences:
        _draw_differences(panels[2], differences, names)
    _entitle(figure, result)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 6), frameon=False)
    return figure


def _draw_lorenz(panel: Any, lorenz: Mapping[str, Sequence[np.ndarray]], names: Sequence[str]) -> None:
    for number, name in enumerate(names):
        _draw_band(panel, number, name, lorenz[name])
    panel.plot([0, 1], [0, 1], color="0.6", linewidth=1, label="equal exposure")
    panel.set(
        title="Lorenz curves over the whole run",
        xlabel="share of stimuli, least exposed first",
        ylabel="share of all exposures",
        xlim=(0, 1),
        ylim=(0, 1),
    )
    panel.set_aspect("equal")
    tidy(panel)


def _draw_gini(panel: Any, result: ExposureResult, names: Sequence[str]) -> None:
    for number, name in enumerate(names):
        _draw_band(panel, number, name, result.curves[name]["gini"])
    unit = result.settings.tick_unit
    panel.set(
        title="Concentration over time",
        xlabel=f"tick ({unit}s since the start)",
        ylabel="Gini coefficient (0 all equal, 1 one has all)",
        ylim=(0, 1),
    )
    panel.margins(x=0.02)
    tidy(panel)


def _draw_band(panel: Any, number: int, name: str, curve: Sequence[np.ndarray]) -> None:
    """A line with its interval; undefined values (NaN) leave a gap."""
    positions, mean, low, high = curve
    style = series_style(number)
    panel.fill_between(positions, low, high, color=style["color"], alpha=_BAND, linewidth=0)
    every = max(1, len(positions) // 8)
    panel.plot(positions, mean, label=name, linewidth=1.8, markersize=5, markevery=(number % every, every), **style)


def _draw_differences(
    panel: Any,
    differences: Mapping[str, Mapping[str, Mapping[str, float]]],
    names: Sequence[str],
) -> None:
    """A dot with its interval for each metric and recommender; metrics from top to bottom."""
    step = 0.7 / len(differences)
    for place, (name, values) in enumerate(differences.items()):
        rows = np.arange(len(SHARE_METRICS)) + (place - (len(differences) - 1) / 2) * step
        mean, low, high = ([values[metric][end] for metric in SHARE_METRICS] for end in ("mean", "low", "high"))
        style = series_style(names.index(name))
        panel.hlines(rows, low, high, color=style["color"], linewidth=1.6)
        panel.plot(mean, rows, **{**style, "linestyle": ""}, markersize=6)
    for border in range(1, len(SHARE_METRICS)):
        panel.axhline(border - 0.5, color="0.92", linewidth=0.8)
    panel.axvline(0, color="0.6", linewidth=1)
    panel.set_yticks(range(len(SHARE_METRICS)), [textwrap.fill(label, 14) for label in SHARE_METRICS.values()])
    panel.set_ylim(len(SHARE_METRICS) - 0.5, -0.5)
    panel.set(title=f"Paired difference to {REFERENCE}", xlabel="difference in the same worlds (0 = as random)")
    tidy(panel, grid="x")


def _entitle(figure: Any, result: ExposureResult) -> None:
    settings, num_personas = result.settings, len(result.population_report["persona_ids"])
    channels = " + ".join(settings.channels)
    figure.suptitle(
        f"Who gets seen: {num_personas:,} personas, {settings.worlds:,} worlds, {settings.ticks:,} ticks of one "
        f"{settings.tick_unit}, budget {settings.budget}, {channels}\n",
        fontsize=13,
    )
    population = textwrap.shorten(Path(settings.population).name, 40, placeholder="...")
    figure.text(
        0.5,
        0.93,
        f"population {population}, seed {settings.seed}, jaxworld {jaxworld.__version__}; "
        "lines and dots: mean over worlds, bands and bars: 95 % interval",
        ha="center",
        fontsize=9,
        color="0.35",
    )
