"""``jaxworld graph``: the exact joint transition graph of a game, counted, checked, written and drawn."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from jaxworld.cli.options import number
from jaxworld.cli.output import OutputFolder, print_json
from jaxworld.cli.values import assignment, parse_option
from jaxworld.core import checks
from jaxworld.core.errors import ConfigurationError
from jaxworld.markov.catalogue import BUILT_IN, GAMES

GIBIBYTE = 2**30
SAVED = "graph.npz"
FIGURE = "graph.png"


def add_parser(subparsers: Any) -> None:
    """Add ``graph``."""
    width = max(map(len, BUILT_IN))
    games = "\n".join(f"  {name:<{width}}  {GAMES[name].summary}" for name in BUILT_IN)
    parser = subparsers.add_parser(
        "graph",
        help="the exact joint transition graph of a game",
        description="Every state a game can reach, and where each joint action leads, with what probability.\n"
        "Prints how large the graph is; writes files only if asked to.",
        epilog=f"games:\n{games}\n\n"
        "examples:\n  jaxworld graph pursuit --size 4 --check --json\n"
        "  jaxworld graph stag_hunt --size 3 --save --prism --out out/stag\n"
        "  jaxworld graph stag_hunt --size 5 --factored\n"
        "  jaxworld graph pursuit --size 2 --set slip=0.3 --draw",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help=f"a game, or a {Path(SAVED).suffix} file saved before")
    parser.add_argument("--size", type=int, metavar="N", help="rows and columns of the grid, drivers of congestion")
    add = parser.add_argument_group("the game").add_argument
    add("--set", action="append", default=[], metavar="NAME=VALUE", help="an option of the game; may be repeated")
    group = parser.add_argument_group("building")
    group.add_argument("--chunk", type=int, metavar="N", help="states expanded in one call; changes no result")
    group.add_argument("--max-memory", type=number, metavar="GIB", help="memory it may take, in GiB (default 8)")
    group.add_argument(
        "--factored", action="store_true", help="keep what settles after the players' moves apart: far less memory"
    )
    group.add_argument("--check", action="store_true", help="check every promise of the graph")
    group = parser.add_argument_group("output")
    group.add_argument("--save", action="store_true", help=f"write {SAVED}")
    group.add_argument("--prism", action="store_true", help="write explicit files of PRISM: .tra, .sta, .lab, .rew")
    group.add_argument("--draw", action="store_true", help=f"draw a small graph into {FIGURE}")
    group.add_argument("--out", metavar="DIR", help="folder for the files (default out/graph/NAME)")
    group.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Build or load the graph, and do with it what was asked."""
    from jaxworld.markov.graph.export import prism_texts, write_text
    from jaxworld.markov.graph.files import save_graph
    from jaxworld.plot.markov_graph import check_drawable, write_graph_figure

    if args.out is not None and not (args.save or args.prism or args.draw):
        raise ConfigurationError("--out", args.out, "nothing would be written there: add --save, --prism or --draw")
    if args.factored and (args.save or args.prism or args.draw):
        raise ConfigurationError(
            "--factored", True, "files and figures show a graph in one stage: leave one of them out"
        )
    graph: Any = _graph(args)
    if args.check:
        graph.check()
    if args.draw:
        check_drawable(graph)
    texts = prism_texts(graph, graph.name) if args.prism else {}
    names = [*([SAVED] if args.save else []), *texts, *([FIGURE] if args.draw else [])]
    facts = {**graph.facts(), "checked": bool(args.check)}
    if names:
        with OutputFolder(args.out or f"out/graph/{graph.name}", names) as folder:
            if args.save:
                with folder.writing(SAVED) as path:
                    save_graph(graph, path)
            for name, parts in texts.items():
                with folder.writing(name) as path:
                    write_text(path, parts)
            if args.draw:
                with folder.writing(FIGURE) as path:
                    write_graph_figure(graph, path)
        facts["files"] = [str(folder.path / name) for name in names]
    if args.json:
        print_json(facts)
    else:
        print("\n".join(_lines(facts)))
    return 0


def _graph(args: argparse.Namespace) -> Any:
    from jaxworld.markov.catalogue import make_game
    from jaxworld.markov.graph.build import build_graph
    from jaxworld.markov.graph.factored import build_factored
    from jaxworld.markov.graph.files import load_graph
    from jaxworld.markov.graph.memory import DEFAULT_MAX_MEMORY

    if Path(args.name).suffix == Path(SAVED).suffix:
        fixed = [("--size", args.size), ("--set", args.set or None), ("--chunk", args.chunk)]
        fixed.append(("--factored", args.factored or None))
        for option, value in fixed:
            if value is not None:
                raise ConfigurationError(option, value, "a saved graph cannot be changed: name a game instead")
        return load_graph(args.name)
    if args.name not in BUILT_IN:
        raise ConfigurationError("NAME", args.name, f"use one of {', '.join(BUILT_IN)}, or a file such as {SAVED}")
    options = dict(assignment("--set", text, parse_option) for text in args.set)
    game, params = make_game(args.name, args.size, options)
    memory = DEFAULT_MAX_MEMORY
    if args.max_memory is not None:
        memory = int(checks.number("--max-memory", args.max_memory, 1e-6, 1e6) * GIBIBYTE)
    build = build_factored if args.factored else build_graph
    return build(game, params, chunk=args.chunk, max_memory=memory)


def _lines(facts: dict[str, Any]) -> list[str]:
    shown = {
        "states": f"{facts['states']:,}, {facts['terminals']:,} of them terminal",
        "joint actions": f"{facts['joint_actions']:,} of {facts['players']} players",
        "edges": f"{facts['edges']:,} in {facts['rows']:,} rows, at most {facts['max_branching']:,} in one",
        "levels": f"{facts['levels']:,}, steps to the farthest state and one",
        "labels": ", ".join(f"{name} {count:,}" for name, count in facts["labels"].items()) or "none",
        "key": f"{facts['bits']:,} bits a state",
        "memory": f"{facts['bytes'] / 2**20:,.1f} MiB",
    }
    if "links" in facts:
        shown["stages"] = " + ".join(f"{count:,}" for count in facts["links"]) + " links, whose product is the graph"
    lines = [facts["game"], *(f"  {name:<14}{text}" for name, text in shown.items())]
    if facts["checked"]:
        lines.append("  checked       rows sum to 1, successors exist, terminal states stay, keys differ")
    return [*lines, *(f"wrote {path}" for path in facts.get("files", ()))]
