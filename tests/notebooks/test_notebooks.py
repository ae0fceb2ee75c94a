"""Every notebook runs from top to bottom as a plain script, somewhere else, and leaves nothing behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
TIME_LIMIT_S = 300


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_as_a_script(notebook: Path, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": str(tmp_path / "matplotlib"),
        "PYTHONPATH": str(ROOT),
        # Compiles about twice as fast; what a world decides does not depend on it.
        "XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} --xla_backend_optimization_level=0".strip(),
        "JAX_PLATFORMS": "cpu",
        "JAX_COMPILATION_CACHE_DIR": jax.config.jax_compilation_cache_dir,  # type: ignore[attr-defined]
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    folder = tmp_path / "empty"
    folder.mkdir()
    command = [sys.executable, "-W", "error::DeprecationWarning:jaxworld", str(notebook)]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip(), "a notebook shows something"
    assert list(folder.iterdir()) == [], "a notebook leaves no files"


@pytest.mark.parametrize("executed", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_executed_copy_is_that_of_the_script(executed: Path) -> None:
    """Same cells, no errors, small."""
    cells = json.loads(executed.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]).strip() for cell in cells if cell["cell_type"] == "code"]
    parts = executed.with_suffix(".py").read_text(encoding="utf-8").split("\n# %%")[1:]
    assert code == [part.strip() for part in parts if not part.startswith(" [markdown]")]
    kinds = {output["output_type"] for cell in cells for output in cell.get("outputs", ())}
    assert "display_data" in kinds and "error" not in kinds
    assert executed.stat().st_size < 200_000
