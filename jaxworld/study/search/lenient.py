"""Calling libraries that were not written for a strict JAX."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import jax


@contextlib.contextmanager
def lenient() -> Iterator[None]:
    """Inside, types and ranks mix as they do in JAX by default, also where the user has made it strict."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield
