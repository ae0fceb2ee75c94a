"""One figure for each finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import jaxworld
from jaxworld.plot.figures import COLOURS, draw_band, new_figure, series_style, tidy, write_figure
from jaxworld.study.experiments.finding import Finding


def write_concentration_figure(found: Finding, path: str | Path) -> None:
    """Draw :func:`draw_concentration` into a PNG file.

    Raises:
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    write_figure(draw_concentration(found), path)


def draw_concentration(found: Finding) -> Any:
    """Gini over the budget, one panel a size of the population; below it, the coverage of stimuli."""
    settings, sizes = found.settings, found.settings.personas
    figure = new_figure(4.2 * len(sizes) + 0.6, 7.4)
    panels = figure.subplots(2, len(sizes), squeeze=False, sharex=True, sharey="row")
    names = {"gini": "Gini of exposures over stimuli", "coverage": "share of stimuli ever shown"}
    for row, (column, label) in enumerate(names.items()):
        for panel, size in zip(panels[row], sizes, strict=True):
            for number, recommender in enumerate(settings.recommenders):
                mine = [cell for cell in found.table if (cell["recommender"], cell["personas"]) == (recommender, size)]
                draw_band(
                    panel, [cell["budget"] for cell in mine], [cell[column] for cell in mine], number, recommender
                )
            panel.set_xscale("log", base=2)
            panel.set_xticks(settings.budgets, [str(budget) for budget in settings.budgets])
            panel.minorticks_off()
            panel.set_ylim(0, 1.02)
            tidy(panel)
            if row == 0:
                panel.set_title(f"{size} personas")
            else:
                panel.set_xlabel("budget: stimuli shown to a persona in a tick")
        panels[row][0].set_ylabel(label)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    _titles(figure, "Concentration of exposure by recommender, budget and population", found)
    return figure


def write_herding_figure(found: Finding, path: str | Path) -> None:
    """Draw :func:`draw_herding` into a PNG file; errors as :func:`write_concentration_figure`."""
    write_figure(draw_herding(found), path)


def draw_herding(found: Finding) -> Any:
    """Surplus of an up and a down vote by conformity under each ranking; over time; beside published effects."""
    rankings = found.settings.rankings
    figure = new_figure(4.8 * (len(rankings) + 1), 4.9)
    panels = figure.subplots(1, len(rankings) + 1, squeeze=False)[0]
    for panel, ranking in zip(panels, rankings, strict=False):
        mine = [row for row in found.table if row["ranking"] == ranking]
        for number, name in enumerate(("up", "down")):
            bands = [row[f"surplus_{name}"] for row in mine]
            draw_band(panel, [row["conformity"] for row in mine], bands, number, f"treated {name}")
        panel.axhline(0, color="0.5", linewidth=1)
        panel.set(title=f"forum ranked by {ranking}", xlabel="conformity per doubling of net votes")
        panel.set_ylabel("surplus in score, beyond the vote given")
        tidy(panel)
        panel.legend(frameon=False)
    _draw_relative(panels[-1], found)
    _titles(figure, "What one vote at the start does to the final score", found)
    return figure


def _draw_relative(panel: Any, found: Finding) -> None:
    """Final score of the treated against the untreated, per cent, with the published figures."""
    bars = [
        (f"{row['ranking']}, {row['conformity']:g}", row["relative_up"], row["relative_down"]) for row in found.table
    ]
    for place, (_, *bands) in enumerate(bars):
        for number, band in enumerate(bands):
            if np.isfinite(band["mean"]):
                error = [[100 * (band["mean"] - band["low"])], [100 * (band["high"] - band["mean"])]]
                panel.errorbar(
                    100 * band["mean"], place, xerr=error, fmt="os"[number], color=COLOURS[number], markersize=5
                )
    labels = [label for label, *_ in bars]
    for entry in found.drawn["published"]:
        panel.plot(100 * entry["relative_up"], len(labels), "D", color=COLOURS[0], markerfacecolor="white")
        labels.append(entry["source"].split(":")[0] + ", published")
    panel.set_yticks(range(len(labels)), labels)
    panel.set_ylim(len(labels) - 0.5, -0.5)
    panel.axvline(0, color="0.5", linewidth=1)
    panel.set_xscale("symlog", linthresh=100)
    ticks = (-1000, -100, -50, 0, 50, 100, 1000)
    panel.set_xticks(ticks, [str(tick) for tick in ticks])
    panel.set(title="Final score against untreated", xlabel="per cent, vote given included")
    tidy(panel, grid="x")


