"""Traced parameters of a pipeline and what it remembers, by variable."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from jaxworld.core.pytree import pytree_dataclass
from jaxworld.observe.fields import LARGEST, Choice, Field
from jaxworld.observe.plan import Stage, VariablePlan


@pytree_dataclass
class VariableParams:
    """Parameters of one variable, named like the fields of its configuration; None for what it does not write.

    Attributes:
        visible: ``bool[]``; None if the configuration hides the variable, since then nothing was compiled for it.
        min: ``float32[]``, least true value.
        max: ``float32[]``, largest true value.
        noise: ``float32[]``, standard deviation as a share of the value's size; ``float32[N]`` for one an observer.
        resolution: ``int32[]``, 0 exact, 1 bucket, 2 sign; None if there is only one.
        edges: ``float32[n - 1]`` in shares of the range, rounded to 1/10,000.
        deadband: ``float32[]``, largest change that counts as none.
        transforms: one dictionary an entry, of its traced fields.
    """

    visible: jax.Array | None
    min: jax.Array | None
    max: jax.Array | None
    noise: jax.Array | None
    resolution: jax.Array | None
    edges: jax.Array | None
    deadband: jax.Array | None
    transforms: tuple[dict[str, jax.Array], ...]


@pytree_dataclass
class StageMemory:
    """What one transform remembers of each reading.

    Attributes:
        previous: ``float32[N]`` or ``float32[N, N]``; 0 where there was none.
        has_previous: ``bool``, same shape.
    """

    previous: jax.Array
    has_previous: jax.Array


Memory = dict[str, tuple[StageMemory, ...]]
"""By variable, one entry for each of its transforms that remember; variables without such transforms are left out."""

_NOISE_LEAVES = {"std_fraction": "noise"}
_RESOLUTION_LEAVES = {"mode": "resolution", "edges": "edges", "deadband": "deadband"}
_PLACES = {"noise": _NOISE_LEAVES, "resolution": _RESOLUTION_LEAVES}


def default_params(plan: VariablePlan) -> VariableParams:
    """The numbers that were configured, as NumPy scalars and arrays."""
    leaves: dict[str, Any] = dict.fromkeys(("noise", "resolution", "edges", "deadband"))
    transforms: list[dict[str, Any]] = []
    for stage in plan.stages:
        made = {name: leaf for name, (_, leaf) in _leaves(stage).items()}
        if stage.place in _PLACES:
            leaves |= {_PLACES[stage.place][name]: leaf for name, leaf in made.items()}
        else:
            transforms.append(made)
    low, high = plan.variable.low, plan.variable.high
    return VariableParams(
        visible=np.bool_(True) if plan.visible else None,  # type: ignore[arg-type]
        min=None if low is None else np.float32(low),  # type: ignore[arg-type]
        max=None if high is None else np.float32(high),  # type: ignore[arg-type]
        transforms=tuple(transforms),
        **leaves,
    )


def leaf_ranges(plan: VariablePlan, prefix: str) -> dict[str, tuple[float, float]]:
    """Least and largest value of each leaf of the variable's parameters, by name."""
    bounds = {"min": plan.variable.low, "max": plan.variable.high}
    made = {f"{prefix}{side}": (-LARGEST, LARGEST) for side, bound in bounds.items() if bound is not None}
    if plan.visible:
        made[f"{prefix}visible"] = (0.0, 1.0)
    for stage in plan.stages:
        names = _PLACES.get(stage.place)
        for name, (field, _) in _leaves(stage).items():
            leaf = names[name] if names else f"{stage.place}.{name}"
            made[f"{prefix}{leaf}"] = field.leaf_range()  # type: ignore[union-attr]
    return made


def _leaves(stage: Stage) -> dict[str, tuple[Field, Any]]:
    """Fields of the stage that are traced here, with their leaves."""
    schema = dict(stage.kind.schema)
    made = {name: (field, field.leaf(stage.fields[name])) for name, field in schema.items()}
    return {name: pair for name, pair in made.items() if pair[1] is not None}


def stage_parameters(stage: Stage, params: VariableParams) -> dict[str, Any]:
    """All fields of the stage: traced where they are leaves, static otherwise.

    A choice of several names stays the tuple of names, and ``<name>_code`` is its leaf, None if there is only one.
    """
    names = _PLACES.get(stage.place)
    index = 0 if names else int(stage.place.removeprefix("transforms[").removesuffix("]"))
    made = stage.fields
    for name, field in stage.kind.schema:
        traced = getattr(params, names[name], None) if names and name in names else None
        if not names:
            traced = params.transforms[index].get(name)
        if isinstance(field, Choice) and field.several:
            made[f"{name}_code"] = traced
        elif traced is not None:
            made[name] = traced
    return made
