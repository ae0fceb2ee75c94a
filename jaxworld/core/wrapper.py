"""Worlds around worlds."""

from __future__ import annotations

from typing import Any

from jaxworld.core.spaces import Space
from jaxworld.core.world import World


class Wrapper(World[Any, Any, Any]):
    """A world that hands everything to ``self.config.world`` except what a subclass overrides.

    The configuration of a wrapper is a frozen dataclass with a field ``world``, its state and parameters are pytree
    dataclasses with a field ``world`` for those of the wrapped one.
    """

    @property
    def world(self) -> World[Any, Any, Any]:
        """The wrapped world."""
        return self.config.world  # type: ignore[no-any-return]

    @property
    def num_agents(self) -> int:
        return self.world.num_agents

    @property
    def sets_truncated(self) -> bool:
        """Whether this world or one inside it cuts episodes from outside."""
        return bool(getattr(self.world, "sets_truncated", False))

    @property
    def restarts(self) -> bool:
        """Whether this world or one inside it starts the next episode by itself."""
        return bool(getattr(self.world, "restarts", False))

    def inner_params(self, params: Any) -> Any:
        """The wrapped world's parameters inside ``params``."""
        return params.world

    def observation_space(self, params: Any) -> Space:
        return self.world.observation_space(self.inner_params(params))

    def action_space(self, params: Any) -> Space:
        return self.world.action_space(self.inner_params(params))

    def public_state(self, state: Any) -> Any:
        return self.world.public_state(state.world)

    def check_flags(self, state: Any) -> None:
        self.world.check_flags(state.world)
