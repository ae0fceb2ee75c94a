"""``jaxworld render``: a run of a grid world as a film, seen from above or by one of its players."""

from __future__ import annotations

import argparse
import inspect
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.cli.output import OPTION, OutputFolder, print_json
from jaxworld.cli.runtime import prepare_jax
from jaxworld.cli.values import assignment, parse_option
from jaxworld.core import checks
from jaxworld.core.errors import ConfigurationError, require

POLICIES = ("random",)


def add_parser(subparsers: Any) -> None:
    """Add ``render``."""
    parser = subparsers.add_parser(
        "render",
        help="a run of a grid world as GIF, MP4 or PNG",
        description="Run a grid world and write what happens as a film: the whole map, or what one player sees.\n"
        "A PNG shows the last tick. GIF and PNG need pillow, MP4 imageio-ffmpeg: pip install 'jaxworld[render]'.",
        epilog="examples:\n  jaxworld render grid/commons_harvest_open --out x.gif\n"
        "  jaxworld render grid/coins --view player_0 --steps 100 --scale 6 --out coins.mp4\n"
        "  jaxworld render grid/commons_harvest_open --set num_players=3 --set regrowth=0,0.1,0.2,0.3 --out y.gif",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="a grid world, as jaxworld list names it")
    group = parser.add_argument_group("the run")
    group.add_argument("--steps", type=int, default=200, metavar="N", help="steps at most (default %(default)s)")
    group.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the world (default %(default)s)")
    group.add_argument("--policy", default="random", metavar="NAME", help="who acts (default %(default)s)")
    group.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="an option or parameter of the world"
    )
    group = parser.add_argument_group("the film")
    group.add_argument("--view", default="map", help="map, or player_0, player_1, ... (default %(default)s)")
    group.add_argument("--scale", type=int, default=4, metavar="N", help="pixels for each pixel (default %(default)s)")
    group.add_argument("--fps", type=float, default=10.0, metavar="N", help="pictures a second (default %(default)g)")
    group.add_argument(
        "--out", default="out/render.gif", metavar="FILE", help=".gif, .mp4 or .png (default %(default)s)"
    )
    group.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the world and write the file."""
    from jaxworld.grid.rendering.files import check_format, write_pictures
    from jaxworld.grid.rendering.film import film

    steps = checks.whole("--steps", args.steps, 0, 100_000)
    scale = checks.whole("--scale", args.scale, 1, 32)
    pace = checks.number("--fps", args.fps, 0.1, 100)
    require(args.policy in POLICIES, "--policy", args.policy, f"use {' or '.join(POLICIES)}")
    suffix = check_format(OPTION, args.out)
    prepare_jax()
    world, params = _world(args.name, dict(assignment("--set", text, parse_option) for text in args.set))
    shots = film(world, steps, seed=args.seed, params=params, view=args.view)
    path = Path(args.out).absolute()
    with OutputFolder(str(path.parent), [path.name]) as folder:
        pictures, returns = [], np.zeros(world.num_agents)
        for shot in shots:
            pictures.append(shot.picture)
            returns += shot.reward
        with folder.writing(path.name) as temporary:
            write_pictures(temporary, pictures, scale=scale, frames_per_second=pace, suffix=suffix)
    height, width = (side * scale for side in pictures[0].shape[:2])
    facts = {
        "world": args.name,
        "seed": args.seed,
        "view": args.view,
        "steps": len(pictures) - 1,
        "pixels": [width, height],
        "returns": returns,
        "bytes": path.stat().st_size,
        "file": args.out,
    }
    if args.json:
        print_json(facts)
    else:
        earned = ", ".join(f"{value:g}" for value in returns)
        print(f"{args.name}, seed {args.seed}: {len(pictures) - 1:,} steps, returns {earned}")
        print(f"wrote {args.out} ({width} x {height}, {facts['bytes'] / 1024:,.0f} KiB)")
    return 0


def _world(name: str, options: dict[str, Any]) -> tuple[Any, Any]:
    """The world and its parameters; options of either."""
    from jaxworld.core.registry import make, registered
    from jaxworld.grid.substrate import Substrate

    plain = make(name) if name.startswith("grid/") or name not in registered() else None
    if not isinstance(plain, Substrate):
        raise ConfigurationError("NAME", name, "this world has no map to look at: use one that has, such as grid/coins")
    accepted = inspect.signature(plain.params).parameters if hasattr(plain, "params") else {}
    numbers = {key: value for key, value in options.items() if key in accepted}
    rest = {key: value for key, value in options.items() if key not in accepted}
    world: Any = make(name, **rest) if rest else plain
    return world, world.params(**numbers) if numbers else world.default_params()
