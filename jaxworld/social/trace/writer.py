"""Writes a trace tick by tick; each tick is in the folder whole, or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jaxworld.core.errors import require
from jaxworld.core.files import replacing, write_atomically
from jaxworld.social.trace.reader import TraceReader, read_header
from jaxworld.social.trace.schema import FOLDER, HEADER, arrow_schema, import_arrow, tick_file


class TraceWriter:
    """Appends ticks to the trace in a folder, which is started if there is none.

    A process may be killed at any moment: what is in the folder afterwards is a trace of the ticks before, to which
    another writer can append. ``next_tick`` says which one comes next.

    Args:
        folder: where.
        header: plain data, see ``trace_header``.

    Raises:
        ConfigurationError: if the folder holds a trace with another header, or a damaged one.
        MissingExtraError: if pyarrow is not installed.
        OSError: if the folder cannot be written to.
    """

    def __init__(self, folder: str | Path, header: Mapping[str, Any]) -> None:
        self._arrow, self._parquet = import_arrow()
        self._schema = arrow_schema()
        self.folder = Path(folder)
        self._ticks = self.folder / FOLDER
        text = json.dumps(header, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        if (self.folder / HEADER).exists():
            same = json.loads(text) == read_header(self.folder)
            require(same, "folder", str(self.folder), "holds the trace of another run: choose another folder")
        self._ticks.mkdir(parents=True, exist_ok=True)
        if not (self.folder / HEADER).exists():
            empty = not any(self._ticks.glob("tick-*.parquet"))
            require(empty, "folder", str(self.folder), f"holds ticks but no {HEADER}: choose another folder")
            write_atomically(self.folder / HEADER, (text + "\n").encode())
        for left in [*self._ticks.glob(".*.tmp"), *self.folder.glob(f".{HEADER}.*.tmp")]:
            left.unlink(missing_ok=True)
        self.next_tick = TraceReader(self.folder).num_ticks

    def append(self, tick: int, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write the next tick.

        Args:
            tick: must be ``next_tick``.
            rows: dictionaries by column, in order; ``tick`` and ``sequence`` are filled in, what is left out is null.

        Raises:
            ConfigurationError: for another tick.
            OSError: if the file cannot be written.
        """
        require(tick == self.next_tick, "tick", tick, f"append tick {self.next_tick} next")
        numbered = [{**row, "tick": tick, "sequence": index} for index, row in enumerate(rows)]
        table = self._arrow.Table.from_pylist(numbered, schema=self._schema)
        with replacing(self._ticks / tick_file(tick)) as temporary:
            self._parquet.write_table(table, str(temporary), compression="zstd")
        self.next_tick += 1
