"""Figures of sweeps, from summaries made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from jaxworld.core.errors import ConfigurationError
from jaxworld.metrics.intervals import Interval
from jaxworld.plot.sweep import draw_heat_map, draw_lines, draw_sweep
from jaxworld.study.sweep import SweepResult, summarise


def rows():
    """Two arms, two values of each of two parameters, three worlds: ``gain = size + 10 x rate + world``."""
    arm, rate, size, world = (index.ravel() for index in np.indices((2, 2, 2, 3)))
    return {
        "arm": np.where(arm == 0, "plain", "fancy"),
        "kind": np.where(arm == 0, 0, 1),
        "point": (2 * rate + size).astype(np.int32),
        "rate": rate / 2,
        "size": size.astype(np.int32),
        "world": world.astype(np.int32),
        "seed": world.astype(np.uint64),
        "gain": (size + 5.0 * rate + world).astype(np.float32),
        "configuration": np.full(24, "x"),
    }


@pytest.fixture(scope="module")
def summary():
    return summarise(rows(), ["gain"])


def test_lines_run_over_the_parameter_with_bands(summary):
    figure = draw_lines(summary, "rate", ["gain"])
    lines = figure.axes[0].lines
    labels = [line.get_label() for line in lines]
    assert labels == ["plain, size = 0", "plain, size = 1", "fancy, size = 0", "fancy, size = 1"]
    np.testing.assert_allclose(lines[1].get_xdata(), [0, 0.5])
    np.testing.assert_allclose(lines[1].get_ydata(), [2, 7])
    assert len(figure.axes[0].collections) == 4


def test_heat_map_has_a_panel_an_arm(summary):
    figure = draw_heat_map(summary, "rate", "size", "gain")
    panels = [panel for panel in figure.axes if panel.images]
    assert [panel.get_title() for panel in panels] == ["plain", "fancy"]
    np.testing.assert_allclose(panels[0].images[0].get_array(), [[1, 6], [2, 7]])
    twice = draw_heat_map(summary, "rate", "size", ["gain", "gain"])
    assert len([panel for panel in twice.axes if panel.images]) == 4
    assert [panel.get_xlabel() for panel in twice.axes[:4]] == ["", "", "rate", "rate"]


def test_the_first_look_fits_what_was_varied(tmp_path):
    facts = {"configuration": "x", "figures": ("gain",), "labels": ("kind",), "kept": rows()}
    assert any(panel.images for panel in draw_sweep(SweepResult(**facts, design=("rate", "size"))).axes)
    assert len(draw_sweep(SweepResult(**facts, design=("rate",))).axes[0].lines) > 1
    ticks = {**rows(), "tick": rows()["size"] + 1, "point": (rows()["rate"] * 2).astype(np.int32)}
    del ticks["size"]
    figure = draw_sweep(SweepResult(**{**facts, "kept": ticks}, design=("rate",)))
    assert figure.axes[0].get_xlabel() == "tick"


def test_gaps_leave_holes_and_unknown_names_are_refused(summary):
    holed = {**rows(), "gain": np.where(rows()["point"] == 3, np.nan, rows()["gain"])}
    interval = summarise(holed, ["gain"]).figures["gain"]
    assert isinstance(interval, Interval) and np.isnan(interval.mean).tolist() == [False, False, False, True] * 2
    draw_lines(summarise(holed, ["gain"]), "rate", ["gain"])
    with pytest.raises(ConfigurationError, match="rate"):
        draw_lines(summary, "speed", ["gain"])
    with pytest.raises(ConfigurationError, match="gain"):
        draw_lines(summary, "rate", ["loss"])


def test_the_panels_are_the_figures_that_differ_most():
    """What is alike everywhere gives way to what the design moves."""
    from jaxworld.plot.sweep import most_telling

    flat = (np.full(4, 2.0), np.full(4, 1.0), np.full(4, 3.0))
    moved = (np.arange(4.0), np.arange(4.0) - 0.1, np.arange(4.0) + 0.1)
    unknown = (np.full(4, np.nan),) * 3
    names = ["a", "b", "gini", "c", "d", "e"]
    figures = dict(zip(names, (flat, unknown, moved, flat, flat, flat), strict=True))
    assert most_telling(SimpleNamespace(figures=figures), names)[:2] == ["a", "gini"]
    assert "b" not in most_telling(SimpleNamespace(figures=figures), names)


def test_a_mean_that_only_rounds_differently_tells_nothing():
    from jaxworld.plot.sweep import most_telling

    length = np.array([200.0, 200.00002])  # of two and of seven players, all of them 200 steps
    figures = {"length": (length, length, length)}
    for name in ("b", "c", "d", "e"):
        figures[name] = (np.array([1.0, 1.1]), np.array([0.0, 0.0]), np.array([2.0, 2.0]))
    assert "length" not in most_telling(SimpleNamespace(figures=figures), list(figures))
