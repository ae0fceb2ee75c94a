"""From searched numbers to policies: which leaves of a policy are searched, within which bounds, for which groups."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.leaves import named_leaves
from jaxworld.core.pytree import pytree_dataclass, static_field


class Codec(Protocol):
    """Turns a candidate, which a strategy moves, into a policy, which plays."""

    def decode(self, candidate: Any) -> Any:
        """The policy of a candidate; pure and batchable."""


@pytree_dataclass
class Identity:
    """The candidate is the policy."""

    def decode(self, candidate: Any) -> Any:
        return candidate


@pytree_dataclass
class PolicyCodec:
    """Searches some leaves of any pytree policy, within bounds, in groups; the other leaves stay as they are.

    A candidate is a dictionary from leaf path to ``float32[G, ...]``, unbounded; 0 is the middle of the range. What
    plays is ``low + (high - low) * sigmoid(candidate)``, rounded where the leaf is of integers, and entry ``i`` of
    a leaf is that of its group ``group[i]``. Made by :func:`make_codec`.

    Attributes:
        paths: searched leaves, in the tree's order.
        policy: the policy around them.
        low, high: bounds of each searched leaf, ``float32[]`` each.
        group: ``int32[N]``, or None where leaves are searched entry by entry; -1 keeps the policy's own value.
    """

    paths: tuple[str, ...] = static_field()
    policy: Any
    low: dict[str, jax.Array]
    high: dict[str, jax.Array]
    group: jax.Array | None

    def decode(self, candidate: dict[str, jax.Array]) -> Any:
        """The policy with the candidate's values in place."""
        leaves = dict(named_leaves(self.policy))
        for path in self.paths:
            leaves[path] = self._value(path, candidate[path], jnp.asarray(leaves[path]))
        return jax.tree.unflatten(jax.tree.structure(self.policy), list(leaves.values()))

    def encode(self, policy: Any) -> dict[str, jax.Array]:
        """The candidate of a policy's values, each group by its first member; values at a bound are moved inside."""
        leaves, made = dict(named_leaves(policy)), {}
        for path in self.paths:
            value = jnp.asarray(leaves[path]).astype(jnp.float32)
            if self.group is not None:
                value = value[jnp.asarray(_first_members(np.asarray(self.group)))]
            share = (value - self.low[path]) / (self.high[path] - self.low[path])
            share = jnp.clip(share, np.float32(1e-4), np.float32(1 - 1e-4))
            made[path] = jnp.log(share) - jnp.log1p(-share)
        return made

    def _value(self, path: str, searched: jax.Array, own: jax.Array) -> jax.Array:
        low, high = self.low[path], self.high[path]
        value = low + (high - low) * jax.nn.sigmoid(searched)
        if jnp.issubdtype(own.dtype, jnp.integer):
            value = jnp.round(value)
        value = value.astype(own.dtype)
        if self.group is None:
            return value
        chosen = value[jnp.maximum(self.group, 0)]
        searched_row = (self.group >= 0).reshape(-1, *([1] * (own.ndim - 1)))
        return jnp.where(searched_row, chosen, own)


def make_codec(
    policy: Any, bounds: Mapping[str, tuple[float, float]], *, group: np.ndarray | None = None
) -> PolicyCodec:
    """Choose what to search of a policy.

    Args:
        policy: a pytree policy, such as the rule-based personas of the social worlds.
        bounds: path of a leaf to its lowest and highest value, such as ``{"traits.post": (0, 6_554)}``.
        group: ``int32[N]``, the group of each entry along the leading axis of the searched leaves, ``0 .. G - 1`` or
            -1 for those that keep their own value; None searches every entry by itself.

    Raises:
        ConfigurationError: for an unknown leaf, an empty range, or groups that do not fit.
    """
    leaves = {path.lstrip("."): (path, np.asarray(leaf)) for path, leaf in named_leaves(policy)}
    require(len(bounds) > 0, "bounds", dict(bounds), "name at least one leaf to search")
    low, high = {}, {}
    for name, (least, most) in bounds.items():
        if name.lstrip(".") not in leaves:
            near = difflib.get_close_matches(name, list(leaves), n=3, cutoff=0.3) or list(leaves)
            raise ConfigurationError("bounds", name, f"the policy has no such leaf; the nearest are {', '.join(near)}")
        path, leaf = leaves[name.lstrip(".")]
        require(leaf.dtype.kind in "iuf", f"bounds[{name}]", leaf.dtype.name, "only numbers can be searched")
        finite = bool(np.isfinite(least) and np.isfinite(most) and least < most)
        require(finite, f"bounds[{name}]", (least, most), "give a lower and a higher finite bound")
        low[path], high[path] = jnp.asarray(least, jnp.float32), jnp.asarray(most, jnp.float32)
        if group is not None:
            fits = leaf.ndim >= 1 and leaf.shape[0] == len(group)
            require(fits, "group", np.shape(group), f"{name} has the shape {leaf.shape}")
    paths = tuple(path for path, _ in named_leaves(policy) if path in low)
    made = None if group is None else jnp.asarray(_checked_groups(group))
    return PolicyCodec(paths=paths, policy=policy, low=low, high=high, group=made)


def _checked_groups(group: np.ndarray) -> np.ndarray:
    group = np.asarray(group)
    require(group.ndim == 1 and group.dtype.kind in "iu", "group", group, "give one whole number an entry")
    found = set(np.unique(group).tolist()) - {-1}
    numbered = bool(found) and found == set(range(len(found)))
    require(numbered, "group", sorted(found), "number the groups 0, 1, 2, ... without gaps (-1 for none)")
    return group.astype(np.int32)


def _first_members(group: np.ndarray) -> np.ndarray:
    return np.array([int(np.argmax(group == number)) for number in range(int(group.max()) + 1)], np.int32)


def candidate_size(candidate: Any) -> int:
    """How many numbers a candidate has."""
    return int(ravel_pytree(candidate)[0].size)
