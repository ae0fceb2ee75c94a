"""What observers received, as plain values for a log or a prompt: three decimals, labels, and None for hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.observe.delivered import Delivered
from jaxworld.observe.kinds.resolution import MODES, mode_labels
from jaxworld.observe.params import VariableParams
from jaxworld.observe.pipeline import Pipeline
from jaxworld.observe.plan import VariablePlan

Labels = tuple[str | int, ...]


def to_records(
    pipeline: Pipeline,
    delivered: Mapping[str, Delivered],
    params: Mapping[str, VariableParams] | None = None,
) -> list[dict[str, Any]]:
    """One record an observer of one world at one tick, ready for JSON.

    Args:
        pipeline: what made them.
        delivered: what it delivered, one world and tick.
        params: the parameters it had; needed only if a mode of resolution was changed.

    Returns:
        By observer: variable name to a number rounded to three decimals, the label of a code (-1, 0 or 1 for a sign),
        or None for what was hidden. Pairs are lists over the targets; the observer's own entry is None.

    Raises:
        ConfigurationError: if a number is infinite, which JSON cannot hold.
    """
    columns: dict[str, list[Any]] = {}
    for plan in pipeline.plans:
        name = plan.variable.name
        labels = labels_of(plan, None if params is None else params[name])
        columns[name] = _column(name, delivered[name], labels)
    return [{name: column[row] for name, column in columns.items()} for row in range(pipeline.num_observers)]


def labels_of(plan: VariablePlan, params: VariableParams | None = None) -> Labels:
    """Names of the codes 0, 1, ... of a variable under these parameters (default: the configured ones)."""
    if not plan.stages:
        return ()
    stage = plan.stages[-1]
    if plan.content != "mixed":
        return stage.labels
    mode = MODES.index(stage.fields["mode"][0])
    if params is not None:
        chosen = params.resolution
        if stage.place != "resolution":
            chosen = params.transforms[-1]["mode"]
        mode = int(np.asarray(chosen))
    return mode_labels(MODES[mode], stage.fields["buckets"])


def _column(name: str, delivered: Delivered, labels: Labels) -> list[Any]:
    value, mask, code = (np.asarray(array) for array in (delivered.value, delivered.mask, delivered.code))
    finite = bool(np.isfinite(value[mask]).all())
    require(finite, f"delivered.{name}", value[mask & ~np.isfinite(value)][:1].tolist(), "JSON has no such number")

    def entry(at: tuple[int, ...]) -> Any:
        if not mask[at]:
            return None
        if code[at] < 0:
            return round(float(value[at]), 3)
        return labels[code[at]] if code[at] < len(labels) else int(code[at])

    entries = np.empty(value.shape, dtype=object)
    for at in np.ndindex(value.shape):
        entries[at] = entry(at)
    return list(entries.tolist())
