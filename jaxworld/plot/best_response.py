"""The figure of the search for best responses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jaxworld
from jaxworld.plot.figures import new_figure, tidy, write_figure
from jaxworld.plot.search import draw_held_out
from jaxworld.study.experiments.best_response import BestResponseResult

COLUMNS = 3


def write_best_response_figure(result: BestResponseResult, path: str | Path) -> None:
    """Draw :func:`draw_best_response` into a PNG file.

    Raises:
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    write_figure(draw_best_response(result), path)


def draw_best_response(result: BestResponseResult) -> Any:
    """For each kind of others: the return on held-out worlds over generations, with the closed form as a line.

    Returns:
        A ``matplotlib.figure.Figure``.

    Raises:
        MissingExtraError: if matplotlib is not installed.
    """
    names, settings = list(result.summary), result.settings
    columns = min(len(names), COLUMNS)
    rows = -(-len(names) // columns)
    figure = new_figure(1.2 + 4.2 * columns, 1.6 + 3.0 * rows)
    panels = figure.subplots(rows, columns, squeeze=False).reshape(-1)
    for number, (panel, name) in enumerate(zip(panels, names, strict=False)):
        figures = result.summary[name]
        draw_held_out(panel, result.searches[name], number, "searched, held-out worlds (95 %)")
        label = f"best response ({figures['computed']})"
        panel.axhline(figures["best"], color="black", linewidth=1.2, linestyle="--", label=label)
        gap = figures["gap_exact"]
        title = f"others: {name}; best {figures['best']:.4g}, gap {gap if gap > 1e-9 else 0:.2g}"
        panel.set_title(title, fontsize=10)
        panel.set(xlabel="generation", ylabel="payoff of a round")
        panel.legend(frameon=False, fontsize=8, loc="lower right")
        panel.margins(y=0.12)
        tidy(panel)
    for panel in panels[len(names) :]:
        panel.set_visible(False)
    figure.suptitle(
        f"Answering others in {settings.game}: player {settings.player}, {settings.policy} policy, {settings.strategy}",
        fontsize=11,
    )
    figure.supxlabel(
        f"round t weighed by {settings.discount:g}$^t$; {settings.steps} rounds, {settings.held_out_worlds} held-out "
        f"worlds; gap: of the policy found, exactly; seed {settings.seed}, jaxworld {jaxworld.__version__}",
        fontsize=8,
        color="0.35",
    )
    return figure
