"""The entry point as a process: help, version, listing, and that none of them starts JAX."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import jaxworld
from jaxworld.cli.main import main
from jaxworld.study.tables import read_table

PROBE = """
from jax._src import xla_bridge
from jaxworld.cli.main import main
from jaxworld.cli.runtime import num_cpus, prepare_jax
for argv in ([], ["--help"], ["exposure", "--help"], ["list"]):
    main(argv)
assert not xla_bridge.backends_are_initialized(), "a backend was started"
prepare_jax()
import jax
assert jax.local_device_count() == num_cpus(), jax.local_device_count()
jax.jit(lambda x: x * 2.5)(1.5)
prepare_jax()  # a second time, with a backend running, changes nothing
"""


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JAX_", "XLA_"))}
    kept["PYTHONPATH"] = os.getcwd()
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=kept | environment)


def test_listings_start_no_backend_and_a_run_prepares_one(tmp_path: Path) -> None:
    done = python("-c", PROBE, JAX_PLATFORMS="cpu", XDG_CACHE_HOME=str(tmp_path), HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert any(path.is_file() for path in tmp_path.rglob("*")), "no compiled program was kept"


def test_process_refuses_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = python("-m", "jaxworld", "exposure", "--out", str(tmp_path / "file" / "below"))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("jaxworld: error: --out") and done.stderr.count("\n") == 1


@pytest.mark.slow
def test_real_run(tmp_path: Path) -> None:
    """Everything at once, on a population of 34: the kernel, the JSON, the files."""
    argv = ["--population", "karate_club", "--worlds", "3", "--ticks", "2", "--recommenders", "random"]
    out = ["--json", "--quiet", "--out", str(tmp_path / "out")]
    cache = jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined]
    done = python("-m", "jaxworld", "exposure", *argv, *out, JAX_PLATFORMS="cpu", JAX_COMPILATION_CACHE_DIR=cache)
    assert (done.returncode, done.stderr) == (0, "")
    content = json.loads(done.stdout)
    columns, _ = read_table(tmp_path / "out" / "exposure.parquet")
    assert (tmp_path / "out" / "exposure.png").stat().st_size > 20_000
    assert set(columns["population_size"]) == {34} and len(set(columns["seed"])) == 3 and len(columns["tick"]) == 6
    last = columns["gini"][columns["tick"] == columns["tick"].max()]
    np.testing.assert_allclose(content["recommenders"]["random"]["gini"]["mean"], last.mean())


def test_reader_may_leave() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        command = [sys.executable, "-m", "jaxworld", "list"]
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_command_prints_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "exposure" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"jaxworld {jaxworld.__version__}\n"


@pytest.mark.parametrize("argv", [["--help"], ["exposure", "--help"], ["list", "--help"]])
def test_every_help_has_an_example(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 0
    assert "example:\n  jaxworld " in capsys.readouterr().out


def test_list_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["worlds"] == jaxworld.registered()
    assert content["recommenders"]["twhin"]["needs"] == ["graph"]
    assert "karate_club" in content["populations"]


def test_list_names_every_world(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    for name, summary in jaxworld.registered().items():
        assert name in shown and summary in shown
