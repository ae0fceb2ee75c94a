"""Populations from persona files: people with attributes, ties, follows and communities, as one JSON object."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.social.population.activity import HOURS_PER_DAY, ActivityFormula, HourlyActivity, hourly_activity
from jaxworld.social.population.arrays import canonical_order, make_population
from jaxworld.social.population.attributes import AttributeTable
from jaxworld.social.population.checks import LARGEST_COUNT, STRONGEST_TIE
from jaxworld.social.population.communities import number_by_smallest_member
from jaxworld.social.population.follow_lists import (
    CleanFollows,
    OnSelfFollow,
    check_on_self_follow,
    clean_follows,
    ties_from_follows,
)
from jaxworld.social.population.json_rows import JsonRow, attribute_from_values, is_number, json_rows
from jaxworld.social.population.made_up_ties import MissingTies, check_missing_ties, made_up_ties
from jaxworld.social.population.measures import measure_graph
from jaxworld.social.population.profile_text import attribute_text, profile_text
from jaxworld.social.population.report import BuiltPopulation, PopulationReport
from jaxworld.social.population.text_file import read_json

FORMAT = "jaxworld.personas/1"
SECTIONS = ("format", "personas", "edges", "follows", "communities")
PERSONA_FIELDS = ("text", "recent_post", "attributes", "involvement", "followers", "activity")
WEAKEST_WEIGHT = 1 / STRONGEST_TIE
LARGEST_ATTRIBUTE = 1e12
"""Squares and sums of attributes stay far from the limits of float64."""


def from_persona_json(
    path: str | Path,
    *,
    on_self_follow: OnSelfFollow = "report",
    activity: ActivityFormula = "own_peak",
    missing_ties: MissingTies = "generated",
    seed: int = 0,
) -> BuiltPopulation:
    """A population from a persona file, ``{"format": "jaxworld.personas/1", "personas": [...], ...}``.

    * ``personas``: objects with an ``id`` (a text of its own) and optionally ``text``, ``recent_post``,
      ``attributes`` (name to text, number, ``[low, high]`` band or null; one sort of value for each name, the most
      relevant name first), ``involvement`` (at least 0, default 1), ``followers`` (all personas or none) and
      ``activity`` (24 counts, all personas or none, see :func:`hourly_activity`; it multiplies ``involvement``).
    * ``edges``: ``{"u": id, "v": id, "weight": 0.001 to 1}``, each tie once; weight 1 by default.
    * ``follows``: ``{"follower": id, "followee": id}``.
    * ``communities``: ``{"id": text, "members": [ids]}``; nobody is in two.

    Without ``edges`` ties follow from the follows (1000 if mutual, 500 if one-way); without both they are made up. A
    persona's text is its attributes in words, its ``text`` and its ``recent_post``. Unknown fields are refused.

    Args:
        path: the file.
        on_self_follow: ``"report"`` leaves out personas that follow themselves and says so, ``"refuse"`` raises.
        activity: what the counts mean.
        missing_ties: ``"generated"`` or ``"none"``.
        seed: seed of made-up ties.

    Raises:
        ConfigurationError: naming file, row and field, for anything that is not as described.
    """
    place = Path(path)
    return population_from_personas(place.name, read_json(place), on_self_follow, activity, missing_ties, seed)


@dataclasses.dataclass(frozen=True, eq=False)
class _People:
    """The personas of a file: their rows, their row by id, and their attributes."""

    rows: list[JsonRow]
    number: dict[str, int]
    table: AttributeTable

    def find(self, row: JsonRow, field: str, value: Any = ...) -> int:
        """Row of the persona an entry names."""
        name = row.content.get(field) if value is ... else value
        if not isinstance(name, str) or name not in self.number:
            raise row.refuse(field, "name the id of a persona of this file", name)
        return self.number[name]


def population_from_personas(
    file: str,
    content: Any,
    on_self_follow: OnSelfFollow,
    activity: ActivityFormula,
    missing_ties: MissingTies,
    seed: int,
) -> BuiltPopulation:
    """What :func:`from_persona_json` makes of a file's content."""
    check_on_self_follow(on_self_follow)
    check_missing_ties(missing_ties)
    _check_sections(file, content)
    people = _read_people(file, content["personas"])
    ids = list(people.number)
    follows = _read_follows(file, content.get("follows", []), people, on_self_follow)
    ties, strengths, tie_notes = _read_ties(file, content, people, follows, missing_ties, seed)
    community = _read_communities(file, content.get("communities", []), people)
    hours = _read_activity(people, activity)
    population = make_population(
        ids,
        ties=ties,
        strengths=strengths,
        involvement=_involvement(people, hours),
        community=community,
        followers=_read_followers(people),
        follows=follows.pairs,
        rhythm=hours.rhythm,
    )
    order = canonical_order(ids)
    measures = measure_graph(len(ids), ties, np.asarray(strengths), community, people.table) | follows.accounting
    notes = [f"{len(ids)} personas read from {file}", *tie_notes, *hours.notes]
    notes += follows.notes if "follows" in content else ()
    parameters: dict[str, Any] = {"source": "persona json", "file": file}
    parameters |= {"on_self_follow": on_self_follow, "activity": activity}
    parameters |= {"missing_ties": missing_ties, "seed": seed}
    report = PopulationReport(tuple(ids[row] for row in order), parameters, measures, tuple(notes))
    texts = [_text(row) for row in people.rows]
    return BuiltPopulation(population, report, tuple(texts[row] for row in order) if any(texts) else ())


