"""A drawing of a small transition graph."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.markov.graph.graph import Graph
from jaxworld.plot.figures import COLOURS, new_figure, write_figure

MAX_STATES = 400
MAX_ON_CIRCLE = 16
MAX_COLOURED_ACTIONS = len(COLOURS) - 1
KINDS = {"initial": "#FFFFFF", "live": "#D9D9D9", "terminal": "#7F7F7F", "unsafe": "#D55E00"}
"""Colour of each kind of state; a state is of the last kind that fits."""


def check_drawable(graph: Graph) -> None:
    """Refuse a graph with more than 400 states.

    Raises:
        ConfigurationError: if it is too large for a readable picture.
    """
    states = f"{graph.num_states:,} states"
    require(graph.num_states <= MAX_STATES, "graph", states, f"draw at most {MAX_STATES}: choose a smaller game")


def write_graph_figure(graph: Graph, path: str | Path) -> None:
    """Draw :func:`draw_graph` into a PNG file.

    Raises:
        ConfigurationError: for a graph with more than 400 states.
        MissingExtraError: if matplotlib is not installed.
        OSError: if the file cannot be written.
    """
    write_figure(draw_graph(graph), path)


def draw_graph(graph: Graph) -> Any:
    """States as discs and transitions as arrows.

    Up to 16 states stand on a circle, more in columns by the step in which they are first reached. Arrows carry the
    mean probability over joint actions as their width; with few joint actions each has a colour and arrows of its own.

    Returns:
        A ``matplotlib.figure.Figure``.

    Raises:
        ConfigurationError: for a graph with more than 400 states.
        MissingExtraError: if matplotlib is not installed.
    """
    check_drawable(graph)
    place = _circle(graph.num_states) if graph.num_states <= MAX_ON_CIRCLE else _columns(graph)
    circle = graph.num_states <= MAX_ON_CIRCLE
    figure = new_figure(8.0 if circle else 11.0, 7.4)
    panel = figure.subplots()
    handles = _draw_edges(panel, graph, place, arrows=circle)
    handles += _draw_states(panel, graph, place, numbered=graph.num_states <= 100)
    panel.set_aspect("equal" if circle else "auto")
    panel.margins(0.12 if circle else 0.05)
    panel.set_axis_off()
    figure.legend(handles=handles, loc="outside lower center", ncols=4 if circle else 5, frameon=False, fontsize=9)
    settings = ", ".join(f"{key} {value}" for key, value in graph.config.items() if key == "size" or "eight" in key)
    title = f"{graph.name} {settings}".strip()
    counts = f"{graph.num_states} states, {graph.num_edges:,} transitions, {graph.num_joint_actions} joint actions"
    figure.suptitle(f"{title}: {counts}")
    return figure


def _circle(count: int) -> np.ndarray:
    """``float64[S, 2]``, the first state on the left."""
    angle = np.pi - 2 * np.pi * np.arange(count) / count
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _columns(graph: Graph) -> np.ndarray:
    """``float64[S, 2]``: a column a level; within one, live states above terminal ones."""
    place = np.zeros((graph.num_states, 2))
    for level in range(int(graph.level.max()) + 1):
        states = np.flatnonzero(graph.level == level)
        states = states[np.argsort(graph.terminal[states], kind="stable")]
        # Neighbours in a column step aside in turn, so that their discs do not touch.
        shift = 0.12 * (np.arange(len(states)) % 3 - 1) if len(states) > 24 else 0.0
        place[states, 0] = level + shift
        place[states, 1] = -(np.arange(len(states)) + 0.5) / len(states)
    return place


def _draw_edges(panel: Any, graph: Graph, place: np.ndarray, *, arrows: bool) -> list[Any]:
    from matplotlib.lines import Line2D

    joint = graph.num_joint_actions
    coloured = arrows and joint <= MAX_COLOURED_ACTIONS
    rows = np.repeat(np.arange(graph.num_states * joint), np.diff(graph.row_offsets))
    group = rows % joint if coloured else np.zeros_like(rows)
    share = graph.probability if coloured else graph.probability / joint
    pairs = (rows // joint * graph.num_states + graph.target) * joint + group
    unique, inverse = np.unique(pairs, return_inverse=True)
    weight = np.bincount(inverse, weights=share)
    ends, group = np.divmod(unique, joint)
    source, target = np.divmod(ends, graph.num_states)
    if arrows:
        for edge in range(len(unique)):
            colour = COLOURS[group[edge]] if coloured else "0.3"
            _draw_arrow(panel, place[source[edge]], place[target[edge]], weight[edge], colour, int(group[edge]))
    else:
        _draw_lines(panel, place, source, target, weight)
    if not coloured:
        return [Line2D([], [], color="0.3", label="transition (width: mean probability)")]
    names = [" ".join(map(str, graph.actions_of(number))) for number in range(joint)]
    return [Line2D([], [], color=COLOURS[number], label=f"actions {name}") for number, name in enumerate(names)]


def _draw_arrow(panel: Any, begin: np.ndarray, end: np.ndarray, weight: float, colour: str, group: int) -> None:
    from matplotlib.patches import FancyArrowPatch

    if (begin == end).all():  # a loop outside the circle
        outwards = np.arctan2(begin[1], begin[0])
        begin, end = (begin + 0.09 * np.asarray([np.cos(a), np.sin(a)]) for a in (outwards - 0.7, outwards + 0.7))
        bend, shrink = 2.2, 0.0
    else:
        bend, shrink = 0.14 + 0.04 * group, 14.0
    panel.add_patch(
        FancyArrowPatch(
            (float(begin[0]), float(begin[1])),
            (float(end[0]), float(end[1])),
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=11,
            linewidth=0.4 + 1.4 * weight,
            color=colour,
            alpha=0.8,
            shrinkA=shrink,
            shrinkB=shrink,
        )
    )


def _draw_lines(panel: Any, place: np.ndarray, source: np.ndarray, target: np.ndarray, weight: np.ndarray) -> None:
    from matplotlib.collections import LineCollection

    moving = source != target
    lines = np.stack([place[source[moving]], place[target[moving]]], axis=1)
    widths = 0.15 + 2.5 * weight[moving]
    panel.add_collection(LineCollection(list(lines), linewidths=widths, colors="0.3", alpha=0.25, zorder=1))


def _draw_states(panel: Any, graph: Graph, place: np.ndarray, *, numbered: bool) -> list[Any]:
    unsafe = graph.labels.get("unsafe", np.zeros(graph.num_states, bool))
    kind = np.select([unsafe, graph.terminal, graph.initial > 0], ["unsafe", "terminal", "initial"], default="live")
    size = 520 if graph.num_states <= MAX_ON_CIRCLE else 90 if numbered else 22
    handles = []
    for name, colour in KINDS.items():
        states = np.flatnonzero(kind == name)
        if len(states):
            spots = place[states].T
            style = {"s": size, "c": colour, "edgecolors": "black", "linewidths": 0.7, "zorder": 3}
            panel.scatter(*spots, **style)
            handles.append(panel.scatter([], [], **{**style, "s": 60}, label=f"{name} state"))
    if numbered:
        small = graph.num_states > MAX_ON_CIRCLE
        for state, (x, y) in enumerate(place):
            text = {"ha": "center", "va": "center", "fontsize": 5 if small else 10, "zorder": 4}
            panel.text(x, y, str(state), **text)
    return handles
