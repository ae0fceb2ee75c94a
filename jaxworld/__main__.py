"""``python -m jaxworld``: the same as the command ``jaxworld``."""

from jaxworld.cli.main import run_process

if __name__ == "__main__":
    run_process()
