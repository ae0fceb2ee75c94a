"""Small sweeps that the tests share, and running them in another process."""

from __future__ import annotations

import hashlib
import json
import math
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax

from jaxworld.study.sweep import Measure, SweepResult, TimeMean, grid, sweep, variants

ROOT = Path(__file__).resolve().parents[3]
TIMEOUT_S = 240
WALK = "core/random_walk"
SLIPS = (0, 2**31, 2**32 - 1)
NOISY_COMMONS = {"observability": {"commonsStock": {"noise": 0.3}}}
SOCIAL = {"num_personas": 12, "stimulus_capacity": 64, "max_publications": 16, "max_follows": 16}


def walk_arms() -> dict[str, Any]:
    return variants(WALK, {"num_walkers": 3}, {"num_positions": [5, 8]})


def walk_reducer() -> TimeMean:
    """Means in floating point, which depend on how worlds are put side by side unless that is fixed."""
    return TimeMean((Measure("observation.position"), Measure("observation.position", "q50"), Measure("terminated")))


def walk_sweep(**options: Any) -> SweepResult:
    """Two arms, three points, seven seeds."""
    given = {"seeds": 7, "ticks": 6, "reducer": walk_reducer(), **options}
    return sweep(walk_arms(), grid({"slip_threshold": SLIPS}), **given)


def social_sweep(**options: Any) -> SweepResult:
    """One arm, two points, five seeds."""
    arms = variants("social/feed", SOCIAL, {"feed_recommender": ["reddit_hot"]})
    return sweep(arms, grid({"budget": [1, 3]}), **{"seeds": 5, "ticks": 3, **options})


def family_sweep(world: str, worlds: int, configuration: dict[str, Any], axes: dict[str, Any]) -> Any:
    """A small sweep of one family: a number of worlds in all, over the points of a grid, for four ticks."""
    design = grid(axes)
    seeds = worlds // math.prod(map(len, axes.values()))

    def run(**options: Any) -> SweepResult:
        return sweep(variants(world, configuration), design, **{"seeds": seeds, "ticks": 4, **options})

    return run


FAMILIES = {
    "core": family_sweep("core/random_walk", 210, {"num_walkers": 3}, {"slip_threshold": SLIPS}),
    "markov": family_sweep("markov/pursuit", 120, {"size": 3}, {"step_cost": [0.1, 0.3]}),
    "commons": family_sweep("commons/harvest", 160, NOISY_COMMONS, {"regrowth": [0.3, 0.6]}),
    "social": family_sweep("social/feed", 80, {**SOCIAL, "feed_recommender": "reddit_hot"}, {"budget": [1, 3]}),
}
"""One sweep of every family, for what has to hold for all of them; a family's worlds fill more than one block."""
SWEEPS = {"walk": walk_sweep, "social": social_sweep, **FAMILIES}


def file_digest(path: Path | None) -> str:
    assert path is not None
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def child_environment(devices: int) -> dict[str, str]:
    cache = jax.config.jax_compilation_cache_dir or str(ROOT / ".jax_cache")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JAXWORLD_")}
    return {
        **kept,
        "JAX_PLATFORMS": "cpu",
        "JAX_NUM_CPU_DEVICES": str(devices),
        "JAX_COMPILATION_CACHE_DIR": cache,
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        "PYTHONPATH": str(ROOT),
    }


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def start_child(devices: int = 1, **task: Any) -> subprocess.Popen[str]:
    """Start ``child.main`` on a task in another process; its last line of output is JSON."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.study.sweep.child", json.dumps(task)],
        cwd=ROOT,
        env=child_environment(devices),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish_child(child: subprocess.Popen[str]) -> dict[str, Any]:
    try:
        out, err = child.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        child.kill()
        raise
    assert child.returncode == 0, err[-3000:]
    return json.loads(out.strip().splitlines()[-1])
