"""A figure of what a shield does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import jaxworld
from jaxworld.markov.shield.report import ShieldReport, allowed_share, exact_at_start
from jaxworld.markov.solve.certificate import UNITS
from jaxworld.plot.figures import COLOURS, new_figure, series_style, tidy, write_figure


def write_shield_figure(report: ShieldReport, path: str | Path) -> None:
    """Draw :func:`draw_shield` into a PNG file.

    Raises:
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    write_figure(draw_shield(report), path)


def draw_shield(report: ShieldReport) -> Any:
    """Three panels: risks of states, what budgets allow, and unsafe probability, exact and simulated, against budget.

    Returns:
        A ``matplotlib.figure.Figure``.

    Raises:
        MissingExtraError: if matplotlib is not installed.
    """
    settings, facts = report.settings, report.facts
    figure = new_figure(14.0, 5.0)
    risks, masks, unsafe = figure.subplots(1, 3)
    _draw_risks(risks, report)
    _draw_masks(masks, report)
    _draw_unsafe(unsafe, report)
    guard = "any reply" if settings.scenario == "robust" else f"levels {settings.level_floor} to {settings.max_level}"
    figure.suptitle(
        f"A shield for player {settings.player} of {settings.game} against {guard}\n"
        f"{settings.allocator}, {settings.grid} budget steps, {facts['product_states']:,} product states verified, "
        f"seed {settings.seed}, jaxworld {jaxworld.__version__}",
        fontsize=11,
    )
    return figure


def _draw_risks(panel: Any, report: ShieldReport) -> None:
    for floor in range(report.model.num_floors):
        undecided = report.model.floors[floor][0].states
        risk = np.sort(report.model.bound[floor][undecided]) / UNITS
        share = np.arange(1, len(risk) + 1) / max(len(risk), 1)
        label = "any reply" if report.settings.scenario == "robust" else f"level {floor} and above"
        style = {**series_style(floor), "marker": None}
        panel.step(np.r_[0.0, risk, 1.0], np.r_[0.0, share, 1.0], where="post", label=label, **style)
    panel.set(title="least risk of a state", xlabel="risk under safest play", ylabel="share of undecided states")
    panel.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    panel.legend(frameon=False, fontsize=8, loc="lower right")
    tidy(panel)


def _draw_masks(panel: Any, report: ShieldReport) -> None:
    share, feasible = allowed_share(report.model, report.settings.level_floor)
    budgets = np.linspace(0, 1, report.model.grid + 1)
    panel.plot(budgets, share, label="actions allowed", **{**series_style(0), "markersize": 4})
    panel.plot(budgets, feasible, label="states it is feasible in", **{**series_style(1), "markersize": 4})
    panel.set(title="what a budget allows", xlabel="budget", ylabel="mean share", ylim=(-0.02, 1.04))
    panel.legend(frameon=False, fontsize=8, loc="lower right")
    tidy(panel)


def _draw_unsafe(panel: Any, report: ShieldReport) -> None:
    floor, budgets = report.settings.level_floor, np.linspace(0, 1, report.model.grid + 1)
    exact = [exact_at_start(report.model, report.verification, floor, budget) for budget in budgets]
    panel.plot([0, 1], [0, 1], color="0.6", linewidth=1, label="budget")
    panel.plot(budgets, [each["granted"] for each in exact], color="black", linewidth=1.4, label="budget granted")
    panel.plot(budgets, [each["worst"] for each in exact], color=COLOURS[1], linewidth=1.8, linestyle="--",
               label="worst policy, exact")  # fmt: skip
    rows = report.rows
    for level in np.unique(rows["others_level"]):
        chosen = rows["others_level"] == level
        style = {**series_style(int(level) + 2), "linestyle": "", "markersize": 5}
        panel.errorbar(rows["budget"][chosen], rows["simulated"][chosen], rows["half_width"][chosen], capsize=2,
                       label=f"simulated, others at level {level}", **style)  # fmt: skip
    panel.set(title="unsafe, from the starting states", xlabel="budget", ylabel="probability")
    panel.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.04))
    panel.legend(frameon=False, fontsize=8, loc="best")
    tidy(panel)
