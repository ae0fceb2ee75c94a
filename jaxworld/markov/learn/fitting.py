"""How small networks are fitted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

from jaxworld.core.checks import number, whole
from jaxworld.core.networks import Perceptron, make_network
from jaxworld.core.random import (
    entity_bits,
    index_identity,
    key_words,
    purpose_key,
    register_purpose,
    tick_key,
    uniform_index,
    world_key,
)

INIT = register_purpose("markov/learn/init")
BATCH = register_purpose("markov/learn/batch")


def apply_network(network: Perceptron, inputs: jax.Array) -> jax.Array:
    """``float32[N, out]`` from ``float32[N, in]``."""
    return jax.vmap(lambda row: network.apply((), row)[0])(inputs)


def fit(
    loss: Callable[[Any, Any], jax.Array],
    parameters: Any,
    data: Any,
    *,
    steps: int,
    batch: int,
    learning_rate: float,
    seed: int,
) -> tuple[Any, np.ndarray]:
    """Adam with a cosine schedule on batches drawn with replacement, in one compiled scan.

    Args:
        loss: ``loss(parameters, rows of data) -> float32[]``.
        parameters: where to start.
        data: arrays with one leading axis.
        steps, batch, learning_rate, seed: of the fit.

    Returns:
        The parameters and the losses ``float32[steps]``.

    Raises:
        ConfigurationError: for numbers out of range.
    """
    whole("steps", steps, 1, 10**8)
    whole("batch", batch, 1, 10**7)
    number("learning_rate", learning_rate, 1e-9, 10.0)
    rule = optax.adam(optax.cosine_decay_schedule(learning_rate, steps))
    size = jax.tree.leaves(data)[0].shape[0]
    rows = index_identity(np.arange(batch, dtype=np.uint32))

    @functools.partial(jax.jit)
    def train(parameters: Any, data: Any, key: jax.Array) -> Any:
        def one(carry: Any, tick: jax.Array) -> Any:
            parameters, moments = carry
            words = key_words(purpose_key(tick_key(key, tick), BATCH))
            places = uniform_index(entity_bits(words, rows, 1)[0], jnp.full(batch, size, jnp.uint32))
            value, slope = jax.value_and_grad(loss)(parameters, jax.tree.map(lambda leaf: leaf[places], data))
            with jax.numpy_dtype_promotion("standard"):  # optax multiplies floats and counts
                change, moments = rule.update(slope, moments, parameters)
            return (optax.apply_updates(parameters, change), moments), value

        start = parameters, rule.init(parameters)
        (made, _), losses = lax.scan(one, start, jnp.arange(steps, dtype=jnp.int32))
        return made, losses

    made, losses = train(parameters, jax.tree.map(jnp.asarray, data), world_key(seed))
    return made, np.asarray(losses)


def first_key(seed: int) -> jax.Array:
    """The key initial weights are drawn with."""
    return purpose_key(tick_key(world_key(seed), 0), INIT)


def make_perceptron(seed: int, num_in: int, hidden: int, num_out: int) -> Perceptron:
    """One hidden layer with random weights.

    Raises:
        ConfigurationError: for a width below 1.
    """
    made = make_network("mlp", first_key(seed), num_in, num_out, hidden=(whole("hidden", hidden, 1, 10**5),))
    assert isinstance(made, Perceptron)
    return made
