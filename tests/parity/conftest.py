"""The original engine, where an interpreter that has it is named."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

INTERPRETER = "JAXWORLD_PARITY_PYTHON"


@pytest.fixture(scope="session")
def original(tmp_path_factory):
    """Runs the recorder: `original(command, *names)` is name to what it recorded. Skips where there is no original."""
    python = os.environ.get(INTERPRETER)
    if not python:
        pytest.skip(f"needs the original engine: run `make parity`, or name its interpreter in {INTERPRETER}")
    root = Path(__file__).resolve().parents[2]

    def run(command, *names):
        folder = tmp_path_factory.mktemp(command)
        arguments = [os.path.abspath(python), "-m", "tests.parity.recorder", command, str(folder), *names]
        done = subprocess.run(arguments, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        recorded = {}
        for path in sorted(folder.glob("*.npz")):
            with np.load(path) as arrays:
                recorded[path.stem] = {name: arrays[name] for name in arrays.files}
        return recorded

    return run
