"""The largest game: the exact graph of the 5 x 5 stag hunt in stages, and what its solvers say, with time and memory.

python -m benchmarks.stag_hunt --size 5
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import machine_facts, peak_memory_bytes
from jaxworld.markov.graph import FactoredGraph, build_factored
from jaxworld.markov.solve import best_response, joint_optimum, reachability, uniform_policies
from jaxworld.markov.stag_hunt import StagHunt

GOLDEN = {3: (9_072, 349_292, 754_616), 4: (283_920, 13_528_760, 40_634_280), 5: (3_339_600, 178_968_404, 621_043_880)}
"""Live states, edges of their rows before anything comes back, and edges of their rows, by size: closed counts."""
REACHED = (("mauled_0", "max"), ("mauled_0", "min"), ("mauled_0", "robust"), ("unsafe", "robust"))


def counts(graph: FactoredGraph) -> dict[str, int]:
    """States and edges, those of live states apart."""
    live, loops = graph.num_states - graph.num_terminals, graph.num_terminals * graph.num_joint_actions
    before, after, back = (
        int(graph.edges_of_rows(*stages).sum(dtype=np.int64)) for stages in ((0, 2), (0, None), (2, None))
    )
    return {
        "live_states": live,
        "terminals": graph.num_terminals,
        "links": sum(graph.num_links),
        "edges_before_anything_comes_back": before - loops,
        "edges_of_coming_back": back - graph.num_terminals,
        "edges": after - loops,
        "bytes": graph.num_bytes,
    }


def questions(discount: float, tolerance: float) -> dict[str, Callable[[FactoredGraph], dict[str, Any]]]:
    """What is asked, by name; answers are means over the states a game starts in."""

    def reached(label: str, mode: str) -> Callable[[FactoredGraph], dict[str, Any]]:
        def ask(graph: FactoredGraph) -> dict[str, Any]:
            found = reachability(graph, label, mode)
            value, upper = (float((graph.initial * each).sum()) for each in (found.value, found.upper))
            return {"value": value, "upper": upper, "sweeps": found.sweeps}

        return ask

    def earned(graph: FactoredGraph, *, together: bool) -> dict[str, Any]:
        if together:
            found = joint_optimum(graph, 0, discount, tolerance=tolerance)
        else:
            found = best_response(graph, 0, uniform_policies(graph)[1], discount, tolerance=tolerance)
        return {"value": float((graph.initial * found.value).sum()), "width": float((found.upper - found.lower).max())}

    return {
        **{f"{mode} P({label})": reached(label, mode) for label, mode in REACHED},
        "best response to level 0": lambda graph: earned(graph, together=False),
        "all play for player 0": lambda graph: earned(graph, together=True),
    }


def timed(what: str, function: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """The result, and wall and CPU seconds and the largest size of the process so far; says so at once."""
    wall, cpu = time.perf_counter(), time.process_time()
    made = function()
    cost = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
    cost["peak_gib"] = (peak_memory_bytes() or 0) / 2**30
    shown = {name: value for name, value in made.items() if name != "bytes"} if isinstance(made, dict) else ""
    print(
        f"{what:<26} {cost['wall_s']:8.1f} s  {cost['cpu_s']:8.1f} CPU s  {cost['peak_gib']:6.2f} GiB  {shown}",
        flush=True,
    )
    return made, cost


def main() -> None:
    """Build, count, solve, and print everything as one JSON line at the end."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stag_hunt", description=__doc__, allow_abbrev=False)
    parser.add_argument("--size", type=int, default=5, help="rows and columns (default 5)")
    parser.add_argument("--discount", type=float, default=0.9, help="of the discounted values (default 0.9)")
    parser.add_argument("--tolerance", type=float, default=1e-8, help="width of their bounds (default 1e-8)")
    args = parser.parse_args()
    game = StagHunt(args.size, args.size)
    graph, cost = timed("build", lambda: build_factored(game))
    report: dict[str, Any] = {"machine": machine_facts(), "size": args.size, "build": cost}
    found, cost = timed("count", lambda: counts(graph))
    report["counts"] = {**found, **cost}
    if args.size in GOLDEN:
        golden = found["live_states"], found["edges_before_anything_comes_back"], found["edges"]
        assert golden == GOLDEN[args.size], (golden, GOLDEN[args.size])
    for what, ask in questions(args.discount, args.tolerance).items():
        answer, cost = timed(what, lambda: ask(graph))  # noqa: B023
        report[what] = {**answer, **cost}
    print(json.dumps(report))


if __name__ == "__main__":
    main()
