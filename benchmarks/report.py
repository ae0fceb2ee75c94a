"""The results of a run as a Markdown table, a JSON file and a figure."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jaxworld.plot.figures import COLOURS, new_figure, tidy, write_figure

TITLE = "Social world: one tick, side by side"
_OTHERS = ("ours, one world", "NumPy", "event loop", "OASIS recommender", "OASIS tick")
_FLOORS = ("fixed shapes", "awake only")


def write(results: dict[str, Any], folder: Path) -> list[Path]:
    """Write ``social.md``, ``social.json`` and ``social.png``; returns their paths."""
    paths = [folder / f"social.{ending}" for ending in ("md", "json", "png")]
    paths[0].write_text(markdown(results), encoding="utf-8")
    paths[1].write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    draw(results, paths[2])
    return paths


def markdown(results: dict[str, Any]) -> str:
    """Everything a reader wants to see at a glance."""
    lines = [f"# {TITLE}", "", *_machine(results), ""]
    lines += ["## Per tick and world", "", *_case_table(results["cases"]), ""]
    for head in results["headline"]:
        lines += [f"## OASIS's rule-based tick: {head['recommender']}", "", *_headline(head), ""]
    return "\n".join(lines)


def _machine(results: dict[str, Any]) -> list[str]:
    machine, rates = results["machine"], results["rates"]
    peak = results["peak_memory_bytes"]
    notes = results["oasis"] and "; ".join(results["oasis"]["notes"])
    return [
        f"{machine['processor']}, {machine['cpus']} CPUs, {machine['memory_gib']} GiB, {machine['system']}; "
        f"Python {machine['python']}, NumPy {machine['numpy']}, JAX {machine['jax']}; "
        f"load average at the start {machine['load_average']}.",
        "",
        f"Medians of {results['options']['repeats']} warm runs of {results['options']['ticks']} ticks; CPU time sums "
        f"all threads. The run took {results['seconds']:.0f} s"
        + (f" and {peak / 2**30:.1f} GiB at its peak." if peak else "."),
        "",
        "Rates of one core in this run: "
        f"{rates['cached_bytes'] / 1e9:.1f} GB/s copied in cache, {rates['memory_bytes'] / 1e9:.1f} GB/s in memory, "
        f"{rates['entity_words'] / 1e6:.0f} million words/s from `entity_bits`, {rates['jax_words'] / 1e6:.0f} from "
        f"`jax.random.bits`, {rates['flops'] / 1e9:.1f} GFLOP/s in a float32 product.",
        *([] if not notes else ["", f"OASIS: {notes}."]),
    ]


def _case_table(cases: list[dict[str, Any]]) -> list[str]:
    others = [name for name in _OTHERS if any(name in case["timings"] for case in cases)]
    header = ["recommender", "N", "S", "worlds", "ours, batched: CPU (wall)"]
    header += [f"{name}: CPU, × ours CPU (× wall)" for name in others]
    header += ["floor CPU, fixed shapes / awake only", "ours ÷ floor", "compile batched / single"]
    rows = []
    for case in cases:
        ours = case["timings"]["ours, batched"]
        row = [case["recommender"], case["personas"], case["posts"], case["worlds"]]
        row += [f"{_time(ours['cpu_s'])} ({_time(ours['wall_s'])})"]
        row += [_other(case, name) for name in others]
        row += [" / ".join(_time(case["floor_cpu_s"][name]) for name in _FLOORS)]
        row += [" / ".join(f"{case['times_floor']['ours, batched'][name]:.1f}" for name in _FLOORS)]
        row += [" / ".join(f"{seconds:.1f} s" for seconds in case["compile_s"].values())]
        rows.append(row)
    return _table(header, rows)


def _other(case: dict[str, Any], name: str) -> str:
    if name not in case["timings"]:
        return "–"
    ratio = case["ratios"][name]
    return f"{_time(case['timings'][name]['cpu_s'])}, {_ratio(ratio['cpu'])} ({_ratio(ratio['wall'])})"


def _headline(head: dict[str, Any]) -> list[str]:
    ours, total = head["timings"]["ours, batched"], sum(head["parts_cpu_s"].values())
    lines = [
        f"{head['personas']} personas, {head['posts']} posts at the start, {head['worlds']} worlds at once: "
        f"**{_time(ours['cpu_s'])} of CPU** and {_time(ours['wall_s'])} of wall time per world and tick, "
        f"**{head['published_ratio']:.0f} times less CPU** than the {_time(head['published_cpu_s'])} measured for "
        "OASIS elsewhere."
    ]
    if "OASIS tick" in head["timings"]:
        other = head["timings"]["OASIS tick"]
        ratio = head["ratios"]["OASIS tick"]
        lines += [
            "",
            f"OASIS in this run: {_time(other['cpu_s'])} of CPU and {_time(other['wall_s'])} of wall time, "
            f"{_ratio(ratio['cpu'])} and {_ratio(ratio['wall'])} ours.",
        ]
    rows = [[name, _time(seconds), f"{seconds / total:.0%}"] for name, seconds in _largest_first(head["parts_cpu_s"])]
    lines += ["", *_table(["part of a tick, timed alone", "CPU", "share of their sum"], rows), ""]
    for name in _FLOORS:
        parts = ", ".join(f"{kind} {_time(seconds)}" for kind, seconds in head["floor_parts_cpu_s"][name].items())
        distance = head["times_floor"]["ours, batched"][name]
        lines.append(
            f"- Floor, {name}: {_time(head['floor_cpu_s'][name])} ({parts}); ours takes {distance:.1f} times it."
        )
    return lines


def _largest_first(parts: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(parts.items(), key=lambda item: -item[1])


def _table(header: list[str], rows: list[list[Any]]) -> list[str]:
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in (header, ["---"] * len(header), *rows)]


def _time(seconds: float) -> str:
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-9:.3g} ns"


def _ratio(value: float) -> str:
    return f"{value:.0f}×" if value >= 10 else f"{value:.1f}×"


def draw(results: dict[str, Any], path: Path) -> None:
    """Bars of CPU time per tick with the floors, and the parts of the headline's tick."""
    heads = results["headline"]
    figure = new_figure(7.5 + 3.5 * bool(heads), 1.5 + 0.8 * max(len(results["cases"]), 3))
    panels = figure.subplots(1, 2, width_ratios=(2, 1)) if heads else [figure.subplots()]
    _draw_cases(panels[0], results["cases"])
    if heads:
        _draw_parts(panels[1], heads)
    write_figure(figure, path)


