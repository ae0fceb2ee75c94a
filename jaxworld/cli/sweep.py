"""``jaxworld sweep``: any world at every point of a design, on many seeds."""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.cli.options import add_output_options, number
from jaxworld.cli.output import print_json
from jaxworld.cli.progress import of_a_sweep, progress_reporter
from jaxworld.cli.runtime import prepare_jax
from jaxworld.cli.sweep_tables import print_estimate, print_summary
from jaxworld.cli.values import assignment, parse_option, parse_values
from jaxworld.core.errors import ConfigurationError, MissingExtraError, require
from jaxworld.core.policy import RandomPolicy
from jaxworld.core.registry import registered
from jaxworld.study import sweep as study
from jaxworld.study.sweep.design import FILLING, Design
from jaxworld.study.sweep.reducers import parse_measures

FIGURE_FILE = "sweep.png"

_EPILOG = """examples:
  jaxworld sweep core/random_walk --vary slip_threshold=0,400000000 --seeds 100 --ticks 50 --out out/walk
  jaxworld sweep social/feed --option num_personas=200 --arm feed_recommender=random,reddit_hot \\
      --vary budget=1,2,3 --seeds 100 --ticks 48 --out out/feed
  jaxworld sweep social/feed --vary epsilon=0.0:1.0 --points 32 --fill sobol --dry-run
  jaxworld sweep ... --out out/part0 --shard 0/2; jaxworld sweep ... --out out/part1 --shard 1/2
  jaxworld sweep-merge out/part0 out/part1 --out out/whole"""


