"""Strict reading of tables of non-negative integers; every refusal names file, line and column."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.population.checks import LARGEST_COUNT

_DECIMAL = re.compile(r"[0-9]+")


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


def read_integer_table(path: Path, check_header: Callable[[Sequence[str]], None]) -> IntegerTable:
    """Read a comma-separated file of non-negative integers with a header line.

    Args:
        path: the file, in UTF-8.
        check_header: raises ConfigurationError if the column names are not as they should be.

    Raises:
        ConfigurationError: if the file is missing or not text, a row is ragged, or a cell is no such integer.
    """
    name = path.name
    require(path.is_file(), name, str(path), "there is no such file: put it into the folder")
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(name, f"byte {error.start}", "save the file as UTF-8") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        require(any(header), f"{name}:1", "", "the file is empty: start it with a line of column names")
        twice = [column for column in header if header.count(column) > 1]
        require(not twice, f"{name}:1", twice[:1], "give each column once")
        check_header(header)
        rows, lines = [], []
        for row in reader:
            rows.append(_parse_row(row, header, f"{name}:{reader.line_num}"))
            lines.append(reader.line_num)
    except csv.Error as error:
        raise ConfigurationError(
            f"{name}:{reader.line_num}", str(error), "write plain comma-separated cells"
        ) from error
    values = np.asarray(rows, np.int64).reshape(-1, len(header))
    return IntegerTable(name, tuple(header), values, np.asarray(lines, np.int64))


def _parse_row(row: list[str], header: list[str], where: str) -> list[int]:
    require(row != [], where, "", "remove the empty line")
    require(len(row) == len(header), where, f"{len(row)} cells", f"give {len(header)}, one for each column")
    numbers = []
    for column, cell in zip(header, row, strict=True):
        if not _DECIMAL.fullmatch(cell) or len(cell) > 19 or int(cell) > LARGEST_COUNT:
            raise ConfigurationError(f"{where}, column {column}", cell, f"use a whole number from 0 to {LARGEST_COUNT}")
        numbers.append(int(cell))
    return numbers
