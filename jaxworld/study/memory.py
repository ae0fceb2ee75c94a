"""How much memory a run may use, and how much it will."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import require

GIB = 2**30
_DEFAULT_SHARE = 0.4
"""Of the memory that is free, what a run takes unless told otherwise: results and the host need the rest."""


def available_bytes() -> int:
    """Free memory of this machine, within its control group's limit if there is one."""
    free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) * 1024
    limit, used = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")
    if limit.exists() and used.exists():
        text = limit.read_text().strip()
        if text.isdigit():
            free = min(free, max(int(text) - int(used.read_text()), 0))
    return free


def memory_budget(max_memory: float | None) -> int:
    """Bytes a run may hold: ``max_memory`` GiB, or a share of what is free.

    Raises:
        ConfigurationError: if ``max_memory`` is not positive.
    """
    if max_memory is None:
        return int(available_bytes() * _DEFAULT_SHARE)
    require(max_memory > 0, "max_memory", max_memory, "use a positive number of GiB")
    return int(max_memory * GIB)


def tree_bytes(tree: Any) -> int:
    """Bytes of all leaves of a pytree of arrays or shapes (typed keys count as two words)."""

    def leaf_bytes(leaf: Any) -> int:
        if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            return int(np.prod(leaf.shape, dtype=np.int64)) * 8
        return int(np.prod(leaf.shape, dtype=np.int64)) * np.dtype(leaf.dtype).itemsize

    return sum(leaf_bytes(leaf) for leaf in jax.tree.leaves(tree))
