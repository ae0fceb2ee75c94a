"""All families beside their peers and the machine's floor: ``jaxworld bench`` or ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence

import jax

from benchmarks import commons, core, grid, harness, markov, rows, search, social, sweep
from benchmarks.floors import Rates, measure_rates
from benchmarks.rows import Effort, Row
from jaxworld.cli.bench import add_options
from jaxworld.core.errors import require

SUITES: dict[str, Callable[[Effort, Rates], list[Row]]] = {
    "core": core.rows,
    "social": social.rows,
    "sweep": sweep.rows,
    "search": search.rows,
    "commons": commons.rows,
    "markov": markov.rows,
    "grid": grid.rows,
}
"""What can be measured; a new family is a function here."""


def run(options: argparse.Namespace) -> int:
    """Measure, print the table, and write ``bench.json`` and ``bench.png``.

    Raises:
        ConfigurationError: for an unknown suite.
        OSError: if the folder cannot be written, or holds no OASIS where one was named.
    """
    for name in options.suites:
        require(name in SUITES, "suites", name, f"use one of {', '.join(SUITES)}")
    options.out.mkdir(parents=True, exist_ok=True)
    harness.use_every_cpu()
    began = time.perf_counter()
    effort = Effort(options.quick, options.oasis)
    rates = measure_rates(effort.repeats, scale=16 if effort.quick else 1)
    found: list[Row] = []
    for name in options.suites or SUITES:
        print(f"... {name}", file=sys.stderr, flush=True)
        found += SUITES[name](effort, rates)
    kind = "cpu_s" if jax.default_backend() == "cpu" else "wall_s"
    facts = {
        "machine": harness.machine_facts(),
        "rates": vars(rates),
        "seconds": time.perf_counter() - began,
        "quick": effort.quick,
    }
    print(heading(facts, kind), rows.text_table(found, kind), "", sep="\n")
    for path in rows.write(found, kind, facts, options.out):
        print(path)
    return 0


def heading(facts: dict[str, object], kind: str) -> str:
    """Where and how it was measured."""
    machine = facts["machine"]
    assert isinstance(machine, dict)
    counted = "CPU time, summed over threads" if kind == "cpu_s" else "wall time"
    return (
        f"{machine['processor']}, {machine['cpus']} CPUs, JAX {machine['jax']}, "
        f"{len(machine['devices'])} x {machine['devices'][0]}; load {machine['load_average']}\n"
        f"{counted}, medians of warm runs, compiling not counted; measured in {facts['seconds']:.0f} s\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """``python -m benchmarks``."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.split("\n")[0])
    add_options(parser)
    return run(parser.parse_args(arguments))
