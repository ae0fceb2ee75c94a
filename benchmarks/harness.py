"""Timing and machine facts that every benchmark shares."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxworld.cli.runtime import num_cpus


@dataclasses.dataclass(frozen=True)
class Timing:
    """Medians over repeats of one warm call. ``cpu_s`` sums all threads of the process."""

    wall_s: float
    cpu_s: float
    repeats: int

    def per(self, units: float) -> Timing:
        """The same time spread over ``units`` pieces of work."""
        return Timing(self.wall_s / units, self.cpu_s / units, self.repeats)


def measure(function: Callable[[], Any], repeats: int, *, warm_up: bool = True) -> Timing:
    """Call ``function`` ``repeats`` times after one unmeasured call; results are waited for."""
    if warm_up:
        jax.block_until_ready(function())
    walls, cpus = [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        jax.block_until_ready(function())
        cpus.append(time.process_time() - cpu)
        walls.append(time.perf_counter() - wall)
    return Timing(statistics.median(walls), statistics.median(cpus), repeats)


def compile_now(jitted: Any, *arguments: Any) -> tuple[Any, float]:
    """Compile ahead of time: the compiled function and the wall seconds that tracing and compiling took."""
    began = time.perf_counter()
    compiled = jitted.lower(*arguments).compile()
    return compiled, time.perf_counter() - began


def use_every_cpu() -> None:
    """One device per CPU. Compiled programs are not kept between runs, so that compile times are true ones."""
    with contextlib.suppress(RuntimeError):  # a backend runs already, as under pytest: its devices stay
        jax.config.update("jax_num_cpu_devices", num_cpus())


def peak_memory_bytes() -> int | None:
    """Largest resident size of this process so far; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def machine_facts() -> dict[str, Any]:
    """What a reader needs to place the numbers."""
    return {
        "processor": _processor(),
        "cpus": num_cpus(),
        "memory_gib": _memory_gib(),
        "system": platform.platform(terse=True),
        "load_average": [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "jax": jax.__version__,
        "devices": [f"{device.platform}:{device.device_kind}" for device in jax.devices()],
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _memory_gib() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None
