"""Every notebook runs from top to bottom as a plain script, somewhere else, and leaves nothing behind.

It runs with less to compute; at full size it ran when its executed copy was made, cell by cell the same code.
"""

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
SMALLER = {
    "commons_noise": {
        ", 200\n": ", 24\n",
        "(0.05, 0.1), collapses=(0.05,), worlds=16": "(0.05,), collapses=(0.05,), worlds=3",
    },
    "exposure_concentration": {
        "PERSONAS, TICKS, SEED = 100, 24, 1": "PERSONAS, TICKS, SEED = 60, 19, 1",
        '("random", "reddit_hot", "twitter", "twhin")': '("random", "reddit_hot")',
        "worlds=16": "worlds=4",
    },
    "exact_and_shielded": {"episodes=500": "episodes=100", "steps=800": "steps=100"},
    "social_study": {"PERSONAS, SEED = 80, 11": "PERSONAS, SEED = 40, 11", "worlds=24": "worlds=4"},
    "sweep_and_search": {
        '    "linear, cue on show": ("linear", 0),\n': "",
        '"num_personas": 200': '"num_personas": 60',
        "seeds=16, ticks=24": "seeds=4, ticks=6",
        "population_size=32": "population_size=8",
        "generations=40, worlds=16, held_out_worlds=128": "generations=6, worlds=4, held_out_worlds=16",
    },
}
"""What a notebook says of the size of a run, and what the tests say instead. No cell is left out by it."""


def smaller(notebook: Path) -> str:
    """The script of a notebook with smaller numbers."""
    script = notebook.read_text(encoding="utf-8")
    for size, instead in SMALLER.get(notebook.stem, {}).items():
        assert script.count(size) == 1, f"{notebook.name}: {size!r} is not there once"
        script = script.replace(size, instead)
    return script


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
    folder, script = tmp_path / "empty", tmp_path / notebook.name
    folder.mkdir()
    script.write_text(smaller(notebook), encoding="utf-8")
    command = [sys.executable, "-W", "error::DeprecationWarning:jaxworld", str(script)]
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
