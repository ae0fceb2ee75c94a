"""What acts in a world."""

from __future__ import annotations

import dataclasses
from typing import Any, Protocol

import jax

from jaxworld.core.spaces import Space
from jaxworld.core.world import World


class Policy(Protocol):
    """Chooses the actions of all agents of one world.

    A policy with arrays of its own (weights, tables) is a pytree dataclass, so that many of them can be batched; one
    without is any hashable object. What it remembers between ticks is its carry.
    """

    def init(self, key: jax.Array, params: Any) -> Any:
        """The first carry (a pytree of arrays; ``()`` if nothing is remembered); ``params`` are the world's."""

    def act(self, key: jax.Array, carry: Any, observation: Any) -> tuple[Any, Any]:
        """``(action, carry)`` for one observation; ``action`` is a member of the world's action space."""


@dataclasses.dataclass(frozen=True, init=False)
class RandomPolicy:
    """Samples the action space uniformly.

    Args:
        world: the world to act in.
        params: its parameters, if the action space depends on them; the default ones if None.
    """

    space: Space

    def __init__(self, world: World, params: Any = None) -> None:
        params = world.default_params() if params is None else params
        object.__setattr__(self, "space", world.action_space(params))

    def init(self, key: jax.Array, params: Any) -> tuple[()]:
        del key, params
        return ()

    def act(self, key: jax.Array, carry: tuple[()], observation: Any) -> tuple[Any, tuple[()]]:
        del observation
        return self.space.sample(key), carry
