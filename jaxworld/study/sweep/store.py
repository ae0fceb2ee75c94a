"""A sweep's folder: a manifest, and one Parquet file a chunk that is there whole or not at all.

Each file carries a digest of its own content, so what is read is what was written or is refused; nothing but the
files themselves says what is done, so any number of processes may share a folder.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError, MissingExtraError, require
from jaxworld.core.files import replacing
from jaxworld.study.sweep.study import FORMAT, Chunk

MANIFEST, TABLE = "manifest.json", "sweep.parquet"
_DIGEST, _CONFIGURATION, _ROWS = b"jaxworld.digest", b"jaxworld.configuration", b"jaxworld.rows"
_COMPARED = ("configuration", "versions", "chunk")


class Store:
    """The folder of one sweep.

    Args:
        folder: where.

    Raises:
        MissingExtraError: if pyarrow is not installed.
    """

    def __init__(self, folder: str | Path) -> None:
        self._arrow, self._parquet = import_arrow()
        self.folder = Path(folder)
        self._configuration = ""

    def prepare(self, *, resume: bool = True) -> None:
        """Make the folder, and see that it can be written to and is empty or a sweep's.

        Raises:
            ConfigurationError: if not, or if it holds a sweep and ``resume`` is off.
        """
        require(str(self.folder) not in ("", "."), "out", str(self.folder), "name a folder for the results")
        with explained(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            found = read_manifest(self.folder)
            probe = self.folder / f".probe.{secrets.token_hex(6)}.tmp"
            try:
                probe.write_bytes(bytes(4096))
            finally:
                probe.unlink(missing_ok=True)
        remedy = "already holds a sweep: resume it, or choose another folder"
        require(found is None or resume, "out", str(self.folder), remedy)

    def open(self, manifest: dict[str, Any]) -> None:
        """Say in the folder what it holds, or see that it holds just that.

        Raises:
            ConfigurationError: if it holds a sweep of another configuration, version or chunk size.
        """
        self._configuration = manifest["configuration"]
        with explained(self.folder):
            found = read_manifest(self.folder)
            if found is None:
                with replacing(self.folder / MANIFEST) as temporary:
                    temporary.write_text(json.dumps(manifest, indent=2, allow_nan=False) + "\n")
                return
        refuse_difference(self.folder, found, manifest)

    def done(self, chunk: Chunk) -> bool:
        """Whether the chunk's file is there and whole.

        Raises:
            ConfigurationError: if it is there and damaged.
        """
        path = self.folder / chunk.file
        if not path.exists():
            return False
        self.read(chunk)
        return True

    def read(self, chunk: Chunk) -> Any:
        """The table of a chunk (pyarrow).

        Raises:
            ConfigurationError: if the file is damaged or belongs to another sweep.
        """
        return read_chunk(self.folder / chunk.file, self._configuration)

    def write(self, chunk: Chunk, columns: dict[str, np.ndarray]) -> None:
        """Write a chunk's file; it appears under its name when it is on the disk.

        Raises:
            ConfigurationError: if it cannot be written.
        """
        table = to_arrow(self._arrow, columns)
        metadata = {
            _DIGEST: content_digest(table),
            _CONFIGURATION: self._configuration.encode(),
            _ROWS: f"{chunk.first}-{chunk.stop}".encode(),
        }
        with explained(self.folder), replacing(self.folder / chunk.file) as temporary:
            for stale in self.folder.glob(f".{chunk.file}.*.tmp"):  # of a process that was killed
                stale.unlink(missing_ok=True)
            self._parquet.write_table(table.replace_schema_metadata(metadata), temporary, compression="zstd")


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """The manifest of a sweep's folder, or None if the folder is empty.

    Raises:
        ConfigurationError: if the folder holds something else, or its manifest is damaged.
    """
    path = folder / MANIFEST
    if not path.exists():
        others = sorted(entry.name for entry in folder.iterdir() if not entry.name.endswith(".tmp"))
        if path.exists():  # another process was here meanwhile
            return read_manifest(folder)
        remedy = f"holds other things ({', '.join(others[:3])}) and no sweep: choose an empty or a new folder"
        require(not others, "out", str(folder), remedy)
        return None
    try:
        manifest = json.loads(path.read_bytes())
    except ValueError as error:
        remedy = "is damaged: restore it, or move the folder away and start anew"
        raise ConfigurationError(MANIFEST, str(path), remedy) from error
    ours = isinstance(manifest, dict) and manifest.get("kind") == "jaxworld sweep"
    require(ours, MANIFEST, str(path), "is no manifest of a sweep: choose another folder")
    require(manifest.get("format") == FORMAT, MANIFEST, manifest.get("format"), f"this version reads format {FORMAT}")
    complete = all(name in manifest for name in (*_COMPARED, "arms", "worlds"))
    require(complete, MANIFEST, str(path), "is damaged: restore it, or move the folder away and start anew")
    return manifest


def refuse_difference(folder: Path, found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Refuse a folder whose manifest differs from what is expected in anything that the results depend on."""
    for name in _COMPARED:
        if found[name] == expected[name]:
            continue
        if name == "chunk":
            raise ConfigurationError("chunk", expected[name], f"the files in {folder} have {found[name]} worlds each")
        if name == "versions":
            what = f"was made with {_shown_versions(found[name])}, this is {_shown_versions(expected[name])}"
            raise ConfigurationError("out", str(folder), f"{what}: use the same, or another folder")
        parts = [part for part in ("arms", "design", "seeds", "ticks", "every", "window", "block", "figures")
                 if found.get(part) != expected[part]]  # fmt: skip
        what = ", ".join(parts) or "world options, parameters, policy, values of the design or seeds"
        raise ConfigurationError(
            "out", str(folder), f"holds a sweep of another configuration ({what} differ): choose another folder"
        )


