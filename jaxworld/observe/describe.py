"""The public description of a pipeline: what an agent may know of how it is informed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from jaxworld.observe.kinds.resolution import MODE_FIELDS, MODES, SIGN_OFFSET
from jaxworld.observe.params import VariableParams, stage_parameters
from jaxworld.observe.pipeline import Pipeline
from jaxworld.observe.plan import Stage, VariablePlan
from jaxworld.observe.record import labels_of

_WHOSE = {
    "scalar": "the same for everybody",
    "player": "each player's own",
    "pair": "of every other player",
}


def describe_data(pipeline: Pipeline, params: Mapping[str, VariableParams] | None = None) -> dict[str, Any]:
    """The description as plain JSON values.

    Args:
        pipeline: what to describe.
        params: the parameters in force; default: the configured ones.

    Returns:
        ``num_observers``, ``rules`` (sentences that hold for all variables), and by name in ``variables``:
        ``description``, ``shape``, ``visible``, ``min``, ``max``, ``delivered`` (``number``, ``code`` or None),
        ``labels``, and ``steps``, each with ``kind``, ``place``, its fields and a ``summary``.
    """
    params = pipeline.default_params() if params is None else params
    variables = {plan.variable.name: _variable(plan, params[plan.variable.name]) for plan in pipeline.plans}
    return {"num_observers": pipeline.num_observers, "rules": list(_rules(pipeline)), "variables": variables}


def describe(pipeline: Pipeline, params: Mapping[str, VariableParams] | None = None) -> str:
    """The description as text, one paragraph a variable; see :func:`describe_data`."""
    data = describe_data(pipeline, params)
    lines = [f"What {pipeline.num_observers} players observe"]
    for name, entry in data["variables"].items():
        bounds = _bounds(entry["min"], entry["max"])
        lines.append(f"- {name} ({_WHOSE[entry['shape']]}{bounds}): {entry['description']}")
        if not entry["visible"]:
            lines.append("    hidden")
            continue
        lines += [f"    {step['summary']}" for step in entry["steps"]]
        if entry["delivered"] == "number":
            lines.append("    delivered with three decimals")
    return "\n".join(lines + list(data["rules"])) + "\n"


def _rules(pipeline: Pipeline) -> list[str]:
    rules = ["Steps apply in the order listed. What is hidden carries no value: it is masked, and null in records."]
    noisy = any(stage.kind.name == "gaussian_noise" for plan in pipeline.plans for stage in plan.stages)
    if noisy:
        rules.append("Noise differs between observers, players observed and ticks. It is not cut off at the bounds.")
    return rules


def _variable(plan: VariablePlan, params: VariableParams) -> dict[str, Any]:
    visible = plan.visible and (params.visible is None or bool(np.asarray(params.visible)))
    labels = labels_of(plan, params)
    content = plan.content if plan.content != "mixed" else ("code" if labels else "number")
    return {
        "description": plan.variable.description,
        "shape": plan.variable.shape,
        "visible": visible,
        "min": _plain(params.min),
        "max": _plain(params.max),
        "delivered": content if visible else None,
        "labels": list(labels) if visible else [],
        "steps": [_step(stage, params) for stage in plan.stages] if visible else [],
    }


def _step(stage: Stage, params: VariableParams) -> dict[str, Any]:
    fields = {name: _plain(value) for name, value in stage_parameters(stage, params).items()}
    if stage.kind.name == "resolution":
        code = fields.pop("mode_code")
        mode = fields["mode"][0] if code is None else MODES[code]
        fields = {"mode": mode, **{name: fields[name] for name in MODE_FIELDS[mode]}}
    fields = {name: value for name, value in fields.items() if value is not None}
    return {"kind": stage.kind.name, "place": stage.place, **fields, "summary": _summary(stage, fields)}


def _summary(stage: Stage, fields: dict[str, Any]) -> str:
    kind = stage.kind.name
    if kind == "gaussian_noise":
        return f"Gaussian noise, standard deviation {fields['std_fraction']:.4g} of the value's size"
    if kind == "clamp":
        ends = [f"{word} {fields[side]:g}" for side, word in (("min", "below"), ("max", "above")) if side in fields]
        return f"cut off {' and '.join(ends)}"
    if kind == "resolution":
        return _resolution(fields)
    written = ", ".join(f"{name} {value}" for name, value in fields.items())
    text = stage.kind.summary or kind
    return f"{text} ({written})" if written else text


def _resolution(fields: dict[str, Any]) -> str:
    if fields["mode"] == "exact":
        return "exact"
    if fields["mode"] == "bucket":
        parts = f"one of {fields['buckets']} equal parts of the range"
        if "edges" in fields:
            parts = f"one of {fields['buckets']} parts of the range, cut at {', '.join(map(str, fields['edges']))}"
        return f"{parts}; a value on a cut belongs to the upper part"
    other = "what was delivered last time" if fields["reference"] == "observed" else "the true value of last time"
    band = f"; a change of {fields['deadband']:g} or less counts as none" if fields["deadband"] else ""
    return f"the sign of its change against {other}: {SIGN_OFFSET}, 0 or {-SIGN_OFFSET}{band}"


def _bounds(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return ""
    if high is None:
        return f", at least {low:g}"
    return f", at most {high:g}" if low is None else f", from {low:g} to {high:g}"


def _plain(value: Any) -> Any:
    """A parameter as JSON values; float32 numbers as the shortest decimal that means them."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, tuple):
        return list(value)
    array = np.asarray(value)
    if array.dtype == np.float32:
        numbers = [float(str(number)) for number in array.ravel()]
        return numbers if array.ndim else numbers[0]
    return array.tolist()
