"""Named applications of the search: one command and one figure each. A family adds its own by registering them."""

from __future__ import annotations

import dataclasses
import difflib
import importlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from jaxworld.core.errors import ConfigurationError, require


class ApplicationResult(Protocol):
    """What an application returns."""

    @property
    def settings(self) -> Any:
        """The settings it ran with."""

    @property
    def summary(self) -> Mapping[str, Any]:
        """JSON values: for each arm, its figures; an interval is a mapping of ``mean``, ``low`` and ``high``."""

    @property
    def rows(self) -> Mapping[str, np.ndarray]:
        """A tidy table: columns of one length."""

    @property
    def policies(self) -> Mapping[str, Any]:
        """The policies found, by name."""


Reference = str | Callable[..., Any]
"""A callable, or ``"module:attribute"``, imported when first needed."""


@dataclasses.dataclass(frozen=True)
class Application:
    """A named application.

    Attributes:
        summary: one line for listings.
        settings: a frozen dataclass with defaults for everything.
        run: ``run(settings, progress=None, folder=None) -> ApplicationResult``; progress takes ``(arm, event)``, the
            folder keeps checkpoints.
        figure: ``figure(result, path)`` writes a PNG. It may live on a higher floor, so it is best a string.
    """

    summary: str
    settings: Reference
    run: Reference
    figure: Reference

    def make_settings(self, **values: Any) -> Any:
        """Settings with some values changed.

        Raises:
            ConfigurationError: for a name there is not, or a value that does not work.
        """
        made = resolve(self.settings)
        known = [field.name for field in dataclasses.fields(made)]
        for name, value in values.items():
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
                raise ConfigurationError(name, value, f"no such setting; did you mean {near[0]!r}?")
        return made(**values)


_applications: dict[str, Application] = {}


def register_application(name: str, application: Application) -> None:
    """Make an application available by name. Registering the same one again is harmless.

    Raises:
        ConfigurationError: if another one has the name.
    """
    taken = _applications.get(name, application)
    require(taken == application, "application", name, "already registered: choose another name")
    _applications[name] = application


def application_names() -> dict[str, str]:
    """Every registered name with its summary, sorted."""
    return {name: _applications[name].summary for name in sorted(_applications)}


def get_application(name: str) -> Application:
    """The application of that name.

    Raises:
        ConfigurationError: for an unknown name.
    """
    if name not in _applications:
        known = list(application_names())
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.0)
        advice = f"did you mean {near[0]!r}? " if near else ""
        raise ConfigurationError("application", name, f"{advice}There are {', '.join(known)}")
    return _applications[name]


def resolve(reference: Reference) -> Any:
    """What a reference refers to."""
    if not isinstance(reference, str):
        return reference
    module, attribute = reference.split(":")
    return getattr(importlib.import_module(module), attribute)


_EXPERIMENTS = "jaxworld.study.experiments"
register_application(
    "reach",
    Application(
        summary="the posting policy with the widest reach under each recommender, and whose merit that is",
        settings=f"{_EXPERIMENTS}.reach.settings:ReachSettings",
        run=f"{_EXPERIMENTS}.reach.run:run_reach",
        figure="jaxworld.plot.reach:write_reach_figure",
    ),
)
register_application(
    "reference",
    Application(
        summary="arms that pay by a cue, with and without memory, compared with the closed-form optimum",
        settings=f"{_EXPERIMENTS}.reference.settings:ReferenceSettings",
        run=f"{_EXPERIMENTS}.reference.run:run_reference",
        figure="jaxworld.plot.search:write_reference_figure",
    ),
)
register_application(
    "harvest",
    Application(
        summary="the harvesting policy that gets most from a commons, against each kind of built-in agents",
        settings=f"{_EXPERIMENTS}.harvest.settings:HarvestSettings",
        run=f"{_EXPERIMENTS}.harvest.run:run_harvest",
        figure="jaxworld.plot.harvest:write_harvest_figure",
    ),
)
register_application(
    "best_response",
    Application(
        summary="the policy that answers fixed others best in a repeated game, beside the closed form",
        settings=f"{_EXPERIMENTS}.best_response.settings:BestResponseSettings",
        run=f"{_EXPERIMENTS}.best_response.run:run_best_response",
        figure="jaxworld.plot.best_response:write_best_response_figure",
    ),
)
