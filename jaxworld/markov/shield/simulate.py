"""Playing a shielded game many times: how often the label is reached, against the budget."""

from __future__ import annotations

import dataclasses
import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import whole
from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass, static_field
from jaxworld.core.random import entity_bits, index_identity, key_words, uniform_index, world_keys
from jaxworld.core.rollout import rollout
from jaxworld.core.timestep import TimeStep
from jaxworld.markov.bits import pack
from jaxworld.markov.shield.nodes import find_node
from jaxworld.markov.shield.tables import ShieldTables
from jaxworld.markov.shield.world import ShieldObservation, TransitionShield, TransitionShieldParams
from jaxworld.markov.solve.rows import check_policy

WISHES = ("riskiest", "random")
"""What the shielded player wants: the riskiest action its mask allows, or any action at all, allowed or not."""


@dataclasses.dataclass(frozen=True)
class SimulatedRisk:
    """How often the label was reached.

    Attributes:
        unsafe: share of episodes.
        half_width: half a 95 % interval around it (Wilson's, so that it is not 0 at 0).
        episodes: how many were played.
        ended: share that ended within the steps given.
        replaced: mean number of replaced actions in an episode.
    """

    unsafe: float
    half_width: float
    episodes: int
    ended: float
    replaced: float


@pytree_dataclass
class ShieldedPlay:
    """A policy for all players of a shielded game.

    Attributes:
        tables: of the shield.
        floor: ``int32[]``, level floor.
        below: ``uint32[S, A_others]``, thresholds of the others' cumulative probabilities.
        player, num_actions, wish: static.
    """

    tables: ShieldTables
    floor: jax.Array
    below: jax.Array
    player: int = static_field()
    num_actions: tuple[int, ...] = static_field()
    wish: str = static_field()

    def init(self, key: jax.Array, params: Any) -> tuple[()]:
        del key, params
        return ()

    def act(self, key: jax.Array, carry: tuple[()], observation: ShieldObservation) -> tuple[jax.Array, tuple[()]]:
        node, _ = find_node(self.tables.index, pack(observation.inner[0]))
        bits = entity_bits(key_words(key), index_identity(np.arange(2, dtype=np.uint32)), 1)[0]
        own = self._own(bits[0], node, observation.mask)
        drawn = jnp.broadcast_to(bits[1], self.below[node].shape)
        other = (drawn >= self.below[node]).sum(dtype=jnp.int32)
        return jnp.stack(self._split(own, jnp.minimum(other, np.int32(self.below.shape[1] - 1)))), carry

    def _own(self, bits: jax.Array, node: jax.Array, mask: jax.Array) -> jax.Array:
        if self.wish == "random":
            return uniform_index(bits, jnp.asarray(mask.shape[0], jnp.uint32))
        risk = self.tables.risk[self.floor, node]
        return jnp.argmax(jnp.where(mask, risk, jnp.full_like(risk, -1))).astype(jnp.int32)

    def _split(self, own: jax.Array, other: jax.Array) -> list[jax.Array]:
        """The action of each player."""
        actions = []
        for player in reversed(range(len(self.num_actions))):
            if player == self.player:
                actions.append(own)
            else:
                count = np.int32(self.num_actions[player])
                actions.append(other % count)
                other = other // count
        return actions[::-1]


@pytree_dataclass
class LabelReducer:
    """Whether a label has held, whether the episode has ended, and how many actions were replaced, until the end."""

    label: int = static_field()

    def init(self, timestep: TimeStep) -> Any:
        return timestep.info.inner.labels[self.label], timestep.done.all(), jnp.zeros((), jnp.int32)

    def update(self, carry: Any, timestep: TimeStep, action: Any) -> tuple[Any, None]:
        del action
        held, done, replaced = carry
        made = held | timestep.info.inner.labels[self.label], done | timestep.done.all()
        return (*made, replaced + timestep.info.replaced.astype(jnp.int32)), None

    def final(self, carry: Any) -> Any:
        return carry


def make_play(
    shield: TransitionShield, params: TransitionShieldParams, others: np.ndarray, wish: str = "riskiest"
) -> ShieldedPlay:
    """A policy for all players: the shielded one wishes, the others draw from ``others float64[S, A_others]``.

    Raises:
        ConfigurationError: for an unknown wish or a policy of another shape.
    """
    require(wish in WISHES, "wish", wish, f"use one of {', '.join(WISHES)}")
    model = shield.model
    shape = len(model.target), math.prod(model.graph.num_actions) // model.graph.num_actions[model.player]
    cumulative = np.cumsum(check_policy("others", others, shape), axis=1)
    below = np.clip(np.floor(cumulative * 2.0**32), 0, 2**32 - 1).astype(np.uint32)
    return ShieldedPlay(
        tables=params.tables,
        floor=params.level_floor,
        below=jnp.asarray(below),
        player=model.player,
        num_actions=tuple(model.graph.num_actions),
        wish=wish,
    )


def simulate_shield(
    shield: TransitionShield,
    params: TransitionShieldParams,
    others: np.ndarray,
    *,
    wish: str = "riskiest",
    episodes: int = 10_000,
    steps: int = 200,
    seed: int = 0,
) -> SimulatedRisk:
    """Play episodes of at most so many steps.

    Args:
        shield: the shielded game.
        params: its parameters.
        others: what the others do, ``float64[S, A_others]``.
        wish: one of :data:`WISHES`.
        episodes: seeds ``seed .. seed + episodes - 1``.
        steps: steps of each.
        seed: of the first episode.

    Raises:
        ConfigurationError: for arguments that cannot work.
        CapacityError: if the game leaves the shield's graph.
    """
    whole("episodes", episodes, 1, 10**8)
    whole("steps", steps, 0, 10**6)
    play = make_play(shield, params, others, wish)
    label = tuple(shield.world.label_names).index(shield.model.label)  # type: ignore[attr-defined]
    keys = world_keys(range(seed, seed + episodes))
    (held, done, replaced), state = jax.device_get(_episodes(shield, steps, label, keys, params, play))
    shield.check_flags(state)
    share = float(held.mean())
    return SimulatedRisk(
        unsafe=share,
        half_width=_half_width(share, episodes),
        episodes=episodes,
        ended=float(done.mean()),
        replaced=float(replaced.mean()),
    )


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def _episodes(shield: TransitionShield, steps: int, label: int, keys: jax.Array, params: Any, play: Any) -> Any:
    def one(key: jax.Array) -> Any:
        made = rollout(shield, play, key, steps, params, reducer=LabelReducer(label=label))
        return made.summary, made.carry.state

    return jax.vmap(one)(keys)


def _half_width(share: float, count: int) -> float:
    """Wilson (1927), at 95 %."""
    z = 1.959964
    return z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