def read_chunk(path: Path, configuration: str) -> Any:
    """Read and check one file, see :meth:`Store.read`."""
    arrow, parquet = import_arrow()
    remedy = "is damaged: delete it and run again, only its worlds will be computed anew"
    try:
        table = parquet.ParquetFile(path).read(use_threads=False)
        metadata = table.schema.metadata or {}
        whole = metadata.get(_DIGEST) == content_digest(table)
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise ConfigurationError(path.name, str(path), remedy) from error
    require(whole, path.name, str(path), remedy)
    same = metadata.get(_CONFIGURATION) == configuration.encode()
    require(same, path.name, str(path), "belongs to a sweep of another configuration: move it away")
    return table


def to_arrow(arrow: Any, columns: dict[str, np.ndarray]) -> Any:
    """A table without nulls of numbers, booleans and texts; a figure that is not a number stays NaN."""
    return arrow.table({name: arrow.array(values) for name, values in columns.items()})


def content_digest(table: Any) -> bytes:
    """SHA-256 (hex) over name, type and values of every column."""
    hasher = hashlib.sha256()
    for name, column in zip(table.column_names, table.columns, strict=True):
        hasher.update(f"{name}|{column.type}|{len(column)}|".encode())
        if column.type == "string":
            encoded = column.combine_chunks().dictionary_encode()
            if hasattr(encoded, "combine_chunks"):
                encoded = encoded.combine_chunks()
            hasher.update(json.dumps(encoded.dictionary.to_pylist()).encode())
            values = encoded.indices.to_numpy(zero_copy_only=False)
        else:
            values = column.to_numpy()
        hasher.update(np.ascontiguousarray(values).tobytes())
    return hasher.hexdigest().encode()


@contextlib.contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn what the system says about a file into one line that names the folder."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = "the disk is full: free some space, then run again to continue"
        else:
            reason = (error.strerror or str(error)).splitlines()[0]
            remedy = f"cannot write there ({reason[:1].lower()}{reason[1:]}): choose a folder you can write to"
        raise ConfigurationError("out", str(folder), remedy) from error


def import_arrow() -> tuple[Any, Any]:
    """Pyarrow and its Parquet module.

    Raises:
        MissingExtraError: if pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("pyarrow", "study", "a sweep's folder") from error
    return pyarrow, pyarrow.parquet


def _shown_versions(versions: dict[str, str]) -> str:
    return " and ".join(f"{name} {version}" for name, version in versions.items())
