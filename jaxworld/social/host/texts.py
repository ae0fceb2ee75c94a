"""Vectors of profiles and texts: made once, when a text is published, and kept for ranking."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxworld.core.checks import numeric_array
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.population import quantize_unit_vectors
from jaxworld.social.population.profile_text import attribute_text, profile_text
from jaxworld.social.records.config import WorldConfig
from jaxworld.social.records.population import Persona, Population

NO_VECTOR = 0
"""Row of the text table that stays zero: similar to nothing."""


def profile_of(persona: Persona, latest: str = "") -> str:
    """A persona in words: its attributes by name, then its latest text on the feed, if there is one."""
    return profile_text(attribute_text(persona.attributes), latest)


class TextVectors:
    """Profiles of personas and vectors of texts, on the grid the kernel ranks on.

    Without an embedder texts have no vector, so they are similar to nobody.

    Args:
        population: personas in the order of the kernel.
        config: the given profile vectors and the embedder.

    Attributes:
        profile: ``float32[N, D]``, D is 0 before :meth:`start` and where nothing has a vector.
        rows: vectors of texts; row 0 is that of texts without one.
        latest: latest text on the feed by persona.
        calls: texts embedded so far.
    """

    def __init__(self, population: Population, config: WorldConfig) -> None:
        self._personas = population.personas
        self._embed = config.embed_texts
        index = {persona.persona_id: position for position, persona in enumerate(population.personas)}
        self._given = dict(config.profile_vectors)
        for name in self._given:
            require(name in index, "WorldConfig.profile_vectors", name, "there is no such persona")
        self.profile = np.zeros((len(population.personas), 0), np.float32)
        self.study = np.zeros((0, 0), np.float32)
        self.rows: list[np.ndarray] = []
        self.latest: dict[int, str] = {}
        self.calls = 0

    @property
    def embeds(self) -> bool:
        """There is an embedder."""
        return self._embed is not None

    def start(self, study_texts: Sequence[str]) -> None:
        """Vectors of all profiles and of what the study publishes."""
        asked = [at for at, persona in enumerate(self._personas) if persona.persona_id not in self._given]
        profiles = self._vectors([profile_of(self._personas[at]) for at in asked])
        study = self._vectors(study_texts)
        widths = {len(vector) for vector in self._given.values()}
        widths |= {made.shape[1] for made in (profiles, study) if made is not None and len(made)}
        if len(widths) > 1:
            raise ConfigurationError("profile_vectors", sorted(widths), "give them the embedder's length")
        width = widths.pop() if widths else 0
        self.profile = np.zeros((len(self._personas), width), np.float32)
        for at, persona in enumerate(self._personas):
            if persona.persona_id in self._given:
                self.profile[at] = quantize_unit_vectors([self._given[persona.persona_id]])[0]
        if profiles is not None and asked:
            self.profile[asked] = profiles
        self.study = np.zeros((len(study_texts), width), np.float32) if study is None else study
        self.rows = [np.zeros(width, np.float32)]

    def publish(self, texts: Sequence[str], authors: Sequence[int], refreshes: Sequence[bool]) -> list[int]:
        """Rows of newly published texts, in order; the profiles of those whose text is on the feed are made anew.

        Args:
            texts: what is published.
            authors: personas.
            refreshes: whether the author's profile quotes it.
        """
        if not self.embeds:
            return [NO_VECTOR] * len(texts)
        latest = {author: text for text, author, quoted in zip(texts, authors, refreshes, strict=True) if quoted}
        renewed = sorted(author for author in latest if self._personas[author].persona_id not in self._given)
        profiles = [profile_of(self._personas[author], latest[author]) for author in renewed]
        made = self._vectors([*texts, *profiles])
        assert made is not None
        self.latest.update(latest)
        first = len(self.rows)
        self.rows.extend(made[: len(texts)])
        if renewed:
            self.profile = self.profile.copy()
            self.profile[renewed] = made[len(texts) :]
        return list(range(first, first + len(texts)))

    def table(self, capacity: int) -> np.ndarray:
        """``float32[capacity, D]``: vectors of texts, zeros where there is none yet."""
        table = np.zeros((capacity, self.profile.shape[1]), np.float32)
        table[: len(self.rows)] = self.rows
        return table

    def _vectors(self, texts: Sequence[str]) -> np.ndarray | None:
        """Grid vectors of texts; an embedder is called once for all of them, and not at all for none."""
        if self._embed is None:
            return None
        if not texts:
            return np.zeros((0, self.profile.shape[1]), np.float32)
        self.calls += len(texts)
        made = numeric_array("embed_texts", self._embed(list(texts)))
        fits = made.ndim == 2 and made.shape[0] == len(texts)
        require(fits, "embed_texts", made.shape, f"return one vector for each of {len(texts)} texts")
        if self.profile.shape[1]:
            require(made.shape[1] == self.profile.shape[1], "embed_texts", made.shape, "keep the length of vectors")
        return quantize_unit_vectors(made, field="embed_texts")
