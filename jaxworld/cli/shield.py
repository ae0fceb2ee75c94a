"""``jaxworld shield``: risks, masks, and unsafe probability against budget, exact and simulated."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from typing import Any

from jaxworld.cli.options import add_output_options, defaults_of, number, split_names
from jaxworld.cli.output import OutputFolder, print_json
from jaxworld.cli.runtime import prepare_jax
from jaxworld.cli.sweep_tables import print_columns
from jaxworld.cli.values import assignment, parse_option
from jaxworld.core.errors import ConfigurationError
from jaxworld.markov.catalogue import BUILT_IN
from jaxworld.markov.shield.report import ShieldReport, ShieldSettings, run_shield

TABLE_FILE, FIGURE_FILE = "shield.parquet", "shield.png"


def add_parser(subparsers: Any) -> None:
    """Add ``shield``."""
    parser = subparsers.add_parser(
        "shield",
        help="keep a player's risk in a game within a budget, verified exactly",
        description="Solves a game for the least risk of every state, builds the budgeted shield of one player,\n"
        "verifies it on the whole product of states and budgets, and plays it.\n"
        "Prints a table and writes it with a figure.",
        epilog="examples:\n  jaxworld shield pursuit --clamp\n"
        "  jaxworld shield ice_duel --scenario levels --level-floor 1 --budgets 0.2,0.5\n"
        "  jaxworld shield pursuit --size 4 --set slip=0.3 --allocator egalitarian --clamp --json",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    default = defaults_of(ShieldSettings)
    parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(BUILT_IN)}")
    parser.add_argument("--size", type=int, metavar="N", help="rows and columns of the grid, drivers of congestion")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an option of the game")
    add = parser.add_argument_group("the shield").add_argument
    add("--player", type=int, default=default["player"], metavar="I", help="who is shielded (default %(default)s)")
    add("--label", metavar="NAME", help="what to avoid (default: the player's own unsafe states)")
    add("--scenario", default=default["scenario"], metavar="NAME", help="robust or levels (default %(default)s)")
    add("--max-level", type=int, default=default["max_level"], metavar="K", help="of the others (default %(default)s)")
    add("--level-floor", type=int, default=default["level_floor"], metavar="L", help="lowest level guarded against")
    add("--grid", type=int, default=default["grid"], metavar="N", help="steps of the budget (default %(default)s)")
    add("--allocator", default=default["allocator"], metavar="NAME", help="proportional or egalitarian")
    add("--budgets", metavar="Q,Q,...", help="budgets to simulate (default: from the least feasible to 1)")
    add("--clamp", action="store_true", help="raise a budget where a starting state needs more, instead of refusing it")
    add = parser.add_argument_group("simulation").add_argument
    add("--wish", default=default["wish"], metavar="NAME", help="the player's wish: riskiest or random")
    add(
        "--episodes",
        type=int,
        default=default["episodes"],
        metavar="N",
        help="a budget and level (default %(default)s)",
    )
    add("--steps", type=int, default=default["steps"], metavar="N", help="at most, of an episode (default %(default)s)")
    add("--seed", type=int, default=default["seed"], metavar="N", help="of the first episode (default %(default)s)")
    add_output_options(parser, folder="out/shield/NAME")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Examine a shield, show what came out and write its files."""
    settings = _settings(args)
    prepare_jax()
    with OutputFolder(args.out.replace("NAME", args.name), (TABLE_FILE, FIGURE_FILE)) as folder:
        report = run_shield(settings, None if args.quiet else _tell)
        _write(folder, report)
    if args.json:
        print_json({"settings": dataclasses.asdict(settings), **report.facts, "budgets": _records(report)})
        return 0
    print("\n".join(_lines(report)) + "\n")
    print_columns(_cells(report))
    print(f"\nFigure: {folder.path / FIGURE_FILE}\nTable:  {folder.path / TABLE_FILE}")
    return 0


def _settings(args: argparse.Namespace) -> ShieldSettings:
    if args.name not in BUILT_IN:
        raise ConfigurationError("NAME", args.name, f"use one of {', '.join(BUILT_IN)}")
    values = {
        field.name: getattr(args, field.name)
        for field in dataclasses.fields(ShieldSettings)
        if field.name not in ("game", "options", "budgets")
    }
    if args.budgets is not None:
        values["budgets"] = _budgets(args.budgets)
    return ShieldSettings(
        game=args.name, options=dict(assignment("--set", text, parse_option) for text in args.set), **values
    )


def _budgets(text: str) -> tuple[float, ...]:
    try:
        return tuple(number(name) for name in split_names([text]))
    except ValueError:
        raise ConfigurationError("--budgets", text, "write numbers from 0 to 1, such as 0.2,0.5") from None


def _tell(text: str) -> None:
    print(f"jaxworld: {text}", file=sys.stderr, flush=True)


def _write(folder: OutputFolder, report: ShieldReport) -> None:
    from jaxworld.plot.shield import write_shield_figure
    from jaxworld.study.tables import write_table

    with folder.writing(TABLE_FILE) as path:
        # A cell of a table holds a number or a text.
        settings: Any = dataclasses.replace(report.settings, options=json.dumps(dict(report.settings.options)))  # type: ignore[arg-type]
        write_table(path, "shield", report.rows, settings)
    with folder.writing(FIGURE_FILE) as path:
        write_shield_figure(report, path)


def _lines(report: ShieldReport) -> list[str]:
    facts = report.facts
    shown = {
        "states": f"{facts['states']:,}, {facts['undecided']:,} undecided, {facts['unsafe_states']:,} {facts['label']}",
        "least risk": f"{facts['start_risk']:.5f} at the start, {facts['mean_risk']:.5f} where undecided, on average",
        "least budget": f"{facts['least_budget']:.5f} is feasible from every start",
        "product": f"{facts['product_states']:,} states, {facts['product_edges']:,} edges",
        "verified": f"worst policy exceeds its budget by {max(facts['max_excess'], 0.0):.1e} at most, "
        f"{facts['empty_masks']} empty masks",
        "allowed": f"{facts['mean_allowed']:.2f} of {report.model.risk.shape[2]} actions on average",
    }
    return [report.settings.game, *(f"  {name:<14}{text}" for name, text in shown.items())]


def _records(report: ShieldReport) -> list[dict[str, Any]]:
    count = len(report.rows["budget"])
    return [{name: values[row] for name, values in report.rows.items()} for row in range(count)]


def _cells(report: ShieldReport) -> list[list[str]]:
    names = {
        "budget": "budget", "granted": "granted", "worst": "worst policy", "allowed": "allowed at start",
        "others_level": "others' level", "simulated": "simulated", "half_width": "+-", "ended": "ended",
    }  # fmt: skip
    rows = [
        [str(row[name]) if name == "others_level" else f"{row[name]:.4f}" for name in names] for row in _records(report)
    ]
    return [list(names.values()), *rows]
