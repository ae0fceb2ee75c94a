"""The figure of the search for harvesting policies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import jaxworld
from jaxworld.plot.figures import COLOURS, new_figure, series_style, tidy, write_figure
from jaxworld.plot.search import draw_held_out
from jaxworld.study.experiments.harvest import HarvestResult

UNIT = "catch, in equal shares of the maximum sustainable yield"


def write_harvest_figure(result: HarvestResult, path: str | Path) -> None:
    """Draw :func:`draw_harvest` into a PNG file.

    Raises:
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    write_figure(draw_harvest(result), path)


def draw_harvest(result: HarvestResult) -> Any:
    """Catch against each kind of others beside what is known of the best; the rules found; learning curves.

    Returns:
        A ``matplotlib.figure.Figure``.

    Raises:
        MissingExtraError: if matplotlib is not installed.
    """
    names, settings = list(result.summary), result.settings
    figure = new_figure(15.0, 1.4 + 0.36 * max(len(names), 9))
    catches, rules, curves = figure.subplots(1, 3, width_ratios=(1.5, 1, 1))
    _draw_catches(catches, result, names)
    stock = np.linspace(0, 1, 201)
    for number, name in enumerate(names):
        style = {**series_style(number), "marker": None}
        rule = result.summary[name]["rule"]
        wanted = np.clip(rule["a0"] + stock * (rule["a1"] + stock * rule["a2"]), 0, settings.harvest_cap)
        rules.plot(stock, np.where(stock >= rule["theta"], wanted, 0), label=name, **style)
        draw_held_out(curves, result.searches[name], number, name)
    rules.set(title="rules found", xlabel="stock, share of capacity", ylabel="request, share of capacity")
    curves.set(title="while searching, held-out worlds", xlabel="generation", ylabel="catch")
    for panel in (rules, curves):
        tidy(panel)
    handles, labels = rules.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=7, frameon=False, fontsize=8)
    figure.suptitle(
        f"Harvesting against others: {settings.players} players, r {settings.regrowth:g}, cap "
        f"{settings.harvest_cap:g}, noise {settings.noise:g}, {settings.turns} turns\n{settings.held_out_worlds} "
        f"held-out worlds, 95 % intervals; seed {settings.seed}, jaxworld {jaxworld.__version__}",
        fontsize=11,
    )
    return figure


def _draw_catches(panel: Any, result: HarvestResult, names: list[str]) -> None:
    known = (("start", "v", "start: one share a turn"), ("best", "D", "best response"), ("bound", "|", "upper bound"))
    for row, name in enumerate(names):
        figures = result.summary[name]
        band = figures["found"]
        panel.barh(row, band["mean"], 0.6, color=COLOURS[5], label="found" if row == 0 else None)
        panel.hlines(row, band["low"], band["high"], color="black", linewidth=2)
        for number, (part, marker, label) in enumerate(known):
            if figures[part] is not None:
                panel.plot(figures[part], row, marker, color=COLOURS[(6, 1, 2)[number]], markersize=7,
                           label=label if row == 0 else None, linestyle="")  # fmt: skip
    panel.axvline(1, color="0.4", linewidth=1, linestyle="--", label="sustainable share")
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.5, -0.5)
    panel.set_xlim(0, 1.6 * panel.get_xlim()[1])  # room for the legend
    panel.set(title="catch of the searched player", xlabel=UNIT)
    panel.legend(frameon=False, fontsize=8, loc="lower right")
    tidy(panel, grid="x")
