"""Figures of a sweep: means over seeds as lines with bands, or as a heat map."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.plot.figures import new_figure, series_style, tidy, write_figure
from jaxworld.study.sweep import Summary, SweepResult

_BAND = 0.18
_PANELS = 4
ROUNDING = 1e-6
"""Means that differ by less than this share of them are the same, summed in another order."""


def draw_lines(summary: Summary, x: str, figures: Sequence[str]) -> Any:
    """Figures over ``x``, one panel each, one line for every other combination of the keys.

    Args:
        summary: from ``SweepResult.summary``.
        x: a key with numbers, such as a parameter or ``tick``.
        figures: names of figures.

    Returns:
        A ``matplotlib.figure.Figure``; lines are means over seeds, bands their intervals.

    Raises:
        ConfigurationError: for an unknown key or figure.
        MissingExtraError: if matplotlib is not installed.
    """
    _require(summary, (x,), figures)
    figure = new_figure(4.8 * len(figures), 4.8)
    panels = figure.subplots(1, len(figures), squeeze=False)[0]
    groups = _groups(summary, x)
    for panel, name in zip(panels, figures, strict=True):
        mean, low, high = summary.figures[name]
        for number, (label, rows) in enumerate(groups.items()):
            rows = rows[np.argsort(summary.keys[x][rows], kind="stable")]
            style = series_style(number)
            panel.plot(summary.keys[x][rows], mean[rows], label=label, markersize=4, **style)
            panel.fill_between(
                summary.keys[x][rows], low[rows], high[rows], color=style["color"], alpha=_BAND, linewidth=0
            )
        panel.set(xlabel=x, ylabel=name, title=name)
        tidy(panel)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(len(labels), 4), frameon=False)
    return figure


def draw_heat_map(summary: Summary, x: str, y: str, figures: str | Sequence[str]) -> Any:
    """The means of one or more figures over two parameters: a row of panels a figure, a panel an arm.

    Other keys are averaged; the panels of a row share their colours.

    Raises:
        ConfigurationError: for an unknown key or figure.
        MissingExtraError: if matplotlib is not installed.
    """
    names = [figures] if isinstance(figures, str) else list(figures)
    _require(summary, (x, y), names)
    arms = list(dict.fromkeys(summary.keys["arm"]))
    figure = new_figure(4.2 * len(arms) + 1.2, 0.6 + 2.9 * len(names))
    panels = figure.subplots(len(names), len(arms), squeeze=False, sharex=True, sharey=True)
    for name, row in zip(names, panels, strict=True):
        figure.colorbar(_heat_map_row(row, summary, arms, (x, y), name), ax=list(row), label=name)
        row[0].set_ylabel(y)
    for panel, arm in zip(panels[0], arms, strict=True):
        panel.set_title(arm)
    for panel in panels[-1]:
        panel.set_xlabel(x)
    return figure


def _heat_map_row(
    panels: Sequence[Any], summary: Summary, arms: Sequence[str], axes: tuple[str, str], name: str
) -> Any:
    """One figure for every arm, in the colours of one scale; returns the last image."""
    columns, rows = (np.unique(summary.keys[axis]) for axis in axes)
    maps = [_cells(summary, arm, *axes, name, columns, rows) for arm in arms]
    finite = np.concatenate([cells[np.isfinite(cells)] for cells in maps])
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    image = None
    for panel, cells in zip(panels, maps, strict=True):
        image = panel.imshow(cells, origin="lower", aspect="auto", vmin=low, vmax=high, cmap="viridis")
        panel.set_xticks(range(len(columns)), [f"{value:g}" for value in columns])
        panel.set_yticks(range(len(rows)), [f"{value:g}" for value in rows])
    return image


def draw_sweep(result: SweepResult, figures: Sequence[str] | None = None) -> Any:
    """A first look: lines over ticks or over the first parameter, or a heat map if exactly two were varied."""
    shown = list(figures or most_telling(result.summary(), result.figures))
    summary = result.summary(shown)
    numeric = [name for name in result.design if summary.keys[name].dtype.kind in "biuf"]
    if "tick" in summary.keys:
        return draw_lines(summary, "tick", shown)
    if len(numeric) == 2 and len(result.design) == 2:
        return draw_heat_map(summary, numeric[0], numeric[1], shown)
    return draw_lines(summary, numeric[0] if numeric else "point", shown)


def most_telling(summary: Summary, figures: Sequence[str]) -> list[str]:
    """The few figures whose means differ most between cells, in units of their intervals, in their given order."""

    def contrast(name: str) -> float:
        mean, low, high = (np.asarray(values, np.float64) for values in summary.figures[name])
        known = np.isfinite(mean) & np.isfinite(low) & np.isfinite(high)
        if not known.any():
            return -1.0
        spread, width = float(np.ptp(mean[known])), float((high - low)[known].mean())
        if spread <= ROUNDING * float(np.abs(mean[known]).max(initial=0.0)):
            return 0.0  # kernels sum in float32: the mean length of seven players may be 200.00002
        return spread / width if width > 0 else (np.inf if spread > 0 else 0.0)

    best = sorted(figures, key=contrast, reverse=True)[:_PANELS]
    return [name for name in figures if name in best]


def write_sweep_figure(result: SweepResult, path: str | Path, figures: Sequence[str] | None = None) -> None:
    """Draw :func:`draw_sweep` into a PNG file.

    Raises:
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    write_figure(draw_sweep(result, figures), path)


def _require(summary: Summary, keys: Sequence[str], figures: Sequence[str]) -> None:
    for key in keys:
        numeric = key in summary.keys and summary.keys[key].dtype.kind in "biuf"
        require(numeric, "axis", key, f"use a key of numbers out of {', '.join(summary.keys)}")
    for name in figures:
        require(name in summary.figures, "figure", name, f"use one of {', '.join(summary.figures)}")


def _groups(summary: Summary, x: str) -> dict[str, np.ndarray]:
    """Rows of each line, by a label made of the keys that vary beside ``x``."""
    skipped = {x, "point"}
    varying = [
        name for name, values in summary.keys.items() if name not in skipped and (name == "arm" or len(set(values)) > 1)
    ]
    # Labels of an arm repeat its name.
    repeated = [name for name in varying if name != "arm" and _follows(summary.keys["arm"], summary.keys[name])]
    parts = [name for name in varying if name not in repeated]
    groups: dict[str, list[int]] = {}
    for row in range(len(summary.keys["arm"])):
        label = ", ".join(
            str(summary.keys[name][row]) if name == "arm" else f"{name} = {summary.keys[name][row]}" for name in parts
        )
        groups.setdefault(label, []).append(row)
    return {label: np.asarray(rows) for label, rows in groups.items()}


def _follows(arm: np.ndarray, values: np.ndarray) -> bool:
    return all(len(set(values[arm == name])) == 1 for name in set(arm))


def _cells(summary: Summary, arm: str, x: str, y: str, name: str, columns: np.ndarray, rows: np.ndarray) -> np.ndarray:
    made = np.full((len(rows), len(columns)), np.nan)
    mine = summary.keys["arm"] == arm
    for row, high in enumerate(rows):
        for column, wide in enumerate(columns):
            here = mine & (summary.keys[x] == wide) & (summary.keys[y] == high)
            if here.any():
                made[row, column] = summary.figures[name].mean[here].mean()
    return made
