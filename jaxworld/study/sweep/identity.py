"""A fingerprint of what a sweep computes, so that results of two configurations are never mixed."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import json
import re
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import require
from jaxworld.core.world import World

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def describe(thing: Any, field: str = "configuration") -> Any:
    """Plain JSON that is equal for equal things, also in another process.

    Arrays are described by dtype, shape and SHA-256 of their bytes, functions by name, source and what they close
    over.

    Raises:
        ConfigurationError: for an object of which only its address in memory is known.
    """
    if thing is None or isinstance(thing, bool | int | float | str):
        return thing
    if isinstance(thing, np.ndarray | np.generic | jax.Array):
        return _describe_array(thing)
    if isinstance(thing, Mapping):
        return [[describe(key, field), describe(value, field)] for key, value in thing.items()]
    if isinstance(thing, list | tuple):
        return [describe(entry, field) for entry in thing]
    if isinstance(thing, functools.partial):
        return ["partial", describe(thing.func, field), describe(thing.args, field), describe(thing.keywords, field)]
    if isinstance(thing, World):
        return [_type_name(type(thing)), describe(thing.config, field)]
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        fields = {entry.name: getattr(thing, entry.name) for entry in dataclasses.fields(thing)}
        return [_type_name(type(thing)), describe(fields, field)]
    if inspect.isroutine(thing):
        return _describe_function(thing, field)
    text = _type_name(thing) if isinstance(thing, type) else repr(thing)
    remedy = "cannot be told from others of its kind: make it a frozen dataclass, or give it a __repr__"
    require(_ADDRESS.search(text) is None, field, thing, remedy)
    return text


def fingerprint(description: Any) -> str:
    """The first 16 hexadecimal digits of SHA-256 of a description."""
    text = json.dumps(description, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _describe_array(thing: Any) -> str:
    if isinstance(thing, jax.Array) and jnp.issubdtype(thing.dtype, jax.dtypes.prng_key):
        thing = jax.random.key_data(thing)
    array = np.ascontiguousarray(np.asarray(thing))
    return f"{array.dtype.name}{list(np.shape(thing))}:{hashlib.sha256(array.tobytes()).hexdigest()}"


def _describe_function(function: Any, field: str) -> Any:
    inside = getattr(function, "__func__", function)
    try:
        source = inspect.getsource(inside)
    except (OSError, TypeError):
        source = ""
    cells = [cell.cell_contents for cell in getattr(inside, "__closure__", None) or ()]
    owner = getattr(function, "__self__", None)
    bound = None if inspect.ismodule(owner) else describe(owner, field)
    return [_type_name(inside), source, describe(cells, field), bound]


def _type_name(thing: Any) -> str:
    return f"{thing.__module__}.{thing.__qualname__}"
