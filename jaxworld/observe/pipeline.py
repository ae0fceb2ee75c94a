"""The compiled rule for who sees what: one pure function from true values to what observers receive."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import whole
from jaxworld.core.errors import require
from jaxworld.core.pytree import as_arrays
from jaxworld.core.random import purpose_keys
from jaxworld.core.spaces import Composite
from jaxworld.observe.delivered import HIDDEN_CODE, Delivered, round_thousandths
from jaxworld.observe.normal import settled
from jaxworld.observe.params import Memory, StageMemory, VariableParams, default_params, leaf_ranges, stage_parameters
from jaxworld.observe.plan import Stage, VariablePlan, make_plans
from jaxworld.observe.registry import Context
from jaxworld.observe.space import delivered_space
from jaxworld.observe.variable import Variable

_NO_TARGET = np.uint32(0xFFFFFFFF)


@dataclasses.dataclass(frozen=True)
class Pipeline:
    """What N observers see of each variable. Static and hashable; see :func:`compile_pipeline`.

    Attributes:
        plans: one plan a variable, in the family's order.
        num_observers: N.
    """

    plans: tuple[VariablePlan, ...]
    num_observers: int

    def default_params(self) -> dict[str, VariableParams]:
        """The numbers of the configuration by variable: traced leaves, named like the configuration's fields.

        ``othersWealth.noise``, ``othersWealth.edges[0]`` and ``othersWealth.transforms[1].max`` are leaves if the
        configuration writes them, ``othersWealth.visible`` if it makes the variable visible, and
        ``othersWealth.resolution`` if it lists several modes.
        """
        return {plan.variable.name: default_params(plan) for plan in self.plans}

    def parameter_ranges(self, prefix: str = "") -> dict[str, tuple[float, float]]:
        """Least and largest value of every leaf of the parameters, by its name after ``prefix``."""
        made: dict[str, tuple[float, float]] = {}
        for plan in self.plans:
            made |= leaf_ranges(plan, f"{prefix}{plan.variable.name}.")
        return made

    def init_memory(self) -> Memory:
        """What observers remember before tick 0: arrays for transforms that compare with the past, else empty."""
        made: Memory = {}
        for plan in self.plans:
            remembering = [stage for stage in plan.stages if stage.memory]
            if remembering:
                shape = self._shape(plan.variable)
                blank = StageMemory(previous=jnp.zeros(shape, jnp.float32), has_previous=jnp.zeros(shape, bool))
                made[plan.variable.name] = tuple(blank for _ in remembering)
        return made

    def observation_space(self, params: Mapping[str, VariableParams]) -> Composite:
        """The space of what :meth:`apply` delivers."""
        spaces = {plan.variable.name: delivered_space(plan, self._shape(plan.variable)) for plan in self.plans}
        return Composite(None, spaces)

    def apply(
        self,
        params: Mapping[str, VariableParams],
        memory: Memory,
        values: Mapping[str, jax.Array],
        *,
        key: jax.Array,
        active: jax.Array | None = None,
        identity: jax.Array | None = None,
        tick: jax.Array | int = 0,
    ) -> tuple[dict[str, Delivered], Memory]:
        """What every observer receives at one tick.

        Args:
            params: see :meth:`default_params`.
            memory: of the last tick, or :meth:`init_memory`.
            values: true values by variable, ``float32[]`` if scalar, ``float32[N]`` otherwise. Hidden variables may be
                left out.
            key: the key of this tick of this world (typed, or raw words ``uint32[2]``).
            active: ``bool[N]``; who is not active receives nothing and is seen by nobody. Default: all.
            identity: ``uint32[N]``, different numbers that stay with the players; draws are keyed to them and not to
                positions. Default: 0 to N - 1.
            tick: ``int32[]``, for transforms that ask for it.

        Returns:
            One :class:`Delivered` a variable, and the memory for the next tick.

        Raises:
            ConfigurationError: while tracing, for a missing or unknown variable or a wrong shape.
        """
        self._check_values(values)
        active = jnp.ones(self.num_observers, bool) if active is None else active
        everybody = jnp.arange(self.num_observers, dtype=jnp.uint32)
        identity = everybody if identity is None else jnp.asarray(identity).astype(jnp.uint32)
        shared = _Shared(identity, active, self._stage_keys(key), jnp.asarray(tick))
        delivered: dict[str, Delivered] = {}
        kept: Memory = {}
        for plan in self.plans:
            name = plan.variable.name
            own = as_arrays(params[name])
            if not plan.visible:
                delivered[name] = _nothing(plan, own, self._shape(plan.variable))
                continue
            delivered[name], made = self._observe(plan, own, memory.get(name, ()), values[name], shared)
            if made:
                kept[name] = made
        return delivered, kept

    def _shape(self, variable: Variable) -> tuple[int, ...]:
        return (self.num_observers,) * (2 if variable.shape == "pair" else 1)

    def _check_values(self, values: Mapping[str, jax.Array]) -> None:
        shapes = {plan.variable.name: () if plan.variable.shape == "scalar" else (self.num_observers,)
                  for plan in self.plans}  # fmt: skip
        for name, value in values.items():
            require(name in shapes, f"values.{name}", jnp.shape(value), f"no such variable; known: {', '.join(shapes)}")
            require(jnp.shape(value) == shapes[name], f"values.{name}", jnp.shape(value),
                    f"the shape must be {shapes[name]}")  # fmt: skip
        for plan in self.plans:
            present = not plan.visible or plan.variable.name in values
            require(present, f"values.{plan.variable.name}", None, "a visible variable needs its true value")

    def _stage_keys(self, key: jax.Array) -> dict[int, jax.Array]:
        """Raw words of each stage by its purpose."""
        purposes = [stage.purpose for plan in self.plans for stage in plan.stages]
        if not purposes:
            return {}
        return dict(zip(purposes, purpose_keys(key, purposes), strict=True))

    def _observe(
        self,
        plan: VariablePlan,
        params: VariableParams,
        memory: tuple[StageMemory, ...],
        value: jax.Array,
        shared: _Shared,
    ) -> tuple[Delivered, tuple[StageMemory, ...]]:
        shape = self._shape(plan.variable)
        true = settled(jnp.asarray(value).astype(jnp.float32))
        true = jnp.broadcast_to(jnp.expand_dims(true, _missing_axes(plan)), shape)
        open_to = _open_to(plan, params, shared.active, shape)
        remembered = iter(memory)
        kept: list[StageMemory] = []
        number, code = true, jnp.full(shape, HIDDEN_CODE, jnp.int32)
        for stage in plan.stages:
            last = next(remembered) if stage.memory else None
            context = _context(plan, params, shared, stage, last)
            if last is not None:
                kept.append(_remember(last, true if stage.memory == "true" else number, number, open_to))
            number, code = _run(stage, params, number, code, context)
        return _deliver(plan, params, number, code, open_to), tuple(kept)


@dataclasses.dataclass(frozen=True)
class _Shared:
    """What all variables of one tick have in common."""

    identity: jax.Array
    active: jax.Array
    keys: dict[int, jax.Array]
    tick: jax.Array


def compile_pipeline(
    variables: Sequence[Variable],
    configuration: Mapping[str, Any] | None,
    num_observers: int,
    *,
    path: str = "observability",
) -> Pipeline:
    """Check a configuration and compile it.

    Args:
        variables: what the family offers.
        configuration: by variable, any of ``visible``, ``min``, ``max``, ``noise``, ``resolution``, ``buckets``,
            ``edges``, ``reference``, ``deadband`` and ``transforms``, as read from JSON or TOML; None for the defaults.
        num_observers: N, at least 1.
        path: what errors put before the name of the variable.

    Returns:
        The pipeline. Transforms registered later do not change it.

    Raises:
        ConfigurationError: with the path of the offending field, such as
            ``observability.othersWealth.transforms[1].kind``.
    """
    return Pipeline(make_plans(variables, configuration, path), whole("num_observers", num_observers, 1, 2**20))


def _missing_axes(plan: VariablePlan) -> tuple[int, ...]:
    """Axes of the observers that true values lack: a scalar is one for all, a pair's targets one for all observers."""
    return () if plan.variable.shape == "player" else (0,)


