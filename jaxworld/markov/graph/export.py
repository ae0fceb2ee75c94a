"""Graphs for other programs: PRISM's explicit files, SciPy matrices, NetworkX graphs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError, MissingExtraError
from jaxworld.core.files import replacing
from jaxworld.markov.graph.graph import Graph

LINES_AT_ONCE = 100_000
MAX_NETWORKX_EDGES = 200_000


def prism_texts(graph: Graph, stem: str) -> dict[str, Iterable[str]]:
    """The files of :func:`write_prism`: name to text, in parts that are made when they are asked for."""
    rewards = {f"{stem}.player{player}.rew": _rewards(graph, player) for player in range(graph.num_players)}
    return {f"{stem}.tra": _transitions(graph), f"{stem}.sta": _states(graph), f"{stem}.lab": _labels(graph), **rewards}


def write_prism(graph: Graph, folder: str | Path, stem: str | None = None) -> tuple[Path, ...]:
    """Write a graph as explicit files of PRISM (prismmodelchecker.org), of a Markov decision process.

    A choice of the process is a joint action. ``.tra`` holds the transitions, ``.sta`` the words of each state,
    ``.lab`` the labels (with ``init`` for states an episode can begin with), ``.playerN.rew`` the transition rewards
    of a player; each of a row's transitions carries the row's expected reward, so expectations are exact.

    Args:
        graph: the graph.
        folder: an existing folder.
        stem: name of the files without their endings; the game's name by default.

    Returns:
        The paths.

    Raises:
        OSError: if a file cannot be written.
    """
    paths = []
    for name, parts in prism_texts(graph, stem or graph.name).items():
        paths.append(Path(folder) / name)
        with replacing(paths[-1]) as temporary:
            write_text(temporary, parts)
    return tuple(paths)


def write_text(path: Path, parts: Iterable[str]) -> None:
    """Write a text that comes in parts."""
    with path.open("w", encoding="ascii") as file:
        file.writelines(parts)


def to_scipy(graph: Graph) -> Any:
    """Transition probabilities as ``scipy.sparse.csr_array[S * J, S]``, row ``state * J + joint``.

    Raises:
        MissingExtraError: if SciPy is not installed.
    """
    try:
        from scipy.sparse import csr_array
    except ImportError as error:
        raise MissingExtraError("scipy", "study", "a sparse matrix") from error
    shape = (graph.num_states * graph.num_joint_actions, graph.num_states)
    return csr_array((graph.probability, graph.target, graph.row_offsets), shape=shape)


def to_networkx(graph: Graph) -> Any:
    """A ``networkx.MultiDiGraph``.

    Nodes have ``terminal``, ``initial`` and the ``labels`` that hold, edges ``joint``, ``actions`` and ``probability``.

    Raises:
        MissingExtraError: if NetworkX is not installed.
        ConfigurationError: for a graph with more than 200,000 edges.
    """
    if graph.num_edges > MAX_NETWORKX_EDGES:
        remedy = f"NetworkX is for at most {MAX_NETWORKX_EDGES:,} edges: use to_scipy"
        raise ConfigurationError("graph", f"{graph.num_edges:,} edges", remedy)
    try:
        import networkx
    except ImportError as error:
        raise MissingExtraError("networkx", "graph", "a NetworkX graph") from error
    made = networkx.MultiDiGraph(game=graph.name)
    for state in range(graph.num_states):
        held = tuple(name for name, marks in graph.labels.items() if marks[state])
        made.add_node(state, terminal=bool(graph.terminal[state]), initial=float(graph.initial[state]), labels=held)
    actions = [tuple(int(part) for part in graph.actions_of(joint)) for joint in range(graph.num_joint_actions)]
    rows = _edge_rows(graph, slice(0, graph.num_edges))
    for row, target, probability in zip(rows.tolist(), graph.target.tolist(), graph.probability.tolist(), strict=True):
        state, joint = divmod(row, graph.num_joint_actions)
        made.add_edge(state, target, joint=joint, actions=actions[joint], probability=probability)
    return made


def _edge_rows(graph: Graph, part: slice) -> np.ndarray:
    """Row of each edge of a part."""
    places = np.arange(part.start, part.stop)
    return np.searchsorted(graph.row_offsets, places, side="right") - 1


def _parts(graph: Graph) -> Iterable[slice]:
    for begin in range(0, graph.num_edges, LINES_AT_ONCE):
        yield slice(begin, min(begin + LINES_AT_ONCE, graph.num_edges))


def _head(graph: Graph) -> str:
    return f"{graph.num_states} {graph.num_states * graph.num_joint_actions} {graph.num_edges}\n"


def _transitions(graph: Graph) -> Iterable[str]:
    yield _head(graph)
    for part in _parts(graph):
        states, joints = np.divmod(_edge_rows(graph, part), graph.num_joint_actions)
        columns = (states.tolist(), joints.tolist(), graph.target[part].tolist(), graph.probability[part].tolist())
        yield "".join(
            f"{state} {joint} {target} {chance!r}\n" for state, joint, target, chance in zip(*columns, strict=True)
        )


def _rewards(graph: Graph, player: int) -> Iterable[str]:
    yield _head(graph)
    paid = graph.reward[:, :, player].reshape(-1)
    for part in _parts(graph):
        rows = _edge_rows(graph, part)
        states, joints = np.divmod(rows, graph.num_joint_actions)
        columns = (states.tolist(), joints.tolist(), graph.target[part].tolist(), paid[rows].tolist())
        yield "".join(
            f"{state} {joint} {target} {reward!r}\n" for state, joint, target, reward in zip(*columns, strict=True)
        )


def _states(graph: Graph) -> Iterable[str]:
    yield f"({','.join(f'word{number}' for number in range(graph.state_words.shape[1]))})\n"
    for state, words in enumerate(graph.state_words.tolist()):
        yield f"{state}:({','.join(map(str, words))})\n"


def _labels(graph: Graph) -> Iterable[str]:
    marks = {"init": graph.initial > 0, "deadlock": np.zeros(graph.num_states, bool), "terminal": graph.terminal}
    marks = {**marks, **graph.labels}
    yield " ".join(f'{number}="{name}"' for number, name in enumerate(marks)) + "\n"
    table = np.stack(list(marks.values()), axis=1)
    for state in np.flatnonzero(table.any(axis=1)):
        yield f"{state}: {' '.join(map(str, np.flatnonzero(table[state])))}\n"
