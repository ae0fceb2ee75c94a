"""``jaxworld commons``: what noise on the reading of a shared resource does, and one commons turn by turn."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from jaxworld.cli.finding import add_setting_options, run_entry
from jaxworld.cli.options import add_output_options
from jaxworld.core.errors import ConfigurationError
from jaxworld.study.experiments.finding import entry
from jaxworld.study.search.applications import Application

_entry = partial(entry, folder="commons.", figures="commons")

STUDIES: dict[str, Application] = {
    "noise": _entry("noise", "NoiseSettings", "named populations at every level of noise, and whose noise it is"),
    "multiverse": _entry("multiverse", "MultiverseSettings", "the same over 1,890 populations and random environments"),
    "timeline": _entry("timeline", "TimelineSettings", "one commons with pacts and messages, turn by turn"),
}
"""By name; each prints a table and a text, and writes both with a figure and a Parquet file."""


def add_parser(subparsers: Any) -> None:
    """Add ``commons``."""
    names = "\n".join(f"  {name:<12}{entry.summary}" for name, entry in STUDIES.items())
    parser = subparsers.add_parser(
        "commons",
        help="what noise on the reading of a commons does; one commons turn by turn",
        description="Players harvest a resource and read its stock with noise. Does noise help, whom, and how often?\n"
        "Run again after an interruption, a study goes on where it stopped.",
        epilog=f"studies:\n{names}\n\n"
        "examples:\n  jaxworld commons noise --worlds 10000\n  jaxworld commons multiverse --worlds 1000\n"
        "  jaxworld commons timeline --set turns=60",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "name", nargs="?", metavar="STUDY", default="noise", help=f"one of {', '.join(STUDIES)} (default noise)"
    )
    add_setting_options(parser)
    add_output_options(parser, folder="out/commons/NAME")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run a study, show it and write its files."""
    if args.name not in STUDIES:
        raise ConfigurationError("STUDY", args.name, f"use one of {', '.join(STUDIES)}")
    return run_entry(args, STUDIES[args.name])
