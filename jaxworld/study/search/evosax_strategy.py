"""Strategies of the evosax library behind our interface: CMA-ES and some thirty others."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

from jaxworld.core.errors import ConfigurationError, MissingExtraError, require
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.study.search.lenient import lenient
from jaxworld.study.search.strategies import Info, check_template, strong_types

FULL_COVARIANCE_LIMIT = 2_000
"""Dimensions above which a strategy with a full covariance matrix is refused; it is slow from about 100 on."""
_FULL_COVARIANCE = ("CMA_ES", "xNES", "iAMaLGaM_Full")


@pytree_dataclass
class EvosaxState:
    """State of :class:`EvosaxStrategy`: evosax's own, and the template, which says how a vector becomes a policy."""

    inner: Any
    template: Any


@dataclasses.dataclass(frozen=True)
class EvosaxStrategy:
    """One evosax algorithm; implements ``Strategy``. Made by :func:`from_evosax`.

    Evosax minimises, so the sign of the fitness is flipped here and nowhere else. It works on the flattened
    template. Its population-based algorithms start from candidates around the template that count as worst.

    Attributes:
        algorithm: the evosax class.
        population_size: number of candidates P.
        options: arguments of the class, sorted by name.
        params: entries of the algorithm's parameters that replace its defaults, sorted by name.
    """

    algorithm: type
    population_size: int
    options: tuple[tuple[str, Any], ...] = ()
    params: tuple[tuple[str, Any], ...] = ()

    def init(self, key: jax.Array, template: Any) -> EvosaxState:
        """Start around the template."""
        check_template(template)
        center, _ = ravel_pytree(template)
        self._check_size(center.size)
        made, params = self._build(center.size)
        with lenient():
            if hasattr(made, "get_mean"):
                inner = made.init(key, center, params)
            else:
                near, rest = jax.random.split(key)
                spread = jax.random.normal(near, (self.population_size, center.size), jnp.float32)
                worst = jnp.full(self.population_size, jnp.inf, jnp.float32)
                inner = made.init(rest, center[None] + spread, worst, params)
        return EvosaxState(inner=strong_types(inner), template=jax.tree.map(jnp.asarray, template))

    def ask(self, key: jax.Array, state: EvosaxState) -> tuple[Any, EvosaxState]:
        """A generation of candidates."""
        center, unravel = ravel_pytree(state.template)
        made, params = self._build(center.size)
        with lenient():
            flat, inner = made.ask(key, state.inner, params)
        return jax.vmap(unravel)(flat), replace(state, inner=strong_types(inner))

    def tell(self, key: jax.Array, state: EvosaxState, population: Any, fitness: jax.Array) -> tuple[EvosaxState, Info]:
        """Learn from a generation."""
        flat = jax.vmap(lambda candidate: ravel_pytree(candidate)[0])(population)
        made, params = self._build(flat.shape[1])
        with lenient():
            inner, _ = made.tell(key, flat, -fitness, state.inner, params)
        state = replace(state, inner=strong_types(inner))
        return state, {"solution_norm": jnp.linalg.norm(ravel_pytree(self.solution(state))[0])}

    def solution(self, state: EvosaxState) -> Any:
        """The mean of the search distribution; of algorithms without one, the best candidate so far."""
        _, unravel = ravel_pytree(state.template)
        mean = getattr(state.inner, "mean", None)
        return unravel(state.inner.best_solution if mean is None else mean)

    def has_parameter(self, name: str) -> bool:
        """Whether the algorithm has a parameter of that name, such as ``std_init``."""
        return name in [field.name for field in dataclasses.fields(self._build(2)[1])]

    def accepts_option(self, name: str) -> bool:
        """Whether the algorithm's class takes an argument of that name, such as ``optimizer``."""
        return name in inspect.signature(self.algorithm).parameters

    def _build(self, num_dimensions: int) -> tuple[Any, Any]:
        return _build(self.algorithm, self.population_size, self.options, self.params, num_dimensions)

    def _check_size(self, num_dimensions: int) -> None:
        full = self.algorithm.__name__ in _FULL_COVARIANCE and num_dimensions > FULL_COVARIANCE_LIMIT
        remedy = f"it keeps a full covariance matrix of {num_dimensions:,} dimensions: use Sep_CMA_ES or OpenAI-ES"
        require(not full, "strategy", self.algorithm.__name__, remedy)


def from_evosax(
    strategy: str | type, population_size: int = 32, *, params: Mapping[str, Any] | None = None, **options: Any
) -> EvosaxStrategy:
    """A strategy of evosax.

    Args:
        strategy: name of an evosax algorithm (``"CMA_ES"``, ``"Sep_CMA_ES"``, ``"SNES"``, ``"PGPE"``, ...; case and
            the signs ``-`` and ``_`` do not matter), or its class.
        population_size: number of candidates P.
        params: values for the algorithm's parameters, such as ``{"std_init": 0.5}``.
        **options: arguments of its class, such as ``optimizer=optax.adam(0.05)``.

    Raises:
        MissingExtraError: if evosax is not installed.
        ConfigurationError: for an unknown algorithm, option or parameter, or a population it cannot have.
    """
    algorithm = _find(strategy) if isinstance(strategy, str) else strategy
    require(isinstance(population_size, int) and population_size >= 2, "population_size", population_size,
            "use at least 2")  # fmt: skip
    made = EvosaxStrategy(
        algorithm, population_size, tuple(sorted(options.items())), tuple(sorted((params or {}).items()))
    )
    made._build(2)  # an option that cannot work is found here rather than in the first generation
    return made


def evosax_names() -> tuple[str, ...]:
    """Names of the algorithms evosax has, sorted.

    Raises:
        MissingExtraError: if evosax is not installed.
    """
    return tuple(sorted(_algorithms()))


def _algorithms() -> dict[str, type]:
    try:
        from evosax.algorithms import algorithms
    except ImportError as error:
        raise MissingExtraError("evosax", "search", "this search strategy") from error
    return dict(algorithms)


def _find(name: str) -> type:
    known = {_plain(each): algorithm for each, algorithm in _algorithms().items()}
    if _plain(name) not in known:
        near = difflib.get_close_matches(_plain(name), list(known), n=3, cutoff=0.4) or list(known)
        names = ", ".join(known[each].__name__ for each in near)
        raise ConfigurationError("strategy", name, f"evosax has no such algorithm; the nearest are {names}")
    return known[_plain(name)]


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


@functools.lru_cache(maxsize=64)
def _build(
    algorithm: Any, population_size: int, options: tuple[Any, ...], params: tuple[Any, ...], num_dimensions: int
) -> tuple[Any, Any]:
    """The evosax object and its parameters; kept, because evosax compiles anew for every object."""
    name = algorithm.__name__
    with lenient(), jax.ensure_compile_time_eval():
        try:
            made = algorithm(
                population_size=population_size, solution=jnp.zeros(num_dimensions, jnp.float32), **dict(options)
            )
        except (TypeError, AssertionError) as error:
            given = {"population_size": population_size, **dict(options)}
            raise ConfigurationError("strategy options", given, f"evosax.{name} refuses them: {error}") from error
        defaults = made.default_params
        known = [field.name for field in dataclasses.fields(defaults)]
        for field, value in params:
            require(field in known, f"params.{field}", value, f"{name} has the parameters {', '.join(known) or 'none'}")
        changed = {field: np.float32(value) if isinstance(value, float) else value for field, value in params}
        return made, defaults.replace(**changed)