def write_spread_figure(found: Finding, path: str | Path) -> None:
    """Draw :func:`draw_spread` into a PNG file; errors as :func:`write_concentration_figure`."""
    write_figure(draw_spread(found), path)


def draw_spread(found: Finding) -> Any:
    """The three curves over time, real and predicted, and the error of every predictor."""
    settings, real = found.settings, found.drawn["real"]
    figure = new_figure(15.0, 8.6)
    grid = figure.add_gridspec(2, 3)
    minute = np.arange(real.shape[1])
    titles = ("scale: personas in the cascade", "depth", "maximum breadth")
    for index, title in enumerate(titles):
        panel = figure.add_subplot(grid[0, index])
        panel.axvspan(0, settings.train, color="0.94", linewidth=0)
        panel.plot(minute, real[index], color="black", linewidth=2.2, label="real", zorder=3)
        for number, (name, runs) in enumerate(found.drawn["predicted"].items()):
            style = {**series_style(number), "marker": None}
            panel.plot(minute, runs[:, index].mean(axis=0), label=f"model: {name}", **style)
            low, high = np.quantile(runs[:, index], (0.05, 0.95), axis=0)
            panel.fill_between(minute, low, high, color=style["color"], alpha=0.09, linewidth=0)
        if index == 0:
            label = f"reach along follows: {found.drawn['cap']}"
            panel.axhline(found.drawn["cap"], color="0.4", linewidth=1, linestyle=":", label=label)
        panel.set(title=title, xlabel="minute (grey: fitted)")
        panel.set_ylim(bottom=0)
        tidy(panel)
        if index == 0:
            panel.legend(frameon=False, fontsize=8, loc="lower right", bbox_to_anchor=(1, 0.05))
    _draw_errors(figure.add_subplot(grid[1, :]), found.table)
    _titles(figure, "A real cascade, predicted from its first minutes", found, "bands: 90 % of runs")
    return figure


def _draw_errors(panel: Any, table: Sequence[Mapping[str, Any]]) -> None:
    names, width = ("scale", "depth", "max_breadth"), 0.26
    for number, name in enumerate(names):
        values = [row[name] for row in table]
        place = np.arange(len(table)) + (number - 1) * width
        panel.bar(place, values, width, color=COLOURS[number], label=name)
        for x, value in zip(place, values, strict=True):
            panel.text(x, value + 0.01, f"{value:.2f}", ha="center", fontsize=7)
    labels = [row["predictor"].replace("model: ", "model:\n").replace(", then", ",\nthen") for row in table]
    panel.set_xticks(range(len(table)), labels, fontsize=8)
    panel.set(title="NRMSE over all minutes", ylabel="error over maximum of the real curve")
    panel.legend(frameon=False, ncols=3)
    tidy(panel, grid="y")


def write_communities_figure(found: Finding, path: str | Path) -> None:
    """Draw :func:`draw_communities` into a PNG file; errors as :func:`write_concentration_figure`."""
    write_figure(draw_communities(found), path)


def draw_communities(found: Finding) -> Any:
    """Concentration, divergence and exposure within one's own community over time, a line a forum."""
    summary = found.drawn["summary"]
    figure = new_figure(13.8, 4.8)
    names = {
        "gini": "Gini of exposures over stimuli",
        "divergence": "dissimilarity of peers' texts shown",
        "own_share": "share of peers' texts from one's own community",
    }
    panels = figure.subplots(1, len(names))
    for panel, (column, title) in zip(panels, names.items(), strict=True):
        for number, forum in enumerate(dict.fromkeys(summary.keys["forum"].tolist())):
            rows = np.flatnonzero(summary.keys["forum"] == forum)
            bands = [{end: float(getattr(summary.figures[column], end)[row]) for end in ("mean", "low", "high")}
                     for row in rows]  # fmt: skip
            draw_band(panel, summary.keys["tick"][rows].tolist(), bands, number, forum)
        panel.set(title=title, xlabel="hour")
        panel.set_ylim(0, 1.02)
        tidy(panel)
    panels[2].axhline(1 / found.settings.communities, color="0.5", linewidth=1, linestyle=":")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    _titles(figure, "One forum for all against a forum scoped to communities", found)
    return figure


def _titles(figure: Any, title: str, found: Finding, bands: str = "bands: 95 % intervals") -> None:
    settings = found.settings
    note = f"{settings.worlds} worlds a cell, seed {settings.seed}, jaxworld {jaxworld.__version__}; {bands}"
    figure.suptitle(f"{title}\n{note}", fontsize=11)
