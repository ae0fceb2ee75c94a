"""One agent's part of a space, as Gymnasium writes spaces, and values on their way between both forms.

Here a value of all agents is one tree of arrays whose first axis is the agents', there every agent has a value of its
own. In between are *columns*: nested dicts of NumPy arrays ``[..., A, *shape]``, with booleans as ``int8``, which is
Gymnasium's form. What is shared by all agents (a shape without axes) is repeated for each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.core.spaces import Boolean, Box, Composite, Discrete, Space
from jaxworld.observe.space import DeliveredSpace


def import_gymnasium(purpose: str) -> Any:
    """Gymnasium with its vector module.

    Raises:
        MissingExtraError: if it is not installed.
    """
    try:
        import gymnasium
        import gymnasium.vector
    except ImportError as error:
        raise MissingExtraError("gymnasium", "adapters", purpose) from error
    return gymnasium


def agent_space(space: Space, num_agents: int, *, name: str, shared: bool) -> Any:
    """The Gymnasium space of one agent.

    Args:
        space: space of all agents together.
        num_agents: agents A.
        name: what an error calls the space.
        shared: whether there may be values that all agents share.

    Raises:
        ConfigurationError: naming the first part that has no agent axis.
    """
    spaces = import_gymnasium("a Gymnasium space").spaces
    parts = _parts(space)
    if parts is not None:
        return spaces.Dict(
            {
                field: agent_space(part, num_agents, name=f"{name}.{field}", shared=shared)
                for field, part in parts.items()
            }
        )
    whole = space.shape  # type: ignore[attr-defined]
    if not (whole[:1] == (num_agents,) or (shared and whole == ())):
        raise ConfigurationError(name, space.describe(), f"this world has no axis of {num_agents} agents there")
    shape = whole[1:]
    if isinstance(space, Box):
        return spaces.Box(space.low, space.high, shape, space.dtype)
    if isinstance(space, Discrete):
        size = space.num_categories - space.low
        if shape == ():
            return spaces.Discrete(size, start=space.low)
        return spaces.MultiDiscrete(np.full(shape, size), dtype=space.dtype, start=np.full(shape, space.low))
    return spaces.Discrete(2) if shape == () else spaces.MultiBinary(shape)


def is_member(space: Any, value: Any) -> bool:
    """Whether a value belongs to a Gymnasium space, where plain numbers count as arrays without axes."""
    if hasattr(space, "spaces"):
        fits = isinstance(value, Mapping) and set(value) == set(space.spaces)
        return fits and all(is_member(part, value[field]) for field, part in space.spaces.items())
    if isinstance(value, np.generic):
        value = np.asarray(value)
    elif isinstance(value, float) and space.dtype.kind == "f":
        value = np.asarray(value, space.dtype)
    return bool(space.contains(value))


def columns(space: Space, value: Any, num_agents: int) -> Any:
    """Columns of a value on the host, whose leaves may have further axes before those of the space."""

    def leaf(space: Space, value: Any) -> np.ndarray:
        array = np.asarray(value)
        if isinstance(space, Boolean):
            array = array.astype(np.int8)
        if space.shape == ():  # type: ignore[attr-defined]
            array = np.broadcast_to(array[..., None], (*array.shape, num_agents))
        return array

    return _walk(space, value, leaf)


def value_of(space: Space, made: Any) -> Any:
    """Undo :func:`columns` for a space without shared parts: a tree of the space's own class and dtypes."""
    if isinstance(space, Composite):
        values = {field: None if part is None else value_of(part, made[field]) for field, part in space.spaces.items()}
        return values if space.cls is None else space.cls(**values)
    dtype = bool if isinstance(space, Boolean) else space.dtype  # type: ignore[attr-defined]
    return np.asarray(made).astype(dtype)


def idle(space: Space) -> Any:
    """Columns of one member of a space: zeros, or the bound nearest to zero."""

    def leaf(space: Space, value: Any) -> np.ndarray:
        del value
        if isinstance(space, Box):
            return np.full(space.shape, np.clip(0, space.low, space.high), space.dtype)
        return np.zeros(space.shape, np.int64)  # type: ignore[attr-defined]

    return _walk(space, None, leaf)


def put(made: Any, index: int, value: Any) -> None:
    """Write one agent's value into columns."""
    if isinstance(made, dict):
        for field, part in made.items():
            put(part, index, value[field])
    else:
        made[index] = value


def take(made: Any, index: int) -> Any:
    """One agent's value out of columns."""
    if isinstance(made, dict):
        return {field: take(part, index) for field, part in made.items()}
    return np.asarray(made[index])


def flatten_agents(made: Any) -> Any:
    """Columns ``[W, A, ...]`` as ``[W * A, ...]``: agent a of world w is row ``w * A + a``."""
    if isinstance(made, dict):
        return {field: flatten_agents(part) for field, part in made.items()}
    return made.reshape(-1, *made.shape[2:])


def unflatten_agents(made: Any, num_agents: int) -> Any:
    """Undo :func:`flatten_agents`."""
    if isinstance(made, Mapping):
        return {field: unflatten_agents(part, num_agents) for field, part in made.items()}
    array = np.asarray(made)
    return array.reshape(-1, num_agents, *array.shape[1:])


def _walk(space: Space, value: Any, leaf: Callable[[Space, Any], np.ndarray]) -> Any:
    parts = _parts(space)
    if parts is None:
        return leaf(space, value)
    return {field: _walk(part, _field(value, field), leaf) for field, part in parts.items()}


def _parts(space: Space) -> dict[str, Space] | None:
    """The parts that hold something, None for a space of a single array."""
    if isinstance(space, DeliveredSpace):
        space = space.arrays
    if not isinstance(space, Composite):
        return None
    return {field: part for field, part in space.spaces.items() if part is not None}


def _field(value: Any, field: str) -> Any:
    return None if value is None else value[field] if isinstance(value, Mapping) else getattr(value, field)
