"""One table from the files of a sweep, the same to the byte however they came about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.files import replacing
from jaxworld.study.sweep.store import (
    TABLE,
    explained,
    import_arrow,
    read_chunk,
    read_manifest,
    refuse_difference,
)
from jaxworld.study.sweep.study import Chunk

_GROUP_ROWS = 131_072
"""Rows of a row group: fixed, so that how the rows were cut into files leaves no trace."""


def merge(folders: Sequence[str | Path], out: str | Path | None = None) -> Path:
    """Put the files of a sweep, from one or more folders, into one table in canonical order.

    Rows are ordered by arm (as declared), point, seed and tick.

    Args:
        folders: folders of the same sweep, for example one a shard.
        out: folder for ``sweep.parquet``; the first of ``folders`` if None.

    Returns:
        Path of the table.

    Raises:
        ConfigurationError: if a folder holds no sweep or another one, a file is missing or damaged, or the table
            cannot be written.
        MissingExtraError: if pyarrow is not installed.
    """
    arrow, parquet = import_arrow()
    manifest, paths = find_chunks(folders)
    missing = [chunk.file for chunk, path in paths if path is None]
    if missing:
        remedy = f"{len(missing)} of {len(paths)} files are missing, such as {missing[0]}: run the sweep to its end"
        raise ConfigurationError("merge", ", ".join(map(str, folders)), remedy)
    target = Path(out if out is not None else folders[0])
    with explained(target):
        target.mkdir(parents=True, exist_ok=True)
    tables = (read_chunk(path, manifest["configuration"]) for _, path in paths if path is not None)
    with explained(target), replacing(target / TABLE) as temporary:
        writer: Any = None
        try:
            for group in _groups(arrow, tables):
                if writer is None:
                    metadata = {"jaxworld.table": "sweep", "jaxworld.configuration": manifest["configuration"]}
                    writer = parquet.ParquetWriter(temporary, group.schema.with_metadata(metadata), compression="zstd")
                writer.write_table(group, row_group_size=_GROUP_ROWS)
        finally:
            if writer is not None:
                writer.close()
    return target / TABLE


def find_chunks(folders: Sequence[str | Path]) -> tuple[dict[str, Any], list[tuple[Chunk, Path | None]]]:
    """The manifest that folders share, and where each of the sweep's files is (None: nowhere).

    Raises:
        ConfigurationError: if a folder holds no sweep, or not the same as the first.
    """
    require(len(folders) > 0, "merge", list(folders), "name at least one folder")
    first: dict[str, Any] | None = None
    for folder in map(Path, folders):
        require(folder.is_dir(), "merge", str(folder), "there is no such folder")
        manifest = read_manifest(folder)
        if manifest is None:
            raise ConfigurationError("merge", str(folder), "is empty: name the folder of a sweep")
        if first is None:
            first = manifest
        refuse_difference(folder, manifest, first)
    assert first is not None
    found: list[tuple[Chunk, Path | None]] = []
    for chunk in manifest_chunks(first):
        places = [Path(folder) / chunk.file for folder in folders]
        found.append((chunk, next((place for place in places if place.exists()), None)))
    return first, found


def manifest_chunks(manifest: dict[str, Any]) -> list[Chunk]:
    """The files of a sweep in canonical order, from its manifest alone."""
    size, per_arm = manifest["chunk"], manifest["worlds"] // len(manifest["arms"])
    return [
        Chunk(number, arm["file_name"], index, first, min(first + size, per_arm))
        for number, arm in enumerate(manifest["arms"])
        for index, first in enumerate(range(0, per_arm, size))
    ]


def _groups(arrow: Any, tables: Iterator[Any]) -> Iterator[Any]:
    """Cut a stream of tables into row groups; only the last may be short."""
    waiting: list[Any] = []
    rows = 0
    for table in tables:
        waiting.append(table.replace_schema_metadata(None))
        rows += table.num_rows
        while rows >= _GROUP_ROWS:
            whole = arrow.concat_tables(waiting)
            yield whole.slice(0, _GROUP_ROWS).combine_chunks()
            waiting, rows = [whole.slice(_GROUP_ROWS)], rows - _GROUP_ROWS
    if rows:
        yield arrow.concat_tables(waiting).combine_chunks()
