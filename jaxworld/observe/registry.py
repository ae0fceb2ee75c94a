"""Kinds of transforms by name, built in or brought along: pure functions with a description of their fields."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

import jax
import jax.numpy as jnp

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.random import threefry_2x32
from jaxworld.observe.fields import FIELD_TYPES, Field, near
from jaxworld.observe.normal import standard_normal
from jaxworld.observe.variable import Variable

Memory = Literal["", "observed", "true"]


@dataclasses.dataclass(frozen=True)
class Context:
    """What a transform may know beside its value and its parameters. It never holds the true value of this tick.

    All arrays broadcast to the shape of the value: ``[N]`` observers, or ``[N, N]`` observers by targets.

    Attributes:
        key: raw words ``uint32[2]`` of this world, tick, variable and transform.
        counter: identities ``(uint32, uint32)`` of observer and target; draws are keyed to them.
        low: ``float32[]``, least true value, -inf if there is none.
        high: ``float32[]``, largest true value, inf if there is none.
        previous: the value that came in when this observer last received this variable, or None if the kind was
            registered without memory.
        has_previous: ``bool``: whether there was one; None without memory.
        tick: ``int32[]``.
    """

    key: jax.Array
    counter: tuple[jax.Array, jax.Array]
    low: jax.Array
    high: jax.Array
    previous: jax.Array | None
    has_previous: jax.Array | None
    tick: jax.Array

    def bits(self) -> tuple[jax.Array, jax.Array]:
        """Two independent random words ``uint32`` for each observer and target."""
        counter = jnp.broadcast_arrays(*self.counter)
        return threefry_2x32((self.key[0], self.key[1]), (counter[0], counter[1]))

    def normal(self) -> jax.Array:
        """One standard normal number ``float32`` for each observer and target, from the first of the two words."""
        return standard_normal(self.bits()[0])


Apply = Callable[[jax.Array, Mapping[str, Any], Context], Any]
OutKind = str | Callable[[Mapping[str, Any]], str]
Labels = tuple[str | int, ...] | Callable[[Mapping[str, Any]], tuple[str | int, ...]]


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of transform; see :func:`register`."""

    name: str
    schema: tuple[tuple[str, Field], ...]
    in_kind: str
    out_kind: OutKind
    apply: Apply
    memory: Memory | Callable[[Mapping[str, Any]], Memory]
    labels: Labels
    check: Callable[[str, dict[str, Any], Variable], dict[str, Any]] | None
    summary: str


_NAME = re.compile(r"[a-z][a-z0-9_]*")
_kinds: dict[str, Kind] = {}


def register(
    kind: str,
    schema: Mapping[str, Field],
    in_kind: Literal["number", "code"],
    out_kind: OutKind,
    apply: Apply,
    *,
    memory: Memory | Callable[[Mapping[str, Any]], Memory] = "",
    labels: Labels = (),
    check: Callable[[str, dict[str, Any], Variable], dict[str, Any]] | None = None,
    summary: str = "",
    override: bool = False,
) -> Kind:
    """Make a kind of transform known to configurations that are compiled from now on.

    Args:
        kind: what configurations write as ``kind``, in lower case.
        schema: the other fields of a specification. ``Number`` and ``Numbers`` become traced parameters.
        in_kind: what it takes: ``number`` (``float32``) or ``code`` (``int32``, -1 for nothing).
        out_kind: what it returns, likewise; or a function of the specification that says so.
        apply: ``apply(value, parameters, context)``, pure and traceable, element by element. ``parameters`` has the
            fields of the schema: arrays if traced, Python values if static, None where nothing was written.
        memory: ``observed`` if it needs the value that came in last time (``context.previous``), ``true`` if it needs
            the true value of that time instead; or a function of the specification.
        labels: names of the codes 0, 1, ... it returns, or a function of the specification.
        check: ``check(path, specification, variable)`` for what no single field shows; raises or returns it, completed.
        summary: one line for the public description; may use the fields, as in ``"times {gain}"``.
        override: replace a kind of this name. Pipelines that are already compiled keep theirs.

    Raises:
        ConfigurationError: for a malformed or taken name, a bad schema, or kinds other than number and code.
    """
    require(isinstance(kind, str) and _NAME.fullmatch(kind) is not None, "kind", kind, "use lower case, digits and _")
    require(override or kind not in _kinds, "kind", kind, "already registered: rename it or pass override=True")
    for name, field in schema.items():
        fits = isinstance(field, FIELD_TYPES) and _NAME.fullmatch(name) is not None and name != "kind"
        require(fits, f"schema.{name}", field, "use a lower-case name and one of Number, Numbers, Whole, Flag, Choice")
    require(in_kind in ("number", "code"), "in_kind", in_kind, "use number or code")
    known = callable(out_kind) or out_kind in ("number", "code")
    require(known, "out_kind", out_kind, "use number, code or a function")
    require(not memory or in_kind == "number", "memory", memory, "only what takes numbers can remember them")
    require(callable(apply), "apply", apply, "use a function of value, parameters and context")
    made = Kind(kind, tuple(schema.items()), in_kind, out_kind, apply, memory, labels, check, summary)
    _kinds[kind] = made
    return made


def registered_kinds() -> dict[str, Kind]:
    """A copy of the registry, sorted by name."""
    return {name: _kinds[name] for name in sorted(_kinds)}


def find_kind(kinds: Mapping[str, Kind], path: str, name: Any) -> Kind:
    """The kind called ``name``.

    Raises:
        ConfigurationError: if there is none; the nearest is named.
    """
    if not isinstance(name, str) or name not in kinds:
        raise ConfigurationError(path, name, f"unknown kind{near(name, kinds)}; known: {', '.join(kinds)}")
    return kinds[name]
