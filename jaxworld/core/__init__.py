"""Floor 1: the contract, spaces, random streams, registry, rollout and episodes."""

from jaxworld.core.contract import ContractError, ContractReport, check_world, rollout_digest
from jaxworld.core.episodes import AutoReset, AutoResetInfo, EpisodeCap, EpisodeCapParams
from jaxworld.core.errors import CapacityError, ConfigurationError, JaxworldError, MissingExtraError, require
from jaxworld.core.policy import Policy, RandomPolicy
from jaxworld.core.pytree import pytree_dataclass, replace, static_field
from jaxworld.core.random import register_purpose, tick_key, world_key, world_keys
from jaxworld.core.registry import make, register, registered
from jaxworld.core.rollout import (
    Reducer,
    ReturnReducer,
    Returns,
    RolloutCarry,
    RolloutResult,
    Trajectory,
    Transition,
    rollout,
    rollout_chunk,
    rollout_start,
)
from jaxworld.core.spaces import Boolean, Box, Composite, Discrete, Space
from jaxworld.core.timestep import TimeStep, make_timestep
from jaxworld.core.world import World
from jaxworld.core.wrapper import Wrapper

__all__ = [
    "AutoReset",
    "AutoResetInfo",
    "Boolean",
    "Box",
    "CapacityError",
    "Composite",
    "ConfigurationError",
    "ContractError",
    "ContractReport",
    "Discrete",
    "EpisodeCap",
    "EpisodeCapParams",
    "JaxworldError",
    "MissingExtraError",
    "Policy",
    "RandomPolicy",
    "Reducer",
    "ReturnReducer",
    "Returns",
    "RolloutCarry",
    "RolloutResult",
    "Space",
    "TimeStep",
    "Trajectory",
    "Transition",
    "World",
    "Wrapper",
    "check_world",
    "make",
    "make_timestep",
    "pytree_dataclass",
    "register",
    "register_purpose",
    "registered",
    "replace",
    "require",
    "rollout",
    "rollout_chunk",
    "rollout_digest",
    "rollout_start",
    "static_field",
    "tick_key",
    "world_key",
    "world_keys",
]
