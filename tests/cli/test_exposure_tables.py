"""Numbers and widths of the terminal tables."""

import io

import pytest

from jaxworld.cli.exposure_tables import _matrix, show_interval


@pytest.mark.parametrize(
    ("mean", "low", "high", "signed", "shown"),
    [
        (0.52314, 0.5228, 0.5235, False, "0.5231 [0.5228, 0.5235]"),
        (0.1, -0.05, 0.25, True, "+0.1000 [-0.0500, +0.2500]"),
        (0.0, 0.0, 0.0, True, "0.0000 [0.0000, 0.0000]"),
        (-1e-9, -2e-9, 1e-9, True, "0.0000 [0.0000, 0.0000]"),
        (12.3456, 12.0, 13.0, False, "12.35 [12.00, 13.00]"),
        (12345.6, 12000.0, 13000.0, False, "12,346 [12,000, 13,000]"),
        (0.5, float("nan"), float("nan"), False, "0.5000"),
        (float("nan"), float("nan"), float("nan"), False, "-"),
    ],
)
def test_interval(mean: float, low: float, high: float, signed: bool, shown: str) -> None:
    assert show_interval({"mean": mean, "low": low, "high": high}, signed=signed) == shown


@pytest.mark.parametrize(("width", "lines", "columns"), [(120, 1, 4), (80, 2, 4), (45, 1, 3)])
def test_layout_follows_the_width(width: int, lines: int, columns: int) -> None:
    """Side by side, intervals below means, or one line a recommender."""
    from rich.console import Console

    value = {"mean": 0.5, "low": 0.4, "high": 0.6}
    table = _matrix("Title", {name: {"gini": value} for name in ("random", "twitter", "twhin")}, width, signed=False)
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(table)
    assert len(table.columns) == columns
    shown = console.export_text()
    assert shown.count("[0.4000, 0.6000]") == 3, shown
    first = next(line for line in shown.splitlines() if "0.5000" in line)
    assert ("[0.4000" in first) == (lines == 1)
