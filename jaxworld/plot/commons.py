"""Figures of the studies of noise in a commons."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import jaxworld
from jaxworld.plot.commons_timeline import CommonsTimeline, write_commons_timeline
from jaxworld.plot.figures import COLOURS, draw_band, new_figure, series_style, tidy, write_figure
from jaxworld.study.experiments.commons.fragility import EARLIER, OUTCOMES
from jaxworld.study.experiments.commons.gates import BAND
from jaxworld.study.experiments.commons.noise import REACHES
from jaxworld.study.experiments.finding import Finding

_SHORT = {
    "best": "gain at some noise",
    "gains": "gain above 0.02",
    "interior": "hump",
    "in_band": "hump in 0.35 to 0.5",
    "everything": "the whole claim",
    "better": "welfare at 0.4 higher",
    "worse": "welfare at 0.4 lower",
    "fairer": "Gini at 0.4 lower",
    "unfairer": "Gini at 0.4 higher",
}


def write_noise_figure(found: Finding, path: str | Path) -> None:
    """Draw :func:`draw_noise` into a PNG file.

    Raises:
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    write_figure(draw_noise(found), path)


def draw_noise(found: Finding) -> Any:
    """One row a population: welfare, its change, Gini and survival over the noise, a line for whose it is."""
    settings, curves = found.settings, found.drawn["curves"]
    titles = {
        "welfare": "welfare (catch over T r K / 4)",
        "gain": "welfare, change against no noise",
        "gini": "Gini of the catch",
        "survival": "commons that live",
    }
    figure = new_figure(14.5, 3.3 * len(settings.arms) + 0.9)
    panels = figure.subplots(len(settings.arms), len(titles), squeeze=False, sharex=True)
    for row, name in zip(panels, settings.arms, strict=True):
        for panel, (column, title) in zip(row, titles.items(), strict=True):
            panel.axvspan(*BAND, color="0.94", linewidth=0, zorder=0)
            for reach, label in enumerate(REACHES):
                draw_band(panel, settings.levels, curves[name, reach][column], reach, f"noise on {label}")
            if column == "gain":
                panel.axhline(0, color="0.5", linewidth=1)
            if column in ("welfare", "gini"):
                panel.set_ylim(bottom=0)
            if column == "survival":
                panel.set_ylim(-0.02, 1.04)
            panel.set_title(f"{name}\n{title}" if column == "welfare" else title, fontsize=9)
            tidy(panel)
    for panel in panels[-1]:
        panel.set_xlabel("noise: standard deviation as a share of the stock", fontsize=8)
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    note = (
        f"{settings.worlds} seeds, paired over levels, seed {settings.seed}, jaxworld {jaxworld.__version__}; bands: "
        "95 % intervals; grey: where the optimum was claimed to lie"
    )
    figure.suptitle(f"A commons whose stock is read with noise\n{note}", fontsize=11)
    return figure


def write_multiverse_figure(found: Finding, path: str | Path) -> None:
    """Draw :func:`draw_multiverse` into a PNG file; errors as :func:`write_noise_figure`."""
    write_figure(draw_multiverse(found), path)


def draw_multiverse(found: Finding) -> Any:
    """Outcomes counted, beside the earlier ones; where the best noise lies; every population at 0.4; averages."""
    settings, verdicts = found.settings, found.drawn["verdicts"]
    figure = new_figure(14.5, 9.4)
    panels = figure.subplots(2, 2)
    _draw_outcomes(panels[0, 0], verdicts)
    _draw_optima(panels[0, 1], settings.levels, verdicts)
    _draw_changes(panels[1, 0], settings.levels, verdicts)
    _draw_averages(panels[1, 1], settings, found.drawn["averages"])
    note = f"{settings.worlds} seeds each, seed {settings.seed}, jaxworld {jaxworld.__version__}"
    figure.suptitle(f"Noise on the stock in {len(verdicts):,} populations of two types\n{note}", fontsize=11)
    return figure


