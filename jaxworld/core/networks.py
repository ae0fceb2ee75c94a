"""Small networks as pytrees: linear, multi-layer perceptron, and a gated recurrent unit."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass


@pytree_dataclass
class Dense:
    """``x @ weight + bias``: ``weight float32[I, O]``, ``bias float32[O]``."""

    weight: jax.Array
    bias: jax.Array

    def __call__(self, x: jax.Array) -> jax.Array:
        return x @ self.weight + self.bias


@pytree_dataclass
class Linear:
    """One dense layer without memory."""

    layer: Dense

    def start(self) -> tuple[()]:
        """No memory."""
        return ()

    def apply(self, memory: tuple[()], x: jax.Array) -> tuple[jax.Array, tuple[()]]:
        """Outputs ``float32[O]`` from inputs ``float32[I]``."""
        return self.layer(x), memory


@pytree_dataclass
class Perceptron:
    """Dense layers with tanh in between, without memory."""

    layers: tuple[Dense, ...]

    def start(self) -> tuple[()]:
        """No memory."""
        return ()

    def apply(self, memory: tuple[()], x: jax.Array) -> tuple[jax.Array, tuple[()]]:
        """Outputs ``float32[O]`` from inputs ``float32[I]``."""
        for layer in self.layers[:-1]:
            x = jnp.tanh(layer(x))
        return self.layers[-1](x), memory


@pytree_dataclass
class Recurrent:
    """A gated recurrent unit and a dense layer that reads it.

    Cho et al. (2014), "Learning Phrase Representations using RNN Encoder-Decoder": an update gate z, a reset gate r
    and a proposal n; the memory becomes ``(1 - z) * n + z * memory``.

    Attributes:
        gates: from input and memory to z and r, ``I + H`` to ``2 H``.
        proposal: from input and reset memory to n, ``I + H`` to ``H``.
        readout: from input and memory to outputs, ``I + H`` to ``O``.
    """

    gates: Dense
    proposal: Dense
    readout: Dense

    def start(self) -> jax.Array:
        """An empty memory, ``float32[H]``."""
        return jnp.zeros(self.proposal.bias.shape[-1], jnp.float32)

    def apply(self, memory: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Outputs ``float32[O]`` and the new memory ``float32[H]`` from inputs ``float32[I]``."""
        update, reset = jnp.split(jax.nn.sigmoid(self.gates(jnp.concatenate([x, memory]))), 2)
        proposal = jnp.tanh(self.proposal(jnp.concatenate([x, reset * memory])))
        outputs = self.readout(jnp.concatenate([x, memory]))
        return outputs, (np.float32(1) - update) * proposal + update * memory


Network = Linear | Perceptron | Recurrent


def make_dense(key: jax.Array, num_in: int, num_out: int, scale: float) -> Dense:
    """Normal weights of standard deviation ``scale / sqrt(num_in)``, no bias; all zero for scale 0."""
    spread = np.float32(scale / np.sqrt(max(num_in, 1)))
    weight = spread * jax.random.normal(key, (num_in, num_out), jnp.float32)
    return Dense(weight=weight, bias=jnp.zeros(num_out, jnp.float32))


def make_network(
    kind: str, key: jax.Array, num_in: int, num_out: int, *, hidden: Sequence[int] = (16,), scale: float = 1.0
) -> Network:
    """A network with random weights.

    The last layer starts at a tenth of the scale, so that a fresh policy has no strong preference.

    Args:
        kind: ``linear``, ``mlp`` or ``recurrent``.
        key: used up.
        num_in, num_out: inputs I and outputs O.
        hidden: widths of the hidden layers; a recurrent network has one. Unused by a linear one.
        scale: of the weights; 0 for all zero.

    Raises:
        ConfigurationError: for another kind, or widths it cannot have.
    """
    require(kind in KINDS, "policy", kind, f"use one of {', '.join(KINDS)}")
    widths = tuple(hidden)
    require(all(int(width) == width and width >= 1 for width in widths), "hidden", widths, "use widths of at least 1")
    keys = jax.random.split(key, len(widths) + 3)
    if kind == "linear":
        return Linear(layer=make_dense(keys[0], num_in, num_out, 0.1 * scale))
    require(kind != "mlp" or len(widths) >= 1, "hidden", widths, "give a perceptron at least one hidden width")
    if kind == "mlp":
        sizes = (num_in, *widths)
        layers = [make_dense(keys[n], sizes[n], sizes[n + 1], scale) for n in range(len(widths))]
        return Perceptron(layers=(*layers, make_dense(keys[-1], sizes[-1], num_out, 0.1 * scale)))
    require(len(widths) == 1, "hidden", widths, "a recurrent policy has one hidden width")
    size = widths[0]
    return Recurrent(
        gates=make_dense(keys[0], num_in + size, 2 * size, scale),
        proposal=make_dense(keys[1], num_in + size, size, scale),
        readout=make_dense(keys[2], num_in + size, num_out, 0.1 * scale),
    )


KINDS = ("linear", "mlp", "recurrent")