def _open_to(plan: VariablePlan, params: VariableParams, active: jax.Array, shape: tuple[int, ...]) -> jax.Array:
    """``bool``: which readings are allowed at all."""
    allowed = active
    if plan.variable.shape == "pair":
        others = ~np.eye(shape[0], dtype=bool)
        allowed = active[:, None] & active[None, :] & others
    return allowed if params.visible is None else allowed & params.visible


def _context(
    plan: VariablePlan, params: VariableParams, shared: _Shared, stage: Stage, last: StageMemory | None
) -> Context:
    identity = shared.identity
    if plan.variable.shape == "pair":
        counter = (identity[:, None], identity[None, :])
    else:
        counter = (identity, jnp.full(identity.shape, _NO_TARGET))
    low, high = _bounds(params)
    previous = None if last is None else last.previous
    has_previous = None if last is None else last.has_previous
    return Context(shared.keys[stage.purpose], counter, low, high, previous, has_previous, shared.tick)


def _bounds(params: VariableParams) -> tuple[jax.Array, jax.Array]:
    low = np.float32(-np.inf) if params.min is None else params.min
    return jnp.asarray(low), jnp.asarray(np.float32(np.inf) if params.max is None else params.max)


def _remember(last: StageMemory, kept: jax.Array, incoming: jax.Array, open_to: jax.Array) -> StageMemory:
    """What is compared with next time; a reading nobody got does not count."""
    seen = open_to & ~jnp.isnan(incoming) & ~jnp.isnan(kept)
    return StageMemory(previous=jnp.where(seen, kept, last.previous), has_previous=last.has_previous | seen)


