"""From a configuration to a checked plan: which transforms each variable goes through, in which order."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from jaxworld.core.checks import flag, number
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.random import register_purpose
from jaxworld.observe import kinds as _built_in  # noqa: F401  (registers the built-in kinds)
from jaxworld.observe.delivered import Content
from jaxworld.observe.fields import LARGEST, Field, near, read_fields, read_table
from jaxworld.observe.registry import Kind, find_kind, registered_kinds
from jaxworld.observe.variable import Variable

_RESOLUTION_EXTRAS = ("buckets", "edges", "reference", "deadband")
VARIABLE_FIELDS = ("visible", "min", "max", "noise", "resolution", *_RESOLUTION_EXTRAS, "transforms")
"""What a configuration may say of one variable."""


@dataclasses.dataclass(frozen=True)
class Stage:
    """One transform of one variable.

    Attributes:
        kind: the transform, as it was registered when the plan was made.
        specification: its checked fields.
        place: ``noise``, ``resolution``, or ``transforms[i]``.
        content: what comes out.
        memory: what it remembers from tick to tick: ``observed``, ``true`` or nothing.
        purpose: code of its random stream, which is named after the variable, the kind, and its number among the
            stages of that kind, so that no other transform shifts its draws.
    """

    kind: Kind
    specification: tuple[tuple[str, Any], ...]
    place: str
    content: Content
    memory: str
    purpose: int

    @property
    def fields(self) -> dict[str, Any]:
        """The specification by name."""
        return dict(self.specification)

    @property
    def labels(self) -> tuple[str | int, ...]:
        """Names of the codes that come out; empty if they have none."""
        labels = self.kind.labels
        return labels(self.fields) if callable(labels) else labels


@dataclasses.dataclass(frozen=True)
class VariablePlan:
    """What happens to one variable: ``stages`` in order if ``visible``, nothing otherwise."""

    variable: Variable
    visible: bool
    stages: tuple[Stage, ...]

    @property
    def content(self) -> Content:
        """What is delivered."""
        return self.stages[-1].content if self.stages else "number"


def make_plans(variables: Sequence[Variable], configuration: Any, path: str) -> tuple[VariablePlan, ...]:
    """Check a configuration against the variables of a family and plan each variable.

    Raises:
        ConfigurationError: with the path of the offending field.
    """
    _check_variables(variables)
    tables = read_table(path, {} if configuration is None else configuration)
    by_name = {variable.name: variable for variable in variables}
    for name, table in tables.items():
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            raise ConfigurationError(f"{path}.{name}", table, f"unknown variable{near(name, by_name)}; known: {known}")
        require(not by_name[name].requires, f"{path}.{name}", table, f"not in this world: {by_name[name].requires}")
    known_kinds = registered_kinds()
    present = [variable for variable in variables if not variable.requires]
    return tuple(_plan(one, tables.get(one.name, {}), f"{path}.{one.name}", known_kinds) for one in present)


def _check_variables(variables: Sequence[Variable]) -> None:
    names = [variable.name for variable in variables]
    for name in names:
        require(names.count(name) == 1, "variables", name, "each variable needs a name of its own")


def _plan(variable: Variable, table: Any, path: str, known: Mapping[str, Kind]) -> VariablePlan:
    table = read_table(path, table)
    for key, value in table.items():
        if key not in VARIABLE_FIELDS:
            accepted = ", ".join(VARIABLE_FIELDS)
            remedy = f"unknown field{near(key, VARIABLE_FIELDS)}; accepted: {accepted}"
            raise ConfigurationError(f"{path}.{key}", value, remedy)
    visible = flag(f"{path}.visible", table.get("visible", variable.visible))
    variable = _with_bounds(variable, table, path)
    stages: list[Stage] = []
    for place, kind, specification, fields_path in _entries(variable, table, path, known):
        _append(stages, variable, place, kind, specification, fields_path)
    return VariablePlan(variable, visible, tuple(stages) if visible else ())


def _with_bounds(variable: Variable, table: Mapping[str, Any], path: str) -> Variable:
    low, high = (
        number(f"{path}.{field}", table[field], -LARGEST, LARGEST) if field in table else natural
        for field, natural in (("min", variable.low), ("max", variable.high))
    )
    if low is not None and high is not None:
        field, value = ("min", low) if "min" in table else ("max", high)
        require(low < high, f"{path}.{field}", value, f"the bounds must increase, and they are {low:g} and {high:g}")
    return dataclasses.replace(variable, low=low, high=high)


def _entries(
    variable: Variable, table: Mapping[str, Any], path: str, known: Mapping[str, Kind]
) -> list[tuple[str, Kind, dict[str, Any], str]]:
    """Place, kind, checked fields and path of each transform: noise, resolution, then the list."""
    entries = []
    if "noise" in table:
        kind = known["gaussian_noise"]
        fraction = dict(kind.schema)["std_fraction"].read(f"{path}.noise", table["noise"])
        entries.append(("noise", kind, {"std_fraction": fraction}, f"{path}.noise"))
    if "resolution" in table:
        kind = known["resolution"]
        schema: dict[str, Field] = {"resolution": dict(kind.schema)["mode"]}
        schema |= {name: dict(kind.schema)[name] for name in _RESOLUTION_EXTRAS}
        written = {name: table[name] for name in schema if name in table}
        fields = read_fields(path, written, schema)
        entries.append(("resolution", kind, {"mode": fields.pop("resolution"), **fields}, path))
    for name in _RESOLUTION_EXTRAS:
        lonely = name in table and "resolution" not in table
        require(not lonely, f"{path}.{name}", table.get(name), "it says how to apply resolution: write resolution, too")
    return entries + _listed(table.get("transforms", []), f"{path}.transforms", known)


def _listed(transforms: Any, path: str, known: Mapping[str, Kind]) -> list[tuple[str, Kind, dict[str, Any], str]]:
    require(isinstance(transforms, list | tuple), path, transforms, "use a list of transforms")
    entries = []
    for index, entry in enumerate(transforms):
        here = f"{path}[{index}]"
        table = read_table(here, entry)
        require("kind" in table, f"{here}.kind", None, f"name the kind, one of {', '.join(known)}")
        kind = find_kind(known, f"{here}.kind", table.pop("kind"))
        entries.append((f"transforms[{index}]", kind, read_fields(here, table, dict(kind.schema)), here))
    return entries


def _append(
    stages: list[Stage], variable: Variable, place: str, kind: Kind, specification: dict[str, Any], path: str
) -> None:
    """Check one transform against what comes in, and put it at the end."""
    content: Content = stages[-1].content if stages else "number"
    if content != kind.in_kind:
        at = f"{path}.kind" if place.startswith("transforms") else path
        made = "numbers" if content == "number" else "categories"
        remedy = f"it takes a {kind.in_kind}, and what comes in are {made}"
        if content != "number":
            remedy += f" since {stages[-1].place}: put it before, as entries of transforms in the order you mean"
        raise ConfigurationError(at, kind.name, remedy)
    if kind.check is not None:
        specification = kind.check(path, specification, variable)
    out = kind.out_kind(specification) if callable(kind.out_kind) else kind.out_kind
    memory = kind.memory(specification) if callable(kind.memory) else kind.memory
    ordinal = sum(stage.kind.name == kind.name for stage in stages)
    purpose = register_purpose(f"observe/{variable.name}/{kind.name}/{ordinal}")
    stages.append(Stage(kind, tuple(specification.items()), place, out, memory, purpose))  # type: ignore[arg-type]
