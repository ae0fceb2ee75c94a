"""Published test functions, negated (we maximise; every optimum is 0), and whole searches on them in one program."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def sphere(x):
    """Optimum at 0."""
    return -jnp.square(x).sum()


def rosenbrock(x):
    """A curved valley; optimum at 1 (Rosenbrock 1960)."""
    return -(np.float32(100) * jnp.square(x[1:] - jnp.square(x[:-1])) + jnp.square(np.float32(1) - x[:-1])).sum()


def rastrigin(x):
    """A local optimum at every grid point; global at 0 (Rastrigin 1974)."""
    wave = np.float32(10) * (np.float32(1) - jnp.cos(np.float32(2 * np.pi) * x))
    return -(jnp.square(x) + wave).sum()


def climb(strategy: Any, function: Any, start: Any, generations: int, seeds: int) -> tuple[np.ndarray, np.ndarray]:
    """Searches of several seeds in one compiled program: best of each generation and value of the final solution.

    Returns:
        ``float32[seeds, generations]`` and ``float32[seeds]``, both negated: distances from the optimum.
    """

    def one(key):
        state = strategy.init(jax.random.fold_in(key, 0), start)

        def generation(state, number):
            ask, tell = jax.random.split(jax.random.fold_in(key, number))
            population, state = strategy.ask(ask, state)
            fitness = jax.vmap(function)(population)
            return strategy.tell(tell, state, population, fitness)[0], fitness.max()

        state, best = jax.lax.scan(generation, state, jnp.arange(1, generations + 1))
        return best, function(strategy.solution(state))

    best, final = jax.jit(lambda keys: jax.lax.map(one, keys))(jax.random.split(jax.random.key(0), seeds))
    return -np.asarray(best), -np.asarray(final)