def add_parser(subparsers: Any) -> None:
    """Add ``sweep``."""
    parser = subparsers.add_parser(
        "sweep",
        help="run a world at every point of a design, on many seeds",
        description="Run static variants of a world (arms) at every point of a design on the same seeded worlds.\n"
        "Run the same command again after an interruption and it goes on where it stopped.",
        epilog=_EPILOG,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("world", metavar="WORLD", help="a name from 'jaxworld list', such as social/feed")
    _add_design(parser.add_argument_group("design"))
    _add_run(parser.add_argument_group("run"))
    _add_scale(parser.add_argument_group("scale"))
    add_output_options(parser, folder="out/sweep")
    parser.set_defaults(run=run)


def _add_design(group: Any) -> None:
    add = group.add_argument
    add("--option", action="append", default=[], metavar="NAME=VALUE", help="a static option of the world (repeatable)")
    add("--arm", action="append", default=[], metavar="NAME=A,B", help="a static option to vary: one compiled arm each")
    add("--vary", action="append", default=[], metavar="PATH=A,B|LOW:HIGH[:N]",
        help="a parameter to vary: values, N evenly spaced values, or a range to fill with --points")  # fmt: skip
    add("--points", type=int, metavar="N", help="points that fill the ranges LOW:HIGH together")
    add("--fill", choices=tuple(FILLING), default="sobol", help="how they do so (default %(default)s)")


def _add_run(group: Any) -> None:
    add = group.add_argument
    add("--seeds", type=int, default=32, metavar="N", help="seeded worlds at each point (default %(default)s)")
    add("--seed", type=int, default=0, metavar="N", help="all worlds follow from it (default %(default)s)")
    add("--ticks", type=int, default=48, metavar="N", help="ticks of each world (default %(default)s)")
    add("--policy", choices=("default", "random"), default="default",
        help="who acts: the family's default, or uniform actions (default %(default)s)")  # fmt: skip
    add("--measure", action="append", default=[], metavar="PATH:STAT,..",
        help="a figure of each time step, such as reward:mean,q50 (repeatable; default: the family's)")  # fmt: skip
    add("--average", action="store_true", help="average the --measure figures over ticks instead of taking the last")
    add("--series", type=int, metavar="EVERY", help="a row for every so many ticks instead of one a world")
    add("--window", default="last", metavar="HOW", help="combine ticks in between: last, mean, sum, min or max")


def _add_scale(group: Any) -> None:
    add = group.add_argument
    add("--dry-run", action="store_true", help="estimate bytes, operations, compilations and time; write nothing")
    add("--shard", metavar="I/N", help="compute part I (from 0) of N; put the parts together with sweep-merge")
    add("--chunk", type=int, metavar="N", help="worlds in a file; no result depends on it")
    add("--block", type=int, metavar="N", help="worlds computed side by side; fewer need less memory")
    add("--max-memory", type=number, metavar="GIB", help="memory the run may take, in GiB")
    add("--fresh", action="store_true", help="refuse a folder that holds a part of this sweep already")
    add("--no-figure", action="store_true", help="write no figure")
    add("--distributed", action="store_true", help="join the processes of a launcher (see docs/scale_out.md)")
    add("--coordinator", metavar="HOST:PORT", help="join processes by hand: address of process 0")
    add("--num-processes", type=int, metavar="N", help="how many there are")
    add("--process-id", type=int, metavar="I", help="which one this is, from 0")


def run(args: argparse.Namespace) -> int:
    """Run the sweep and show what came of it."""
    figure = not (args.no_figure or args.dry_run)
    _check_extras(figure=figure)
    design = parse_design(args.vary, args.points, args.fill)
    options = dict(assignment("--option", text, parse_option) for text in args.option)
    axes = unique("--arm", [assignment("--arm", text, parse_values) for text in args.arm])
    require(args.world in registered() or "/" in args.world, "WORLD", args.world, "write family/variant")
    arms = study.variants(args.world, options, axes)
    prepare_jax()
    if args.distributed or args.coordinator:
        study.initialise(args.coordinator, args.num_processes, args.process_id)
    with progress_reporter(bar=not args.json, quiet=args.quiet) as reporter:
        result = study.sweep(
            {name: _with_policy(arm, args.policy) for name, arm in arms.items()}, design,
            seeds=args.seeds, seed=args.seed, ticks=args.ticks, reducer=_reducer(args), every=args.series,
            window=args.window, out=args.out, chunk=args.chunk, block=args.block, max_memory=args.max_memory,
            shard=args.shard, resume=not args.fresh, dry_run=args.dry_run, progress=of_a_sweep(reporter),
        )  # fmt: skip
    if figure and result.path is not None:
        _write_figure(result)
    if args.json:
        print_json(summary_json(result))
    elif result.estimate is not None:
        print_estimate(result.estimate)
    else:
        print_summary(result)
    return 0


def parse_design(vary: list[str], num_points: int | None, fill: str) -> Design | None:
    """The design of ``--vary`` options: a grid of the lists, crossed with points that fill the ranges.

    Raises:
        ConfigurationError: for a malformed or repeated option.
    """
    axes = unique("--vary", [assignment("--vary", text, _parse_axis) for text in vary])
    lists = {path: values for path, values in axes.items() if not isinstance(values, tuple)}
    ranges = {path: values for path, values in axes.items() if isinstance(values, tuple)}
    if num_points is None:
        named = ", ".join(ranges)
        require(not ranges, "--vary", named, "a range LOW:HIGH needs --points N (or write LOW:HIGH:N)")
        return study.grid(lists) if lists else None
    require(bool(ranges), "--points", num_points, "needs a range to fill: --vary PATH=LOW:HIGH")
    filled = FILLING[fill](ranges, num_points)
    return study.cross(study.grid(lists), filled) if lists else filled


def unique(option: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A dictionary of pairs, none of which may be given twice."""
    names = [name for name, _ in pairs]
    for name in names:
        require(names.count(name) == 1, option, name, "is given twice: keep one of the overlapping axes")
    return dict(pairs)


def summary_json(result: study.SweepResult) -> dict[str, Any]:
    """What ``--json`` prints: facts of the run, and the summary if the table is complete."""
    content = result.to_dict()
    if result.path is not None:
        content["summary"] = {name: values.tolist() for name, values in result.summary().columns().items()}
    return content


def _parse_axis(text: str) -> Any:
    """A list of values, or a range as a tuple."""
    parts = text.split(":")
    if len(parts) == 1:
        return parse_values(text)
    ends = [_number(part) for part in parts]
    if len(ends) == 2:
        return ends[0], ends[1]
    if len(ends) == 3 and isinstance(ends[2], int) and ends[2] >= 1:
        even = np.linspace(ends[0], ends[1], ends[2])
        whole = all(isinstance(end, int) for end in ends) and bool((even == np.round(even)).all())
        return list(even.astype(np.int64) if whole else even)
    raise ConfigurationError("--vary", text, "write LOW:HIGH, or LOW:HIGH:N with a whole N of 1 or more")


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            raise ConfigurationError("--vary", text, "is no number") from None


def _with_policy(make_arm: Callable[[], study.Arm], policy: str) -> Callable[[], study.Arm]:
    def made() -> study.Arm:
        arm = make_arm()
        return dataclasses.replace(arm, policy=RandomPolicy(arm.world)) if policy == "random" else arm

    return made


def _reducer(args: argparse.Namespace) -> Any:
    if not args.measure:
        require(not args.average, "--average", True, "says what to do with --measure: give that as well")
        return None
    measures = parse_measures(tuple(args.measure))
    return study.TimeMean(measures) if args.average else study.Snapshot(measures)


def _write_figure(result: study.SweepResult) -> None:
    from jaxworld.core.files import replacing
    from jaxworld.plot.sweep import write_sweep_figure
    from jaxworld.study.sweep.store import explained

    assert result.path is not None
    folder = Path(result.path).parent
    with explained(folder), replacing(folder / FIGURE_FILE) as temporary:
        write_sweep_figure(result, temporary)


def _check_extras(*, figure: bool) -> None:
    """Miss an optional package now rather than after the run."""
    needed = [("pyarrow", "study", "a Parquet file")]
    if figure:
        needed.append(("matplotlib", "plot", "a figure (leave it out with --no-figure)"))
    for package, extra, purpose in needed:
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, extra, purpose)
