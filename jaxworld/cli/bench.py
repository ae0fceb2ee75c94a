"""``jaxworld bench``: every family beside its peers and the machine's floor."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path
from typing import Any

import jaxworld
from jaxworld.core.errors import JaxworldError

SOURCE_TREE = Path(jaxworld.__file__).resolve().parent.parent


def add_parser(subparsers: Any) -> None:
    """Add ``bench``."""
    parser = subparsers.add_parser(
        "bench",
        help="measure this machine: every family beside peers and floors",
        description="Time every family beside other ways to do the same work, and beside what this machine can do at\n"
        "most, in one run of a few minutes. Prints a table of ratios and writes bench.json and bench.png.",
        epilog="examples:\n  jaxworld bench\n  jaxworld bench core social --quick",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_options(parser)
    parser.set_defaults(run=run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options, without loading what is measured."""
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="families to measure (default: all)")
    parser.add_argument("--quick", action="store_true", help="small work, once each: a look, not a measurement")
    parser.add_argument("--oasis", type=Path, metavar="PATH", help="a working tree of camel-ai/oasis to time as well")
    parser.add_argument("--out", type=Path, default=Path("out/bench"), metavar="DIR", help="default %(default)s")


def run(args: argparse.Namespace) -> int:
    """Measure, print and write.

    Raises:
        JaxworldError: if jaxworld is not run from its source tree, where the benchmarks lie beside the package.
    """
    if not (SOURCE_TREE / "benchmarks" / "table.py").is_file():
        raise JaxworldError("the benchmarks come with the source tree: clone it and run pip install -e . there")
    if str(SOURCE_TREE) not in sys.path:
        sys.path.insert(0, str(SOURCE_TREE))
    return int(importlib.import_module("benchmarks.table").run(args))
