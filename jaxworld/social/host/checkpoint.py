"""Checkpoints: the state of a port in one file, so that a run goes on without replay."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import jax
import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.files import replacing
from jaxworld.core.leaves import named_leaves
from jaxworld.social.host.world import SocialWorld
from jaxworld.social.records.arrays import DeltaArrays
from jaxworld.social.records.canonical import canonical_hash
from jaxworld.social.records.config import WorldConfig
from jaxworld.social.records.header import PartitionHeader
from jaxworld.social.records.kinds import InterventionKind
from jaxworld.social.records.population import Population
from jaxworld.social.records.stimulus import Stimulus
from jaxworld.social.records.turn import Rejection

FORMAT = 1
SIZES = ("stimulus_capacity", "text_capacity", "max_publications", "max_follows", "max_followees")
_WITHOUT_EFFECT = ("stimulus_capacity",)


def save_checkpoint(world: SocialWorld, path: str | Path) -> None:
    """Write the state of a world: a NumPy archive of plain arrays, whole or not there.

    Raises:
        ConfigurationError: if the world was not reset yet.
    """
    issued = world.issued
    about = {
        "format": FORMAT,
        "world_id": world.header.world_id,
        "settings": settings_hash(world.config),
        "tick": world.last_tick,
        "sizes": {name: getattr(world.kernel.config, name) for name in SIZES},
        "max_net_votes": int(world.params.vote_table.shape[0]) - 1,
        "stimuli": [stimulus.to_dict() for stimulus in world.ledger.stimuli],
        "rejected": [rejection.to_dict() for rejection in world.rejected],
        "latest": {str(author): text for author, text in world.vectors.latest.items()},
        "published": issued.published,
        "interventions": [kind.value for kind in issued.interventions],
    }
    arrays: dict[str, Any] = {f"state{name}": np.asarray(leaf) for name, leaf in named_leaves(world.state)}
    arrays |= {f"issued.{name}": getattr(issued, name) for name in _columns()}
    vectors = world.vectors
    arrays |= {"profile": vectors.profile, "study": vectors.study}
    arrays["texts"] = np.asarray(vectors.rows, np.float32).reshape(len(vectors.rows), vectors.profile.shape[1])
    text = json.dumps(about, ensure_ascii=False, allow_nan=False)
    with replacing(Path(path)) as temporary, temporary.open("wb") as file:
        np.savez(file, about=np.frombuffer(text.encode(), np.uint8), **arrays)


def load_checkpoint(
    path: str | Path,
    header: PartitionHeader,
    population: Population | None = None,
    config: WorldConfig | None = None,
) -> SocialWorld:
    """A world that goes on from where it was saved. Nothing is embedded again.

    Raises:
        ConfigurationError: if the file is that of another world or of other settings.
    """
    world = SocialWorld(header, population, config)
    with np.load(Path(path), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    about = json.loads(arrays["about"].tobytes().decode())
    expected = {"format": FORMAT, "world_id": header.world_id, "settings": settings_hash(world.config)}
    for name, value in expected.items():
        require(about[name] == value, f"checkpoint.{name}", about[name], f"this run needs {value}")
    vectors = world.vectors
    vectors.profile, vectors.study = arrays["profile"], arrays["study"]
    vectors.rows = list(arrays["texts"])
    vectors.latest = {int(author): text for author, text in about["latest"].items()}
    world.build()
    for stimulus in about["stimuli"]:
        world.ledger.publish(Stimulus.from_dict(stimulus))
    world.rejected = [Rejection.from_dict(entry) for entry in about["rejected"]]
    issued = DeltaArrays(
        tick=about["tick"],
        published=tuple(about["published"]),
        interventions=tuple(InterventionKind(kind) for kind in about["interventions"]),
        **{name: arrays[f"issued.{name}"] for name in _columns()},
    )
    world.restore(about["sizes"], about["max_net_votes"], issued, lambda template: _state(template, arrays))
    return world


def settings_hash(config: WorldConfig) -> str:
    """Hash of the settings a run depends on; an embedder counts by whether there is one."""
    fields = {field.name: getattr(config, field.name) for field in dataclasses.fields(config)}
    fields["embed_texts"] = config.embed_texts is not None
    return canonical_hash({name: value for name, value in fields.items() if name not in _WITHOUT_EFFECT})


def _columns() -> list[str]:
    return [field.name for field in dataclasses.fields(DeltaArrays) if field.type == "np.ndarray"]


def _state(template: Any, arrays: dict[str, np.ndarray]) -> Any:
    """The saved leaves in the structure of ``template``."""
    leaves = []
    for name, leaf in named_leaves(template):
        saved = arrays.get(f"state{name}")
        if saved is None or (saved.shape, saved.dtype) != (leaf.shape, leaf.dtype):
            found = None if saved is None else (saved.dtype.name, saved.shape)
            raise ConfigurationError(f"checkpoint.state{name}", found, f"expected {leaf.dtype.name} of {leaf.shape}")
        leaves.append(jax.numpy.asarray(saved))
    return jax.tree.unflatten(jax.tree.structure(template), leaves)
