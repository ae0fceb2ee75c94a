"""Populations from a folder with ``personas.csv`` and ``follows.csv``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.population.activity import ActivityFormula, hourly_activity
from jaxworld.social.population.arrays import make_population
from jaxworld.social.population.csv_table import IntegerTable, read_integer_table
from jaxworld.social.population.follow_lists import OnSelfFollow, check_on_self_follow, clean_follows, ties_from_follows
from jaxworld.social.population.measures import measure_graph
from jaxworld.social.population.report import BuiltPopulation, PopulationReport

PERSONAS_FILE = "personas.csv"
FOLLOWS_FILE = "follows.csv"
HOUR_COLUMNS = tuple(f"h{hour:02d}" for hour in range(24))


def from_csv_folder(
    path: str | Path, *, on_self_follow: OnSelfFollow = "report", activity: ActivityFormula = "own_peak"
) -> BuiltPopulation:
    """A population from real accounts and their follows.

    ``personas.csv`` has the columns ``persona`` (a non-negative integer), ``followers_total``, optionally
    ``following_total``, and optionally all of ``h00`` to ``h23``, how often the account was active in each hour of
    the day. ``follows.csv`` has ``follower`` and ``followee``. No other columns, all cells non-negative integers.

    * ``followers`` are the totals of the file, ``follows`` its edges without self-follows and repetitions.
    * Two accounts are tied if one follows the other, with strength 1000 if both do and 500 if one does.
    * ``rhythm`` and ``involvement`` follow from the hour counts, see :func:`hourly_activity`. Without hour columns
      there is no rhythm and everybody's involvement is 1.

    Args:
        path: the folder.
        on_self_follow: ``"report"`` ignores accounts that follow themselves and says so, ``"refuse"`` raises.
        activity: what hour counts mean.

    Raises:
        ConfigurationError: one line with file, line, column and remedy, for anything that is not as described.
    """
    check_on_self_follow(on_self_follow)
    folder = Path(path)
    require(folder.is_dir(), "path", str(path), "there is no such folder")
    personas = read_integer_table(folder / PERSONAS_FILE, _check_persona_header)
    edges = read_integer_table(folder / FOLLOWS_FILE, _check_follow_header)
    persona_rows = _persona_rows(personas)
    follows = clean_follows(
        _follow_rows(edges, persona_rows),
        edges.lines,
        source=edges.name,
        refuse=None
        if on_self_follow == "report"
        else lambda row: edges.refuse(row, "followee", "remove the self-follow, or use on_self_follow='report'"),
    )
    ties, strengths = ties_from_follows(follows.pairs, len(persona_rows))
    ids = [str(number) for number in personas.column("persona").tolist()]
    has_hours = HOUR_COLUMNS[0] in personas.columns
    counts = np.stack([personas.column(hour) for hour in HOUR_COLUMNS], axis=1) if has_hours else None
    hours = hourly_activity(counts, activity, ids)
    population = make_population(
        ids,
        ties=ties,
        strengths=strengths,
        involvement=hours.involvement,
        followers=personas.column("followers_total"),
        follows=follows.pairs,
        rhythm=hours.rhythm,
    )
    measures = measure_graph(len(ids), ties, strengths) | follows.accounting
    parameters = {"source": "csv folder", "folder": folder.name, "on_self_follow": on_self_follow}
    parameters |= {"activity": activity} if has_hours else {}
    notes = [*follows.notes, *hours.notes]
    if "following_total" in personas.columns:
        notes.append("following_total was checked but is not used")
    report = PopulationReport(tuple(sorted(ids, key=int)), parameters, measures, tuple(notes))
    return BuiltPopulation(population, report)


def _check_persona_header(header: Sequence[str]) -> None:
    hours = [column for column in header if column in HOUR_COLUMNS]
    required = ("persona", "followers_total", *(HOUR_COLUMNS if hours else ()))
    _check_columns(PERSONAS_FILE, header, required, ("following_total", *HOUR_COLUMNS))


def _check_follow_header(header: Sequence[str]) -> None:
    _check_columns(FOLLOWS_FILE, header, ("follower", "followee"), ())


def _check_columns(name: str, header: Sequence[str], required: Sequence[str], optional: Sequence[str]) -> None:
    missing = [column for column in required if column not in header]
    unknown = [column for column in header if column not in (*required, *optional)]
    if missing:
        have = f"the columns are {', '.join(header)}"
        raise ConfigurationError(f"{name}:1, column {missing[0]}", None, f"add this column ({have})"[:200])
    if unknown:
        known = ", ".join(column for column in (*required, *optional) if column not in HOUR_COLUMNS)
        raise ConfigurationError(f"{name}:1, column {unknown[0]}", unknown[0], f"remove or rename it (known: {known})")


def _persona_rows(personas: IntegerTable) -> dict[int, int]:
    """Row number by persona id."""
    rows: dict[int, int] = {}
    for row, persona in enumerate(personas.column("persona").tolist()):
        if persona in rows:
            first = personas.lines[rows[persona]]
            raise personas.refuse(row, "persona", f"give each persona one row (it is on line {first} already)")
        rows[persona] = row
    require(len(rows) > 0, f"{personas.name}:2", "", "the file has no rows: give at least one persona")
    return rows


def _follow_rows(edges: IntegerTable, persona_rows: dict[int, int]) -> np.ndarray:
    """The file's follows ``int64[F, 2]`` as row numbers of the personas."""
    pairs = []
    for row, ends in enumerate(zip(edges.column("follower").tolist(), edges.column("followee").tolist(), strict=True)):
        for column, persona in zip(("follower", "followee"), ends, strict=True):
            if persona not in persona_rows:
                raise edges.refuse(row, column, f"add a row for this persona to {PERSONAS_FILE}")
        pairs.append((persona_rows[ends[0]], persona_rows[ends[1]]))
    return np.asarray(pairs, np.int64).reshape(-1, 2)
