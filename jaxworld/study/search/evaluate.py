"""How good candidates are: rollouts of candidates × worlds in blocks of one width."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.tree_util import PyTreeDef

from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.core.random import world_keys
from jaxworld.core.rollout import Reducer, Returns, rollout
from jaxworld.core.world import World
from jaxworld.study import batching
from jaxworld.study.search.codec import Codec, Identity

_HELD_OUT_BIT = 1 << 63
"""Held-out seeds have this bit, training seeds never do: no search can meet its own held-out worlds."""


class Objective(Protocol):
    """Scores one candidate in one world. A pytree, or any hashable object or function."""

    def __call__(self, candidate: Any, key: jax.Array) -> jax.Array:
        """``float32[]``, higher is better; NaN if the run was void."""


def mean_return(summary: Returns) -> jax.Array:
    """Total reward, averaged over the agents: ``float32[]``."""
    return summary.total_reward.mean()


@pytree_dataclass
class RolloutObjective:
    """Scores a candidate by playing its policy in a world. An :class:`Objective`.

    Attributes:
        world: any world.
        num_steps: length of a run.
        score: from the reducer's summary to ``float32[]``; the mean return by default.
        reducer: what is measured; a pytree or hashable. Returns by default.
        params: the world's parameters.
        codec: from candidate to policy; by default the candidate is the policy.
    """

    world: World[Any, Any, Any] = static_field()
    num_steps: int = static_field()
    score: Callable[[Any], jax.Array] = static_field(default=mean_return)
    reducer: Reducer | None = None
    params: Any
    codec: Codec = Identity()

    def __call__(self, candidate: Any, key: jax.Array) -> jax.Array:
        policy = self.codec.decode(candidate)
        played = rollout(self.world, policy, key, self.num_steps, self.params, reducer=self.reducer)
        return self.score(played.summary)


def world_objective(
    world: World[Any, Any, Any], num_steps: int, params: Any = None, **options: Any
) -> RolloutObjective:
    """A :class:`RolloutObjective` with checked arguments.

    Args:
        world: any world.
        num_steps: length of a run, at least 1.
        params: the world's parameters; the default ones if None.
        **options: further fields of :class:`RolloutObjective`.

    Raises:
        ConfigurationError: for a run without steps.
    """
    require(isinstance(num_steps, int) and num_steps >= 1, "num_steps", num_steps, "use at least 1 step")
    params = world.default_params() if params is None else params
    return RolloutObjective(world=world, num_steps=num_steps, params=params, **options)


def training_seeds(seed: int, generation: int, number: int) -> np.ndarray:
    """World seeds ``uint64[number]`` of one generation, the same for all its candidates, fresh in every generation."""
    return _seeds(f"search/train:{seed}:{generation}", number)


def held_out_seeds(seed: int, number: int) -> np.ndarray:
    """World seeds ``uint64[number]`` that no search trains on, whatever its seed."""
    return _seeds(f"search/held_out:{seed}", number) | np.uint64(_HELD_OUT_BIT)


def _seeds(name: str, number: int) -> np.ndarray:
    """The first 63 bits of SHA-256 of ``name:index``."""
    digests = (hashlib.sha256(f"{name}:{index}".encode()).digest()[:8] for index in range(number))
    return np.array([int.from_bytes(digest, "big") & (_HELD_OUT_BIT - 1) for digest in digests], dtype=np.uint64)


class Evaluator:
    """Evaluates populations of one objective; compiles once, whatever the numbers of candidates and worlds.

    Pairs of candidate and world run in blocks of one width, one block a device at a time, so memory grows with
    neither number, and a pair computes the same bits whatever else is evaluated, on however many devices.

    Args:
        objective: what is measured.
        block: pairs in a block.
        devices: devices to use; all local ones by default.

    Raises:
        ConfigurationError: for a block that is not at least 1.
    """

    def __init__(self, objective: Objective, *, block: int = 64, devices: list[Any] | None = None) -> None:
        require(isinstance(block, int) and block >= 1, "block", block, "use at least 1")
        self.mesh: Mesh = batching.world_mesh(devices)
        self.block = block
        leaves: list[Any] = []
        structure: Any = objective
        if not jax.tree_util.all_leaves([objective]):
            leaves, structure = jax.tree.flatten(objective)
        self._leaves = batching.replicate([jnp.asarray(leaf) for leaf in leaves], self.mesh)
        self._run = _compiled(structure, self.mesh, block)

    def scores(self, population: Any, seeds: np.ndarray) -> np.ndarray:
        """Raw scores ``float32[P, W]`` of every candidate in every world.

        Args:
            population: candidates, with a leading axis P on every leaf.
            seeds: ``uint64[W]``, worlds; the same for every candidate.
        """
        rows = jax.tree.map(np.asarray, population)
        number, width = int(jax.tree.leaves(rows)[0].shape[0]), self.mesh.size * self.block
        words = np.asarray(jax.random.key_data(world_keys(seeds)))
        total = number * len(seeds)
        parts = []
        for first in range(0, total, width):
            # The last part is filled up with its own first pair, to keep its shape.
            pair = np.where(np.arange(first, first + width) < total, np.arange(first, first + width), first)
            candidate, world = np.divmod(pair, len(seeds))
            chosen = jax.tree.map(lambda leaf, candidate=candidate: leaf[candidate], rows)
            parts.append(self._run(batching.distribute((chosen, words[world]), self.mesh), self._leaves))
        return np.concatenate([np.asarray(part) for part in parts])[:total].reshape(number, len(seeds))


@functools.lru_cache(maxsize=64)
def _compiled(structure: Any, mesh: Mesh, block: int) -> Callable[..., jax.Array]:
    """The program for objectives of one structure; equal ones share it, so a second search does not compile again."""

    def one_pair(pair: Any, leaves: list[jax.Array]) -> jax.Array:
        candidate, words = pair
        objective = jax.tree.unflatten(structure, leaves) if isinstance(structure, PyTreeDef) else structure
        return objective(candidate, jax.random.wrap_key_data(words, impl="threefry2x32"))

    return batching.map_worlds(one_pair, mesh, block)


def fitness_of(scores: np.ndarray) -> np.ndarray:
    """Raw fitness ``float32[P]``: the mean over worlds, NaN if any of a candidate's worlds gave no finite score."""
    wide = np.asarray(scores, np.float64)
    means = np.where(np.isfinite(wide), wide, 0.0).mean(axis=1)
    return np.where(np.isfinite(wide).all(axis=1), means, np.nan).astype(np.float32)