def _check_sections(file: str, content: Any) -> None:
    require(isinstance(content, dict), file, content, "write an object with 'format' and 'personas'")
    require("personas" in content, f"{file}, personas", None, "add a list of personas")
    remedy = f'start the object with "format": "{FORMAT}"'
    require(content.get("format") == FORMAT, f"{file}, format", content.get("format"), remedy)
    for section in content:
        known = f"remove or rename it (known: {', '.join(SECTIONS)})"
        require(section in SECTIONS, f"{file}, {section}", section, known)


def _read_people(file: str, value: Any) -> _People:
    rows = json_rows(file, "personas", value)
    require(len(rows) > 0, f"{file}, personas", [], "give at least one persona")
    number: dict[str, int] = {}
    for row in rows:
        row.check_fields(("id",), PERSONA_FIELDS)
        name = row.text("id", empty=False)
        if name in number:
            raise row.refuse("id", f"give each persona an id of its own (personas[{number[name]}] has it already)")
        number[name] = len(number)
    return _People(rows, number, _read_attributes(rows))


def _read_attributes(rows: list[JsonRow]) -> AttributeTable:
    """Attributes in the order in which the file first names them."""
    values: dict[str, list[Any]] = {}
    for place, row in enumerate(rows):
        carried = row.content.get("attributes", {})
        if not isinstance(carried, dict):
            raise row.refuse("attributes", "write an object from names to values")
        for name, value in carried.items():
            column = values.setdefault(name, [None] * len(rows))
            column[place] = _attribute_value(row, name, value)
            sorts = {isinstance(entry, str) for entry in column if entry is not None}
            if len(sorts) > 1:
                raise row.refuse(f"attributes.{name}", "use texts for all personas, or numbers for all", value)
    return tuple(attribute_from_values(name, column) for name, column in values.items())


def _attribute_value(row: JsonRow, name: str, value: Any) -> str | float | None:
    if value is None or (isinstance(value, str) and value):
        return value
    band = value if isinstance(value, list) else [value, value]
    usable = len(band) == 2 and all(is_number(end) and abs(end) <= LARGEST_ATTRIBUTE for end in band)
    if not usable or band[0] > band[1]:
        remedy = f"write a text, a number, a band [low, high] or null (numbers up to {LARGEST_ATTRIBUTE:g})"
        raise row.refuse(f"attributes.{name}", remedy, value)
    return (float(band[0]) + float(band[1])) / 2


