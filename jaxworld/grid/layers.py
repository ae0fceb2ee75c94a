"""Named grids of categories, and how several of them travel in one word a cell."""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core.errors import require

WORD_BITS = 32


@dataclasses.dataclass(frozen=True)
class Layer:
    """One grid of an observation.

    Attributes:
        name: its key in the observation, in capitals.
        categories: what a cell can hold, numbered from 1; 0 is nothing, unseen or off the map.
    """

    name: str
    categories: tuple[str, ...]

    def __post_init__(self) -> None:
        fits = len(self.categories) == len(set(self.categories)) and 1 <= len(self.categories) < 2**16
        require(fits, f"categories of {self.name}", self.categories, "give 1 to 65,535 different names")

    @property
    def dtype(self) -> np.dtype:
        """``uint8``, or ``uint16`` if there are more than 255 categories."""
        return np.dtype(np.uint8 if len(self.categories) < 2**8 else np.uint16)

    @property
    def bits(self) -> int:
        """Bits that hold any category."""
        return len(self.categories).bit_length()

    def identity(self, category: str) -> int:
        """The number of a category."""
        return self.categories.index(category) + 1


def category_ids(layers: Sequence[Layer]) -> Mapping[str, Mapping[str, int]]:
    """Layer name to category name to number, read-only."""
    return MappingProxyType(
        {layer.name: MappingProxyType({name: layer.identity(name) for name in layer.categories}) for layer in layers}
    )


@dataclasses.dataclass(frozen=True)
class Packing:
    """Where the bits of each layer lie in words of 32 bits.

    A view gathers words, so that seven grids cost one gather.

    Attributes:
        layers: layers, in order.
    """

    layers: tuple[Layer, ...]

    @property
    def places(self) -> tuple[tuple[int, int], ...]:
        """(word, lowest bit) of each layer; a layer never lies across two words."""
        placed, word, used = [], 0, 0
        for layer in self.layers:
            if used + layer.bits > WORD_BITS:
                word, used = word + 1, 0
            placed.append((word, used))
            used += layer.bits
        return tuple(placed)

    @property
    def num_words(self) -> int:
        """Words a cell."""
        return self.places[-1][0] + 1

    def pack(self, painted: Mapping[str, jax.Array | np.ndarray], size: int) -> list[jax.Array]:
        """Words ``uint32[size]`` from grids ``[size]`` of categories by layer name; layers not named stay empty."""
        words = [jnp.zeros(size, jnp.uint32) for _ in range(self.num_words)]
        for layer, (word, shift) in zip(self.layers, self.places, strict=True):
            if layer.name in painted:
                part = jnp.asarray(painted[layer.name]).astype(jnp.uint32) << np.uint32(shift)
                words[word] = words[word] | part
        return words

    def add_at(
        self, words: Sequence[jax.Array], cells: jax.Array, values: Mapping[str, jax.Array], where: jax.Array
    ) -> list[jax.Array]:
        """Words with categories of single cells added to layers that are empty there.

        Args:
            words: from :meth:`pack`.
            cells: ``int32[n]``, different where ``where`` holds.
            values: categories ``[n]`` by layer name.
            where: ``bool[n]``.
        """
        made = list(words)
        target = jnp.where(where, cells, np.int32(words[0].shape[0]))
        for number in range(self.num_words):
            parts = [
                values[layer.name].astype(jnp.uint32) << np.uint32(shift)
                for layer, (word, shift) in zip(self.layers, self.places, strict=True)
                if word == number and layer.name in values
            ]
            if parts:
                made[number] = made[number].at[target].add(functools.reduce(operator.or_, parts), mode="drop")
        return made

    def unpack(self, words: Sequence[jax.Array]) -> dict[str, jax.Array]:
        """Grids of each layer's dtype by name, of the shape of the words."""
        grids = {}
        for layer, (word, shift) in zip(self.layers, self.places, strict=True):
            mask = np.uint32((1 << layer.bits) - 1)
            grids[layer.name] = ((words[word] >> np.uint32(shift)) & mask).astype(layer.dtype)
        return grids


def scatter_categories(size: int, cells: jax.Array, categories: jax.Array | np.ndarray, where: jax.Array) -> jax.Array:
    """A grid ``uint32[size]`` of zeros with ``categories`` at ``cells`` where ``where`` holds, all of one shape."""
    target = jnp.where(where, cells, np.int32(size)).reshape(-1)
    values = jnp.broadcast_to(jnp.asarray(categories), where.shape).astype(jnp.uint32).reshape(-1)
    return jnp.zeros(size, jnp.uint32).at[target].max(values, mode="drop")
