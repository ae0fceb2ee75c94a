"""Replay of public states: what was seen, what was done, what came of it. World and opponent models share it."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import whole
from jaxworld.core.episodes import AutoReset, EpisodeCap
from jaxworld.core.policy import Policy, RandomPolicy
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.random import world_keys
from jaxworld.core.rollout import rollout
from jaxworld.core.timestep import TimeStep
from jaxworld.markov.bits import pack, unpack_host
from jaxworld.markov.game import MarkovGame


@pytree_dataclass
class Replay:
    """N transitions. Ended states are never acted in, and no transition leads from one episode into the next.

    Attributes:
        state: ``uint32[N, W]``, packed public bits acted on.
        action: ``int32[N, A]``.
        reward: ``float32[N, A]``.
        discount: ``float32[N]``, 0 where the game ended, 1 where it goes on, also where the episode was cut.
        truncated: ``bool[N]``, the episode was cut here.
        successor: ``uint32[N, W]``, packed public bits of the true successor, also where the episode was cut.
    """

    state: Any
    action: Any
    reward: Any
    discount: Any
    truncated: Any
    successor: Any

    @property
    def size(self) -> int:
        """N."""
        return int(self.action.shape[0])

    def bits(self, num_bits: int) -> tuple[np.ndarray, np.ndarray]:
        """Public bits of states and successors, ``bool[N, B]`` each."""
        return unpack_host(self.state, num_bits), unpack_host(self.successor, num_bits)


@pytree_dataclass
class _ReplayReducer:
    """Outputs each transition with its true successor, which ``AutoReset`` keeps beside the state to act on."""

    def init(self, timestep: TimeStep) -> Any:
        return timestep.observation

    def update(self, carry: Any, timestep: TimeStep, action: Any) -> tuple[Any, Replay]:
        made = Replay(
            state=pack(carry[0]),
            action=action,
            reward=timestep.reward,
            discount=np.float32(1) - timestep.terminated.all().astype(jnp.float32),
            truncated=timestep.truncated.any(),
            successor=pack(timestep.info.final_observation[0]),
        )
        return timestep.observation, made

    def final(self, carry: Any) -> Any:
        return carry


def collect_replay(
    game: MarkovGame[Any, Any],
    *,
    max_steps: int,
    num_steps: int,
    num_worlds: int = 64,
    params: Any = None,
    policy: Policy | None = None,
    seed: int = 0,
) -> Replay:
    """Play worlds side by side, each with a hidden step limit and automatic restarts.

    Args:
        game: the game.
        max_steps: the hidden limit of an episode.
        num_steps: steps of each world.
        num_worlds: worlds, with seeds ``seed .. seed + num_worlds - 1``.
        params: the game's parameters; the default ones if None.
        policy: who plays; uniform if None.
        seed: of the first world.

    Returns:
        A replay of ``num_worlds * num_steps`` transitions in NumPy arrays, world by world.

    Raises:
        ConfigurationError: for numbers out of range.
    """
    whole("num_steps", num_steps, 1, 10**8)
    whole("num_worlds", num_worlds, 1, 10**7)
    world = AutoReset(EpisodeCap(game, max_steps))
    inner = world.world.default_params()
    if params is not None:
        inner = type(inner)(world=params, max_steps=inner.max_steps)
    chosen = RandomPolicy(world, inner) if policy is None else policy
    keys = world_keys(range(seed, seed + num_worlds))
    made = jax.device_get(_play(world, chosen, num_steps, keys, inner))
    return jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), made)  # type: ignore[no-any-return]


def _play(world: Any, policy: Any, num_steps: int, keys: jax.Array, params: Any) -> Any:
    @functools.partial(jax.jit)
    def everyone(keys: jax.Array, params: Any) -> Any:
        one = lambda key: rollout(world, policy, key, num_steps, params, reducer=_ReplayReducer()).outputs  # noqa: E731
        return jax.vmap(one)(keys)

    return everyone(keys, params)
