"""The figure of the reach study: what the search gains under each recommender, and whose merit it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import jaxworld
from jaxworld.plot.figures import COLOURS, new_figure, tidy, write_figure
from jaxworld.plot.search import draw_held_out, draw_intervals
from jaxworld.study.experiments.reach import ReachResult

REACH_UNIT = "share of the audience's waking moments"


def write_reach_figure(result: ReachResult, path: str | Path) -> None:
    """Draw :func:`draw_reach` into a PNG file.

    Raises:
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    write_figure(draw_reach(result), path)


def draw_reach(result: ReachResult) -> Any:
    """Learning curves; reach and gain by recommender; how the effort is split; every policy everywhere.

    Returns:
        A ``matplotlib.figure.Figure``.

    Raises:
        MissingExtraError: if matplotlib is not installed.
    """
    figure = new_figure(13.5, 8.4)
    panels = figure.subplots(2, 3).reshape(-1)
    names = list(result.summary)
    for number, name in enumerate(names):
        draw_held_out(panels[0], result.searches[name], number, name)
    panels[0].set(title="Reach while searching, held-out worlds", xlabel="generation", ylabel=REACH_UNIT)
    panels[0].legend(frameon=False, fontsize=9)
    tidy(panels[0])
    reach = {
        "even split of effort": "even",
        "policy found here": "found",
        "same policy under random": "found_under_random",
    }
    gains = {"gain here": "gain", "gain under random": "gain_under_random", "difference: given": "given"}
    for panel, parts, title in (
        (panels[1], reach, "Reach"),
        (panels[2], gains, "Gain over the even split of effort"),
    ):
        series = {label: [result.summary[name][part] for name in names] for label, part in parts.items()}
        draw_intervals(panel, series, names, title=title, unit=REACH_UNIT)
    _draw_splits(panels[3], result, names)
    _draw_matrix(panels[4], result)
    _draw_given(panels[5], result, names)
    settings = result.settings
    figure.suptitle(
        f"How far {settings.creators} creators reach among {settings.personas} personas in {settings.ticks} hours"
    )
    figure.supxlabel(
        f"effort {settings.effort:g} a turn, {settings.held_out_worlds} held-out worlds, paired; dots and bands: "
        f"mean and 95 % interval; seed {settings.seed}, jaxworld {jaxworld.__version__}",
        fontsize=8,
        color="0.35",
    )
    return figure


def _draw_splits(panel: Any, result: ReachResult, names: list[str]) -> None:
    left = np.zeros(len(names))
    for number, kind in enumerate(result.summary[names[0]]["split"]):
        width = np.array([result.summary[name]["split"][kind] for name in names])
        panel.barh(range(len(names)), width, left=left, color=COLOURS[number], label=kind)
        left = left + width
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.5, -0.5)
    panel.set(title="Split of the effort found", xlabel="share of the effort", xlim=(0, 1))
    panel.legend(frameon=False, fontsize=8, ncols=5, loc="upper center", bbox_to_anchor=(0.5, -0.16))
    tidy(panel, grid="x")


def _draw_matrix(panel: Any, result: ReachResult) -> None:
    panel.imshow(result.matrix, cmap="viridis", aspect="auto", vmin=0)
    middle = float(result.matrix.max()) / 2
    for row, column in np.ndindex(*result.matrix.shape):
        value = result.matrix[row, column]
        colour = "white" if value <= middle * 1.3 else "black"
        panel.text(column, row, f"{value:.3f}", ha="center", va="center", color=colour, fontsize=9)
    panel.set_xticks(range(len(result.recommender_names)), result.recommender_names)
    panel.set_yticks(range(len(result.policy_names)), result.policy_names)
    panel.set(title="Mean reach of every policy everywhere", xlabel="played under", ylabel="policy found under")


def _draw_given(panel: Any, result: ReachResult, names: list[str]) -> None:
    shares = [result.summary[name]["given_share"] for name in names]
    panel.barh(range(len(names)), [0.0 if share is None else share for share in shares], color=COLOURS[0])
    for row, share in enumerate(shares):
        panel.text(0.02 if share is None else max(share, 0.0) + 0.02, row, "no certain gain" if share is None else
                   f"{100 * share:.0f} %", va="center", fontsize=9)  # fmt: skip
    panel.axvline(0, color="0.6", linewidth=1)
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.5, -0.5)
    panel.set(title="Given by the recommender", xlabel="share of the gain")
    panel.margins(x=0.25)
    tidy(panel, grid="x")
