"""One commons over time: the stock, who took what, who broke which pact, and what was said."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.commons.governance import Message, PactStatus
from jaxworld.core.errors import require
from jaxworld.plot.figures import COLOURS, new_figure, tidy, write_figure

_BREACH, _COLLAPSE, _OFFERED = COLOURS[1], "0.92", "0.72"
_ABOVE = {"frameon": False, "fontsize": 8, "loc": "lower right", "bbox_to_anchor": (1.0, 0.98), "borderpad": 0}
"""Where legends go: above their panel, beside its title."""
_LABEL_WIDTH = 0.012
"""Share of the width that a character of a pact's label takes."""


@dataclasses.dataclass(frozen=True)
class CommonsTimeline:
    """What happened in one commons, on the host: T turns, N players, P pact slots. Everything optional may be None.

    Attributes:
        stock: ``[T]``, at the start of each turn.
        harvest: ``[T, N]``.
        capacity: largest stock.
        collapse_turn: first turn in which the commons was dead, None if it lived.
        players: a name for each player; row numbers if None.
        pact_status: ``int[T, P]``, ``PactStatus`` during each turn.
        pact_cap: ``[T, P]``.
        pact_signed: ``bool[T, P, N]``.
        breaches: ``bool[T, P, N]`` or ``bool[T, N]``, who broke which pact, or any, in each turn.
        messages: ``int[T, N, N]``, code of what each sender (second axis) told each receiver in each turn.
    """

    stock: np.ndarray
    harvest: np.ndarray
    capacity: float
    collapse_turn: int | None = None
    players: Sequence[str] | None = None
    pact_status: np.ndarray | None = None
    pact_cap: np.ndarray | None = None
    pact_signed: np.ndarray | None = None
    breaches: np.ndarray | None = None
    messages: np.ndarray | None = None

    def __post_init__(self) -> None:
        for name in ("stock", "harvest", "pact_status", "pact_cap", "pact_signed", "breaches", "messages"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, np.asarray(value))
        turns = self.stock.shape[0] if self.stock.ndim == 1 else 0
        require(turns > 0, "stock", self.stock.shape, "give one number a turn, [T]")
        fits = self.harvest.ndim == 2 and self.harvest.shape[0] == turns
        require(fits, "harvest", self.harvest.shape, f"give one row a turn, [{turns}, N]")
        players = self.harvest.shape[1]
        named = self.players is None or len(self.players) == players
        require(named, "players", self.players, f"name each of the {players} players")
        slots = 0 if self.pact_status is None else self.pact_status.shape[-1]
        shapes: dict[str, list[tuple[int, ...]]] = {
            "pact_status": [(turns, slots)],
            "pact_cap": [(turns, slots)],
            "pact_signed": [(turns, slots, players)],
            "breaches": [(turns, slots, players), (turns, players)],
            "messages": [(turns, players, players)],
        }
        for name, wanted in shapes.items():
            value = getattr(self, name)
            remedy = f"the shape must be {' or '.join(str(shape) for shape in wanted)}"
            require(value is None or value.shape in wanted, name, np.shape(value), remedy)


