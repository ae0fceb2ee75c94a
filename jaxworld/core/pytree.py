"""Frozen dataclasses of arrays, registered with JAX as pytrees."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar, dataclass_transform

import jax
import jax.numpy as jnp

T = TypeVar("T")


def static_field(**kwargs: Any) -> Any:
    """A dataclass field that is part of the tree structure (hashable, never traced)."""
    return dataclasses.field(metadata={"static": True}, **kwargs)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(static_field, dataclasses.field))
def pytree_dataclass(cls: type[T]) -> type[T]:
    """Make ``cls`` a frozen, keyword-only dataclass and register it as a pytree.

    Fields made with :func:`static_field` belong to the structure, all others are leaves or subtrees.
    """
    made = dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    return jax.tree_util.register_dataclass(made)


def replace(tree: T, **changes: Any) -> T:
    """Return a copy of the dataclass ``tree`` with some fields changed."""
    return dataclasses.replace(tree, **changes)  # type: ignore[type-var]


def as_arrays(tree: T) -> T:
    """Turn NumPy leaves into JAX arrays; parameters are built on the host and may be closed over uncompiled."""
    return jax.tree.map(jnp.asarray, tree)
