"""The tables of the exposure study in the terminal."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxworld.core.errors import MissingExtraError
from jaxworld.study.experiments.exposure import ExposureResult

Interval = Mapping[str, float]
WIDTH_WITHOUT_TERMINAL = 160
_PADDING = 3


def print_tables(result: ExposureResult, *, table: Path, figure: Path) -> None:
    """Print metrics by recommender, the paired differences to random, where the files are, and the times.

    Raises:
        MissingExtraError: if rich is not installed.
    """
    try:
        from rich.console import Console
    except ImportError as error:
        raise MissingExtraError("rich", "study", "a table in the terminal") from error
    console = Console(width=None if sys.stdout.isatty() else WIDTH_WITHOUT_TERMINAL, highlight=False)
    levels = {name: dict(metrics) for name, metrics in result.summary.items()}
    title = "Mean over worlds [95 % interval], over the whole run"
    console.print(_matrix(title, levels, console.width, signed=False))
    differences = {
        name: {metric: value["difference_to_random"] for metric, value in metrics.items()}
        for name, metrics in levels.items()
        if all("difference_to_random" in value for value in metrics.values())
    }
    if differences:
        title = "Difference to random in the same worlds [95 % interval]"
        console.print(_matrix(title, differences, console.width, signed=True))
    for name, times in result.timing.items():
        print(f"{name}: compiled in {times['compile_s']:.1f} s, ran in {times['run_s']:.1f} s")
    print(f"Figure: {figure}")
    print(f"Table:  {table}")


def show_interval(value: Interval, *, signed: bool = False, separator: str = " ") -> str:
    """``0.5231 [0.5228, 0.5235]`` with about four digits; a dash for what is undefined."""
    mean, low, high = (float(value[end]) for end in ("mean", "low", "high"))
    if not math.isfinite(mean):
        return "-"
    if not (math.isfinite(low) and math.isfinite(high)):
        return _number(mean, _decimals(abs(mean)), signed)
    decimals = _decimals(max(abs(low), abs(high), abs(mean)))
    shown = [_number(number, decimals, signed) for number in (mean, low, high)]
    return f"{shown[0]}{separator}[{shown[1]}, {shown[2]}]"


def _decimals(size: float) -> int:
    return 4 if size < 1 else max(0, 3 - math.floor(math.log10(size)))


def _number(value: float, decimals: int, signed: bool) -> str:
    text = f"{value:+,.{decimals}f}" if signed else f"{value:,.{decimals}f}"
    zero = not any(digit in "123456789" for digit in text)
    return text.lstrip("+-") if zero else text


def _matrix(title: str, content: Mapping[str, Mapping[str, Interval]], width: int, *, signed: bool) -> Any:
    """Metrics down, recommenders across; intervals go below the means, or all goes into one column, as width allows."""
    metrics = list(next(iter(content.values())))
    for separator in (" ", "\n"):
        cells = {
            name: [show_interval(values[metric], signed=signed, separator=separator) for metric in metrics]
            for name, values in content.items()
        }
        if _needed_width({"metric": metrics, **cells}) <= width:
            return _table(title, {"metric": metrics, **cells})
    return _listing(title, content, signed=signed)


def _needed_width(columns: Mapping[str, Sequence[str]]) -> int:
    lines = ([name, *(line for cell in cells for line in cell.split("\n"))] for name, cells in columns.items())
    return sum(max(map(len, column)) + _PADDING for column in lines)


def _listing(title: str, content: Mapping[str, Mapping[str, Interval]], *, signed: bool) -> Any:
    """One line a metric and recommender, for narrow terminals and many recommenders."""
    metrics = next(iter(content.values()))
    pairs = [(metric, name) for metric in metrics for name in content]
    first = next(iter(content))
    columns = {
        "metric": [metric if name == first else "" for metric, name in pairs],
        "recommender": [name for _, name in pairs],
        "mean [interval]": [show_interval(content[name][metric], signed=signed) for metric, name in pairs],
    }
    return _table(title, columns)


def _table(title: str, columns: Mapping[str, Sequence[str]]) -> Any:
    """A table whose last columns are numbers; texts are plain, so that brackets are no markup."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for place, name in enumerate(columns):
        table.add_column(Text(name), justify="left" if place == 0 else "right", no_wrap=place > 0)
    for row in zip(*columns.values(), strict=True):
        table.add_row(*map(Text, row))
    return table
