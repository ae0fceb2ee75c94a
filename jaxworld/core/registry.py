"""Worlds by name: ``make("family/variant", **config)``."""

from __future__ import annotations

import contextlib
import difflib
import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any

from jaxworld.core.errors import ConfigurationError, require

Factory = Callable[..., Any] | str
"""A callable that builds a world from keywords, or ``"module:attribute"``, imported when first needed."""

_NAME = re.compile(r"[a-z0-9_]+/[a-z0-9_]+")
_factories: dict[str, tuple[Factory, str]] = {}


def register(name: str, factory: Factory, *, summary: str = "") -> None:
    """Make a world available to :func:`make`. Registering the same factory again is harmless.

    Args:
        name: ``family/variant`` in lower-case letters, digits and underscores.
        factory: builds the world from keywords; a string ``"module:attribute"`` is imported on first use.
        summary: one line for listings.

    Raises:
        ConfigurationError: for a malformed name or string, or if another factory has the name.
    """
    require(_NAME.fullmatch(name) is not None, "name", name, "write family/variant in lower case, digits and _")
    if isinstance(factory, str):
        parts = factory.split(":")
        require(len(parts) == 2 and all(parts), "factory", factory, "write 'module:attribute'")
    if name in _factories:
        require(_factories[name][0] == factory, "name", name, "already registered with another factory: rename it")
    _factories[name] = (factory, summary)


def registered() -> dict[str, str]:
    """Every registered name with its summary, sorted by name."""
    return {name: _factories[name][1] for name in sorted(_factories)}


def make(name: str, **config: Any) -> Any:
    """Build a registered world.

    Args:
        name: ``family/variant``.
        **config: keywords of the world's factory: its static configuration.

    Returns:
        The world; its attribute ``made_as`` holds ``(name, config)``.

    Raises:
        ConfigurationError: for an unknown name or keyword (the nearest known ones are listed) or a missing keyword.
    """
    if name not in _factories:
        known = list(registered())
        near = difflib.get_close_matches(name, known, n=5, cutoff=0.4) or known
        raise ConfigurationError("name", name, f"no such world; the nearest are {', '.join(near) or '(none)'}")
    factory = _resolve(name)
    _check_keywords(name, factory, config)
    world = factory(**config)
    with contextlib.suppress(AttributeError):  # objects with slots cannot remember how they were made
        object.__setattr__(world, "made_as", (name, dict(config)))
    return world


def _resolve(name: str) -> Callable[..., Any]:
    factory, _ = _factories[name]
    if isinstance(factory, str):
        module, attribute = factory.split(":")
        factory = getattr(importlib.import_module(module), attribute)
    return factory  # type: ignore[return-value]


def _check_keywords(name: str, factory: Callable[..., Any], config: dict[str, Any]) -> None:
    parameters = inspect.signature(factory).parameters.values()
    named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    accepted = [p.name for p in named]
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        for keyword, value in config.items():
            if keyword not in accepted:
                near = difflib.get_close_matches(keyword, accepted, n=1, cutoff=0.0)
                advice = f"did you mean {near[0]!r}?" if near else "it takes no keywords"
                remedy = f"{name} does not know this keyword; {advice} (accepted: {', '.join(accepted) or 'none'})"
                raise ConfigurationError(keyword, value, remedy)
    for parameter in named:
        if parameter.default is parameter.empty and parameter.name not in config:
            raise ConfigurationError(parameter.name, None, f"{name} needs this keyword")
