"""Reads a trace."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.trace.schema import FOLDER, FORMAT, HEADER, NAMES, arrow_schema, import_arrow, tick_file


def read_header(folder: str | Path) -> dict[str, Any]:
    """The header of the trace in a folder, as plain data.

    Raises:
        ConfigurationError: if there is none, or it cannot be read.
    """
    path = Path(folder) / HEADER
    require(path.is_file(), "trace", str(folder), f"there is no trace here: {HEADER} is missing")
    try:
        header = json.loads(path.read_bytes())
    except ValueError as error:
        raise ConfigurationError("trace", str(path), f"this is no JSON: {error}") from None
    known = isinstance(header, dict) and header.get("format") == FORMAT
    require(known, "trace", str(path), f"this is no header of the format {FORMAT}")
    return dict(header)


class TraceReader:
    """The trace in a folder.

    Attributes:
        folder: where.
        header: plain data.
        num_ticks: how many ticks it has, from 0 on.

    Raises:
        ConfigurationError: if there is no trace, or a tick in the middle of it is missing.
        MissingExtraError: if pyarrow is not installed.
    """

    def __init__(self, folder: str | Path) -> None:
        self._arrow, self._parquet = import_arrow()
        self.folder = Path(folder)
        self.header = read_header(folder)
        found = {path.name for path in (self.folder / FOLDER).glob("tick-*.parquet")}
        self.num_ticks = len(found)
        for tick in range(self.num_ticks):
            missing = str(self.folder / FOLDER / tick_file(tick))
            require(tick_file(tick) in found, "trace", missing, "this tick is missing, and later ones are there")

    def tick_table(self, tick: int) -> Any:
        """One tick as a pyarrow table with the columns of the schema.

        Raises:
            ConfigurationError: if there is no such tick, or its file is damaged.
        """
        path = self.folder / FOLDER / tick_file(tick)
        require(0 <= tick < self.num_ticks, "tick", tick, f"the trace has ticks 0 to {self.num_ticks - 1}")
        try:
            table = self._parquet.ParquetFile(str(path)).read(use_threads=False)
            return table.select(list(NAMES)).cast(arrow_schema())
        except (self._arrow.ArrowException, OSError, KeyError, ValueError) as error:
            raise ConfigurationError("trace", str(path), f"this tick cannot be read: {error}") from None

    def tick(self, tick: int) -> list[dict[str, Any]]:
        """Rows of one tick."""
        rows: list[dict[str, Any]] = self.tick_table(tick).to_pylist()
        return rows

    def ticks(self) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """Number and rows of every tick, one at a time."""
        for tick in range(self.num_ticks):
            yield tick, self.tick(tick)

    def table(self) -> Any:
        """All rows as one pyarrow table; ``.to_pandas()`` makes a data frame of it where pandas is installed."""
        if self.num_ticks == 0:
            return arrow_schema().empty_table()
        return self._arrow.concat_tables([self.tick_table(tick) for tick in range(self.num_ticks)])
