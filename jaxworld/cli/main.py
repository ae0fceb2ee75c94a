"""The command ``jaxworld``: picks a subcommand and turns every expected failure into one line and an exit code."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn, Protocol, cast

import jaxworld
from jaxworld.cli import audit, bench, commons, exposure, finding, graph, render, search, shield, sweep, sweep_merge
from jaxworld.cli import list as listing
from jaxworld.core.errors import JaxworldError

EXIT_OK, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 0, 2, 130


class Command(Protocol):
    """What a file in this folder must offer to be a subcommand."""

    def add_parser(self, subparsers: Any) -> None:
        """Add a parser whose defaults set ``run``."""

    def run(self, args: argparse.Namespace) -> int:
        """Do the work and return the exit code."""


COMMANDS = cast(
    "tuple[Command, ...]",
    (exposure, finding, commons, graph, shield, render, sweep, sweep_merge, search, audit, bench, listing),
)
"""Subcommands in the order of the help text; a new one is a file in this folder and a name here."""


class UsageError(JaxworldError):
    """The command line could not be understood."""


class Parser(argparse.ArgumentParser):
    """An argument parser that reports a bad argument as an error of ours, instead of printing usage and exiting."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see {self.prog} --help)")


def make_parser() -> Parser:
    """The parser of the whole command line."""
    parser = Parser(
        prog="jaxworld",
        description="Simulate many seeded worlds of many agents at once, and measure them.",
        epilog="example:\n  jaxworld exposure --personas 500 --worlds 64 --recommenders random,reddit_hot",
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"jaxworld {jaxworld.__version__}")
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments, by default those of the process.

    Returns:
        The exit code: 0, 2 for anything the user can put right (with one line on stderr), 130 when interrupted.
    """
    try:
        parser = make_parser()
        args = parser.parse_args(argv)
        if args.command is None:
            parser.print_help()
            return EXIT_BAD_INPUT
        code = int(args.run(args))
        sys.stdout.flush()
        return code
    except SystemExit as stop:  # argparse ends this way after --help and --version
        return int(stop.code or EXIT_OK)
    except KeyboardInterrupt:
        return _fail("interrupted", EXIT_INTERRUPTED)
    except BrokenPipeError:
        return _reader_left()
    except (JaxworldError, OSError) as error:
        return _fail(str(error))
    except Exception as error:
        if _ran_out_of_memory(error):
            return _fail("out of memory: run fewer worlds at once with --chunk, or lower --max-memory")
        raise


def run_process() -> NoReturn:
    """Run the command of this process and end it.

    After a failure the process ends at once: a compiler may still be at work in the background, and the interpreter
    cannot be taken down under it.
    """
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    if code != EXIT_OK:
        os._exit(code)
    sys.exit(code)


def _fail(message: str, code: int = EXIT_BAD_INPUT) -> int:
    """Say it in one line, whatever the message contains."""
    print(f"jaxworld: error: {' '.join(message.split())}", file=sys.stderr)
    return code


def _ran_out_of_memory(error: Exception) -> bool:
    """JAX has no exception type of its own for this; the status code leads the message."""
    return isinstance(error, MemoryError) or "RESOURCE_EXHAUSTED" in str(error)


def _reader_left() -> int:
    """Whoever read our output closed it (``| head``): no error, but Python must not try to flush it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_OK
