"""``jaxworld search``: find a policy without gradients, in any world or for a named application."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.cli.exposure_tables import show_interval
from jaxworld.cli.options import add_output_options, number
from jaxworld.cli.output import OutputFolder, print_json
from jaxworld.cli.runtime import prepare_jax
from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.core.registry import make
from jaxworld.study.search.applications import Application, application_names, get_application, resolve
from jaxworld.study.search.settings import SearchProgress

TABLE_FILE, FIGURE_FILE, POLICY_FILE, SUMMARY_FILE = "search.parquet", "search.png", "policy.npz", "search.json"
CHECKPOINTS = "checkpoints"

_BUDGET = (
    ("generations", int, 60, "N", "generations"),
    ("worlds", int, 16, "N", "training worlds of each candidate, fresh in every generation"),
    ("held_out_worlds", int, 256, "N", "worlds of the reported score; never trained on"),
    ("seed", int, 0, "N", "the search and its worlds follow from it"),
)
_OF_A_WORLD = (
    ("steps", int, 50, "N", "length of a run"),
    ("policy", str, "linear", "KIND", "linear, mlp or recurrent"),
    ("hidden", int, 16, "N", "width of the hidden layer"),
    ("population", int, 64, "N", "candidates in a generation"),
    ("sigma", number, 0.3, "X", "first width of the search"),
    ("learning_rate", number, 0.1, "X", "of Adam on the mean, where the strategy has one"),
)


def add_parser(subparsers: Any) -> None:
    """Add ``search``."""
    names = "\n".join(f"  {name:<15}{summary}" for name, summary in application_names().items())
    parser = subparsers.add_parser(
        "search",
        help="find a policy by gradient-free search",
        description="Search for the policy with the highest mean return in a world, or run a named application.\n"
        "All candidates of a generation meet the same worlds; the score comes from held-out worlds.\n"
        "A search in a folder that holds an unfinished one of the same configuration goes on with it.",
        epilog=f"applications:\n{names}\n\n"
        "examples:\n  jaxworld search core/random_walk --set num_positions=6 --policy linear --generations 30\n"
        "  jaxworld search --application reach --set personas=200 --set creators=10\n"
        "  jaxworld search --application best_response --game chicken --set 'mixed=[0.8, 0.2]'",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("world", nargs="?", metavar="WORLD", help="a name from 'jaxworld list'")
    parser.add_argument("--application", metavar="NAME", help=f"one of {', '.join(application_names())}")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a keyword of the world or a setting of the application, as JSON or text; may be repeated",
    )
    parser.add_argument("--game", metavar="NAME", help="of an application that has one; short for --set game=NAME")
    parser.add_argument("--strategy", metavar="NAME", help="openai_es (default), or one of evosax such as CMA_ES")
    _add(parser.add_argument_group("budget"), _BUDGET)
    _add(parser.add_argument_group("search in a world"), _OF_A_WORLD)
    add_output_options(parser, folder="out/search")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Search, print the score and write the files."""
    if (args.world is None) == (args.application is None):
        raise ConfigurationError("world", args.world, "name one world, or one application with --application")
    if args.world is not None and args.game is not None:
        raise ConfigurationError("--game", args.game, "use it with --application; a world is named without it")
    _check_extras()
    prepare_jax()
    values = dict(_parse_assignment(text) for text in args.set)
    if args.application is not None:
        return _run_application(args, get_application(args.application), values)
    return _run_world(args, values)


