"""Populations from the user files of OASIS's Reddit setting: a JSON list of people who know nobody yet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.core.errors import require
from jaxworld.social.population.arrays import make_population
from jaxworld.social.population.json_rows import JsonRow, attribute_from_values, json_rows
from jaxworld.social.population.made_up_ties import MissingTies, check_missing_ties, made_up_ties
from jaxworld.social.population.measures import measure_graph
from jaxworld.social.population.profile_text import profile_text
from jaxworld.social.population.report import BuiltPopulation, PopulationReport
from jaxworld.social.population.text_file import read_json

DEFAULT_TEXT = ("bio", "persona")
TEXT_FIELDS = ("bio", "persona", "username", "realname")
ATTRIBUTES = ("profession", "country", "age", "gender", "mbti")
"""The most relevant first: likeness counts them with weights 1, 1/2, 1/3, ..."""
REQUIRED = ("username", "bio", "persona", "age", "gender", "mbti", "country")
"""What upstream reads from every entry."""


def from_reddit_json(
    path: str | Path,
    *,
    text: Sequence[str] = DEFAULT_TEXT,
    missing_ties: MissingTies = "generated",
    seed: int = 0,
) -> BuiltPopulation:
    """A population from a JSON list of users as OASIS's Reddit setting reads it.

    Every entry is an object with ``username``, ``bio``, ``persona``, ``gender``, ``mbti`` and ``country`` (texts) and
    ``age`` (a number), and optionally ``realname`` and ``profession``; other fields are named in a note. Personas are
    named by their row, ``"0"`` and up. The format has no follows, no ties and no activity: everybody has involvement
    1, and ties are made up by likeness unless told otherwise.

    Args:
        path: the file.
        text: fields that make up a persona's text, joined by a space.
        missing_ties: ``"generated"`` or ``"none"``.
        seed: seed of the ties.

    Raises:
        ConfigurationError: naming file, row and field, for anything that is not as described.
    """
    unknown = [field for field in text if field not in TEXT_FIELDS]
    require(not unknown, "text", unknown[:1], f"use any of {', '.join(TEXT_FIELDS)}")
    place = Path(path)
    return population_from_users(place.name, read_json(place), text, missing_ties, seed)


def population_from_users(
    file: str, content: Any, text: Sequence[str], missing_ties: MissingTies, seed: int
) -> BuiltPopulation:
    """What :func:`from_reddit_json` makes of a file's content."""
    check_missing_ties(missing_ties)
    rows = json_rows(file, "", content)
    require(len(rows) > 0, file, content, "the list is empty: give at least one user")
    values: dict[str, list[Any]] = {name: [] for name in ATTRIBUTES}
    texts = []
    for row in rows:
        row.check_fields(REQUIRED, (*row.content, "profession"))
        for name in ATTRIBUTES:
            values[name].append(_attribute(row, name))
        texts.append(profile_text(" ".join(row.text(field) for field in text)))
    table = tuple(attribute_from_values(name, column) for name, column in values.items() if any(column))
    ids = [str(number) for number in range(len(rows))]
    ties, strengths, note = made_up_ties(ids, table, missing_ties, seed)
    population = make_population(ids, ties=ties, strengths=strengths)
    notes = [f"{len(rows)} users read from {file}", note]
    known = {*TEXT_FIELDS, *ATTRIBUTES}
    unused = sorted({field for row in rows for field in row.content if field not in known})
    notes += [f"fields not used: {', '.join(unused)}"] if unused else []
    parameters = {"source": "reddit json", "file": file, "missing_ties": missing_ties, "seed": seed}
    measures = measure_graph(len(ids), ties, np.asarray(strengths), table=table)
    return BuiltPopulation(population, PopulationReport(tuple(ids), parameters, measures, tuple(notes)), tuple(texts))


def _attribute(row: JsonRow, name: str) -> str | float | None:
    if name == "age":
        return row.number(name, 0, 150, -1)
    return row.text(name) or None
