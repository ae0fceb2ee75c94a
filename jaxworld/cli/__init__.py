"""Floor 5: the commands. Each is a file with ``add_parser(subparsers)`` and ``run(args) -> int``."""
