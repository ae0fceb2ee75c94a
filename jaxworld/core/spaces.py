"""Descriptions of actions and observations: shape, dtype, bounds and names, agents axis included.

A space is static and hashable by its content, so it may be part of a compiled function. It can sample under ``jit``
(element ``i`` of a sample depends on the key and on ``i`` only, so a longer agent axis changes no earlier draw) and
can say whether a value belongs to it, leaf by leaf.
"""

from __future__ import annotations

import dataclasses
import hashlib
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxworld.core.errors import require
from jaxworld.core.random import entity_bits, index_identity, key_words, multiply_high, purpose_key, unit_interval

Verdict = tuple[str, "Space", Any]
"""Path of a leaf, the space it should be in, and whether it is (``bool[]``, traced if the value is)."""


class Space(ABC):
    """A set of pytrees of arrays with one structure, shape and dtype."""

    @abstractmethod
    def sample(self, key: jax.Array) -> Any:
        """A uniform member of the space; ``key`` is a leaf key (typed or raw words), used up by the call."""

    @abstractmethod
    def membership(self, value: Any, path: str = "") -> Iterator[Verdict]:
        """One verdict a leaf; shape and dtype are judged statically, values where the array lives (host or device)."""

    @abstractmethod
    def describe(self) -> str:
        """One readable line."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """A description of plain JSON values."""

    def contains(self, value: Any) -> jax.Array:
        """``bool[]``: whether ``value`` is a member; a wrong structure, shape or dtype is False, never an error."""
        verdict = jnp.asarray(True)
        for _, _, holds in self.membership(value):
            verdict = verdict & holds
        return verdict


@dataclasses.dataclass(frozen=True)
class Box(Space):
    """Arrays of integers or floats between two scalar bounds, both included.

    Args:
        low, high: bounds; floats may be infinite.
        shape: full shape, agents axis included.
        dtype: any integer or floating dtype.
        unit: what the numbers measure, for readers.

    Raises:
        ConfigurationError: for another kind of dtype, an empty range, or bounds outside an integer dtype.
    """

    low: float
    high: float
    shape: tuple[int, ...]
    dtype: Any = np.float32
    unit: str | None = None

    def __post_init__(self) -> None:
        dtype = np.dtype(self.dtype)
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "shape", _checked_shape(self.shape))
        integer = jnp.issubdtype(dtype, jnp.integer)
        require(integer or jnp.issubdtype(dtype, jnp.floating), "dtype", dtype.name, "use an integer or floating dtype")
        require(self.low <= self.high, "low", self.low, f"choose a lower bound of at most high = {self.high}")
        if integer:
            limits = np.iinfo(dtype)
            for field, bound in (("low", self.low), ("high", self.high)):
                fits = math.isfinite(bound) and int(bound) == bound and limits.min <= bound <= limits.max
                require(fits, field, bound, f"use an integer that fits {dtype.name}")
        kind = int if integer else float
        object.__setattr__(self, "low", kind(self.low))
        object.__setattr__(self, "high", kind(self.high))

    def sample(self, key: jax.Array) -> jax.Array:
        bits = _element_bits(key, self.shape)
        if jnp.issubdtype(self.dtype, jnp.integer):
            return _integers(bits, int(self.low), int(self.high), self.dtype)
        return self._floats(unit_interval(bits)).astype(self.dtype)

    def _floats(self, unit: jax.Array) -> jax.Array:
        """Uniform between finite bounds, exponential beyond one finite bound, logistic between none."""
        low, high = np.float32(self.low), np.float32(self.high)
        tail = -jnp.log1p(-unit)
        if np.isfinite(low) and np.isfinite(high):
            return jnp.clip(low * (np.float32(1) - unit) + high * unit, low, high)
        if np.isfinite(low):
            return low + tail
        if np.isfinite(high):
            return high - tail
        return jnp.log(jnp.maximum(unit, np.float32(2.0**-25))) + tail

    def membership(self, value: Any, path: str = "") -> Iterator[Verdict]:
        if not _matches(value, self.shape, self.dtype):
            yield path, self, np.False_
        else:
            # The bounds are cast first: a float32 value is compared with what the bound is in float32.
            low, high = np.asarray(self.low, self.dtype)[()], np.asarray(self.high, self.dtype)[()]
            yield path, self, ((value >= low) & (value <= high)).all()

    def describe(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"{_typed_shape(self.dtype, self.shape)} in [{self.low}, {self.high}]{unit}"

    def to_dict(self) -> dict[str, Any]:
        low, high = (bound if math.isfinite(bound) else None for bound in (self.low, self.high))
        shared = {"shape": list(self.shape), "dtype": self.dtype.name, "unit": self.unit}
        return {"kind": "box", "low": low, "high": high, **shared}


@dataclasses.dataclass(frozen=True)
class Discrete(Space):
    """Arrays of category numbers ``0 .. num_categories - 1``, with ``-1`` for 'absent' if ``low`` is -1.

    Args:
        num_categories: how many categories there are, 'absent' not counted.
        shape: full shape, agents axis included.
        names: names of the categories, in order.
        low: 0, or -1 to admit 'absent'.
        dtype: a signed or (for ``low=0``) unsigned integer dtype.

    Raises:
        ConfigurationError: for no category, another ``low``, a wrong number of names, or a dtype that is too small.
    """

    num_categories: int
    shape: tuple[int, ...] = ()
    names: tuple[str, ...] | None = None
    low: int = 0
    dtype: Any = np.int32

    def __post_init__(self) -> None:
        object.__setattr__(self, "dtype", np.dtype(self.dtype))
        object.__setattr__(self, "shape", _checked_shape(self.shape))
        require(self.num_categories >= 1, "num_categories", self.num_categories, "use at least 1")
        require(self.low in (0, -1), "low", self.low, "use 0, or -1 to admit 'absent'")
        require(jnp.issubdtype(self.dtype, jnp.integer), "dtype", self.dtype.name, "use an integer dtype")
        limits = np.iinfo(self.dtype)
        fits = limits.min <= self.low and self.num_categories - 1 <= limits.max
        require(fits, "dtype", self.dtype.name, f"use one that holds {self.low} to {self.num_categories - 1}")
        if self.names is not None:
            object.__setattr__(self, "names", tuple(self.names))
            fits = len(self.names) == len(set(self.names)) == self.num_categories
            require(fits, "names", self.names, f"give {self.num_categories} different names")

    def sample(self, key: jax.Array) -> jax.Array:
        return _integers(_element_bits(key, self.shape), self.low, self.num_categories - 1, self.dtype)

    def membership(self, value: Any, path: str = "") -> Iterator[Verdict]:
        if not _matches(value, self.shape, self.dtype):
            yield path, self, np.False_
        else:
            low, high = np.asarray(self.low, self.dtype)[()], np.asarray(self.num_categories - 1, self.dtype)[()]
            yield path, self, ((value >= low) & (value <= high)).all()

    def describe(self) -> str:
        absent = ", -1 for absent" if self.low == -1 else ""
        names = f": {', '.join(self.names)}" if self.names else ""
        return f"{_typed_shape(self.dtype, self.shape)} of {self.num_categories} categories{names}{absent}"

    def to_dict(self) -> dict[str, Any]:
        names = list(self.names) if self.names else None
        shared = {"shape": list(self.shape), "dtype": self.dtype.name}
        return {"kind": "discrete", "num_categories": self.num_categories, "low": self.low, "names": names, **shared}


@dataclasses.dataclass(frozen=True)
class Boolean(Space):
    """Arrays of booleans of one full shape."""

    shape: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", _checked_shape(self.shape))

    def sample(self, key: jax.Array) -> jax.Array:
        return _element_bits(key, self.shape) < np.uint32(2**31)

    def membership(self, value: Any, path: str = "") -> Iterator[Verdict]:
        yield path, self, np.bool_(_matches(value, self.shape, np.dtype(bool)))

    def describe(self) -> str:
        return _typed_shape(np.dtype(bool), self.shape)

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "boolean", "shape": list(self.shape)}


@dataclasses.dataclass(frozen=True)
class Composite(Space):
    """A pytree dataclass, or a dict if ``cls`` is None, with one space a field.

    Args:
        cls: a pytree dataclass whose array fields are exactly the names in ``spaces``, or None.
        spaces: field name to space; a field whose space is None always holds None.

    Raises:
        ConfigurationError: if the names are not those of the dataclass.
    """

    cls: type | None
    spaces: Mapping[str, Space | None]

    def __post_init__(self) -> None:
        object.__setattr__(self, "spaces", dict(self.spaces))
        if self.cls is not None:
            fields = [field.name for field in dataclasses.fields(self.cls) if not field.metadata.get("static")]
            require(
                set(fields) == set(self.spaces),
                "spaces",
                sorted(self.spaces),
                f"name each array field of {self.cls.__name__} once: {fields}",
            )

    def __hash__(self) -> int:
        return hash((self.cls, frozenset(self.spaces.items())))

    def sample(self, key: jax.Array) -> Any:
        values = {
            name: None if space is None else space.sample(purpose_key(key, _field_code(name)))
            for name, space in self.spaces.items()
        }
        return values if self.cls is None else self.cls(**values)

    def membership(self, value: Any, path: str = "") -> Iterator[Verdict]:
        built = isinstance(value, dict) and set(value) == set(self.spaces) if self.cls is None else False
        if not (built or (self.cls is not None and type(value) is self.cls)):
            yield path, self, np.False_
            return
        for name, space in self.spaces.items():
            part = value[name] if self.cls is None else getattr(value, name)
            if space is not None:
                yield from space.membership(part, f"{path}.{name}")
            elif part is not None:
                yield f"{path}.{name}", self, np.False_

    def describe(self) -> str:
        parts = [f"{name}: {space.describe() if space else 'None'}" for name, space in self.spaces.items()]
        title = self.cls.__name__ if self.cls else ""
        return f"{title}({', '.join(parts)})" if title else "{" + ", ".join(parts) + "}"

    def to_dict(self) -> dict[str, Any]:
        parts = {name: space.to_dict() if space else None for name, space in self.spaces.items()}
        return {"kind": "composite", "class": self.cls.__name__ if self.cls else None, "spaces": parts}


def _checked_shape(shape: Any) -> tuple[int, ...]:
    require(isinstance(shape, tuple | list), "shape", shape, "use a tuple of integers")
    require(all(int(size) == size and size >= 0 for size in shape), "shape", shape, "use sizes of at least 0")
    return tuple(int(size) for size in shape)


def _typed_shape(dtype: np.dtype, shape: tuple[int, ...]) -> str:
    return f"{dtype.name}[{', '.join(str(size) for size in shape)}]"


def _matches(value: Any, shape: tuple[int, ...], dtype: np.dtype) -> bool:
    return getattr(value, "shape", None) == shape and getattr(value, "dtype", None) == dtype


def _field_code(name: str) -> int:
    """Fold-in code of a field: the first 4 bytes of SHA-256 of its name."""
    return int.from_bytes(hashlib.sha256(f"space/{name}".encode()).digest()[:4], "big")


def _element_bits(key: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """One random word ``uint32[*shape]`` an element, hashed from the element's flat position."""
    positions = np.arange(math.prod(shape), dtype=np.uint32).reshape(shape)
    return entity_bits(key_words(key), index_identity(positions), 1)[0]


def _integers(bits: jax.Array, low: int, high: int, dtype: np.dtype) -> jax.Array:
    """Uniform integers in ``[low, high]``, for any range of at most 2**32 values, by arithmetic modulo 2**32."""
    span = high - low + 1
    offset = bits if span == 2**32 else multiply_high(bits, jnp.full(bits.shape, span, jnp.uint32))
    words = offset + np.uint32(low % 2**32)
    return words.astype(dtype) if dtype.kind == "u" else lax.bitcast_convert_type(words, jnp.int32).astype(dtype)
