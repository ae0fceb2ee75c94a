"""What a sweep says in the terminal: a short table of means, where the files are, or what it would cost."""

from __future__ import annotations

from collections.abc import Sequence

from jaxworld.cli.exposure_tables import show_interval
from jaxworld.study.sweep import Estimate, SweepResult

_MOST_ROWS, _MOST_FIGURES = 40, 5
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def print_summary(result: SweepResult) -> None:
    """Print means with intervals (the last tick's of a time series), the times, and where the table is."""
    if result.path is not None:
        summary = result.summary()
        keys = [name for name in summary.keys if name != "point" or not result.design]
        names = list(summary.figures)[:_MOST_FIGURES]
        lines = [[*keys, *names]]
        rows = range(len(summary.keys["arm"]))
        if "tick" in summary.keys:
            last = summary.keys["tick"].max()
            rows = [row for row in rows if summary.keys["tick"][row] == last]  # type: ignore[assignment]
        for row in list(rows)[:_MOST_ROWS]:
            cells = [str(summary.keys[name][row]) for name in keys]
            for name in names:
                mean, low, high = (float(ends[row]) for ends in summary.figures[name])
                cells.append(show_interval({"mean": mean, "low": low, "high": high}))
            lines.append(cells)
        print(f"Means over {summary.worlds} seed(s) [95 % interval]")
        print_columns(lines)
        if len(rows) > _MOST_ROWS or len(summary.figures) > _MOST_FIGURES:
            print(f"({len(rows)} rows and {len(summary.figures)} figures in all)")
    for name, times in result.timing.items():
        rate = f", {size(times['call_bytes'])} a call of {times['call_worlds']:,.0f} worlds"
        print(f"{name}: compiled in {times['compile_s']:.1f} s, ran in {times['run_s']:.1f} s{rate}")
    print(f"Worlds: {result.computed:,} computed, {result.resumed:,} found done, {result.missing:,} left to others")
    if result.path is not None:
        print(f"Table:  {result.path}")
    elif result.missing:
        print("Run the other parts, then put them together with jaxworld sweep-merge")


def print_estimate(estimate: Estimate) -> None:
    """Print what a dry run found."""
    lines = [["arm", "compile s", "worlds a call", "bytes a call", "operations a world-tick", "run s"]]
    for arm in estimate.arms:
        flops = "-" if arm.flops_per_world_tick is None else f"{arm.flops_per_world_tick:,.0f}"
        cells = [arm.name, f"{arm.compile_s:.1f}", f"{arm.call_worlds:,}", size(arm.call_bytes), flops]
        lines.append([*cells, f"{arm.seconds:,.1f}"])
    print_columns(lines)
    print(f"Worlds:  {estimate.worlds:,} ({estimate.world_ticks:,} world-ticks) in {estimate.files:,} file(s)")
    print(f"Rows:    {estimate.rows:,} of {estimate.columns} figures and parameters, {size(estimate.table_bytes)}")
    print(f"Memory:  {size(estimate.call_bytes)} at most, beside the program itself")
    operations = "unknown" if estimate.flops is None else f"{estimate.flops:.3g}"
    print(f"Work:    {operations} operations, {estimate.compiles} compilation(s)")
    print(f"Time:    {estimate.seconds:,.0f} s on the devices here, compilations included")


def print_columns(lines: Sequence[Sequence[str]]) -> None:
    """Print rows of cells under one another."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def size(count: float) -> str:
    """Bytes in a readable unit."""
    unit = 0
    while count >= 1024 and unit < len(_UNITS) - 1:
        count, unit = count / 1024, unit + 1
    return f"{count:,.0f} {_UNITS[unit]}" if unit == 0 else f"{count:,.1f} {_UNITS[unit]}"
