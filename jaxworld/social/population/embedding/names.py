"""Embedders by name, as the command line takes them."""

from __future__ import annotations

from pathlib import Path

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.population.embedding.cache import CachedEmbedder, default_cache_folder
from jaxworld.social.population.embedding.hashing import HashingEmbedder
from jaxworld.social.population.embedding.interface import Embedder
from jaxworld.social.population.embedding.sentence import SentenceEmbedder

EMBEDDERS = ("hashing", "minilm")
"""``hashing`` needs nothing; ``minilm`` needs the extra ``embed`` and keeps its vectors on the disk."""


def resolve_embedder(embed: Embedder | str | None, cache: str | Path | None = None) -> Embedder | None:
    """The embedder that a name stands for; a callable stays itself, and None and ``"none"`` mean no vectors.

    Args:
        embed: one of :data:`EMBEDDERS`, a callable, or None.
        cache: folder for the vectors of ``minilm`` (default :func:`default_cache_folder`). A callable of your own is
            kept by :class:`CachedEmbedder`; hashing is faster than reading a file.

    Raises:
        ConfigurationError: if there is no such embedder.
    """
    if embed is None or embed == "none":
        return None
    if embed == "hashing":
        return HashingEmbedder()
    if embed == "minilm":
        return CachedEmbedder(SentenceEmbedder(), default_cache_folder() if cache is None else cache)
    if isinstance(embed, str) or not callable(embed):
        remedy = f"use {', '.join(EMBEDDERS)}, none, or a function from texts to vectors"
        raise ConfigurationError("embed", embed, remedy)
    return embed
