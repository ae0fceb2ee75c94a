"""What every search strategy offers: ask for candidates, tell how they did."""

from __future__ import annotations

from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import ConfigurationError
from jaxworld.core.leaves import named_leaves

Info = dict[str, jax.Array]
"""What a strategy says about a generation, ``float32[]`` each; every strategy has keys of its own."""


class Strategy(Protocol):
    """A maximiser over pytrees of float32 arrays.

    A strategy object is static: everything that changes lives in its state, a pytree of arrays. All methods are
    pure and may be compiled, scanned and batched. The keys given to them are used up.
    """

    @property
    def population_size(self) -> int:
        """Number of candidates P in a generation."""

    def init(self, key: jax.Array, template: Any) -> Any:
        """The first state; the search starts around ``template``, a pytree of float32 arrays."""

    def ask(self, key: jax.Array, state: Any) -> tuple[Any, Any]:
        """``(population, state)``: the template's structure with a leading axis P on every leaf."""

    def tell(self, key: jax.Array, state: Any, population: Any, fitness: jax.Array) -> tuple[Any, Info]:
        """``(state, info)`` after the fitness ``float32[P]`` of that population, finite, higher is better."""

    def solution(self, state: Any) -> Any:
        """The candidate the strategy stands for now, in the template's structure; it need not have been asked for."""


def check_template(template: Any) -> None:
    """Refuse what a strategy cannot move.

    Raises:
        ConfigurationError: for a template without arrays, or with leaves that are not float32 or not finite.
    """
    leaves = named_leaves(template, "template")
    if not leaves:
        raise ConfigurationError("template", template, "it has no arrays to search over")
    for path, leaf in leaves:
        dtype = getattr(leaf, "dtype", None)
        if dtype != np.float32:
            raise ConfigurationError(
                path, str(dtype or type(leaf).__name__), "searched leaves are float32: put a codec in front of it"
            )
        if not isinstance(leaf, jax.core.Tracer) and not bool(np.isfinite(np.asarray(leaf)).all()):
            raise ConfigurationError(path, "not finite", "start the search from finite numbers")


def strong_types(tree: Any) -> Any:
    """The same arrays without weak types, so that a state has one type from its first to its last generation."""
    return jax.tree.map(lambda leaf: jax.lax.convert_element_type(leaf, jnp.result_type(leaf)), tree)
