"""Populations from a folder with ``personas.csv`` and ``follows.csv``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.population.arrays import make_population
from jaxworld.social.population.checks import STRONGEST_TIE
from jaxworld.social.population.csv_table import IntegerTable, read_integer_table
from jaxworld.social.population.measures import measure_graph
from jaxworld.social.population.report import BuiltPopulation, PopulationReport, counted, listed

PERSONAS_FILE = "personas.csv"
FOLLOWS_FILE = "follows.csv"
HOUR_COLUMNS = tuple(f"h{hour:02d}" for hour in range(24))
MUTUAL_TIE = STRONGEST_TIE
ONE_WAY_TIE = STRONGEST_TIE // 2


def from_csv_folder(path: str | Path, *, on_self_follow: Literal["report", "refuse"] = "report") -> BuiltPopulation:
    """A population from real accounts and their follows.

    ``personas.csv`` has the columns ``persona`` (a non-negative integer), ``followers_total``, optionally
    ``following_total``, and optionally all of ``h00`` to ``h23``, how often the account was active in each hour of
    the day. ``follows.csv`` has ``follower`` and ``followee``. No other columns, all cells non-negative integers.

    * ``followers`` are the totals of the file, ``follows`` its edges without self-follows and repetitions.
    * Two accounts are tied if one follows the other, with strength 1000 if both do and 500 if one does.
    * ``rhythm`` of an account is its hour counts divided by their largest. ``involvement`` is 1 - exp(-largest): read
      as the mean of a Poisson count, that is the chance of at least one activity in the account's busiest hour. An
      account without any activity has rhythm and involvement 0. Without hour columns there is no rhythm and
      everybody's involvement is 1.

    Args:
        path: the folder.
        on_self_follow: ``"report"`` ignores accounts that follow themselves and says so, ``"refuse"`` raises.

    Raises:
        ConfigurationError: one line with file, line, column and remedy, for anything that is not as described.
    """
    allowed = on_self_follow in ("report", "refuse")
    require(allowed, "on_self_follow", on_self_follow, "use 'report' or 'refuse'")
    folder = Path(path)
    require(folder.is_dir(), "path", str(path), "there is no such folder")
    personas = read_integer_table(folder / PERSONAS_FILE, _check_persona_header)
    edges = read_integer_table(folder / FOLLOWS_FILE, _check_follow_header)
    persona_rows = _persona_rows(personas)
    follows, accounting, notes = _clean_follows(edges, persona_rows, on_self_follow)
    ties, strengths = _ties_from_follows(follows, len(persona_rows))
    rhythm, involvement, hour_notes = _activity(personas)
    ids = [str(number) for number in personas.column("persona").tolist()]
    population = make_population(
        ids,
        ties=ties,
        strengths=strengths,
        involvement=involvement,
        followers=personas.column("followers_total"),
        follows=follows,
        rhythm=rhythm,
    )
    measures = measure_graph(len(ids), ties, strengths) | accounting
    parameters = {"source": "csv folder", "folder": folder.name, "on_self_follow": on_self_follow}
    notes = [*notes, *hour_notes]
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


def _clean_follows(
    edges: IntegerTable, persona_rows: dict[int, int], on_self_follow: str
) -> tuple[np.ndarray, dict[str, int], list[str]]:
    """Follows ``int64[F, 2]`` as row numbers, the accounting of all rows read, and notes."""
    kept: dict[tuple[int, int], None] = {}
    self_lines: list[int] = []
    duplicate_lines: list[int] = []
    for row, (follower, followee) in enumerate(
        zip(edges.column("follower").tolist(), edges.column("followee").tolist(), strict=True)
    ):
        for column, persona in (("follower", follower), ("followee", followee)):
            if persona not in persona_rows:
                raise edges.refuse(row, column, f"add a row for this persona to {PERSONAS_FILE}")
        pair = (persona_rows[follower], persona_rows[followee])
        if follower == followee:
            if on_self_follow == "refuse":
                raise edges.refuse(row, "followee", "remove the self-follow, or use on_self_follow='report'")
            self_lines.append(int(edges.lines[row]))
        elif pair in kept:
            duplicate_lines.append(int(edges.lines[row]))
        else:
            kept[pair] = None
    counts = {"num_follows": len(kept), "self_follows": len(self_lines), "duplicate_follows": len(duplicate_lines)}
    assert sum(counts.values()) == len(edges.values), "an edge was lost"
    notes = [f"{counted(len(edges.values), 'follow')} read from {edges.name}, {len(kept)} kept"]
    if self_lines:
        notes.append(f"{counted(len(self_lines), 'self-follow')} ignored: lines {listed(self_lines)}")
    if duplicate_lines:
        notes.append(f"{counted(len(duplicate_lines), 'duplicate edge')} ignored: lines {listed(duplicate_lines)}")
    return np.asarray(list(kept), np.int64).reshape(-1, 2), {"follows_read": len(edges.values), **counts}, notes


def _ties_from_follows(follows: np.ndarray, num: int) -> tuple[np.ndarray, np.ndarray]:
    """Ties ``int64[E, 2]`` and strengths ``int64[E]``: 1000 where the follow is mutual, 500 where it is one-way."""
    sides = np.sort(follows, axis=1)
    keys, directions = np.unique(sides[:, 0] * num + sides[:, 1], return_counts=True)
    strengths = np.where(directions == 2, MUTUAL_TIE, ONE_WAY_TIE)
    return np.stack([keys // num, keys % num], axis=1), strengths


def _activity(personas: IntegerTable) -> tuple[Any, Any, list[str]]:
    """Rhythm ``float64[N, 24]`` or None, involvement, and notes."""
    if HOUR_COLUMNS[0] not in personas.columns:
        return None, 1.0, []
    counts = np.stack([personas.column(hour) for hour in HOUR_COLUMNS], axis=1).astype(np.float64)
    busiest = counts.max(axis=1, keepdims=True)
    rhythm = np.divide(counts, busiest, out=np.zeros_like(counts), where=busiest > 0)
    idle = personas.column("persona")[busiest[:, 0] == 0].tolist()
    notes = []
    if idle:
        notes.append(f"{counted(len(idle), 'persona')} without any activity, never active: {listed(idle)}")
    return rhythm, 1.0 - np.exp(-busiest[:, 0]), notes
