"""``jaxworld audit``: check a trace against its own turns."""

from __future__ import annotations

import argparse
from typing import Any

from jaxworld.cli.output import print_json
from jaxworld.core.checks import whole

EXIT_FINDINGS = 1


def add_parser(subparsers: Any) -> None:
    """Add ``audit``."""
    parser = subparsers.add_parser(
        "audit",
        help="check the trace of a social world",
        description="Derive what a trace must say from its header and its turns alone, and list where it says\n"
        "something else: counts, replies, ties, budgets, visibility, drops, word of mouth, interventions.",
        epilog="exit code: 0 without findings, 1 with findings, 2 if there is no trace to check\n\n"
        "example:\n  jaxworld audit out/trace",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("trace", metavar="TRACE", help="the folder of a trace")
    parser.add_argument("--limit", metavar="N", default=20, type=int, help="findings to list (default: 20)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Audit and list the findings."""
    from jaxworld.social.audit import audit_folder

    limit = whole("--limit", args.limit, 0, 2**31)
    report = audit_folder(args.trace)
    if args.json:
        content = report.to_dict()
        print_json({**content, "findings": content["findings"][:limit]})
        return 0 if report.clean else EXIT_FINDINGS
    for finding in report.findings[:limit]:
        print(finding)
    more = report.num_findings - min(limit, len(report.findings))
    if more > 0:
        print(f"... and {more:,} more")
    found = "no findings" if report.clean else f"{report.num_findings:,} findings"
    print(f"{report.num_ticks:,} ticks, {report.num_rows:,} rows: {found}")
    return 0 if report.clean else EXIT_FINDINGS
