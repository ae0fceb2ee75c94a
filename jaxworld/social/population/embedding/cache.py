"""Vectors kept on the disk, one file a text, found by the hash of embedder and text."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.files import write_atomically
from jaxworld.social.population.embedding.interface import NamedEmbedder, embed_texts

_DIGEST_BYTES = 32
_CHUNK = 256
"""Texts embedded between two rounds of writing; an interruption loses no more."""


def default_cache_folder() -> Path:
    """``$JAXWORLD_CACHE/embeddings``, else ``embeddings`` in the user's folder for caches."""
    given = os.environ.get("JAXWORLD_CACHE")
    if given:
        return Path(given) / "embeddings"
    shared = os.environ.get("XDG_CACHE_HOME")
    return (Path(shared) if shared else Path.home() / ".cache") / "jaxworld" / "embeddings"


class CachedEmbedder:
    """An embedder that embeds each text once and keeps its vector in a folder.

    A file holds the SHA-256 digest of the vector's bytes, then the vector in little-endian float32. Files are written
    whole or not at all, so several processes can share a folder. An entry whose digest or length does not fit is
    corrupt: it is counted, embedded again and replaced.

    Args:
        embedder: what to keep the vectors of; its ``name`` is part of every entry's address.
        folder: where the entries are; made when the first one is written.

    Attributes:
        hits: texts whose vector was there.
        misses: texts that had to be embedded, corrupt entries included.
        corrupt: entries that were found damaged and replaced.
    """

    def __init__(self, embedder: NamedEmbedder, folder: str | Path) -> None:
        self.embedder = embedder
        self.folder = Path(folder)
        self.hits = self.misses = self.corrupt = 0
        require(not self.folder.is_file(), "cache", str(folder), "this is a file: name a folder")

    @property
    def name(self) -> str:
        """The name of the embedder within."""
        return self.embedder.name

    def path_of(self, text: str) -> Path:
        """Where the vector of a text is kept."""
        content = f"{self.embedder.name}\0{text}".encode("utf-8", "surrogatepass")
        address = hashlib.sha256(content).hexdigest()
        return self.folder / address[:2] / f"{address[2:]}.vec"

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """``float32[n, D]``, from the folder where it has them.

        Raises:
            ConfigurationError: if the embedder returns no vectors, or not as long as those that are kept.
        """
        vectors = {text: self._read(text) for text in dict.fromkeys(texts)}
        missing = [text for text, vector in vectors.items() if vector is None]
        self.hits += len(vectors) - len(missing)
        self.misses += len(missing)
        for start in range(0, len(missing), _CHUNK):
            chunk = missing[start : start + _CHUNK]
            for text, vector in zip(chunk, embed_texts(self.embedder, chunk), strict=True):
                self._write(text, vector)
                vectors[text] = vector
        lengths = {len(vector) for vector in vectors.values() if vector is not None}
        require(len(lengths) <= 1, "embed", sorted(lengths), "vectors differ in length: empty the cache folder")
        return np.asarray([vectors[text] for text in texts], np.float32).reshape(len(texts), *lengths or (0,))

    def _read(self, text: str) -> np.ndarray | None:
        try:
            content = self.path_of(text).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        digest, body = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if len(body) % 4 or not body or hashlib.sha256(body).digest() != digest:
            self.corrupt += 1
            return None
        return np.frombuffer(body, "<f4").astype(np.float32)

    def _write(self, text: str, vector: np.ndarray) -> None:
        body = vector.astype("<f4").tobytes()
        path = self.path_of(text)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, hashlib.sha256(body).digest() + body)
        except OSError as error:
            raise ConfigurationError("cache", str(self.folder), f"cannot write there: {error.strerror}") from error
