"""Recommenders by name. A recommender is a pure function that orders stimuli; the engine does the rest."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable
from typing import Any, Literal

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.vocabulary import Reason

Scope = Literal["sample", "shared", "personal"]
SIGNALS = frozenset({"vectors", "graph"})


@dataclasses.dataclass(frozen=True)
class Recommender:
    """How one recommender orders the candidates.

    Attributes:
        name: what configurations call it.
        scope: ``sample`` draws uniformly without replacement and takes no function; ``shared`` ranks once for
            everybody, ``order(context) -> list of float32[S]`` limbs, larger first; ``personal`` ranks for a block
            of personas, ``order(context, block) -> PersonalOrder``.
        order: the function; it must not look at anything but its arguments.
        reason: why an exposure by this recommender happens.
        needs: signals it cannot do without: ``vectors``, ``graph``.
        summary: one line for listings.
    """

    name: str
    scope: Scope
    order: Callable[..., Any] | None
    reason: Reason
    needs: frozenset[str] = frozenset()
    summary: str = ""


_recommenders: dict[str, Recommender] = {}


def register_recommender(recommender: Recommender) -> Recommender:
    """Make a recommender known by its name.

    Raises:
        ConfigurationError: if the name is taken or malformed, or the scope and the function do not fit.
    """
    name = recommender.name
    require(name.isidentifier(), "recommender.name", name, "use letters, digits and underscores")
    require(name not in _recommenders, "recommender.name", name, "the name is taken: choose another")
    require(recommender.needs <= SIGNALS, "recommender.needs", sorted(recommender.needs), f"use {sorted(SIGNALS)}")
    require(
        recommender.scope in ("sample", "shared", "personal"),
        "recommender.scope",
        recommender.scope,
        "use sample, shared or personal",
    )
    require(
        (recommender.order is None) == (recommender.scope == "sample"),
        "recommender.order",
        recommender.order,
        "shared and personal recommenders need a function, sample takes none",
    )  # fmt: skip
    _recommenders[name] = recommender
    return recommender


def _load_standard() -> None:
    import jaxworld.social.recommenders.standard  # noqa: F401  (registers on import)


def recommender_names() -> tuple[str, ...]:
    """All registered names, in order of registration."""
    _load_standard()
    return tuple(_recommenders)


def get_recommender(name: str) -> Recommender:
    """The recommender of this name.

    Raises:
        ConfigurationError: naming the nearest known name.
    """
    _load_standard()
    if name not in _recommenders:
        nearest = difflib.get_close_matches(name, _recommenders, n=1)
        hint = f"did you mean {nearest[0]!r}? " if nearest else ""
        raise ConfigurationError("recommender", name, f"{hint}use one of {', '.join(_recommenders)}")
    return _recommenders[name]
