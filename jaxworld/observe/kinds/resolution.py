"""How finely a number is delivered: exactly, as one of several buckets, or as the sign of its change.

Buckets and signs are decided by comparing float32 numbers that are exact for whole numbers and simple decimals, never
by a quotient: compilers turn quotients by constants into products that miss ties.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import require
from jaxworld.observe.fields import LARGEST, Choice, Number, Numbers, Whole
from jaxworld.observe.registry import Context, Memory, register
from jaxworld.observe.variable import Variable

MODES = ("exact", "bucket", "sign")
"""Their positions are the codes of a swept mode."""

MODE_FIELDS = {"exact": (), "bucket": ("buckets", "edges"), "sign": ("reference", "deadband")}
"""The further fields each mode uses."""

EDGE_GRID = 10_000
"""Edges are multiples of 1 / EDGE_GRID of the range, so that a decimal edge is compared as the integer it means."""

DEFAULT_BUCKETS = 3
MOST_BUCKETS = 1024
SIGN_OFFSET = -1
"""Code 0, 1, 2 of a sign means -1, 0, 1."""

Reading = tuple[jax.Array, jax.Array]


def bucket_codes(value: jax.Array, low: jax.Array, high: jax.Array, buckets: int, edges: jax.Array | None) -> jax.Array:
    """Number of the bucket, ``int32``, closed below: 0 below ``low``, the last at and above ``high``, -1 for NaN.

    Args:
        value: ``float32[...]``.
        low: ``float32[]``. high: ``float32[]``. If ``high`` is not above ``low``, everything is in bucket 0.
        buckets: how many (static).
        edges: ``float32[buckets - 1]`` in shares of the range; None for equal parts.
    """
    if edges is None:
        scale = np.float32(buckets)
        numerators = jnp.arange(1, buckets, dtype=jnp.float32)
    else:
        scale = np.float32(EDGE_GRID)
        numerators = jnp.round(edges * scale)
    width = high - low
    thresholds = numerators * width
    above = ((value - low) * scale)[..., None] >= jnp.expand_dims(thresholds, tuple(range(value.ndim)))
    codes = jnp.sum(above.astype(jnp.int32), axis=-1, dtype=jnp.int32)
    codes = jnp.where(width > np.float32(0), codes, np.int32(0))
    return jnp.where(jnp.isnan(value), np.int32(-1), codes)


def sign_codes(value: jax.Array, previous: jax.Array, has_previous: jax.Array, deadband: jax.Array) -> jax.Array:
    """0, 1, 2 for down, unchanged, up, ``int32``; 1 where there is no previous value, -1 for NaN.

    Changes of magnitude ``deadband`` (``float32[]``) or less count as unchanged.
    """
    change = value - previous
    sign = (change > deadband).astype(jnp.int32) - (change < -deadband).astype(jnp.int32)
    codes = jnp.where(has_previous, sign, np.int32(0)) - np.int32(SIGN_OFFSET)
    return jnp.where(jnp.isnan(value), np.int32(-1), codes)


def _coded(codes: jax.Array, offset: int) -> Reading:
    shown = (codes + np.int32(offset)).astype(jnp.float32)
    return jnp.where(codes < np.int32(0), np.float32(np.nan), shown), codes


def _read(mode: str, value: jax.Array, parameters: Mapping[str, Any], context: Context) -> Reading:
    if mode == "bucket":
        edges = parameters["edges"]
        return _coded(bucket_codes(value, context.low, context.high, parameters["buckets"], edges), 0)
    if mode == "sign":
        assert context.previous is not None and context.has_previous is not None
        deadband = parameters["deadband"]
        return _coded(sign_codes(value, context.previous, context.has_previous, deadband), SIGN_OFFSET)
    return value, jnp.full(value.shape, -1, jnp.int32)


def _apply(value: jax.Array, parameters: Mapping[str, Any], context: Context) -> Reading:
    modes, chosen = parameters["mode"], parameters["mode_code"]
    readings = [_read(mode, value, parameters, context) for mode in modes]
    if len(modes) == 1:
        return readings[0]
    shown = jnp.full(value.shape, np.nan, jnp.float32)
    codes = jnp.full(value.shape, -1, jnp.int32)
    for mode, (number, code) in zip(modes, readings, strict=True):
        here = chosen == np.int32(MODES.index(mode))
        shown, codes = jnp.where(here, number, shown), jnp.where(here, code, codes)
    return shown, codes


def _check(path: str, specification: dict[str, Any], variable: Variable) -> dict[str, Any]:
    modes, edges, buckets = specification["mode"], specification["edges"], specification["buckets"]
    if edges is not None:
        _check_edges(f"{path}.edges", edges, buckets)
    specification["buckets"] = len(edges) + 1 if edges is not None else buckets or DEFAULT_BUCKETS
    if "bucket" in modes:
        advice = f"buckets of {variable.name} need a bound: declare it beside visible, in the variable's own units"
        require(variable.low is not None, f"{path}.min", None, advice)
        require(variable.high is not None, f"{path}.max", None, advice)
    else:
        specification["edges"] = None
    if "sign" in modes:
        advice = "say what the sign compares with: 'observed' (what was delivered last time) or 'true'"
        require(specification["reference"] is not None, f"{path}.reference", None, advice)
        specification["deadband"] = specification["deadband"] or 0.0
    else:
        specification["deadband"] = None
    return specification


def _check_edges(path: str, edges: tuple[float, ...], buckets: int | None) -> None:
    increasing = all(0 < edge < 1 for edge in edges) and all(a < b for a, b in itertools.pairwise(edges))
    require(increasing, path, list(edges), "use increasing shares of the range, above 0 and below 1")
    gridded = all(abs(edge * EDGE_GRID - round(edge * EDGE_GRID)) < 1e-6 for edge in edges)
    require(gridded, path, list(edges), "use at most four decimals (equal parts are written as buckets)")
    fits = buckets is None or len(edges) == buckets - 1
    require(fits, path, list(edges), f"buckets = {buckets} needs {(buckets or 2) - 1} edges; or leave buckets out")


def _out_kind(specification: Mapping[str, Any]) -> str:
    modes = specification["mode"]
    if len(modes) > 1:
        return "mixed"
    return "number" if modes == ("exact",) else "code"


def _memory(specification: Mapping[str, Any]) -> Memory:
    return specification["reference"] if "sign" in specification["mode"] else ""  # type: ignore[no-any-return]


def mode_labels(mode: str, buckets: int) -> tuple[str | int, ...]:
    """What records call the codes 0, 1, ... of a mode; empty for exact numbers."""
    if mode == "sign":
        return -1, 0, 1
    if mode == "exact":
        return ()
    return ("low", "medium", "high") if buckets == 3 else tuple(str(code) for code in range(buckets))


def _labels(specification: Mapping[str, Any]) -> tuple[str | int, ...]:
    return mode_labels(specification["mode"][0], specification["buckets"])


KIND = register(
    "resolution",
    {
        "mode": Choice(MODES, default=("exact",), several=True),
        "buckets": Whole(2, MOST_BUCKETS),
        "edges": Numbers(0, 1),
        "reference": Choice(("observed", "true")),
        "deadband": Number(0, LARGEST),
    },
    "number",
    _out_kind,
    _apply,
    memory=_memory,
    labels=_labels,
    check=_check,
)