def _run_world(args: argparse.Namespace, values: dict[str, Any]) -> int:
    from jaxworld.plot.search import write_learning_curve
    from jaxworld.study.search import SearchSettings, make_array_policy, save_policy, search, world_objective
    from jaxworld.study.search.choose import make_strategy
    from jaxworld.study.tables import write_table

    options = _options_of_a_world(args)
    world = make(args.world, **values)
    strategy = make_strategy(
        options["strategy"], options["population"], sigma=options["sigma"], learning_rate=options["learning_rate"]
    )
    settings = SearchSettings(
        held_out_every=max(1, options["generations"] // 12), **{name: options[name] for name, *_ in _BUDGET}
    )
    policy = make_array_policy(options["policy"], world, seed=options["seed"], hidden=(options["hidden"],))
    objective = world_objective(world, options["steps"])
    with OutputFolder(args.out, (TABLE_FILE, FIGURE_FILE, POLICY_FILE)) as folder:
        report = None if args.quiet else _Lines()
        told = None if report is None else lambda event: report("search", event)
        found = search(objective, policy, strategy, settings, folder=folder.path / CHECKPOINTS, progress=told)
        score = _band(found.score)
        with folder.writing(POLICY_FILE) as path:
            save_policy(path, found.policy, world=world, metadata={"score": score, "steps": options["steps"]})
        with folder.writing(TABLE_FILE) as path:
            rows = {"generation": np.arange(1, settings.generations + 1), **found.history}
            write_table(path, "search", rows, settings)
        with folder.writing(FIGURE_FILE) as path:
            title = f"{args.world}, {options['policy']} policy, {options['strategy']}"
            write_learning_curve(found, path, title=title, optimum=_optimum(world, options))
    _forget_checkpoints(folder.path)
    summary = {"world": args.world, "score": score, "start": float(found.curve["mean"][0]),
               "optimum": _optimum(world, options), "settings": dataclasses.asdict(settings)}  # fmt: skip
    if args.json:
        print_json(summary)
        return 0
    print(f"Score on {settings.held_out_worlds} held-out worlds [95 % interval]: {show_interval(score)}")
    print(f"Where the search started: {summary['start']:.4g}")
    if summary["optimum"] is not None:
        print(f"Optimum: {summary['optimum']:.4g}")
    _say_files(folder.path, (POLICY_FILE, FIGURE_FILE, TABLE_FILE))
    return 0


def _options_of_a_world(args: argparse.Namespace) -> dict[str, Any]:
    """What was given, and the defaults of what was not."""
    options: dict[str, Any] = {"strategy": args.strategy or "openai_es"}
    for name, _, default, *_ in (*_BUDGET, *_OF_A_WORLD):
        given = getattr(args, name)
        options[name] = default if given is None else given
    return options


def _run_application(args: argparse.Namespace, application: Application, values: dict[str, Any]) -> int:
    from jaxworld.study.tables import write_table

    for name in ("strategy", "game", *(name for name, *_ in _BUDGET)):
        if getattr(args, name) is not None:
            values.setdefault(name, getattr(args, name))
    for name, *_ in _OF_A_WORLD:
        if getattr(args, name) is not None:
            remedy = f"an application has its own settings: use --set {name}=..."
            raise ConfigurationError(f"--{name.replace('_', '-')}", getattr(args, name), remedy)
    settings = application.make_settings(**values)
    with OutputFolder(args.out, (TABLE_FILE, FIGURE_FILE, SUMMARY_FILE)) as folder:
        report = None if args.quiet else _Lines()
        result = resolve(application.run)(settings, progress=report, folder=folder.path / CHECKPOINTS)
        with folder.writing(TABLE_FILE) as path:
            write_table(path, args.application, result.rows, settings)
        with folder.writing(FIGURE_FILE) as path:
            resolve(application.figure)(result, path)
        content = {"application": args.application, "summary": result.summary, "settings": dataclasses.asdict(settings)}
        with folder.writing(SUMMARY_FILE) as path:
            path.write_text(json.dumps(content, indent=2) + "\n")
    _forget_checkpoints(folder.path)
    if args.json:
        print_json(content)
        return 0
    for arm, figures in result.summary.items():
        print(f"{arm}:")
        print("\n".join(f"  {line}" for line in _lines(figures)))
    _say_files(folder.path, (FIGURE_FILE, TABLE_FILE, SUMMARY_FILE))
    return 0


class _Lines:
    """A progress line on stderr, at most one every two seconds, and one for the last generation."""

    def __init__(self) -> None:
        self._shown: dict[str, float] = {}

    def __call__(self, arm: str, event: SearchProgress) -> None:
        due = event.elapsed_s >= self._shown.get(arm, 0.0) + 2.0
        if due or event.generation == event.generations:
            self._shown[arm] = event.elapsed_s
            print(f"jaxworld: {arm}: {event}", file=sys.stderr, flush=True)


def _lines(figures: Mapping[str, Any]) -> list[str]:
    width = max(map(len, figures))
    made = []
    for name, value in figures.items():
        if isinstance(value, Mapping) and set(value) == {"mean", "low", "high"}:
            shown = show_interval(value)
        elif isinstance(value, Mapping):
            shown = ", ".join(f"{key} {each:.3g}" for key, each in value.items())
        else:
            shown = "-" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
        made.append(f"{name:<{width}}  {shown}")
    return made


def _optimum(world: Any, options: Mapping[str, Any]) -> float | None:
    """The closed form, for a world that states one."""
    known = getattr(world, "optimal_return", None)
    return None if known is None else float(known(options["steps"], memory=options["policy"] == "recurrent"))


def _band(interval: Any) -> dict[str, float]:
    return {end: float(getattr(interval, end)) for end in ("mean", "low", "high")}


def _forget_checkpoints(folder: Path) -> None:
    """They are for searches that were interrupted; this one is done, and the next may be another."""
    shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)


def _say_files(folder: Path, names: tuple[str, ...]) -> None:
    for name in names:
        print(f"{name.split('.')[1]:<8}{folder / name}")


def _parse_assignment(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise ConfigurationError("--set", text, "write NAME=VALUE")
    try:
        parsed = json.loads(value)
    except json.JSONDecodeError:
        parsed = value
    return name.strip().replace("-", "_"), tuple(parsed) if isinstance(parsed, list) else parsed


def _check_extras() -> None:
    """Miss an optional package now rather than after the search."""
    for package, extra, purpose in (("pyarrow", "study", "a Parquet file"), ("matplotlib", "plot", "a figure")):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, extra, purpose)


def _add(group: argparse._ArgumentGroup, options: tuple[tuple[str, Callable[[str], Any], Any, str, str], ...]) -> None:
    for name, kind, default, metavar, text in options:
        flag = f"--{name.replace('_', '-')}"
        group.add_argument(flag, type=kind, metavar=metavar, default=None, help=f"{text} (default {default})")
