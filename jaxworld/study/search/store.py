"""Saving a policy to one file, and loading it so that it plays."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import jaxworld
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.files import write_atomically
from jaxworld.core.leaves import named_leaves
from jaxworld.core.networks import Linear, Perceptron, Recurrent
from jaxworld.core.registry import make
from jaxworld.study.search.array_policies import NetworkPolicy, make_array_policy
from jaxworld.study.search.checkpoint import tree_from_arrays, tree_to_arrays

FORMAT = "jaxworld.policy/1"
_HEADER = "header"
_KIND_OF = {Linear: "linear", Perceptron: "mlp", Recurrent: "recurrent"}


def save_policy(path: str | Path, policy: Any, *, world: Any = None, metadata: Mapping[str, Any] | None = None) -> None:
    """Save a pytree policy, atomically.

    Args:
        path: the file, by custom ``.npz``.
        policy: any pytree policy.
        world: the world it plays in, made by ``jaxworld.make`` with JSON values; a network policy saved with it loads
            without being given anything.
        metadata: JSON values to keep with it, such as its score.

    Raises:
        ConfigurationError: if the metadata or the world's configuration are no JSON values.
        OSError: if the file cannot be written.
    """
    made_as = getattr(world, "made_as", None)
    header = {
        "format": FORMAT,
        "jaxworld": jaxworld.__version__,
        "policy": type(policy).__name__,
        "leaves": [name for name, _ in named_leaves(policy)],
        "recipe": _recipe(policy) if isinstance(policy, NetworkPolicy) else None,
        "world": list(made_as) if made_as else None,
        "metadata": dict(metadata or {}),
    }
    try:
        text = json.dumps(header, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigurationError("metadata", metadata, f"keep JSON values only ({error})") from error
    content = io.BytesIO()
    np.savez(content, **{_HEADER: np.array(text)}, **tree_to_arrays("policy", policy))  # type: ignore[arg-type]
    write_atomically(Path(path), content.getvalue())


def load_policy(path: str | Path, *, template: Any = None, world: Any = None) -> Any:
    """Load a saved policy.

    Args:
        path: the file.
        template: a policy of the same structure; needed unless the policy is a network.
        world: the world to play in; needed for a network that was saved without one.

    Raises:
        ConfigurationError: if the file is missing, damaged, of another version or of another policy.
    """
    header, arrays = _read(Path(path))
    if template is None:
        template = _from_recipe(str(path), header, world)
    names = [name for name, _ in named_leaves(template)]
    fits = header["policy"] == type(template).__name__ and header["leaves"] == names
    require(fits, "path", str(path), f"it holds a {header['policy']} that does not have the structure expected")
    return tree_from_arrays("policy", template, arrays)


def read_metadata(path: str | Path) -> dict[str, Any]:
    """What was saved beside a policy: its metadata, the world it was saved with, and the version that wrote it."""
    header, _ = _read(Path(path))
    return {"metadata": header["metadata"], "world": header["world"], "jaxworld": header["jaxworld"]}


def _read(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    require(path.is_file(), "path", str(path), "there is no such file")
    try:
        with np.load(path, allow_pickle=False) as file:
            header = json.loads(str(file[_HEADER]))
            arrays = {name: file[name] for name in file.files if name != _HEADER}
        version = header["format"]
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ConfigurationError("path", str(path), "this is no saved policy, or it is damaged") from error
    require(version == FORMAT, "path", str(path), f"its format is {version}, this version reads {FORMAT}")
    return header, arrays


def _recipe(policy: NetworkPolicy) -> dict[str, Any]:
    """How to make a policy of the same structure."""
    network = policy.network
    hidden: list[int] = []
    if isinstance(network, Perceptron):
        hidden = [int(layer.bias.shape[-1]) for layer in network.layers[:-1]]
    elif isinstance(network, Recurrent):
        hidden = [int(network.proposal.bias.shape[-1])]
    return {"kind": _KIND_OF[type(network)], "hidden": hidden, "per_agent": policy.per_agent}


def _from_recipe(path: str, header: dict[str, Any], world: Any) -> NetworkPolicy:
    recipe, made_as = header["recipe"], header["world"]
    require(recipe is not None, "template", None, f"{path} holds a {header['policy']}: give a policy of its structure")
    if world is None:
        require(made_as is not None, "world", None, f"{path} was saved without its world: give it")
        world = make(made_as[0], **made_as[1])
    return make_array_policy(
        recipe["kind"], world, hidden=tuple(recipe["hidden"]) or (1,), per_agent=recipe["per_agent"], scale=0.0
    )
