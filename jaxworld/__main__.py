"""``python -m jaxworld``: the same as the command ``jaxworld``."""

import sys

from jaxworld.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
