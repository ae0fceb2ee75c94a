"""Profile vectors from what personas say about themselves."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from jaxworld.core.errors import require
from jaxworld.core.pytree import replace
from jaxworld.social.population.embedding.cache import CachedEmbedder
from jaxworld.social.population.embedding.interface import Embedder, embed_texts
from jaxworld.social.population.embedding.names import resolve_embedder
from jaxworld.social.population.report import BuiltPopulation, counted, listed
from jaxworld.social.population.vectors import quantize_unit_vectors


def attach_text_vectors(
    built: BuiltPopulation, embed: Embedder | str = "hashing", *, cache: str | Path | None = None
) -> BuiltPopulation:
    """Give a population the vectors of its texts, on the integer grid of :func:`quantize_unit_vectors`.

    Personas without a text get no vector (a zero row); the report counts them.

    Args:
        built: a population with texts.
        embed: a name of ``EMBEDDERS``, or a function from texts to ``float32[n, D]``.
        cache: folder that keeps the vectors of ``"minilm"``.

    Raises:
        ConfigurationError: if the population has no texts, or the embedder returns no usable vectors.
        MissingExtraError: if the embedder needs a package that is not installed.
    """
    require(len(built.texts) > 0, "texts", (), "this population has no texts to embed")
    embedder = resolve_embedder(embed, cache)
    if embedder is None:
        return built
    vectors = quantize_unit_vectors(embed_texts(embedder, built.texts), field="embed")
    name = getattr(embedder, "name", getattr(embedder, "__name__", type(embedder).__name__))
    notes = [f"profile vectors embed the personas' texts: {name}, {vectors.shape[1]} dimensions"]
    silent = [name for name, vector in zip(built.report.persona_ids, vectors, strict=True) if not vector.any()]
    if silent:
        notes.append(f"{counted(len(silent), 'persona')} without a text to embed, no vector: {listed(silent)}")
    if isinstance(embedder, CachedEmbedder) and embedder.corrupt:
        notes.append(f"{counted(embedder.corrupt, 'corrupt cache entry', 'corrupt cache entries')} replaced")
    attached = dataclasses.replace(built, population=replace(built.population, profile=vectors))
    return attached.with_notes(*notes)
