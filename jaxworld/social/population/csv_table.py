"""Strict reading of tables, of text or of non-negative integers; every refusal names file, line and column."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import io
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.population.checks import LARGEST_COUNT
from jaxworld.social.population.text_file import read_text

_DECIMAL = re.compile(r"[0-9]+")
_LONGEST_CELL = 2**31 - 1
"""The csv module stops at 131,072 characters by default; a list of all whom a hub follows is longer."""


@dataclasses.dataclass(frozen=True, eq=False)
class TextTable:
    """A table read from a file, as text.

    Attributes:
        name: file name, for messages.
        columns: column names in the order of the file.
        rows: the cells of each row.
        lines: line of the file each row ends on (the header is on line 1).
    """

    name: str
    columns: tuple[str, ...]
    rows: list[list[str]]
    lines: list[int]

    def column(self, name: str) -> list[str]:
        """The cells of one column."""
        place = self.columns.index(name)
        return [row[place] for row in self.rows]

    def refuse(self, row: int, column: str, remedy: str) -> ConfigurationError:
        """An error that points at one cell."""
        value = self.rows[row][self.columns.index(column)]
        return ConfigurationError(f"{self.name}:{self.lines[row]}, column {column}", value, remedy)


@dataclasses.dataclass(frozen=True, eq=False)
class IntegerTable:
    """A table read from a file.

    Attributes:
        name: file name, for messages.
        columns: column names in the order of the file.
        values: ``int64[rows, columns]``.
        lines: ``int64[rows]``, line of the file each row ends on (the header is on line 1).
    """

    name: str
    columns: tuple[str, ...]
    values: np.ndarray
    lines: np.ndarray

    def column(self, name: str) -> np.ndarray:
        """One column ``int64[rows]``."""
        return self.values[:, self.columns.index(name)]

    def refuse(self, row: int, column: str, remedy: str) -> ConfigurationError:
        """An error that points at one cell."""
        value = int(self.values[row, self.columns.index(column)])
        return ConfigurationError(f"{self.name}:{self.lines[row]}, column {column}", value, remedy)


def read_text_table(path: Path, check_header: Callable[[Sequence[str]], None]) -> TextTable:
    """Read a comma-separated file with a header line.

    Args:
        path: the file, in UTF-8.
        check_header: raises ConfigurationError if the column names are not as they should be.

    Raises:
        ConfigurationError: if the file is missing or not text, or a row is ragged.
    """
    name = path.name
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    rows, lines = [], []
    with _long_cells():
        try:
            header = next(reader, [])
            require(any(header), f"{name}:1", "", "the file is empty: start it with a line of column names")
            twice = [column for column in header if header.count(column) > 1]
            require(not twice, f"{name}:1", twice[:1], "give each column once")
            check_header(header)
            for row in reader:
                where = f"{name}:{reader.line_num}"
                require(row != [], where, "", "remove the empty line")
                require(len(row) == len(header), where, f"{len(row)} cells", f"give {len(header)}, one for each column")
                rows.append(row)
                lines.append(reader.line_num)
        except csv.Error as error:
            raise ConfigurationError(
                f"{name}:{reader.line_num}", str(error), "write plain comma-separated cells"
            ) from error
    return TextTable(name, tuple(header), rows, lines)


def read_integer_table(path: Path, check_header: Callable[[Sequence[str]], None]) -> IntegerTable:
    """Like :func:`read_text_table`, for a file whose cells are all non-negative integers.

    Raises:
        ConfigurationError: as there, or if a cell is no such integer.
    """
    table = read_text_table(path, check_header)
    rows = [_parse_row(table, row) for row in range(len(table.rows))]
    values = np.asarray(rows, np.int64).reshape(-1, len(table.columns))
    return IntegerTable(table.name, table.columns, values, np.asarray(table.lines, np.int64))


def parse_count(table: TextTable, row: int, column: str) -> int:
    """One cell as a whole number from 0 to the largest int32."""
    cell = table.rows[row][table.columns.index(column)]
    if not _DECIMAL.fullmatch(cell) or len(cell) > 19 or int(cell) > LARGEST_COUNT:
        raise table.refuse(row, column, f"use a whole number from 0 to {LARGEST_COUNT}")
    return int(cell)


def _parse_row(table: TextTable, row: int) -> list[int]:
    return [parse_count(table, row, column) for column in table.columns]


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)
