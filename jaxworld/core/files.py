"""Files that are whole or not there."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside ``path`` that takes its place, whole and on the disk, when all went well."""
    temporary = path.parent / f".{path.name}.{secrets.token_hex(6)}.tmp"
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file that is whole or not there, whatever happens meanwhile."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)
