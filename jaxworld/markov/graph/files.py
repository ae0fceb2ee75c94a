"""Graphs as files of NumPy arrays, without pickled objects."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError
from jaxworld.core.files import replacing
from jaxworld.markov.graph.graph import ARRAYS, Graph, check_graph

FORMAT = "jaxworld-graph-1"
_HEADER = "header"
_LABEL = "label:"


def save_graph(graph: Graph, path: str | Path) -> None:
    """Write a graph as an ``.npz`` file, whole or not at all.

    Args:
        graph: the graph.
        path: the file; its name is kept as it is.

    Raises:
        OSError: if the file cannot be written.
    """
    header = {
        "format": FORMAT,
        "name": graph.name,
        "config": graph.config,
        "num_actions": list(graph.num_actions),
        "num_bits": graph.num_bits,
        "labels": list(graph.labels),
        "reward_varies": graph.reward_varies,
    }
    text = np.frombuffer(json.dumps(header).encode(), np.uint8)
    with replacing(Path(path)) as temporary, temporary.open("wb") as file:
        np.savez(file, allow_pickle=False, **{_HEADER: text, **graph.arrays()})  # type: ignore[arg-type]


def load_graph(path: str | Path) -> Graph:
    """Read a graph :func:`save_graph` wrote, and check that it keeps every promise of a graph.

    Args:
        path: the file.

    Raises:
        FileNotFoundError: if there is no such file.
        ConfigurationError: for a file that is something else, cut short, damaged, or holds no valid graph.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            stored = {name: archive[name] for name in archive.files}
        graph = _from_arrays(json.loads(stored[_HEADER].tobytes()), stored)
    except FileNotFoundError:
        raise
    except (zipfile.BadZipFile, ValueError, KeyError, TypeError, AttributeError, EOFError, OSError) as error:
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ConfigurationError("path", str(path), f"no graph, or damaged ({reason}): build it again") from error
    check_graph(graph)
    return graph


def _from_arrays(header: dict[str, Any], stored: dict[str, np.ndarray]) -> Graph:
    if header["format"] != FORMAT:
        raise ValueError(f"format {header['format']!r}, this version reads {FORMAT!r}")
    return Graph(
        name=str(header["name"]),
        config=dict(header["config"]),
        num_actions=tuple(int(count) for count in header["num_actions"]),
        num_bits=int(header["num_bits"]),
        labels={name: stored[_LABEL + name] for name in header["labels"]},
        reward_varies=bool(header["reward_varies"]),
        **{name: stored[name] for name in ARRAYS},
    )
