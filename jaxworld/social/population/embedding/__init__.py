"""From texts to vectors, on the host, before a world begins; never a download.

An embedder is any callable that takes a sequence of texts and returns one vector for each.
"""

from jaxworld.social.population.embedding.attach import attach_text_vectors
from jaxworld.social.population.embedding.cache import CachedEmbedder, default_cache_folder
from jaxworld.social.population.embedding.hashing import HashingEmbedder
from jaxworld.social.population.embedding.interface import Embedder, NamedEmbedder, embed_texts
from jaxworld.social.population.embedding.names import EMBEDDERS, resolve_embedder
from jaxworld.social.population.embedding.sentence import SentenceEmbedder

__all__ = [
    "EMBEDDERS",
    "CachedEmbedder",
    "Embedder",
    "HashingEmbedder",
    "NamedEmbedder",
    "SentenceEmbedder",
    "attach_text_vectors",
    "default_cache_folder",
    "embed_texts",
    "resolve_embedder",
]
