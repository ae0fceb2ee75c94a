"""OpenAI-ES: ascend a smoothed fitness along random directions, each tried both ways.

Salimans, Ho, Chen, Sidor, Sutskever (2017), "Evolution Strategies as a Scalable Alternative to Reinforcement
Learning", arXiv:1703.03864: antithetic sampling, rank shaping, and a gradient-based optimiser on the mean.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.study.search.lenient import lenient
from jaxworld.study.search.shaping import centered_rank
from jaxworld.study.search.strategies import Info, check_template, strong_types


@pytree_dataclass
class OpenAIESState:
    """State of :class:`OpenAIES`.

    Attributes:
        mean: the template's structure.
        optimiser: state of the optax optimiser.
        sigma: ``float32[]``, the current width of the search.
        generation: ``int32[]``.
    """

    mean: Any
    optimiser: Any
    sigma: jax.Array
    generation: jax.Array


@dataclasses.dataclass(frozen=True)
class OpenAIES:
    """OpenAI-ES with antithetic pairs; implements ``Strategy``.

    Candidate ``i`` of the first half is ``mean + sigma * noise[i]``, candidate ``i`` of the second half
    ``mean - sigma * noise[i]``.

    Attributes:
        population_size: number of candidates P, even.
        sigma: standard deviation of the search distribution. The mean settles to within about this of an optimum.
        optimiser: an optax transformation for the mean.
        shaping: from ``float32[P]`` to ``float32[P]``, see ``jaxworld.study.search.shaping``.
        sigma_decay: factor on sigma after each generation, in (0, 1].
        sigma_min: sigma decays no further.

    Raises:
        ConfigurationError: for an odd or empty population, or a width or decay outside its range.
    """

    population_size: int = 64
    sigma: float = 0.1
    optimiser: optax.GradientTransformation = dataclasses.field(default_factory=lambda: optax.adam(0.05))
    shaping: Callable[[jax.Array], jax.Array] = centered_rank
    sigma_decay: float = 1.0
    sigma_min: float = 0.0

    def __post_init__(self) -> None:
        even = isinstance(self.population_size, int) and self.population_size >= 2 and self.population_size % 2 == 0
        require(even, "population_size", self.population_size, "antithetic pairs need an even number of at least 2")
        require(np.isfinite(self.sigma) and self.sigma > 0, "sigma", self.sigma, "use a positive number")
        require(0 < self.sigma_decay <= 1, "sigma_decay", self.sigma_decay, "use a factor above 0 and at most 1")
        require(0 <= self.sigma_min <= self.sigma, "sigma_min", self.sigma_min, f"use 0 to sigma = {self.sigma:g}")

    def init(self, key: jax.Array, template: Any) -> OpenAIESState:
        """Start at the template; the key is not used."""
        del key
        check_template(template)
        mean = jax.tree.map(jnp.asarray, template)
        return OpenAIESState(
            mean=mean,
            optimiser=strong_types(self.optimiser.init(mean)),
            sigma=jnp.asarray(self.sigma, jnp.float32),
            generation=jnp.zeros((), jnp.int32),
        )

    def ask(self, key: jax.Array, state: OpenAIESState) -> tuple[Any, OpenAIESState]:
        """A generation of antithetic pairs."""
        noise = draw_noise(key, state.mean, self.population_size // 2)

        def both_ways(mean: jax.Array, step: jax.Array) -> jax.Array:
            step = state.sigma * step
            return jnp.concatenate([mean[None] + step, mean[None] - step])

        return jax.tree.map(both_ways, state.mean, noise), state

    def tell(
        self, key: jax.Array, state: OpenAIESState, population: Any, fitness: jax.Array
    ) -> tuple[OpenAIESState, Info]:
        """One optimiser step along the estimated gradient of the shaped fitness."""
        del key
        half = self.population_size // 2
        shaped = self.shaping(fitness)
        noise = jax.tree.map(lambda leaf: (leaf[:half] - leaf[half:]) / (np.float32(2) * state.sigma), population)
        gradient = antithetic_gradient(noise, shaped[:half], shaped[half:], state.sigma)
        downhill = jax.tree.map(jnp.negative, gradient)  # optax minimises
        with lenient():
            updates, optimiser = self.optimiser.update(downhill, state.optimiser, state.mean)
            mean = optax.apply_updates(state.mean, updates)
        sigma = jnp.maximum(state.sigma * np.float32(self.sigma_decay), np.float32(self.sigma_min))
        made = replace(
            state,
            mean=mean,
            optimiser=strong_types(optimiser),
            sigma=sigma,
            generation=state.generation + np.int32(1),
        )
        squares = [jnp.square(leaf).sum() for leaf in jax.tree.leaves(gradient)]
        return made, {"gradient_norm": jnp.sqrt(sum(squares[1:], squares[0])), "sigma": state.sigma}

    def solution(self, state: OpenAIESState) -> Any:
        """The mean of the search distribution."""
        return state.mean


def draw_noise(key: jax.Array, template: Any, number: int) -> Any:
    """Standard normal directions: the template's structure with a leading axis ``number``, from one key."""
    leaves, structure = jax.tree.flatten(template)
    sizes = [int(np.prod(leaf.shape, dtype=np.int64)) for leaf in leaves]
    flat = jax.random.normal(key, (number, sum(sizes)), jnp.float32)
    parts = jnp.split(flat, np.cumsum(sizes)[:-1].tolist(), axis=1)
    return jax.tree.unflatten(
        structure, [part.reshape(number, *leaf.shape) for part, leaf in zip(parts, leaves, strict=True)]
    )


def antithetic_gradient(noise: Any, forward: jax.Array, backward: jax.Array, sigma: jax.Array) -> Any:
    """The ascent direction from pairs, ``mean over pairs of (forward - backward) / (2 sigma) * noise``.

    On a linear function each pair measures the slope along its direction without error, whatever sigma and the
    function's offset: with orthogonal directions of squared length D (as many as there are dimensions) the estimate
    is the gradient itself.

    Args:
        noise: pytree with a leading axis of pairs H.
        forward: ``float32[H]``, fitness at ``mean + sigma * noise``.
        backward: ``float32[H]``, fitness at ``mean - sigma * noise``.
        sigma: ``float32[]``.
    """
    slope = (forward - backward) / (np.float32(2) * sigma)
    number = np.float32(slope.shape[0])
    return jax.tree.map(lambda leaf: jnp.tensordot(slope, leaf, axes=1) / number, noise)
