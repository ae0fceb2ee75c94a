"""``jaxworld list``: what can be run. Starts no backend and needs no optional package."""

from __future__ import annotations

import argparse
from typing import Any

from jaxworld.cli.output import print_json
from jaxworld.core.registry import registered
from jaxworld.social.population import population_names
from jaxworld.social.recommenders import get_recommender, recommender_names


def add_parser(subparsers: Any) -> None:
    """Add ``list``."""
    parser = subparsers.add_parser(
        "list",
        help="the worlds, recommenders and populations there are",
        description="List the registered worlds, the recommenders and the populations, with what they are.",
        epilog="example:\n  jaxworld list --json",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the listing."""
    if args.json:
        print_json(listing())
    else:
        print("\n".join(_lines(listing())))
    return 0


def listing() -> dict[str, Any]:
    """Worlds with their summaries, recommenders with summary and needs, and names of populations."""
    recommenders = {name: get_recommender(name) for name in recommender_names()}
    return {
        "worlds": registered(),
        "recommenders": {
            name: {"summary": recommender.summary, "needs": sorted(recommender.needs)}
            for name, recommender in recommenders.items()
        },
        "populations": list(population_names()),
    }


def _lines(content: dict[str, Any]) -> list[str]:
    recommenders = {
        name: entry["summary"] + (f" (needs {' and '.join(entry['needs'])})" if entry["needs"] else "")
        for name, entry in content["recommenders"].items()
    }
    return [
        "Worlds, for jaxworld.make(name):",
        *_two_columns(content["worlds"]),
        "",
        "Recommenders, for --recommenders:",
        *_two_columns(recommenders),
        "",
        "Populations, for --population (or a folder with personas.csv and follows.csv, a .csv or a .json file):",
        f"  {', '.join(content['populations'])}",
    ]


def _two_columns(entries: dict[str, str]) -> list[str]:
    width = max(map(len, entries), default=0)
    return [f"  {name:<{width}}  {summary}".rstrip() for name, summary in entries.items()]
