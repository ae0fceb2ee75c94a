"""``jaxworld exposure``: how unequally recommenders spread attention, over many seeded worlds."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Callable
from typing import Any, get_args

from jaxworld.cli.exposure_tables import print_tables
from jaxworld.cli.options import add_output_options, defaults_of, number, split_names
from jaxworld.cli.output import OutputFolder, print_json
from jaxworld.cli.progress import progress_reporter
from jaxworld.cli.runtime import prepare_jax
from jaxworld.core.errors import MissingExtraError
from jaxworld.social.population import EMBEDDERS, ActivityFormula
from jaxworld.social.recommenders import recommender_names
from jaxworld.study.experiments import exposure as study

TABLE_FILE, FIGURE_FILE = "exposure.parquet", "exposure.png"

_STUDY_OPTIONS = (
    ("personas", int, "N", "personas in each world"),
    ("worlds", int, "N", "seeded worlds under each recommender"),
    ("ticks", int, "N", "ticks of each world"),
    ("tick_unit", str, "UNIT", "length of a tick: hour, day or week"),
    ("budget", int, "N", "stimuli shown to an active persona in a tick"),
    ("window", int, "N", "ranked candidates to pick them from (default: follows from the budget)"),
    ("recommenders", str, "NAME", f"some of {', '.join(recommender_names())}, by commas or spaces"),
    ("channels", str, "NAME", "some of feed, forum, wom, by commas or spaces"),
    (
        "population",
        str,
        "PATH|NAME",
        "a name from 'jaxworld list', a folder with personas.csv and follows.csv, "
        "an OASIS .csv file, or a .json file of users or personas",
    ),
    ("embed", str, "NAME", f"vectors of a file's texts: {', '.join(EMBEDDERS)} or none"),
    (
        "activity",
        str,
        "NAME",
        f"meaning of a file's activity counts: {', '.join(get_args(ActivityFormula))} "
        "(default: follows from the format)",
    ),
    ("seed", int, "N", "all worlds and the population follow from it"),
)
_MEMORY_OPTIONS = (
    ("chunk", int, "N", "worlds run at once; no result depends on it (default: what the memory allows)"),
    ("max_memory", number, "GIB", "memory the run may take, in GiB (default: from the memory there is)"),
    ("capacity", int, "N", "room for stimuli in each world (default: follows from the other options)"),
)
_SETTINGS = tuple(name for name, *_ in _STUDY_OPTIONS + _MEMORY_OPTIONS)


def add_parser(subparsers: Any) -> None:
    """Add ``exposure``."""
    parser = subparsers.add_parser(
        "exposure",
        help="compare how unequally recommenders spread attention",
        description="Run the same seeded worlds under each recommender and measure how unequally attention\n"
        "is spread over stimuli. Prints a table and writes a figure and a Parquet file.",
        epilog=f"metrics:\n{_metrics_help()}\n\n"
        "example:\n  jaxworld exposure --personas 500 --worlds 64 --recommenders random,reddit_hot",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_options(parser.add_argument_group("study"), _STUDY_OPTIONS)
    _add_options(parser.add_argument_group("memory"), _MEMORY_OPTIONS)
    add_output_options(parser, folder="out/exposure")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the study, print its tables and write its files."""
    values = {name: getattr(args, name) for name in _SETTINGS}
    for name in ("recommenders", "channels"):
        values[name] = split_names(values[name])
    settings = study.ExposureSettings(**values)
    _check_extras(terminal=not args.json)
    from jaxworld.plot.exposure import write_exposure_figure
    from jaxworld.study.tables import TableWriter

    with OutputFolder(args.out, (TABLE_FILE, FIGURE_FILE)) as folder:
        prepare_jax()
        with (
            folder.writing(TABLE_FILE) as path,
            TableWriter(path, "exposure", settings) as table,
            progress_reporter(bar=not args.json, quiet=args.quiet) as progress,
        ):
            result = study.run_exposure(settings, progress=progress, sink=table.append)
        with folder.writing(FIGURE_FILE) as path:
            write_exposure_figure(result, path)
    if args.json:
        print_json(summary_json(result))
    else:
        print_tables(result, table=folder.path / TABLE_FILE, figure=folder.path / FIGURE_FILE)
    if not args.quiet:
        for note in result.notes:
            print(f"jaxworld: note: {note}", file=sys.stderr)
    return 0


def summary_json(result: study.ExposureResult) -> dict[str, Any]:
    """What ``--json`` prints."""
    return {
        "recommenders": result.summary,
        "settings": {name: getattr(result.settings, name) for name in _SETTINGS},
        "timing": result.timing,
    }


def _metrics_help() -> str:
    width = max(map(len, study.METRICS))
    return "\n".join(f"  {name:<{width}}  {meaning}" for name, meaning in study.METRICS.items())


def _check_extras(*, terminal: bool) -> None:
    """Miss an optional package now rather than after the run."""
    needed = [("pyarrow", "study", "a Parquet file"), ("matplotlib", "plot", "a figure")]
    if terminal:
        needed.append(("rich", "study", "a table in the terminal"))
    for package, extra, purpose in needed:
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, extra, purpose)


def _add_options(
    group: argparse._ArgumentGroup, options: tuple[tuple[str, Callable[[str], Any], str, str], ...]
) -> None:
    """Add options named like fields of the settings, with their defaults."""
    defaults = defaults_of(study.ExposureSettings)
    for name, kind, metavar, text in options:
        many = isinstance(defaults[name], tuple)
        default = list(defaults[name]) if many else defaults[name]
        shown = "" if default is None else f" (default {' '.join(default) if many else default})"
        group.add_argument(
            f"--{name.replace('_', '-')}",
            type=kind,
            nargs="+" if many else None,
            metavar=metavar,
            default=default,
            help=text + shown,
        )
