"""Between spaces and vectors: observations become numbers a network can read, its outputs become actions."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.spaces import Boolean, Box, Composite, Discrete, Space
from jaxworld.core.world import World

ONE_HOT_LIMIT = 64
"""Categories up to which a discrete observation becomes one input a category; above, one number in [-1, 1]."""


@dataclasses.dataclass(frozen=True)
class Interface:
    """How one world's spaces look to a network; static and hashable.

    Inputs of an agent are its rows of all observation leaves, one after the other: numbers between finite bounds
    are scaled to [-1, 1], others taken as they are, booleans are 0 or 1, categories are one-hot (absent is all
    zeros). A leaf without an agent axis is shown to every agent.

    Outputs of an agent are read in the same order: a category is the largest of its outputs, a boolean is true above
    0, a number between finite bounds is a tanh scaled to them, any other is the output itself (clipped to a bound).

    Attributes:
        num_agents: length A of the agent axis.
        observation, action: the spaces.
    """

    num_agents: int
    observation: Space
    action: Space

    @property
    def num_inputs(self) -> int:
        """Inputs of one agent."""
        return sum(_num_inputs(leaf, self.num_agents) for leaf in _leaves(self.observation))

    @property
    def num_outputs(self) -> int:
        """Outputs of one agent."""
        return sum(_num_outputs(leaf) for leaf in _leaves(self.action))

    def encode(self, observation: Any) -> jax.Array:
        """``float32[A, num_inputs]``."""
        parts = [_encode(space, value, self.num_agents) for space, value in _pairs(self.observation, observation)]
        return jnp.concatenate(parts, axis=1)

    def decode(self, outputs: jax.Array) -> Any:
        """An action of all agents from ``float32[A, num_outputs]``."""
        return _decode(self.action, outputs)[0]


def make_interface(world: World[Any, Any, Any], params: Any = None) -> Interface:
    """The interface of a world.

    Raises:
        ConfigurationError: if its actions are not numbers, categories or booleans with a leading agent axis.
    """
    params = world.default_params() if params is None else params
    observation, action = world.observation_space(params), world.action_space(params)
    for leaf in _leaves(action):
        shape = leaf.shape
        fits = len(shape) >= 1 and shape[0] == world.num_agents and isinstance(leaf, Box | Discrete | Boolean)
        fits = fits and not (isinstance(leaf, Box) and np.dtype(leaf.dtype).kind in "iu")
        remedy = "array policies act in floats, categories and booleans with a leading agent axis: write a policy"
        require(fits, "action space", leaf.describe(), remedy)
    return Interface(world.num_agents, observation, action)


def _leaves(space: Space | None) -> Iterator[Any]:
    if isinstance(space, Composite):
        for part in space.spaces.values():
            yield from _leaves(part)
    elif isinstance(space, Box | Discrete | Boolean):
        yield space
    elif space is not None:
        raise ConfigurationError("space", space.describe(), "array policies know Box, Discrete, Boolean and Composite")


def _pairs(space: Space | None, value: Any) -> Iterator[tuple[Any, Any]]:
    """Leaf spaces with their values, in the order of :func:`_leaves`."""
    if isinstance(space, Composite):
        for name, part in space.spaces.items():
            yield from _pairs(part, value[name] if space.cls is None else getattr(value, name))
    elif space is not None:
        yield space, value


def _per_agent(shape: tuple[int, ...], num_agents: int) -> tuple[int, ...]:
    """Shape of one agent's rows; a leaf without agent axis is everybody's."""
    return shape[1:] if shape and shape[0] == num_agents else shape


def _one_hot(space: Any) -> bool:
    return isinstance(space, Discrete) and space.num_categories <= ONE_HOT_LIMIT


def _num_inputs(space: Any, num_agents: int) -> int:
    size = math.prod(_per_agent(space.shape, num_agents))
    return size * space.num_categories if _one_hot(space) else size


def _encode(space: Any, value: jax.Array, num_agents: int) -> jax.Array:
    shape = _per_agent(space.shape, num_agents)
    if shape == space.shape:
        value = jnp.broadcast_to(value[None], (num_agents, *shape))
    flat = value.reshape(num_agents, -1)
    if _one_hot(space):
        flat = (flat[:, :, None] == jnp.arange(space.num_categories, dtype=flat.dtype)[None, None]).reshape(
            num_agents, -1
        )
        return flat.astype(jnp.float32)
    flat = flat.astype(jnp.float32)
    low, high = _bounds(space)
    if math.isfinite(low) and math.isfinite(high) and high > low and not isinstance(space, Boolean):
        return (flat - np.float32(low)) * np.float32(2.0 / (high - low)) - np.float32(1)
    return flat


def _bounds(space: Any) -> tuple[float, float]:
    if isinstance(space, Discrete):
        return float(space.low), float(space.num_categories - 1)
    return (0.0, 1.0) if isinstance(space, Boolean) else (float(space.low), float(space.high))


def _num_outputs(space: Any) -> int:
    size = math.prod(space.shape[1:])
    return size * space.num_categories if isinstance(space, Discrete) else size


def _decode(space: Space | None, outputs: jax.Array) -> tuple[Any, jax.Array]:
    """The action and the outputs that are left."""
    if space is None:
        return None, outputs
    if isinstance(space, Composite):
        made: dict[str, Any] = {}
        for name, part in space.spaces.items():
            made[name], outputs = _decode(part, outputs)
        return (made if space.cls is None else space.cls(**made)), outputs
    number = _num_outputs(space)
    return _decode_leaf(space, outputs[:, :number]), outputs[:, number:]


def _decode_leaf(space: Any, outputs: jax.Array) -> jax.Array:
    if isinstance(space, Discrete):
        scores = outputs.reshape(*space.shape, space.num_categories)
        return jnp.argmax(scores, axis=-1).astype(space.dtype)
    values = outputs.reshape(space.shape)
    if isinstance(space, Boolean):
        return values > 0
    low, high = np.float32(space.low), np.float32(space.high)
    if math.isfinite(space.low) and math.isfinite(space.high):
        half = np.float32((space.high - space.low) / 2)
        return jnp.clip(low + half * (jnp.tanh(values) + np.float32(1)), low, high).astype(space.dtype)
    return jnp.clip(values, low, high).astype(space.dtype)
