"""``jaxworld sweep-merge``: one table from the parts of a sweep."""

from __future__ import annotations

import argparse
from typing import Any

from jaxworld.cli.output import print_json
from jaxworld.study.sweep import merge


def add_parser(subparsers: Any) -> None:
    """Add ``sweep-merge``."""
    parser = subparsers.add_parser(
        "sweep-merge",
        help="put the parts of a sweep together",
        description="Put the files of a sweep, from one or more folders, into one table: sweep.parquet.\n"
        "It is the same to the byte however the sweep was cut into parts or interrupted.",
        epilog="example:\n  jaxworld sweep-merge out/part0 out/part1 --out out/whole",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folders", nargs="+", metavar="DIR", help="a folder of the sweep")
    parser.add_argument("--out", metavar="DIR", help="folder for the table (default: the first DIR)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Merge and say where the table is."""
    path = merge(args.folders, args.out)
    if args.json:
        print_json({"table": str(path)})
    else:
        print(f"table: {path}")
    return 0
