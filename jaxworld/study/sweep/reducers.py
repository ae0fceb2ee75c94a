"""Ready-made figures of a run, computed on the device while it passes.

A reducer of :mod:`jaxworld.core.rollout` is all a sweep needs: its summary becomes the columns of a row a world, its
outputs those of a row a world and tick. A reducer may also have a method ``host_columns(columns)`` that turns columns
of integers, ``[rows]`` each, into the ones to keep, so that ratios are formed exactly, in float64 and on the host.
"""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.rollout import ReturnReducer, Returns
from jaxworld.core.timestep import TimeStep
from jaxworld.study.sweep.paths import find_target, leaves_by_name

_QUANTILE = re.compile(r"q(\d{1,3})")
_TICKS = "_ticks"
STATISTICS = ("value", "mean", "sum", "min", "max")


@dataclasses.dataclass(frozen=True)
class Measure:
    """One figure of a time step.

    Attributes:
        path: a leaf of the time step, such as ``reward`` or ``observation.position``.
        statistic: ``value`` (the leaf as it is), or over all its entries ``mean``, ``sum``, ``min``, ``max`` or a
            quantile such as ``q05``, ``q50``, ``q95`` (the smallest entry with at least that share at or below it).
        name: of the column; by default ``path_statistic``.

    Raises:
        ConfigurationError: for an unknown statistic.
    """

    path: str
    statistic: str = "mean"
    name: str = ""

    def __post_init__(self) -> None:
        quantile = _QUANTILE.fullmatch(self.statistic)
        known = self.statistic in STATISTICS or (quantile is not None and int(quantile[1]) <= 100)
        remedy = f"use one of {', '.join(STATISTICS)}, or a quantile such as q50"
        require(known, "statistic", self.statistic, remedy)

    @property
    def column(self) -> str:
        """Name of the column."""
        suffix = "" if self.statistic == "value" else f"_{self.statistic}"
        return self.name or f"{self.path}{suffix}"

    def of(self, timestep: TimeStep) -> jax.Array:
        """The figure: ``float32[]`` for means and floats, ``int32[]`` for what is counted."""
        find_target(timestep, self.path, "measure")
        leaf = jnp.asarray(leaves_by_name(timestep)[self.path])
        if self.statistic == "value":
            return leaf
        entries = leaf.reshape(-1)
        if entries.dtype == jnp.bool_:
            entries = entries.astype(jnp.int32)
        return self._over(entries)

    def _over(self, entries: jax.Array) -> jax.Array:
        if self.statistic == "mean":
            return _mean(entries)
        if self.statistic == "sum":
            return entries.sum(dtype=entries.dtype)
        if self.statistic in ("min", "max"):
            return entries.min() if self.statistic == "min" else entries.max()
        return quantile(jnp.sort(entries), int(self.statistic[1:]) / 100)


def parse_measures(texts: tuple[str, ...]) -> tuple[Measure, ...]:
    """Measures from texts such as ``observation.position:mean,q50``.

    Raises:
        ConfigurationError: for a text of another form.
    """
    made = []
    for text in texts:
        path, _, statistics = text.partition(":")
        if not path:
            raise ConfigurationError("measure", text, "write PATH:STATISTIC,..., such as reward:mean,q50")
        made += [Measure(path.strip(), statistic.strip()) for statistic in (statistics or "mean").split(",")]
    return tuple(made)


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """Figures of each tick as they are; those of the last tick are the summary.

    Attributes:
        measures: what to look at.
    """

    measures: tuple[Measure, ...]

    def init(self, timestep: TimeStep) -> dict[str, jax.Array]:
        return {measure.column: measure.of(timestep) for measure in self.measures}

    def update(self, carry: Any, timestep: TimeStep, action: Any) -> tuple[dict[str, jax.Array], Any]:
        del carry, action
        figures = self.init(timestep)
        return figures, figures

    def final(self, carry: dict[str, jax.Array]) -> dict[str, jax.Array]:
        return carry


@dataclasses.dataclass(frozen=True)
class TimeMean:
    """Means over the ticks of a run (after the reset) of figures of each tick.

    Sums run on the device, in float32 and for whole numbers in int32. They are divided on the host: XLA turns a
    division by what many entries share into a product with its reciprocal, or not, depending on how many devices it
    compiles for.

    Attributes:
        measures: what to look at.
    """

    measures: tuple[Measure, ...]

    def init(self, timestep: TimeStep) -> dict[str, jax.Array]:
        figures = Snapshot(self.measures).init(timestep)
        return {name: jnp.zeros(value.shape, _summing(value)) for name, value in figures.items()} | {
            _TICKS: jnp.zeros((), jnp.int32)
        }

    def update(self, carry: dict[str, jax.Array], timestep: TimeStep, action: Any) -> tuple[Any, Any]:
        del action
        figures = Snapshot(self.measures).init(timestep)
        sums = {name: carry[name] + value.astype(carry[name].dtype) for name, value in figures.items()}
        sums[_TICKS] = carry[_TICKS] + jnp.ones((), jnp.int32)
        return sums, sums

    def final(self, carry: dict[str, jax.Array]) -> dict[str, jax.Array]:
        return carry

    def host_columns(self, columns: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Divide sums by ticks."""
        ticks = np.maximum(columns[_TICKS], 1).astype(np.float64)
        return {name: values / ticks for name, values in columns.items() if name != _TICKS}


@pytree_dataclass
class AgentReturns:
    """How the agents fared: their summed rewards, length of their first episode, and whether it ended.

    Columns: mean, least, quantiles (10, 50 and 90 %) and largest return over agents, mean length, share done.
    """

    def init(self, timestep: TimeStep) -> Returns:
        return ReturnReducer().init(timestep)

    def update(self, carry: Returns, timestep: TimeStep, action: Any) -> tuple[Returns, dict[str, jax.Array]]:
        made, _ = ReturnReducer().update(carry, timestep, action)
        return made, self.final(made)

    def final(self, carry: Returns) -> dict[str, jax.Array]:
        ordered = jnp.sort(carry.total_reward)
        figures = {"return_mean": _mean(carry.total_reward), "return_min": ordered[0]}
        figures |= {f"return_q{percent}": quantile(ordered, percent / 100) for percent in (10, 50, 90)}
        figures |= {"return_max": ordered[-1], "length_mean": _mean(carry.length)}
        return figures | {"done_share": _mean(carry.done.astype(jnp.int32))}


def quantile(ordered: jax.Array, share: float) -> jax.Array:
    """The smallest entry of an ascending array with at least ``share`` of all at or below it: one of the entries."""
    size = ordered.shape[0]
    return ordered[min(max(math.ceil(share * size - 1e-9) - 1, 0), size - 1)]


def _summing(values: jax.Array) -> Any:
    """The dtype to sum such values in."""
    return jnp.float32 if jnp.issubdtype(values.dtype, jnp.floating) else jnp.int32


def _mean(entries: jax.Array) -> jax.Array:
    """Mean as ``float32[]``; integers are summed exactly first."""
    total = entries.sum(dtype=entries.dtype).astype(jnp.float32)
    return total / np.float32(max(entries.shape[0], 1))
