"""Populations from the CSV files of OASIS (camel-ai/oasis): one row an account, lists as Python literals."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError
from jaxworld.social.population.activity import HOURS_PER_DAY, ActivityFormula, hourly_activity
from jaxworld.social.population.arrays import make_population
from jaxworld.social.population.checks import LARGEST_COUNT
from jaxworld.social.population.csv_table import TextTable, parse_count, read_text_table
from jaxworld.social.population.follow_lists import OnSelfFollow, check_on_self_follow, clean_follows, ties_from_follows
from jaxworld.social.population.measures import measure_graph
from jaxworld.social.population.profile_text import profile_text
from jaxworld.social.population.report import BuiltPopulation, PopulationReport, counted, listed

FOLLOWEES = "following_agentid_list"
HOURS = "activity_level_frequency"
POSTS = "previous_tweets"
FOLLOWER_TOTALS = ("followers_count", "follower_count")
TEXTS = ("description", "user_char")

_INDICES = re.compile(r"\[\s*([0-9]{1,9}\s*(,\s*[0-9]{1,9}\s*)*,?\s*)?\]")


def from_oasis_csv(
    path: str | Path,
    *,
    on_self_follow: OnSelfFollow = "report",
    activity: ActivityFormula = "global_peak",
    text: Sequence[str] = ("description",),
) -> BuiltPopulation:
    """A population from a CSV file as OASIS reads it.

    Personas are named by their row, ``"0"`` and up. Of the columns these are used, the rest is named in a note:

    * ``following_agentid_list`` (required): whom the account follows, a list literal of row numbers such as
      ``[2, 17]``. They become ``follows``, and ties of strength 1000 (mutual) or 500 (one-way). A bare number stands
      for an account without a list, as it does upstream.
    * ``followers_count`` or ``follower_count``: real totals; without them followers are counted among the rows.
    * ``activity_level_frequency``: 24 counts, a list literal; see :func:`hourly_activity` for what they mean.
    * the columns of ``text``, and ``previous_tweets``, whose last entry is appended as the recent post.

    Args:
        path: the file.
        on_self_follow: ``"report"`` leaves out accounts that follow themselves and says so, ``"refuse"`` raises.
            Upstream keeps them: the account then counts as its own follower and is offered its own posts.
        activity: formula for the counts; ``"global_peak"`` is that of upstream's code, ``"hourly_peak"`` that of its
            paper.
        text: columns that make up an account's text, joined by a space; upstream compares ``description`` (the bio).

    Raises:
        ConfigurationError: one line with file, line, column and remedy, for anything that is not as described.
    """
    check_on_self_follow(on_self_follow)
    place = Path(path)
    table = read_text_table(place, lambda header: _check_header(place.name, header))
    num = len(table.rows)
    if not num:
        raise ConfigurationError(f"{table.name}:2", "", "the file has no rows: give at least one account")
    pairs, rows, unlisted = _follow_pairs(table)
    follows = clean_follows(
        pairs,
        np.asarray(table.lines, np.int64)[rows],
        source=table.name,
        refuse=None
        if on_self_follow == "report"
        else lambda entry: table.refuse(
            rows[entry], FOLLOWEES, "remove the account itself from its list, or use on_self_follow='report'"
        ),
    )
    ties, strengths = ties_from_follows(follows.pairs, num)
    ids = [str(row) for row in range(num)]
    hours = hourly_activity(_hour_counts(table), activity, ids)
    totals = next((name for name in FOLLOWER_TOTALS if name in table.columns), None)
    population = make_population(
        ids,
        ties=ties,
        strengths=strengths,
        involvement=hours.involvement,
        followers=None if totals is None else [parse_count(table, row, totals) for row in range(num)],
        follows=follows.pairs,
        rhythm=hours.rhythm,
    )
    texts, used = _texts(table, text)
    notes = [*follows.notes, *hours.notes]
    if unlisted:
        notes.append(f"{counted(len(unlisted), 'account')} with a number for a list follow nobody: {listed(unlisted)}")
    unused = [name or "(unnamed)" for name in table.columns if name not in {FOLLOWEES, HOURS, totals, *used}]
    notes += [f"columns not used: {', '.join(unused)}"] if unused else []
    parameters: dict[str, Any] = {"source": "oasis csv", "file": table.name, "on_self_follow": on_self_follow}
    parameters |= {"activity": activity} if HOURS in table.columns else {}
    measures = measure_graph(num, ties, strengths) | follows.accounting
    return BuiltPopulation(population, PopulationReport(tuple(ids), parameters, measures, tuple(notes)), texts)


def _check_header(name: str, header: Sequence[str]) -> None:
    if FOLLOWEES not in header:
        remedy = f"add this column (the columns are {', '.join(header)})"[:200]
        if "persona" in header or "follower" in header:
            remedy = "give the folder with personas.csv and follows.csv, not one of its files"
        raise ConfigurationError(f"{name}:1, column {FOLLOWEES}", None, remedy)


def _follow_pairs(table: TextTable) -> tuple[np.ndarray, list[int], list[int]]:
    """Follows ``int64[E, 2]`` as row numbers, the row each stands in, and rows with a number in place of a list."""
    num = len(table.rows)
    pairs: list[tuple[int, int]] = []
    unlisted = []
    for row, cell in enumerate(table.column(FOLLOWEES)):
        if cell.strip().isdecimal():
            unlisted.append(row)
            continue
        if not _INDICES.fullmatch(cell.strip()):
            raise table.refuse(row, FOLLOWEES, "write a list of row numbers, such as [2, 17] or []")
        for followee in (int(part) for part in re.findall(r"[0-9]+", cell)):
            if followee >= num:
                raise table.refuse(row, FOLLOWEES, f"use row numbers from 0 to {num - 1}, not {followee}")
            pairs.append((row, followee))
    return np.asarray(pairs, np.int64).reshape(-1, 2), [row for row, _ in pairs], unlisted


def _hour_counts(table: TextTable) -> np.ndarray | None:
    """Activity ``float64[N, 24]``, None without the column."""
    if HOURS not in table.columns:
        return None
    counts = np.zeros((len(table.rows), HOURS_PER_DAY))
    for row in range(len(table.rows)):
        values = _literal_list(table, row, HOURS)
        usable = len(values) == HOURS_PER_DAY and all(_is_count(value) for value in values)
        if not usable:
            raise table.refuse(row, HOURS, f"write a list of {HOURS_PER_DAY} numbers from 0 to {LARGEST_COUNT}")
        counts[row] = values
    return counts


def _is_count(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST_COUNT


def _literal_list(table: TextTable, row: int, column: str) -> list[Any]:
    cell = table.rows[row][table.columns.index(column)]
    try:
        values = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        values = None
    if not isinstance(values, list):
        raise table.refuse(row, column, "write a Python list, such as ['one', 'two'] or []")
    return values


def _texts(table: TextTable, names: Sequence[str]) -> tuple[tuple[str, ...], set[str]]:
    """The text of every account, and the columns it was made of; no texts where no such column is."""
    used = [name for name in names if name in table.columns]
    recent: list[str] = [""] * len(table.rows)
    if POSTS in table.columns:
        for row in range(len(table.rows)):
            posts = _literal_list(table, row, POSTS)
            if not all(isinstance(post, str) for post in posts):
                raise table.refuse(row, POSTS, "write a list of texts, such as ['one', 'two'] or []")
            recent[row] = posts[-1] if posts else ""
    if not used:
        return (), set()
    columns = [table.column(name) for name in used]
    return tuple(profile_text(" ".join(parts), post) for *parts, post in zip(*columns, recent, strict=True)), {
        *used,
        POSTS,
    }
