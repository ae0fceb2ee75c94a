"""Names of leaves inside a pytree, such as ``interventions.reach`` or ``weights[2]``."""

from __future__ import annotations

import dataclasses
import difflib
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import ConfigurationError, require

_ELEMENT = re.compile(r"(?P<leaf>.+?)\[(?P<index>-?\d+(?:\s*,\s*-?\d+)*)\]")


@dataclasses.dataclass(frozen=True)
class Target:
    """Where a path leads.

    Attributes:
        leaf: the name of the leaf.
        index: the element of the leaf that is meant, ``()`` for all of it.
        shape: shape of what is meant.
        dtype: its dtype.
        leaf_shape: shape of the whole leaf.
    """

    leaf: str
    index: tuple[int, ...]
    shape: tuple[int, ...]
    dtype: np.dtype
    leaf_shape: tuple[int, ...]

    def overlaps(self, other: Target) -> bool:
        """Whether setting both would set something twice."""
        shared = min(len(self.index), len(other.index))
        return self.leaf == other.leaf and self.index[:shared] == other.index[:shared]


def path_name(path: tuple[Any, ...]) -> str:
    """A readable name of a key path of JAX: attributes and dictionary keys by dots, positions in brackets."""
    name = ""
    for entry in path:
        if isinstance(entry, jax.tree_util.SequenceKey):
            name += f"[{entry.idx}]"
            continue
        part = getattr(entry, "name", None) or getattr(entry, "key", entry)
        name += f".{part}" if name else str(part)
    return name


def leaves_by_name(tree: Any) -> dict[str, Any]:
    """Every leaf of a pytree by its name, in the order of the tree."""
    return {path_name(path): leaf for path, leaf in jax.tree_util.tree_leaves_with_path(tree)}


def find_target(tree: Any, path: str, field: str = "design") -> Target:
    """What ``path`` means in ``tree``.

    Args:
        tree: arrays.
        path: name of a leaf, or of an element of one in brackets.
        field: what to call the offender in an error.

    Raises:
        ConfigurationError: if there is no such leaf (the nearest is named), or it has no such element.
    """
    leaves = leaves_by_name(tree)
    name = path
    index: tuple[int, ...] = ()
    match = _ELEMENT.fullmatch(path)
    if path not in leaves and match is not None and match["leaf"] in leaves:
        name, index = match["leaf"], tuple(int(part) for part in match["index"].split(","))
    if name not in leaves:
        raise ConfigurationError(field, path, _advice(list(leaves), path))
    leaf = leaves[name]
    shape = np.shape(leaf)
    inside = [0 <= at < size for at, size in zip(index, shape, strict=False)]
    fits = len(index) <= len(shape) and all(inside)
    require(fits, field, path, f"{name} has the shape {shape}: use an index inside it")
    numeric = not jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    require(numeric, field, path, "a random key cannot be set: vary seeds")
    return Target(name, index, shape[len(index) :], np.dtype(leaf.dtype), shape)


def set_targets(tree: Any, values: dict[str, tuple[Target, Any]]) -> Any:
    """The tree with some leaves, or elements of leaves, replaced; ``values`` may be traced."""
    by_leaf: dict[str, list[tuple[Target, Any]]] = {}
    for target, value in values.values():
        by_leaf.setdefault(target.leaf, []).append((target, value))

    def changed(path: tuple[Any, ...], leaf: Any) -> Any:
        for target, value in by_leaf.get(path_name(path), ()):
            leaf = jnp.asarray(leaf)
            value = jnp.broadcast_to(value, target.shape).astype(leaf.dtype)
            leaf = leaf.at[target.index].set(value) if target.index else value
        return leaf

    return jax.tree_util.tree_map_with_path(changed, tree)


def _advice(known: list[str], path: str) -> str:
    below = [name for name in known if name.startswith((f"{path}.", f"{path}["))]
    if below:
        return f"is a group of leaves: name one of them, such as {below[0]!r}"
    near = difflib.get_close_matches(path, known, n=1, cutoff=0.0)
    return f"there is no such parameter; the nearest is {near[0]!r}" if near else "there are no parameters"