def write_commons_timeline(run: CommonsTimeline, path: str | Path, *, title: str = "") -> None:
    """Draw :func:`draw_commons_timeline` into a PNG file.

    Raises:
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    write_figure(draw_commons_timeline(run, title=title), path)


def draw_commons_timeline(run: CommonsTimeline, *, title: str = "") -> Any:
    """Panels over one axis of turns: stock, harvests with breaches on them, pacts, messages; the latter two if given.

    Returns:
        A ``matplotlib.figure.Figure``.

    Raises:
        MissingExtraError: if matplotlib is not installed.
    """
    rows = min(max(run.harvest.shape[1], 3), 24) * 0.26
    heights = {"stock": 1.9, "harvest": 0.7 + rows}
    if run.pact_status is not None:
        heights["pacts"] = 0.6 + 0.34 * run.pact_status.shape[1]
    if run.messages is not None:
        heights["messages"] = 0.7 + rows
    figure = new_figure(10.0, sum(heights.values()) + 0.5)
    panels = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=list(heights.values()))[:, 0]
    draw = {"stock": _draw_stock, "harvest": _draw_harvest, "pacts": _draw_pacts, "messages": _draw_messages}
    for name, panel in zip(heights, panels, strict=True):
        if run.collapse_turn is not None:
            panel.axvspan(run.collapse_turn - 0.5, len(run.stock) - 0.5, color=_COLLAPSE, linewidth=0, zorder=0.5)
        draw[name](panel, run)
    panels[0].set_xlim(-0.5, len(run.stock) - 0.5)
    panels[-1].set_xlabel("turn")
    if title:
        figure.suptitle(title)
    return figure


def _draw_stock(panel: Any, run: CommonsTimeline) -> None:
    turns = np.arange(len(run.stock))
    panel.fill_between(turns, run.stock, color=COLOURS[2], alpha=0.25, linewidth=0)
    panel.plot(turns, run.stock, color=COLOURS[2], linewidth=1.8)
    panel.axhline(run.capacity, color="0.5", linewidth=0.8, linestyle="--")
    panel.annotate("capacity", (1, run.capacity), (-4, 3), xycoords=("axes fraction", "data"),
                   textcoords="offset points", ha="right", fontsize=8, color="0.4")  # fmt: skip
    if run.collapse_turn is not None:
        panel.annotate("collapsed", (run.collapse_turn, 0.5), (6, 0), xycoords=("data", "axes fraction"),
                       textcoords="offset points", va="center", fontsize=9, color="0.35")  # fmt: skip
    total = run.harvest.sum(axis=1)
    panel.plot(turns, total, color=COLOURS[0], linewidth=1.0, linestyle=":", label="harvest of all")
    panel.set(ylim=(0, run.capacity * 1.12))
    panel.set_title("stock", fontsize=10, loc="left")
    panel.legend(**_ABOVE)
    tidy(panel)


def _draw_harvest(panel: Any, run: CommonsTimeline) -> None:
    """A row a player, darker for more, with a cross wherever a pact was broken."""
    image = panel.imshow(
        np.ma.masked_equal(run.harvest.T, 0), aspect="auto", cmap="Blues", vmin=0, interpolation="nearest", zorder=1
    )
    colours = panel.figure.colorbar(image, ax=panel, pad=0.01, fraction=0.03)
    colours.outline.set_visible(False)
    colours.ax.tick_params(labelsize=8)
    if run.breaches is not None:
        broken = run.breaches.any(axis=1) if run.breaches.ndim == 3 else run.breaches
        turn, player = np.nonzero(broken)
        size = float(np.clip(1500 / len(run.stock), 8, 40))
        panel.scatter(turn, player, marker="x", color=_BREACH, s=size, linewidths=1.4, zorder=3, label="broke a pact")
        if len(turn):
            panel.legend(**_ABOVE)
    _name_players(panel, run)
    panel.set_title("harvest", fontsize=10, loc="left")


def _draw_pacts(panel: Any, run: CommonsTimeline) -> None:
    """A row a slot: a light bar while signatures are collected, a full one while the pact binds."""
    assert run.pact_status is not None
    styles = {PactStatus.OFFERED: (_OFFERED, "offered"), PactStatus.ACTIVE: (COLOURS[5], "binding")}
    for slot, statuses in enumerate(run.pact_status.T):
        for first, beyond in _spans(statuses):
            status = int(statuses[first])
            if status in styles:
                panel.barh(slot, beyond - first, left=first - 0.5, height=0.6, color=styles[PactStatus(status)][0])
            if status == PactStatus.VOID:
                panel.text(first - 0.3, slot, "void", va="center", fontsize=8, color="0.35")
            text = _pact_label(run, slot, first) if status == PactStatus.ACTIVE else ""
            if text and (beyond - first) >= _LABEL_WIDTH * len(text) * len(run.stock):
                panel.text(first - 0.3, slot, text, va="center", fontsize=8)
        if run.breaches is not None and run.breaches.ndim == 3:
            at = np.nonzero(run.breaches[:, slot].any(axis=1))[0]
            panel.plot(at, np.full(len(at), slot + 0.4), marker="|", color=_BREACH, linestyle="", markersize=6)
    for colour, label in styles.values():
        panel.barh(0, 0, color=colour, label=label)
    panel.set_yticks(range(run.pact_status.shape[1]), [f"slot {slot}" for slot in range(run.pact_status.shape[1])])
    panel.set_ylim(run.pact_status.shape[1] - 0.5, -0.5)
    panel.set_title("pacts", fontsize=10, loc="left")
    panel.legend(ncols=2, **_ABOVE)
    tidy(panel, grid="x")


def _pact_label(run: CommonsTimeline, slot: int, turn: int) -> str:
    parts = []
    if run.pact_cap is not None:
        parts.append(f"cap {run.pact_cap[turn, slot]:.3g}")
    if run.pact_signed is not None:
        parts.append(f"{int(run.pact_signed[turn, slot].sum())} signed")
    return ", ".join(parts)


def _spans(values: np.ndarray) -> list[tuple[int, int]]:
    """Stretches of equal values as (first, one beyond the last)."""
    cuts = [0, *(np.nonzero(np.diff(values))[0] + 1).tolist(), len(values)]
    return list(itertools.pairwise(cuts))


def _draw_messages(panel: Any, run: CommonsTimeline) -> None:
    """A row a sender, a dot a kind of message and turn, larger if everyone was told."""
    assert run.messages is not None
    codes = [int(code) for code in np.unique(run.messages) if code > 0]
    everyone = max(run.messages.shape[1] - 1, 1)
    for number, code in enumerate(codes):
        receivers = (run.messages == code).sum(axis=2)
        turn, sender = np.nonzero(receivers)
        size = np.where(receivers[turn, sender] >= everyone, 26, 8)
        offset = 0.0 if len(codes) == 1 else 0.5 * (number / (len(codes) - 1) - 0.5)
        colour = COLOURS[number % len(COLOURS)]
        panel.scatter(turn, sender + offset, s=size, color=colour, linewidths=0, label=_code_name(code), zorder=2)
    _name_players(panel, run)
    panel.set_title("messages sent (large: to everyone)", fontsize=10, loc="left")
    if codes:
        panel.legend(ncols=len(codes), handletextpad=0.1, columnspacing=1.0, **_ABOVE)
    tidy(panel, grid="x")


def _code_name(code: int) -> str:
    return Message(code).name.lower().replace("_", " ") if code < Message.USER else f"code {code}"


def _name_players(panel: Any, run: CommonsTimeline) -> None:
    count = run.harvest.shape[1]
    names = run.players or [str(player) for player in range(count)]
    step = -(-count // 24)
    panel.set_yticks(range(0, count, step), names[::step], fontsize=8)
    panel.set_ylim(count - 0.5, -0.5)
