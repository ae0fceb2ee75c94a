"""Static variants of a world: each is compiled once and runs the same design on the same seeds."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jaxworld.core.errors import ConfigurationError, JaxworldError, require
from jaxworld.core.policy import Policy
from jaxworld.core.registry import make
from jaxworld.core.world import World
from jaxworld.study.sweep.families import default_policy

Label = bool | int | float | str
_UNSAFE = re.compile(r"[^A-Za-z0-9_.+=-]+")
_MOST_ARMS = 10_000


@dataclasses.dataclass(frozen=True, eq=False)
class Arm:
    """A variant.

    Attributes:
        world: any world.
        params: its parameters, ``world.default_params()`` if None.
        policy: what acts; the sweep's policy if None, and failing that the family's default.
        labels: columns that say what the variant is, the same names in every arm.
    """

    world: World
    params: Any = None
    policy: Policy | None = None
    labels: Mapping[str, Label] = dataclasses.field(default_factory=dict)


ArmLike = World | Arm | Callable[[], World | Arm]
"""An arm, a bare world, or something that makes one when the sweep starts."""


@dataclasses.dataclass(frozen=True, eq=False)
class BuiltArm:
    """An arm with nothing left open; ``slug`` is its name in file names."""

    name: str
    slug: str
    world: World
    params: Any
    policy: Policy
    labels: Mapping[str, Label]


def build_arms(arms: ArmLike | Mapping[str, ArmLike], policy: Policy | None = None) -> list[BuiltArm]:
    """Settle what each arm is.

    Args:
        arms: one world or arm, or several by name.
        policy: acts in every arm that has none of its own.

    Raises:
        ConfigurationError: for no arms, unusable names, or labels that differ in their names.
    """
    named = arms if isinstance(arms, Mapping) else {"world": arms}
    require(1 <= len(named) <= _MOST_ARMS, "arms", list(named), f"give from 1 to {_MOST_ARMS:,} arms")
    built = [_build(name, arm, policy) for name, arm in named.items()]
    slugs = [arm.slug for arm in built]
    require(len(set(slugs)) == len(slugs), "arms", list(named), "two names are the same in file names: rename one")
    for arm in built:
        same = list(arm.labels) == list(built[0].labels)
        require(same, "arms", arm.name, f"every arm must have the labels {', '.join(built[0].labels) or '(none)'}")
    return built


def variants(
    world: str, options: Mapping[str, Any] | None = None, axes: Mapping[str, Sequence[Any]] | None = None
) -> dict[str, Callable[[], Arm]]:
    """Arms from the registry: every combination of static options.

    Args:
        world: a registered name.
        options: keywords of every arm.
        axes: keywords with the values to combine; they become labels. A single axis names its arms by the value,
            several by ``option=value`` joined with commas.

    Raises:
        ConfigurationError: for an option that is both fixed and varied, or an axis without values.
    """
    fixed, varied = dict(options or {}), dict(axes or {})
    for option, values in varied.items():
        require(option not in fixed, option, fixed.get(option), "is fixed and varied: keep one of the two")
        require(len(values) > 0, option, list(values), "give at least one value")
        distinct = len({repr(value) for value in values})
        require(distinct == len(values), option, list(values), "a value is listed twice")
    made = {}
    for choice in itertools.product(*varied.values()):
        chosen = dict(zip(varied, choice, strict=True))
        made[_variant_name(world, chosen)] = _maker(world, {**fixed, **chosen}, chosen)
    return made


def _maker(world: str, options: dict[str, Any], chosen: dict[str, Any]) -> Callable[[], Arm]:
    labels = {name: value if isinstance(value, Label) else _shown(value) for name, value in chosen.items()}

    def build() -> Arm:
        try:
            return Arm(make(world, **options), labels=labels)
        except (TypeError, ValueError) as error:
            if isinstance(error, JaxworldError):
                raise
            shown = ", ".join(f"{name}={value!r}" for name, value in options.items())
            raise ConfigurationError("arms", shown, f"{world} cannot be made of these options ({error})") from error

    return build


def _variant_name(world: str, chosen: dict[str, Any]) -> str:
    if not chosen:
        return world
    if len(chosen) == 1:
        return _shown(next(iter(chosen.values())))
    return ",".join(f"{name}={_shown(value)}" for name, value in chosen.items())


def _shown(value: Any) -> str:
    return "+".join(map(_shown, value)) if isinstance(value, tuple | list) else str(value)


def _build(name: str, given: ArmLike, policy: Policy | None) -> BuiltArm:
    require(isinstance(name, str) and bool(name.strip()), "arms", name, "give every arm a name")
    made = given if isinstance(given, World | Arm) else given() if callable(given) else given
    arm = made if isinstance(made, Arm) else Arm(made)
    if not isinstance(arm.world, World):
        raise ConfigurationError(f"arms[{name}]", arm.world, "give a world, an Arm, or a function that makes one")
    params = arm.world.default_params() if arm.params is None else arm.params
    acting = arm.policy or policy or default_policy(arm.world, params)
    for label, value in arm.labels.items():
        require(isinstance(value, Label), f"labels.{label}", value, "use a text, a number, true or false")
    return BuiltArm(name, _UNSAFE.sub("-", name), arm.world, params, acting, dict(arm.labels))
