"""The population as arrays: who exists, who is tied to whom, who follows whom, who likes what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.core.pytree import pytree_dataclass, replace
from jaxworld.core.random import name_identity
from jaxworld.social.population import checks
from jaxworld.social.population.vectors import SIMILARITY_SCALE, quantize_unit_vectors

__all__ = ["SIMILARITY_SCALE", "Population", "canonical_order", "make_population", "pad_population"]

HOURS_PER_DAY = 24
STRONGEST_TIE = checks.STRONGEST_TIE


@pytree_dataclass
class Population:
    """Everything a social world knows about its personas before the first tick.

    N personas in canonical order (see :func:`canonical_order`), M directed tie entries (each tie is stored from both
    ends), F follows, D dimensions. NumPy arrays on the host; they become device arrays when passed to ``jit``.

    Attributes:
        identity: ``uint32[N, 2]``, hash of the persona id; every draw for a persona hashes it.
        present: ``bool[N]``, false in padding rows, which are never active and never surveyed.
        involvement: ``float32[N]``, at least 0, multiplies the probability of being active.
        community: ``int32[N]``, dense from 0; -1 is none.
        degree: ``int32[N]``, number of ties.
        followers: ``int32[N]``, followers before the run: real totals where the source has them, else how many
            personas here follow this one, else the degree.
        row_offsets: ``int32[N + 1]``, the ties of persona i are entries ``row_offsets[i]`` to ``row_offsets[i + 1]``.
        neighbor: ``int32[M]``, the other end, ascending within a row.
        tie_strength: ``int32[M]``, 1 to 1000 thousandths, the same from both ends.
        follows: ``int32[F, 2]``, (follower, followee), sorted, unique, nobody follows itself.
        profile: ``float32[N, D]``, integer-valued rows of length about 4000 (``SIMILARITY_SCALE``); a zero row has
            no vector, and D may be 0.
        rhythm: ``float32[N, 24]`` activity by hour of day in [0, 1], or None for the rhythm shared by all.
    """

    identity: Any
    present: Any
    involvement: Any
    community: Any
    degree: Any
    followers: Any
    row_offsets: Any
    neighbor: Any
    tie_strength: Any
    follows: Any
    profile: Any
    rhythm: Any

    @property
    def num_personas(self) -> int:
        """N, padding rows included."""
        return int(self.identity.shape[0])

    @property
    def num_ties(self) -> int:
        """Number of undirected ties, M / 2."""
        return int(self.neighbor.shape[0]) // 2

    @property
    def num_follows(self) -> int:
        """F."""
        return int(self.follows.shape[0])

    @property
    def num_dimensions(self) -> int:
        """D."""
        return int(self.profile.shape[1])


def canonical_order(persona_ids: Sequence[str]) -> np.ndarray:
    """Positions ``int64[N]`` that sort the ids: as numbers if all of them are decimal numbers, else as strings.

    Raises:
        ConfigurationError: if an id is empty, no string, or occurs twice.
    """
    ids = list(persona_ids)
    require(len(ids) > 0, "persona_ids", ids, "give at least one persona")
    wrong = next((entry for entry in ids if not isinstance(entry, str) or not entry), None)
    require(all(isinstance(entry, str) and entry for entry in ids), "persona_ids", wrong, "use non-empty strings")
    if len(set(ids)) != len(ids):
        seen: set[str] = set()
        twice = next(entry for entry in ids if entry in seen or seen.add(entry))  # type: ignore[func-returns-value]
        require(False, "persona_ids", twice, "give each persona an id of its own")
    if all(entry.isascii() and entry.isdigit() for entry in ids):
        return np.asarray(sorted(range(len(ids)), key=lambda i: (int(ids[i]), ids[i])), np.int64)
    return np.asarray(sorted(range(len(ids)), key=ids.__getitem__), np.int64)


def make_population(
    persona_ids: Sequence[str],
    *,
    ties: Any = None,
    strengths: Any = STRONGEST_TIE,
    involvement: Any = 1.0,
    community: Any = None,
    followers: Any = None,
    follows: Any = None,
    vectors: Any = None,
    rhythm: Any = None,
) -> Population:
    """Check everything about a population and bring it into canonical order.

    Indices in ``ties`` and ``follows`` and the rows of all per-persona arrays refer to ``persona_ids`` as given; the
    order of arrival leaves no trace in the result.

    Args:
        persona_ids: N different non-empty strings.
        ties: integers ``[E, 2]``, each undirected tie once, in either direction.
        strengths: integers ``[E]`` from 1 to 1000, or one for all.
        involvement: numbers ``[N]`` of at least 0, or one for all.
        community: integers ``[N]``, -1 for none, otherwise dense from 0.
        followers: integers ``[N]`` of at least 0.
        follows: integers ``[F, 2]``, (follower, followee).
        vectors: real vectors ``[N, D]`` of any length, see :func:`quantize_unit_vectors`.
        rhythm: numbers ``[N, 24]`` in [0, 1].

    Raises:
        ConfigurationError: naming the field that cannot be used.
    """
    order = canonical_order(persona_ids)
    num = len(order)
    rank = np.empty(num, np.int64)
    rank[order] = np.arange(num)
    tie_pairs = checks.check_pairs("ties", ties, num)
    follow_pairs = rank[checks.check_pairs("follows", follows, num, directed=True)]
    row_offsets, neighbor, tie_strength = build_rows(num, rank[tie_pairs], checks.check_strengths(strengths, tie_pairs))
    degree = np.diff(row_offsets)
    if followers is not None:
        totals = checks.check_counts("followers", followers, num)[order]
    else:
        totals = np.bincount(follow_pairs[:, 1], minlength=num) if len(follow_pairs) else degree
    profile = np.zeros((num, 0), np.float32) if vectors is None else quantize_unit_vectors(vectors)
    require(profile.shape[0] == num, "vectors", profile.shape, f"give one row for each of the {num} personas")
    hours = None if rhythm is None else checks.check_rhythm(rhythm, num)[order]
    return Population(
        identity=name_identity([persona_ids[i] for i in order]),
        present=np.ones(num, bool),
        involvement=checks.check_involvement(involvement, num)[order],
        community=checks.check_community(community, num)[order],
        degree=degree.astype(np.int32),
        followers=totals.astype(np.int32),
        row_offsets=row_offsets,
        neighbor=neighbor,
        tie_strength=tie_strength,
        follows=follow_pairs[np.lexsort((follow_pairs[:, 1], follow_pairs[:, 0]))].astype(np.int32),
        profile=profile[order],
        rhythm=hours,
    )


def build_rows(num: int, ties: np.ndarray, strengths: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compressed rows of ties: ``row_offsets int32[N + 1]``, ``neighbor`` and strengths ``int32[2E]``."""
    source = np.concatenate([ties[:, 0], ties[:, 1]])
    target = np.concatenate([ties[:, 1], ties[:, 0]])
    order = np.argsort(source * num + target)
    row_offsets = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=num))])
    both = np.concatenate([strengths, strengths])
    return row_offsets.astype(np.int32), target[order].astype(np.int32), both[order].astype(np.int32)


def pad_population(population: Population, num_personas: int) -> Population:
    """Add absent rows at the end until there are ``num_personas``; nothing about the present rows changes.

    Raises:
        ConfigurationError: if ``num_personas`` is less than the population already has.
    """
    num = population.num_personas
    require(num_personas >= num, "num_personas", num_personas, f"the population already has {num} rows")
    extra = num_personas - num

    def pad(array: Any, fill: int | float | bool = 0) -> np.ndarray:
        rows = np.full((extra, *array.shape[1:]), fill, dtype=array.dtype)
        return np.concatenate([np.asarray(array), rows])

    identity = pad(population.identity)
    # Distinct identities that sort last; absent rows are never drawn for, so they only have to differ.
    identity[num:, 0] = np.uint32(0xFFFFFFFF)
    identity[num:, 1] = np.arange(extra, dtype=np.uint32)
    return replace(
        population,
        identity=identity,
        present=pad(population.present, False),
        involvement=pad(population.involvement),
        community=pad(population.community, -1),
        degree=pad(population.degree),
        followers=pad(population.followers),
        row_offsets=pad(population.row_offsets, int(population.row_offsets[-1])),
        profile=pad(population.profile),
        rhythm=None if population.rhythm is None else pad(population.rhythm),
    )
