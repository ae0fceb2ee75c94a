"""What a command leaves behind: JSON on stdout, and files that are all there or not at all."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError, require

OPTION = "--out"


def print_json(value: Any) -> None:
    """Print one JSON value; what is not a finite number becomes null."""
    print(json.dumps(to_json(value), indent=2, allow_nan=False))


def to_json(value: Any) -> Any:
    """Plain JSON values from dictionaries, sequences and NumPy numbers or arrays."""
    if isinstance(value, dict):
        return {str(key): to_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(entry) for entry in value]
    if isinstance(value, np.ndarray | np.generic):
        return to_json(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


class OutputFolder:
    """A folder that receives all files of a command at once, or none.

    Entering checks that the folder can be written to (creating it if need be), before any work is done. Inside,
    ``writing(name)`` gives the path of a temporary file in that folder. Leaving without an exception moves every file
    into place; leaving with one removes them, and every folder that was created and is empty.

    Args:
        path: the folder.
        names: file names that will be written.

    Raises:
        ConfigurationError: on entering, writing or leaving, if the folder cannot be written to or the disk is full.
    """

    def __init__(self, path: str, names: Sequence[str]) -> None:
        self.path = Path(path)
        self._names = tuple(names)
        self._created: list[Path] = []
        self._staged: dict[str, Path] = {}

    def __enter__(self) -> OutputFolder:
        require(str(self.path) != ".", OPTION, "", "name a folder for the results")
        try:
            with self._explained():
                self._create()
                self._probe()
            for name in self._names:
                taken = (self.path / name).is_dir()
                require(not taken, OPTION, str(self.path), f"{name} is a folder there: choose another folder")
        except BaseException:
            self._clean()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if error is None:
                with self._explained():
                    for name, temporary in self._staged.items():
                        os.replace(temporary, self.path / name)
        finally:
            self._clean()

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[Path]:
        """The path to write ``name`` to; the file appears under its name when the folder is left."""
        assert name in self._names, f"{name} was not announced"
        self._staged[name] = self._temporary(name)
        with self._explained():
            yield self._staged[name]

    def _temporary(self, name: str) -> Path:
        return self.path / f".{name}.{os.getpid()}.tmp"

    def _create(self) -> None:
        missing = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
            self._created.append(folder)

    def _probe(self) -> None:
        """Write and remove a little: permissions do not tell of read-only or full disks."""
        probe = self._temporary("probe")
        try:
            probe.write_bytes(bytes(4096))
        finally:
            with contextlib.suppress(OSError):
                probe.unlink()

    def _clean(self) -> None:
        for temporary in self._staged.values():
            with contextlib.suppress(OSError):
                temporary.unlink()
        for folder in reversed(self._created):
            with contextlib.suppress(OSError):  # not empty: it stays
                folder.rmdir()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the system says about a file into one line that names the option."""
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                remedy = "the disk is full: free some space on it, or choose a folder on another disk"
            else:
                reason = (error.strerror or str(error)).splitlines()[0]
                remedy = f"cannot write there ({reason[:1].lower()}{reason[1:]}): choose a folder you can write to"
            raise ConfigurationError(OPTION, str(self.path), remedy) from error
