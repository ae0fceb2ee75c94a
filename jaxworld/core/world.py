"""The contract every world keeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import jax

from jaxworld.core.spaces import Space
from jaxworld.core.timestep import TimeStep

StateT = TypeVar("StateT")
ParamsT = TypeVar("ParamsT")
ActionT = TypeVar("ActionT")


class World(ABC, Generic[StateT, ParamsT, ActionT]):
    """A law over arrays: static configuration here, everything a study sweeps in ``params``.

    A world object holds only hashable, static configuration; two worlds with equal ``config`` are equal, so a world
    can be a static argument of ``jax.jit``. State, parameters, actions and time steps are pytrees of arrays.
    ``reset`` and ``step`` are pure and work unchanged under ``jit``, ``vmap``, ``scan``, ``shard_map`` and in a
    Python loop. They take the key of *one tick* (see ``jaxworld.core.random.tick_key``); a caller that reuses a key
    repeats its draws.

    Worlds have no clock limit and no reset of their own: wrap them in ``EpisodeCap`` and ``AutoReset``. Stepping
    a world whose agents have all terminated changes nothing and rewards nothing.
    """

    config: Any
    """Frozen dataclass: fixes every shape."""

    @property
    @abstractmethod
    def num_agents(self) -> int:
        """Length A of the agent axis."""

    @abstractmethod
    def default_params(self) -> ParamsT:
        """Parameters that passed this world's host-side checks."""

    @abstractmethod
    def reset(self, key: jax.Array, params: ParamsT) -> tuple[StateT, TimeStep]:
        """The first state and its time step; ``key`` is the key of tick 0."""

    @abstractmethod
    def step(self, key: jax.Array, state: StateT, action: ActionT, params: ParamsT) -> tuple[StateT, TimeStep]:
        """Advance one tick with the actions of all agents; ``key`` is the key of the tick being entered."""

    @abstractmethod
    def observation_space(self, params: ParamsT) -> Space:
        """Space of ``TimeStep.observation``, for all agents together."""

    @abstractmethod
    def action_space(self, params: ParamsT) -> Space:
        """Space of ``action``, for all agents together; it can sample under ``jit``."""

    def public_state(self, state: StateT) -> Any:
        """The public Markov state, where a family promises one; the whole state by default."""
        return state

    def check_flags(self, state: StateT) -> None:
        """Host: raise ``CapacityError`` if a kernel raised an overflow flag in ``state`` (batched or not)."""
        del state

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.config == other.config  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), self.config))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.config!r})"
