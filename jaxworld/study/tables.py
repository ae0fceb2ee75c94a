"""Tidy tables in Parquet files, with the settings that made them in columns and in the file's metadata."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import jaxworld
from jaxworld.core.errors import ConfigurationError, MissingExtraError, require

SETTINGS_KEY, VERSION_KEY, TABLE_KEY = "jaxworld.settings", "jaxworld.version", "jaxworld.table"
VERSION_COLUMN = "jaxworld_version"
SETTING_PREFIX = "setting_"


class TableWriter:
    """A tidy table written part by part, with its settings, so that it never has to fit in memory.

    Every setting becomes a column that repeats its value, so files of several runs can be joined by row; a setting
    named like a column of the table gets the prefix ``setting_``. The exact settings (JSON), the version and the
    name of the table are in the file's metadata too. A value that is not a number (NaN) is written as null.

    Use it as a context manager; leaving it finishes the file.

    Args:
        path: the file; it is overwritten.
        table: what the table is.
        settings: a dataclass instance whose fields are numbers, strings, tuples of either, or None.

    Raises:
        MissingExtraError: if pyarrow is not installed.
        OSError: if the file cannot be written.
    """

    def __init__(self, path: str | Path, table: str, settings: Any) -> None:
        self._arrow, self._parquet = _import_arrow()
        self._table, self._settings = table, settings
        # Given a path, pyarrow would delete what is there when it fails.
        self._file = Path(path).open("wb")  # noqa: SIM115  (closed by __exit__)
        self._writer: Any = None

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        # After a failure the writer is closed as well, lest it tries to write its footer when it is collected.
        ignored: tuple[type[BaseException], ...] = () if kind is None else (Exception,)
        try:
            if self._writer is not None:
                with contextlib.suppress(*ignored):
                    self._writer.close()
        finally:
            self._file.close()

    def append(self, columns: Mapping[str, np.ndarray]) -> None:
        """Write some rows.

        Args:
            columns: columns of one length, the same each time; numbers, booleans or strings.

        Raises:
            ConfigurationError: if the columns are ragged or not one-dimensional.
            OSError: if the file cannot be written.
        """
        arrow, arrays = self._arrow, _checked_columns(columns)
        num_rows = next(iter(arrays.values())).shape[0]
        content = {name: _column(arrow, values) for name, values in arrays.items()}
        for name, (value, kind) in setting_columns(self._settings).items():
            repeated = arrow.repeat(arrow.scalar(value, type=_arrow_type(arrow, kind)), num_rows)
            content[f"{SETTING_PREFIX}{name}" if name in arrays else name] = _encoded(arrow, repeated)
        version = arrow.repeat(arrow.scalar(jaxworld.__version__), num_rows)
        content[VERSION_COLUMN] = _encoded(arrow, version)
        part = arrow.table(content, metadata=self._metadata())
        if self._writer is None:
            self._writer = self._parquet.ParquetWriter(self._file, part.schema, compression="zstd")
        self._writer.write_table(part)

    def _metadata(self) -> dict[str, str]:
        return {
            TABLE_KEY: self._table,
            SETTINGS_KEY: json.dumps(dataclasses.asdict(self._settings), allow_nan=False),
            VERSION_KEY: jaxworld.__version__,
        }


def write_table(path: str | Path, table: str, columns: Mapping[str, np.ndarray], settings: Any) -> None:
    """Write a table that is in memory; see :class:`TableWriter` for what it becomes and what it raises."""
    arrays = _checked_columns(columns)
    with TableWriter(path, table, settings) as writer:
        writer.append(arrays)


def _checked_columns(columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    shapes = {name: values.shape for name, values in arrays.items()}
    flat = all(len(shape) == 1 for shape in shapes.values()) and len(set(shapes.values())) == 1
    require(flat, "columns", shapes, "give one-dimensional columns of one length")
    return arrays


def read_table(path: str | Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Read a table written by :func:`write_table`.

    Returns:
        The columns (null is NaN in a column of numbers, None in one of strings) and the metadata.

    Raises:
        ConfigurationError: if the file is missing or no Parquet file.
        MissingExtraError: if pyarrow is not installed.
    """
    arrow, parquet = _import_arrow()
    require(Path(path).is_file(), "path", str(path), "there is no such file")
    try:
        content = parquet.read_table(str(path))
    except arrow.ArrowInvalid as error:
        raise ConfigurationError("path", str(path), "this is no Parquet file, or it is damaged") from error
    columns = {}
    for name in content.column_names:
        column = content.column(name)
        if arrow.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        columns[name] = column.to_numpy()
    metadata = {key.decode(): value.decode() for key, value in (content.schema.metadata or {}).items()}
    return columns, {key: value for key, value in metadata.items() if key.startswith("jaxworld.")}


def setting_columns(settings: Any) -> dict[str, tuple[Any, type]]:
    """Value and type of each field of a dataclass instance, as one cell: tuples are joined by commas.

    The type is the declared one, so that a column has the same type whether or not the value is None.
    """
    declared = typing.get_type_hints(type(settings))
    cells: dict[str, tuple[Any, type]] = {}
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        kind = _plain_type(declared[field.name])
        cells[field.name] = (",".join(map(str, value)), str) if isinstance(value, tuple) else (value, kind)
    return cells


def _plain_type(declared: Any) -> type:
    """``int`` of ``int | None``; tuples and anything else count as strings."""
    options = typing.get_args(declared) if isinstance(declared, types.UnionType) else (declared,)
    plain = [option for option in options if option in (bool, int, float, str)]
    return plain[0] if plain else str


def _arrow_type(arrow: Any, kind: type) -> Any:
    return {bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64(), str: arrow.string()}[kind]


def _column(arrow: Any, values: np.ndarray) -> Any:
    return _encoded(arrow, arrow.array(values, from_pandas=True))


def _encoded(arrow: Any, column: Any) -> Any:
    """Strings repeat, so they are stored once each."""
    return column.dictionary_encode() if arrow.types.is_string(column.type) else column


def _import_arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "study", "a Parquet file") from error
    return pyarrow, pyarrow.parquet