def _read_follows(file: str, value: Any, people: _People, on_self_follow: str) -> CleanFollows:
    rows = json_rows(file, "follows", value)
    pairs = []
    for row in rows:
        row.check_fields(("follower", "followee"), ())
        pairs.append((people.find(row, "follower"), people.find(row, "followee")))
    return clean_follows(
        np.asarray(pairs, np.int64).reshape(-1, 2),
        np.arange(len(rows)),
        source=f"{file}, follows",
        noun="entries",
        refuse=None
        if on_self_follow == "report"
        else lambda entry: rows[entry].refuse("followee", "remove the self-follow, or use on_self_follow='report'"),
    )


def _read_ties(
    file: str, content: dict[str, Any], people: _People, follows: CleanFollows, missing_ties: MissingTies, seed: int
) -> tuple[np.ndarray, Any, list[str]]:
    if "edges" not in content:
        if "follows" in content:
            return *ties_from_follows(follows.pairs, len(people.rows)), ["ties follow from the follows"]
        ties, strengths, note = made_up_ties(list(people.number), people.table, missing_ties, seed)
        return ties, strengths, [note]
    strengths_by_pair: dict[tuple[int, int], int] = {}
    for row in json_rows(file, "edges", content["edges"]):
        row.check_fields(("u", "v"), ("weight",))
        first, second = people.find(row, "u"), people.find(row, "v")
        if first == second:
            raise row.refuse("v", "remove the tie of a persona with itself")
        pair = (min(first, second), max(first, second))
        if pair in strengths_by_pair:
            raise row.refuse("v", "list each tie once, in one direction")
        strengths_by_pair[pair] = round(row.number("weight", WEAKEST_WEIGHT, 1, 1) * STRONGEST_TIE)
    ties = np.asarray(list(strengths_by_pair), np.int64).reshape(-1, 2)
    return ties, np.asarray(list(strengths_by_pair.values()), np.int64), []


def _read_communities(file: str, value: Any, people: _People) -> np.ndarray:
    """Communities ``int32[N]``, numbered by smallest member, -1 for none."""
    community = np.full(len(people.rows), -1, np.int64)
    names: set[str] = set()
    for number, row in enumerate(json_rows(file, "communities", value)):
        row.check_fields(("id", "members"), ())
        name = row.text("id", empty=False)
        if name in names:
            raise row.refuse("id", "give each community an id of its own")
        names.add(name)
        members = row.content["members"]
        if not isinstance(members, list) or not members:
            raise row.refuse("members", "write a list of at least one id")
        for member in members:
            place = people.find(row, "members", member)
            if community[place] >= 0:
                raise row.refuse("members", "put each persona into one community at most, once", member)
            community[place] = number
    order = canonical_order(list(people.number))
    numbered = np.empty(len(community), np.int32)
    numbered[order] = number_by_smallest_member(community[order])
    return numbered


def _all_or_none(people: _People, field: str) -> bool:
    """Whether all personas carry a field; some of them only is refused."""
    without = [row for row in people.rows if field not in row.content]
    if without and len(without) < len(people.rows):
        raise without[0].refuse(field, "other personas have this field: give it to all or to none")
    return not without


def _read_followers(people: _People) -> list[int] | None:
    return [row.count("followers") for row in people.rows] if _all_or_none(people, "followers") else None


def _read_activity(people: _People, formula: ActivityFormula) -> HourlyActivity:
    counts = None
    if _all_or_none(people, "activity"):
        counts = [row.numbers("activity", HOURS_PER_DAY) for row in people.rows]
        for row, values in zip(people.rows, counts, strict=True):
            if not 0 <= min(values) <= max(values) <= LARGEST_COUNT:
                raise row.refuse("activity", f"write counts from 0 to {LARGEST_COUNT}")
    return hourly_activity(counts, formula, list(people.number))


def _involvement(people: _People, hours: HourlyActivity) -> np.ndarray:
    given = [row.number("involvement", 0, 1e6, 1.0) for row in people.rows]
    return np.asarray(given) * hours.involvement


def _text(row: JsonRow) -> str:
    attributes = attribute_text(row.content.get("attributes", {}))
    about = row.text("text")
    return profile_text("; ".join(part for part in (attributes, about) if part), row.text("recent_post"))