def _draw_cases(panel: Any, cases: list[dict[str, Any]]) -> None:
    names = [name for name in ("ours, batched", *_OTHERS) if any(name in case["timings"] for case in cases)]
    height = 0.8 / len(names)
    for number, name in enumerate(names):
        rows = [(row, case["timings"][name]["cpu_s"]) for row, case in enumerate(cases) if name in case["timings"]]
        places = [row + (number - (len(names) - 1) / 2) * height for row, _ in rows]
        panel.barh(places, [seconds for _, seconds in rows], height, label=name, color=COLOURS[number % len(COLOURS)])
    for row, case in enumerate(cases):
        label = "floor (fixed shapes)" if row == 0 else None
        ends = (row - 0.45, row + 0.45)
        panel.plot([case["floor_cpu_s"]["fixed shapes"]] * 2, ends, color="black", linestyle="--", label=label)
    panel.set_yticks(
        range(len(cases)), [f"{case['recommender']}\n{case['personas']} × {case['posts']}" for case in cases]
    )
    panel.set(xscale="log", xlabel="CPU seconds per tick and world", title=TITLE)
    panel.invert_yaxis()
    panel.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, frameon=False)
    tidy(panel, grid="x")


def _draw_parts(panel: Any, heads: list[dict[str, Any]]) -> None:
    for row, head in enumerate(heads):
        left = 0.0
        for number, (name, seconds) in enumerate(head["parts_cpu_s"].items()):
            colour = COLOURS[number % len(COLOURS)]
            panel.barh(row, seconds * 1e6, 0.5, left, label=name if row == 0 else None, color=colour)
            left += seconds * 1e6
        whole = head["timings"]["ours, batched"]["cpu_s"] * 1e6
        floor = head["floor_cpu_s"]["fixed shapes"] * 1e6
        ends = (row - 0.35, row + 0.35)
        panel.plot([whole] * 2, ends, color="0.4", label="whole tick" if row == 0 else None)
        panel.plot([floor] * 2, ends, color="black", linestyle="--", label="floor" if row == 0 else None)
    panel.set_yticks(range(len(heads)), [head["recommender"] for head in heads])
    panel.set(xlabel="CPU µs per tick and world", title="Parts of the tick")
    panel.invert_yaxis()
    panel.legend(fontsize="small", loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=3, frameon=False)
    tidy(panel, grid="x")
