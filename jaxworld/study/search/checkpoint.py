"""Where a search stands, on disk: arrays in one file, and a manifest that says what they belong to.

The manifest is replaced last and atomically and names the arrays' file with its digest, so whenever a run is
stopped, the folder holds one whole checkpoint: the new one or the one before.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import hashlib
import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np

import jaxworld
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.files import write_atomically

FORMAT = "jaxworld.search/1"
MANIFEST = "manifest.json"


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """Content of a checkpoint: the generation that comes next, and named arrays."""

    generation: int
    arrays: dict[str, np.ndarray]


class CheckpointFolder:
    """A folder with the checkpoint of one search.

    Args:
        path: the folder; created when first written to.
        configuration: fingerprint of everything the search's course depends on.
        summary: the same, in a few readable words; kept for readers of the manifest.
    """

    def __init__(self, path: str | Path, configuration: str, summary: Mapping[str, Any] | None = None) -> None:
        self.path = Path(path)
        self._configuration = configuration
        self._summary = dict(summary or {})

    def prepare(self) -> None:
        """Create the folder and make sure it can be written to.

        Raises:
            ConfigurationError: if it cannot, or if it holds files but no checkpoint.
        """
        with _explained(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            found = sorted(each.name for each in self.path.iterdir() if not each.name.startswith("."))
            ours = MANIFEST in found or all(name.startswith("generation-") for name in found)
            if not ours:
                remedy = f"it holds {found[0]} and no search: choose an empty folder"
                raise ConfigurationError("folder", str(self.path), remedy)
            probe = self.path / f".probe.{os.getpid()}"
            probe.write_bytes(b"x")
            probe.unlink()

    def save(self, checkpoint: Checkpoint) -> None:
        """Replace the checkpoint.

        Raises:
            ConfigurationError: if the folder cannot be written to.
        """
        content = io.BytesIO()
        np.savez(content, **checkpoint.arrays)  # type: ignore[arg-type]
        name = f"generation-{checkpoint.generation:07d}.npz"
        manifest = {
            "format": FORMAT,
            "configuration": self._configuration,
            "summary": self._summary,
            "generation": checkpoint.generation,
            "file": name,
            "sha256": hashlib.sha256(content.getvalue()).hexdigest(),
            "jaxworld": jaxworld.__version__,
            "jax": jax.__version__,
        }
        with _explained(self.path):
            write_atomically(self.path / name, content.getvalue())
            write_atomically(self.path / MANIFEST, (json.dumps(manifest, indent=2) + "\n").encode())
        for old in self.path.glob("generation-*.npz"):
            if old.name != name:
                with contextlib.suppress(OSError):
                    old.unlink()

    def load(self) -> Checkpoint | None:
        """The checkpoint, or None if there is none yet.

        Raises:
            ConfigurationError: if it belongs to another configuration or version, or is damaged. Nothing is removed.
        """
        if not (self.path / MANIFEST).exists():
            return None
        manifest = self._manifest()
        file = self.path / manifest["file"]
        with _explained(self.path):
            content = file.read_bytes() if file.is_file() else b""
        if hashlib.sha256(content).hexdigest() != manifest["sha256"]:
            raise ConfigurationError("folder", str(file), "this checkpoint is damaged: start again in another folder")
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            return Checkpoint(int(manifest["generation"]), {name: arrays[name] for name in arrays.files})

    def _manifest(self) -> dict[str, Any]:
        path = self.path / MANIFEST
        try:
            manifest = json.loads(path.read_text())
            known = manifest["format"] == FORMAT and {"configuration", "file", "sha256", "generation"} <= set(manifest)
        except (OSError, ValueError, KeyError, TypeError):
            known = False
        if not known:
            raise ConfigurationError("folder", str(path), "this is no manifest of a search: choose another folder")
        if manifest["configuration"] != self._configuration:
            raise ConfigurationError(
                "folder", str(self.path), "it holds a search with another configuration: choose another folder"
            )
        return dict(manifest)


@contextlib.contextmanager
def _explained(path: Path) -> Any:
    """Turn what the system says into one line that names the folder."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if full else f"cannot use it ({(error.strerror or str(error)).lower()})"
        raise ConfigurationError("folder", str(path), f"{reason}: choose a folder you can write to") from error


def tree_to_arrays(name: str, tree: Any) -> dict[str, np.ndarray]:
    """Leaves of a tree as named arrays."""
    return {f"{name}.{number}": np.asarray(leaf) for number, leaf in enumerate(jax.tree.leaves(tree))}


def tree_from_arrays(name: str, like: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """Rebuild a tree of the structure, shapes and dtypes of ``like``.

    Raises:
        ConfigurationError: if the arrays do not fit.
    """
    leaves, structure = jax.tree.flatten(like)
    made = []
    for number, leaf in enumerate(leaves):
        found = arrays.get(f"{name}.{number}")
        if found is None or found.shape != tuple(leaf.shape) or found.dtype != leaf.dtype:
            shown = "nothing" if found is None else f"{found.dtype.name}{list(found.shape)}"
            raise ConfigurationError(f"{name}.{number}", shown, f"expected {leaf.dtype.name}{list(leaf.shape)}")
        made.append(jax.numpy.asarray(found))
    return jax.tree.unflatten(structure, made)
