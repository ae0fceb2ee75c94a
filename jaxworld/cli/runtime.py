"""How the commands set up JAX: call :func:`prepare_jax` before anything touches a device.

What the user set by environment variable or configuration stays as it is.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from pathlib import Path
from typing import Any

import jax

_config: Any = jax.config
_DEVICE_COUNT_FLAG = "xla_force_host_platform_device_count"


def prepare_jax() -> None:
    """Keep compiled programs between runs, use every CPU, and be quiet about hardware that is not there."""
    logging.getLogger("jax._src.xla_bridge").setLevel(logging.ERROR)
    _keep_compiled_programs()
    _use_every_cpu()


def cache_folder() -> Path:
    """Where this platform keeps caches of this user, for jaxworld."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "jaxworld" / "jax"


def num_cpus() -> int:
    """CPUs this process may use: a scheduler often grants fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _keep_compiled_programs() -> None:
    """Turn the persistent cache on; a cache that cannot be had costs time only, so it is no error."""
    if _config.jax_compilation_cache_dir is None:
        try:
            folder = cache_folder()
            folder.mkdir(parents=True, exist_ok=True)
        except (OSError, RuntimeError):  # no home folder is a RuntimeError
            return
        if not os.access(folder, os.W_OK):
            return
        _config.update("jax_compilation_cache_dir", str(folder))
    _config.update("jax_persistent_cache_min_compile_time_secs", 0)
    _config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def _use_every_cpu() -> None:
    """One CPU device for each CPU, unless the user chose a number or another platform."""
    platforms = _config.jax_platforms or "cpu"
    chosen = _DEVICE_COUNT_FLAG in os.environ.get("XLA_FLAGS", "") or _config.jax_num_cpu_devices >= 0
    if chosen or "cpu" not in platforms.split(","):
        return
    with contextlib.suppress(RuntimeError):  # a backend runs already, as in a notebook: its devices stay
        _config.update("jax_num_cpu_devices", num_cpus())
