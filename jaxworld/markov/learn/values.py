"""Values learned from replay by a small network."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.checks import whole
from jaxworld.core.networks import Perceptron
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.markov.graph.graph import Graph
from jaxworld.markov.learn.fitting import apply_network, fit, make_perceptron
from jaxworld.markov.learn.replay import Replay
from jaxworld.markov.solve.discounted import check_discount


@pytree_dataclass
class ValueNetwork:
    """``network``: from public bits to one number; ``scale``: ``float32[]`` that it is multiplied with."""

    network: Perceptron
    scale: Any

    def of(self, bits: Any) -> np.ndarray:
        """``float64[N]``: values of public bits ``bool[N, B]``."""
        return np.asarray(_value(self, jnp.asarray(bits, jnp.float32)), np.float64)

    def at_start(self, graph: Graph) -> float:
        """The mean value of the states an episode begins with, by their chances."""
        starts = np.flatnonzero(graph.initial > 0)
        return float(graph.initial[starts] @ self.of(graph.bits()[starts]))


def fit_value_network(
    replay: Replay,
    num_bits: int,
    discount: float,
    *,
    player: int = 0,
    hidden: int = 64,
    steps: int = 3000,
    batch: int = 256,
    learning_rate: float = 3e-3,
    seed: int = 0,
) -> ValueNetwork:
    """Semi-gradient TD(0) with Adam, on targets as in :func:`~jaxworld.markov.learn.tabular.learn_values`.

    Raises:
        ConfigurationError: for numbers out of range.
    """
    check_discount(discount)
    whole("player", player, 0, replay.action.shape[1] - 1)
    states, successors = replay.bits(num_bits)
    # The size of values: what a step pays, for as long as play goes on.
    lasting = discount * float(replay.discount.mean())
    scale = np.float32(max(float(np.abs(replay.reward[:, player]).mean()), 1e-6) / (1.0 - lasting))
    start = make_perceptron(seed, num_bits, hidden, 1)
    data = {
        "state": states.astype(np.float32),
        "successor": successors.astype(np.float32),
        "reward": replay.reward[:, player] / scale,
        "follow": replay.discount * np.float32(discount),
    }

    def loss(network: Perceptron, rows: Any) -> jax.Array:
        now = apply_network(network, rows["state"])[:, 0]
        then = apply_network(network, rows["successor"])[:, 0]
        target = rows["reward"] + rows["follow"] * jax.lax.stop_gradient(then)
        return jnp.square(now - target).mean()

    made, _ = fit(loss, start, data, steps=steps, batch=batch, learning_rate=learning_rate, seed=seed)
    return ValueNetwork(network=made, scale=jnp.asarray(scale))


@jax.jit
def _value(values: ValueNetwork, bits: jax.Array) -> jax.Array:
    return apply_network(values.network, bits)[:, 0] * values.scale
