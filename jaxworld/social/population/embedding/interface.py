"""What an embedder is, and the check of what it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from jaxworld.core.errors import ConfigurationError, require

Embedder = Callable[[Sequence[str]], np.ndarray]
"""n texts to ``float32[n, D]``; an all-zero row says that the text has no vector."""


class NamedEmbedder(Protocol):
    """An embedder that says which it is, so that its vectors can be kept."""

    @property
    def name(self) -> str:
        """Changes whenever the vectors do: model, version and settings."""
        ...

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """``float32[n, D]`` for n texts."""
        ...


def embed_texts(embedder: Embedder, texts: Sequence[str]) -> np.ndarray:
    """Vectors ``float32[n, D]`` of n texts, checked.

    Raises:
        ConfigurationError: if what comes back is not one finite vector for each text.
    """
    returned: Any = embedder(list(texts))
    try:
        vectors = np.asarray(returned, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ConfigurationError("embed", returned, f"return an array of numbers ({error})"[:200]) from error
    remedy = f"return one vector for each of the {len(texts)} texts"
    require(vectors.ndim == 2 and vectors.shape[0] == len(texts), "embed", vectors.shape, remedy)
    require(bool(np.isfinite(vectors).all()), "embed", "NaN or infinity", "return finite vectors")
    return np.asarray(vectors)
