"""A stable name for a configuration: equal in every process, different as soon as anything that matters is."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
import types
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_MOST_DEPTH = 24


def fingerprint(thing: Any) -> str:
    """SHA-256 (hex) of what :func:`canonical` makes of ``thing``."""
    return hashlib.sha256(repr(canonical(thing)).encode()).hexdigest()


def canonical(thing: Any, depth: int = 0) -> Any:
    """Nested tuples of text and numbers that say what ``thing`` is.

    Arrays count by their bytes, dataclasses by class and fields, functions by name, code and what they close over
    (an optax optimiser is such a function), anything else by its class and its representation.
    """
    if depth > _MOST_DEPTH:
        return "..."
    deeper = functools.partial(canonical, depth=depth + 1)
    if thing is None or isinstance(thing, bool | int | str | bytes):
        return thing
    if isinstance(thing, float):
        return ("float", thing.hex())
    if isinstance(thing, jax.Array | np.ndarray | np.generic):
        return _array(thing)
    if isinstance(thing, type):
        return ("class", thing.__module__, thing.__qualname__)
    if isinstance(thing, functools.partial):
        return ("partial", deeper(thing.func), deeper(thing.args), deeper(thing.keywords))
    if isinstance(thing, types.MethodType):
        return ("method", thing.__func__.__qualname__, deeper(thing.__self__))
    if isinstance(thing, types.FunctionType):
        return _function(thing, deeper)
    if dataclasses.is_dataclass(thing):
        fields = [(field.name, deeper(getattr(thing, field.name))) for field in dataclasses.fields(thing)]
        return ("dataclass", deeper(type(thing)), tuple(fields))
    if isinstance(thing, Mapping):
        return ("mapping", tuple(sorted((str(key), deeper(value)) for key, value in thing.items())))
    if isinstance(thing, list | tuple):
        return ("sequence", type(thing).__name__, tuple(deeper(entry) for entry in thing))
    if hasattr(thing, "config") and not callable(thing.config):  # a world is its class and its configuration
        return ("world", deeper(type(thing)), deeper(thing.config))
    return ("object", deeper(type(thing)), _ADDRESS.sub("", repr(thing)))


def _array(array: Any) -> Any:
    if jax.numpy.issubdtype(array.dtype, jax.dtypes.prng_key):
        array = jax.random.key_data(array)
    values = np.ascontiguousarray(np.asarray(array))
    return ("array", values.dtype.name, values.shape, hashlib.sha256(values.tobytes()).hexdigest())


def _function(function: types.FunctionType, deeper: Any) -> Any:
    inside = []
    for cell in function.__closure__ or ():
        try:
            inside.append(deeper(cell.cell_contents))
        except ValueError:  # an empty cell
            inside.append("empty")
    constants = tuple(repr(each) for each in function.__code__.co_consts if not isinstance(each, types.CodeType))
    code = hashlib.sha256(function.__code__.co_code).hexdigest()
    names = (function.__module__, function.__qualname__)
    return ("function", *names, code, constants, deeper(function.__defaults__), tuple(inside))
