"""From names and numbers to a commons, and the variants in the registry."""

from __future__ import annotations

import dataclasses
import difflib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from jaxworld.commons.config import CommonsConfig
from jaxworld.commons.observation import commons_variables
from jaxworld.commons.params import make_params
from jaxworld.commons.world import CommonsWorld
from jaxworld.core import checks
from jaxworld.core.errors import ConfigurationError
from jaxworld.observe.pipeline import compile_pipeline

PARAM_OPTIONS = tuple(name for name in inspect.signature(make_params).parameters if name not in ("config", "observe"))

GOVSIM = {"num_players": 5, "whole_units": True, "observability": {"regenRate": {"visible": True}}}
"""Piatti et al., "Cooperate or Collapse" (2024): five players, a pool of 100 that doubles, lost below 5."""

PRESETS: dict[str, tuple[dict[str, Any], str]] = {
    "commons/harvest": ({}, "players harvest one resource that regrows by the logistic law"),
    "commons/seneca": (
        {"seneca": True},
        "capital speeds up harvests, pollution slows regrowth: slow rise, fast fall",
    ),
    "commons/govsim": (GOVSIM, "a doubling pool of whole units shared by five, the GovSim dynamics"),
    "commons/pacts": ({"governance": True}, "the harvest commons with messages, pacts, sanctions and reputation"),
}
"""Registered variants: options and one line of description."""


def make_commons(
    num_players: int = 6,
    *,
    observability: Mapping[str, Any] | None = None,
    whole_units: bool = False,
    seneca: bool = False,
    governance: Any = None,
    **options: Any,
) -> CommonsWorld:
    """A commons with its default parameters.

    Args:
        num_players: N.
        observability: what is visible and how, by variable; see ``jaxworld.observe.compile_pipeline``.
        whole_units: the resource comes in whole units and multiplies.
        seneca: capital and pollution; a table of options of ``make_seneca_params``, or True.
        governance: messages, pacts and reputation: True, a table of options of ``GovernanceConfig`` and of
            ``governance_params``, or None for none.
        **options: arguments of ``make_params``: capacity, regrowth, harvest_cap, ...

    Raises:
        ConfigurationError: naming the option.
    """
    for name in options:
        if name not in PARAM_OPTIONS:
            near = difflib.get_close_matches(name, PARAM_OPTIONS, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ConfigurationError(name, options[name], f"{hint}use one of {', '.join(PARAM_OPTIONS)}")
    number = checks.whole("num_players", num_players, 1, 100_000)
    capital = _options("seneca", seneca)
    rules = _options("governance", governance)
    config, governing = _governed(number, rules)
    capacity = checks.number("capacity", options.get("capacity", 100.0), 1e-6, 1e9)
    share = options.get("harvest_cap", 0.05 if not (whole_units or capital is not None) else 1.0)
    most = capacity * (min(share, 1.0) if isinstance(share, int | float) and share > 0 else 1.0)
    variables = commons_variables(number, capacity=capacity, harvest_cap=most, seneca=capital is not None)
    static = CommonsConfig(
        num_players=number,
        whole_units=whole_units,
        seneca=capital is not None,
        governance=config,
        pipeline=compile_pipeline(variables, observability, number),
    )
    if capital:
        from jaxworld.commons.params import make_seneca_params

        options["seneca"] = _call("seneca", make_seneca_params, capital)
    if config is not None:
        from jaxworld.commons.governance.layer import governance_params

        chosen = {"tolerance": 1e-4 * capacity, **governing}
        options["governance"] = _call("governance", governance_params, chosen)
    return CommonsWorld(static, make_params(static, **options))


def make_preset(name: str) -> Callable[..., CommonsWorld]:
    """The factory of a registered variant: :func:`make_commons` with other defaults."""
    defaults = PRESETS[name][0]

    def factory(**options: Any) -> CommonsWorld:
        return make_commons(**{**defaults, **options})

    factory.__doc__ = f"{PRESETS[name][1]}; options of ``make_commons``."
    return factory


def _options(field: str, given: Any) -> dict[str, Any] | None:
    """None for off, else a table, empty for True."""
    if given is None or given is False:
        return None
    if given is True:
        return {}
    if isinstance(given, Mapping):
        return dict(given)
    raise ConfigurationError(field, given, "use True, False or a table of options")


def _governed(number: int, rules: dict[str, Any] | None) -> tuple[Any, dict[str, Any]]:
    """Static configuration of governance, and what remains for its parameters."""
    if rules is None:
        return None, {}
    from jaxworld.commons.governance.layer import GovernanceConfig

    static = {field.name for field in dataclasses.fields(GovernanceConfig)} - {"num_players"}
    chosen = {name: value for name, value in rules.items() if name in static}
    rest = {name: value for name, value in rules.items() if name not in static}
    return GovernanceConfig(num_players=number, **chosen), rest


def _call(field: str, build: Callable[..., Any], options: dict[str, Any]) -> Any:
    known = list(inspect.signature(build).parameters)
    for name, value in options.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ConfigurationError(f"{field}.{name}", value, f"{hint}use one of {', '.join(known)}")
    return build(**options)
