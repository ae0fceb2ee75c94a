"""A world whose parameters also hold numbers of the policy, so that a sweep can vary both."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.timestep import TimeStep
from jaxworld.core.world import World
from jaxworld.core.wrapper import Wrapper
from jaxworld.study.sweep.families import Ranges, parameter_ranges


@dataclasses.dataclass(frozen=True)
class TunedConfig:
    """The wrapped world."""

    world: World[Any, Any, Any]


@pytree_dataclass
class TunedParams:
    """Parameters of world and policy.

    Attributes:
        world: those of the wrapped world.
        policy: a pytree of arrays; a policy finds it in what its ``init`` is given.
    """

    world: Any
    policy: Any


class TunedWorld(Wrapper):
    """Hands everything on to the wrapped world; only its parameters are :class:`TunedParams`."""

    def __init__(self, world: World[Any, Any, Any]) -> None:
        self.config = TunedConfig(world)

    def default_params(self) -> TunedParams:
        """The wrapped world's, and nothing for the policy."""
        return TunedParams(world=self.world.default_params(), policy=())

    def parameter_ranges(self) -> Ranges:
        """Those of the wrapped world."""
        return {f"world.{name}": ends for name, ends in parameter_ranges(self.world).items()}

    def reset(self, key: jax.Array, params: TunedParams) -> tuple[Any, TimeStep]:
        return self.world.reset(key, params.world)

    def step(self, key: jax.Array, state: Any, action: Any, params: TunedParams) -> tuple[Any, TimeStep]:
        return self.world.step(key, state, action, params.world)

    def public_state(self, state: Any) -> Any:
        return self.world.public_state(state)

    def check_flags(self, state: Any) -> None:
        self.world.check_flags(state)
