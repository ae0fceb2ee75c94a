"""``jaxworld finding``: named findings, each with a table, a figure and a text that says what it shows and what not."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import shutil
import textwrap
from collections.abc import Mapping
from typing import Any

from jaxworld.cli.exposure_tables import show_interval
from jaxworld.cli.options import add_output_options
from jaxworld.cli.output import OutputFolder, print_json
from jaxworld.cli.progress import of_a_sweep, progress_reporter
from jaxworld.cli.runtime import prepare_jax
from jaxworld.cli.sweep_tables import print_columns
from jaxworld.cli.values import assignment, parse_option
from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.study.experiments.finding import FINDINGS, Finding, get_finding
from jaxworld.study.search.applications import Application, resolve

TABLE_FILE, FIGURE_FILE, TEXT_FILE = "finding.parquet", "finding.png", "finding.txt"
UNFINISHED = "unfinished"
_WIDTH = 110


def add_parser(subparsers: Any) -> None:
    """Add ``finding``."""
    names = "\n".join(f"  {name:<15}{entry.summary}" for name, entry in FINDINGS.items())
    parser = subparsers.add_parser(
        "finding",
        help="run a named finding: a table, a figure and what they show",
        description="Run a named finding. Prints a table and a text and writes both, a figure and a Parquet file.\n"
        "Run again after an interruption, it goes on where it stopped.",
        epilog=f"findings:\n{names}\n\n"
        "examples:\n  jaxworld finding concentration --quick\n  jaxworld finding spread --data path/to/cascade",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help=f"one of {', '.join(FINDINGS)}")
    parser.add_argument("--list", action="store_true", help="list the findings and run none")
    parser.add_argument("--data", metavar="DIR", help="folder with the data, for a finding that needs some")
    add_setting_options(parser)
    add_output_options(parser, folder="out/finding/NAME")
    parser.set_defaults(run=run)


def add_setting_options(parser: argparse.ArgumentParser) -> None:
    """``--worlds``, ``--seed``, ``--quick`` and ``--set``."""
    parser.add_argument(
        "--worlds", type=int, metavar="N", help="seeded worlds of each cell (default: the finding's own)"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="everything random follows from it (default 0)")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, to see what comes out; not for figures to cite"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another setting of the finding; may be repeated",
    )


def run(args: argparse.Namespace) -> int:
    """Run a finding, show it and write its files."""
    if args.list:
        _list(json=args.json)
        return 0
    if args.name is None:
        raise ConfigurationError("NAME", None, f"name a finding: {', '.join(FINDINGS)}")
    return run_entry(args, get_finding(args.name))


def run_entry(args: argparse.Namespace, entry: Application) -> int:
    """Run what ``args.name`` names, show it and write its files; commands with findings of their own use it too."""
    settings = make_settings(entry, args)
    _check_extras()
    prepare_jax()
    place = args.out.replace("NAME", args.name)
    with OutputFolder(place, (TABLE_FILE, FIGURE_FILE, TEXT_FILE)) as folder:
        with progress_reporter(bar=not args.json, quiet=args.quiet) as reporter:
            found = resolve(entry.run)(settings, folder=folder.path / UNFINISHED, progress=of_a_sweep(reporter))
        _write(folder, args.name, entry, found)
    # What is finished need not be gone on with, and the next run may be another.
    shutil.rmtree(folder.path / UNFINISHED, ignore_errors=True)
    if args.json:
        print_json({"finding": args.name, "table": list(found.table), "text": list(found.text),
                    "settings": dataclasses.asdict(settings)})  # fmt: skip
        return 0
    print_columns(cells(found.table))
    print("\n" + "\n".join(_wrapped(found)) + "\n")
    for kind, name in (("Figure", FIGURE_FILE), ("Table", TABLE_FILE), ("Text", TEXT_FILE)):
        print(f"{kind + ':':<8}{folder.path / name}")
    return 0


def make_settings(entry: Application, args: argparse.Namespace) -> Any:
    """The finding's own settings, or its quick ones, with what the command line changes.

    Raises:
        ConfigurationError: for an option that the finding does not have, or a value that does not work.
    """
    kind = resolve(entry.settings)
    defaults = {field.name: field.default for field in dataclasses.fields(kind)}
    values = dict(kind.QUICK) if args.quick else {}
    for name in ("data", "worlds", "seed"):
        given = getattr(args, name, None)
        if given is not None:
            if name not in defaults:
                raise ConfigurationError(f"--{name}", given, f"{args.name} takes none")
            values[name] = given
    for name, value in (assignment("--set", text, parse_option) for text in args.set):
        many = isinstance(defaults.get(name), tuple) and not isinstance(value, tuple)
        values[name] = (value,) if many else value
    return entry.make_settings(**values)


def cells(table: Any) -> list[list[str]]:
    """Rows of a finding's table as texts, the names of the columns first."""
    return [list(table[0]), *([_shown(value) for value in row.values()] for row in table)]


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return show_interval(dict(value))
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _wrapped(found: Finding) -> list[str]:
    return [line for paragraph in found.text for line in textwrap.wrap(paragraph, _WIDTH, subsequent_indent="  ")]


def _write(folder: OutputFolder, name: str, entry: Application, found: Finding) -> None:
    from jaxworld.study.tables import write_table

    with folder.writing(TABLE_FILE) as path:
        write_table(path, f"finding {name}", _own_columns(found), found.settings)
    with folder.writing(FIGURE_FILE) as path:
        resolve(entry.figure)(found, path)
    with folder.writing(TEXT_FILE) as path:
        lines = ["\t".join(line) for line in cells(found.table)]
        path.write_text("\n".join([*lines, "", *_wrapped(found)]) + "\n", encoding="utf-8")


def _own_columns(found: Finding) -> dict[str, Any]:
    """The rows without the version, which every table gets from the writer."""
    return {column: values for column, values in found.rows.items() if column != "jaxworld_version"}


def _list(*, json: bool) -> None:
    if json:
        print_json({name: entry.summary for name, entry in FINDINGS.items()})
        return
    for name, entry in FINDINGS.items():
        print(f"{name:<15}{entry.summary}")


def _check_extras() -> None:
    """Miss an optional package now rather than after the run."""
    for package, extra, purpose in (("pyarrow", "study", "a Parquet file"), ("matplotlib", "plot", "a figure")):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, extra, purpose)