def _draw_outcomes(panel: Any, verdicts: Sequence[Any]) -> None:
    lively = [verdict for verdict in verdicts if verdict.lively]
    series = {
        f"all {len(verdicts):,}": [np.mean([verdict.outcomes[name] for verdict in verdicts]) for name in OUTCOMES],
        f"the {len(lively):,} livelier": [
            np.mean([verdict.outcomes[name] for verdict in lively]) if lively else np.nan for name in OUTCOMES
        ],
    }
    places, height = np.arange(len(OUTCOMES)), 0.36
    for number, (label, shares) in enumerate(series.items()):
        panel.barh(
            places + (number - 0.5) * height, 100 * np.asarray(shares), height, label=label, color=COLOURS[number]
        )
    for number, label in enumerate(("earlier study, other populations", "earlier, livelier")):
        shown = [(at, EARLIER[name][number]) for at, name in enumerate(OUTCOMES) if EARLIER[name][number] is not None]
        at, share = np.asarray(shown, np.float64).T
        panel.plot(100 * share, at + (number - 0.5) * height, "D", color="black", markersize=5,
                   markerfacecolor=("white", "black")[number], linestyle="", label=label)  # fmt: skip
    panel.set_yticks(places, [_SHORT[name] for name in OUTCOMES])
    panel.set_ylim(len(OUTCOMES) - 0.5, -0.5)
    panel.set(title="how often", xlabel="per cent of populations", xlim=(0, 100))
    panel.legend(frameon=False, fontsize=8)
    tidy(panel, grid="x")


def _draw_optima(panel: Any, levels: Sequence[float], verdicts: Sequence[Any]) -> None:
    lively = [verdict for verdict in verdicts if verdict.lively]
    width = 0.8 * float(np.diff(levels).min())
    panel.axvspan(*BAND, color="0.94", linewidth=0, zorder=0)
    for chosen, colour, label in ((verdicts, COLOURS[0], "all"), (lively, COLOURS[1], "livelier")):
        best = np.asarray([verdict.best for verdict in chosen], int)
        panel.bar(levels, np.bincount(best, minlength=len(levels)), width, color=colour, label=label)
    panel.set(title="where welfare is highest", xlabel="noise", ylabel="populations")
    panel.legend(frameon=False, fontsize=8)
    tidy(panel, grid="y")


def _draw_changes(panel: Any, levels: Sequence[float], verdicts: Sequence[Any]) -> None:
    some = levels.index(0.4)
    for flag, number, label in ((False, 0, "others"), (True, 1, "the whole claim holds")):
        chosen = [verdict for verdict in verdicts if verdict.outcomes["everything"] is flag]
        x = [verdict.gain[some] for verdict in chosen]
        y = [verdict.gini[some] - verdict.gini[0] for verdict in chosen]
        panel.scatter(x, y, s=(5, 26)[number], color=COLOURS[number], alpha=(0.35, 1.0)[number], linewidths=0,
                      label=f"{label} ({len(chosen):,})", zorder=2 + number)  # fmt: skip
    panel.axhline(0, color="0.5", linewidth=1)
    panel.axvline(0, color="0.5", linewidth=1)
    panel.set(title="every population at noise 0.4", xlabel="welfare, change", ylabel="Gini, change")
    panel.legend(frameon=False, fontsize=8, loc="lower left")
    tidy(panel)


def _draw_averages(panel: Any, settings: Any, averages: Sequence[Any]) -> None:
    for number, row in enumerate(averages):
        curve = np.asarray(row["curve"])
        style = {**series_style(number), "markersize": 3}
        panel.plot(settings.levels, curve - curve[0], label=row["mix"], **style)
    panel.axvspan(*BAND, color="0.94", linewidth=0, zorder=0)
    panel.axhline(0, color="0.5", linewidth=1)
    title = f"on average over {settings.environments} random environments" if averages else "no random environments"
    panel.set(title=title, xlabel="noise", ylabel="welfare, change against no noise")
    if averages:
        panel.legend(frameon=False, fontsize=8)
    tidy(panel)


def write_timeline_figure(found: Finding, path: str | Path) -> None:
    """Draw one commons turn by turn; errors as :func:`write_noise_figure`."""
    settings = found.settings
    title = (
        f"A commons with pacts and messages: regrowth {settings.regrowth:g}, noise {settings.noise:g}, sanction "
        f"{settings.sanction}, seed {settings.seed}"
    )
    write_commons_timeline(CommonsTimeline(**found.drawn), path, title=title)