def _run(
    stage: Stage, params: VariableParams, number: jax.Array, code: jax.Array, context: Context
) -> tuple[jax.Array, jax.Array]:
    """The number and the code after one transform. A code's number is the code itself unless the kind says more."""
    incoming = code if stage.kind.in_kind == "code" else number
    made = stage.kind.apply(incoming, stage_parameters(stage, params), context)
    if isinstance(made, tuple):
        return made
    made = jnp.broadcast_to(made, number.shape)
    if stage.content == "code":
        purposes = made.astype(jnp.int32)
        return jnp.where(purposes < np.int32(0), np.float32(np.nan), purposes.astype(jnp.float32)), purposes
    return settled(made.astype(jnp.float32)), jnp.full(number.shape, HIDDEN_CODE, jnp.int32)


def _deliver(
    plan: VariablePlan, params: VariableParams, number: jax.Array, code: jax.Array, open_to: jax.Array
) -> Delivered:
    mask = open_to & ~jnp.isnan(number)
    shown = number if plan.content == "code" else round_thousandths(number)
    low, high = (jnp.broadcast_to(bound, number.shape[:1]) for bound in _bounds(params))
    return Delivered(
        value=jnp.where(mask, shown, np.float32(0)),
        mask=mask,
        code=jnp.where(mask, code, np.int32(HIDDEN_CODE)),
        low=low,
        high=high,
        kind=plan.content,
    )


def _nothing(plan: VariablePlan, params: VariableParams, shape: tuple[int, ...]) -> Delivered:
    blank = jnp.full(shape, np.nan, jnp.float32)
    return _deliver(plan, params, blank, jnp.full(shape, HIDDEN_CODE, jnp.int32), jnp.zeros(shape, bool))
