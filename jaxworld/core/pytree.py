"""Frozen dataclasses of arrays, registered with JAX as pytrees."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
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

    Not by ``jax.tree_util.register_dataclass``: structures made by it are equal whenever the fields are, whatever the
    type (JAX 0.10 and 0.12), so that a program compiled for one reducer without fields is now and then, as hashes
    happen to fall, run for another.
    """
    made = dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    fields = dataclasses.fields(made)  # type: ignore[arg-type]
    leaves = tuple(field.name for field in fields if not field.metadata.get("static"))
    static = tuple(field.name for field in fields if field.metadata.get("static"))
    keys = tuple(jax.tree_util.GetAttrKey(name) for name in leaves)

    def flatten(tree: T) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return tuple(getattr(tree, name) for name in leaves), tuple(getattr(tree, name) for name in static)

    def flatten_with_keys(tree: T) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        children, structure = flatten(tree)
        return tuple(zip(keys, children, strict=True)), structure

    def unflatten(structure: tuple[Any, ...], children: Iterable[Any]) -> T:
        return made(**dict(zip(leaves, children, strict=True)), **dict(zip(static, structure, strict=True)))

    jax.tree_util.register_pytree_with_keys(made, flatten_with_keys, unflatten, flatten)
    return made


def replace(tree: T, **changes: Any) -> T:
    """Return a copy of the dataclass ``tree`` with some fields changed."""
    return dataclasses.replace(tree, **changes)  # type: ignore[type-var]


def as_arrays(tree: T) -> T:
    """Turn NumPy leaves into JAX arrays; parameters are built on the host and may be closed over uncompiled."""
    return jax.tree.map(jnp.asarray, tree)
