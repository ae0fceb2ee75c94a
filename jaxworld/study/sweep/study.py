"""A sweep, checked: what runs, in which order, cut into which files, and what the rows look like."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np

import jaxworld
from jaxworld.core.errors import ConfigurationError, require
from jaxworld.core.rollout import Reducer
from jaxworld.study.memory import tree_bytes
from jaxworld.study.sweep.arms import BuiltArm
from jaxworld.study.sweep.columns import column_types, tree_columns
from jaxworld.study.sweep.design import Design, FittedDesign, fit_design
from jaxworld.study.sweep.families import default_reducer, parameter_ranges
from jaxworld.study.sweep.identity import describe, fingerprint
from jaxworld.study.sweep.kernel import WINDOWS, Kernel, WorldInputs, flagged_state, state_shape
from jaxworld.study.sweep.plan import SMALL_PARTS, default_block

FORMAT = 1
"""Version of what a sweep leaves in its folder."""
OWN_COLUMNS = ("arm", "point", "world", "seed", "tick", "configuration", "jaxworld_version")
_FILE_BYTES = 32 * 2**20
_FILE_WORLDS = 16_384


@dataclasses.dataclass(frozen=True)
class Chunk:
    """Worlds of one arm that share a file: rows ``first .. stop - 1`` of its points x seeds."""

    arm: int
    slug: str
    index: int
    first: int
    stop: int

    @property
    def file(self) -> str:
        """Name of the file."""
        return f"chunk-{self.slug}-{self.index:05d}.parquet"


@dataclasses.dataclass(frozen=True, eq=False)
class ArmStudy:
    """One arm, ready to be compiled."""

    arm: BuiltArm
    kernel: Kernel
    fitted: FittedDesign
    state_shape: Any

    @property
    def state_bytes(self) -> int:
        """Bytes of one world's state."""
        return tree_bytes(self.state_shape)

    def check_flags(self, flags: list[np.ndarray]) -> None:
        """Raise ``CapacityError`` if a world raised a flag."""
        self.arm.world.check_flags(flagged_state(self.state_shape, flags))


@dataclasses.dataclass(frozen=True, eq=False)
class Study:
    """Everything that fixes the results of a sweep, and how they are cut into files.

    Attributes:
        arms: the arms in their order.
        design: the points.
        world_seeds: ``uint64[S]``, the same at every point of every arm.
        ticks, every, window: see :class:`Kernel`.
        block: worlds that are computed side by side; part of the result where floats are.
        chunk: worlds in a file; no result depends on it.
        columns: names and dtypes of the figures, without those that say where a row comes from.
        configuration: fingerprint of all but ``chunk``.
    """

    arms: tuple[ArmStudy, ...]
    design: Design
    world_seeds: np.ndarray
    ticks: int
    every: int
    window: str
    block: int
    chunk: int
    columns: Mapping[str, np.dtype]
    configuration: str

    @property
    def worlds_per_arm(self) -> int:
        """Points x seeds."""
        return self.design.num_points * len(self.world_seeds)

    @property
    def rows_per_world(self) -> int:
        """1, or the entries of the time series."""
        return self.ticks // self.every if self.every else 1

    def chunks(self) -> list[Chunk]:
        """All files in the order of the table: arm, point, seed."""
        made = []
        for number, study in enumerate(self.arms):
            for index, first in enumerate(range(0, self.worlds_per_arm, self.chunk)):
                stop = min(first + self.chunk, self.worlds_per_arm)
                made.append(Chunk(number, study.arm.slug, index, first, stop))
        return made

    def inputs(self, rows: np.ndarray) -> WorldInputs:
        """What the worlds of these rows start from, on the host."""
        seeds = self.world_seeds[rows % len(self.world_seeds)]
        words = np.stack([seeds >> np.uint64(32), seeds & np.uint64(0xFFFFFFFF)], axis=-1).astype(np.uint32)
        return WorldInputs(words=words, point=(rows // len(self.world_seeds)).astype(np.int32))

    def table(self, chunk: Chunk, result: Any) -> dict[str, np.ndarray]:
        """Tidy columns of a chunk from its results on the host, ``[W, ...]`` or ``[W, T, ...]``."""
        arm, per_world = self.arms[chunk.arm].arm, self.rows_per_world
        rows = np.repeat(np.arange(chunk.first, chunk.stop), per_world)
        world, point = rows % len(self.world_seeds), rows // len(self.world_seeds)
        columns: dict[str, np.ndarray] = {"arm": np.full(len(rows), arm.name)}
        columns |= {name: np.full(len(rows), value) for name, value in arm.labels.items()}
        columns["point"] = point.astype(np.int32)
        columns |= {design_column(path): shown_values(values)[point] for path, values in self.design.columns.items()}
        columns |= {"world": world.astype(np.int32), "seed": self.world_seeds[world]}
        if self.every:
            ticks = np.arange(1, per_world + 1, dtype=np.int32) * np.int32(self.every)
            columns["tick"] = np.tile(ticks, chunk.stop - chunk.first)
        figures = tree_columns(result, 2 if self.every else 1)
        host = getattr(self.arms[chunk.arm].kernel.reducer, "host_columns", None)
        columns |= figures if host is None else host(figures)
        columns["configuration"] = np.full(len(rows), self.configuration)
        columns["jaxworld_version"] = np.full(len(rows), jaxworld.__version__)
        return columns

    def manifest(self) -> dict[str, Any]:
        """What the folder says about itself: enough to refuse what does not belong together, and to read it."""
        return {
            "format": FORMAT,
            "kind": "jaxworld sweep",
            "configuration": self.configuration,
            "versions": {"jaxworld": jaxworld.__version__, "jax": jax.__version__},
            "block": self.block,
            "chunk": self.chunk,
            "arms": [
                {"name": one.arm.name, "file_name": one.arm.slug, "labels": dict(one.arm.labels)} for one in self.arms
            ],
            "design": {
                "kind": self.design.kind,
                "points": self.design.num_points,
                "columns": {path: design_column(path) for path in self.design.columns},
            },
            "seeds": len(self.world_seeds),
            "worlds": self.worlds_per_arm * len(self.arms),
            "ticks": self.ticks,
            "every": self.every,
            "window": self.window if self.every else None,
            "figures": {name: dtype.name for name, dtype in self.columns.items()},
        }


def make_study(
    arms: Sequence[BuiltArm],
    design: Design,
    seeds: int | Sequence[int],
    ticks: int,
    *,
    seed: int = 0,
    reducer: Reducer | None = None,
    every: int | None = None,
    window: str = "last",
    block: int | None = None,
    chunk: int | None = None,
) -> Study:
    """Check a sweep and settle its layout; nothing is compiled.

    Raises:
        ConfigurationError: naming what cannot work.
    """
    world_seeds = derive_seeds(seeds, seed)
    _require_count("ticks", ticks, 1)
    if every is not None:
        _require_count("every", every, 1)
        require(ticks % every == 0, "every", every, f"use a divisor of ticks = {ticks}")
    require(window in WINDOWS, "window", window, f"use one of {', '.join(WINDOWS)}")
    studies = tuple(_arm_study(arm, design, reducer, ticks, every or 0, window) for arm in arms)
    worlds = design.num_points * len(world_seeds)
    require(worlds < 2**31, "design", worlds, "an arm may have up to 2**31 - 1 worlds: use fewer points or seeds")
    if block is None:
        agents = max(one.arm.world.num_agents for one in studies)
        block = default_block(agents, max(one.state_bytes for one in studies), worlds)
    _require_count("block", block, 1)
    columns = _settle_columns(studies, design, every or 0)
    entries = ticks // every if every else 1
    if chunk is None:
        row_bytes = 64 + 8 * (len(columns) + len(design.columns))
        fitting = max(min(_FILE_BYTES // (row_bytes * entries), _FILE_WORLDS), 1)
        fitting = min(fitting, max(-(-worlds // SMALL_PARTS), 1))
        chunk = fitting if fitting < block else fitting // block * block
    _require_count("chunk", chunk, 1)
    study = Study(studies, design, world_seeds, ticks, every or 0, window, block, chunk, columns, "")
    return with_block(study, block)


def with_block(study: Study, block: int) -> Study:
    """The study with another number of worlds side by side, which is part of its configuration."""
    changed = dataclasses.replace(study, block=block)
    return dataclasses.replace(changed, configuration=fingerprint(_description(changed)))


def derive_seeds(seeds: Any, seed: int) -> np.ndarray:
    """``uint64[S]``: the given world seeds, or that many, each the first 8 bytes of SHA-256 of ``"sweep:seed:index"``.

    Raises:
        ConfigurationError: for no seeds, seeds outside 64 bits, or one that is listed twice.
    """
    require(
        isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 2**64,
        "seed",
        seed,
        "use an integer from 0 to 2**64 - 1",
    )
    if isinstance(seeds, int | np.integer) and not isinstance(seeds, bool):
        require(1 <= int(seeds) < 2**31, "seeds", seeds, "use 1 or more")
        digests = (hashlib.sha256(f"sweep:{seed}:{index}".encode()).digest()[:8] for index in range(int(seeds)))
        return np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64)
    require(isinstance(seeds, Sequence | np.ndarray) and len(seeds) > 0, "seeds", seeds, "give a number, or a list")
    for entry in seeds:
        fits = bool(isinstance(entry, int | np.integer) and 0 <= int(entry) < 2**64)
        require(fits, "seeds", entry, "use integers from 0 to 2**64 - 1")
    given = np.asarray([int(entry) for entry in seeds], dtype=np.uint64)
    require(len(np.unique(given)) == len(given), "seeds", seeds, "a seed is listed twice")
    return given


def design_column(path: str) -> str:
    """Name of the column of a swept parameter: its path, unless the table has a column of its own by that name."""
    return f"params.{path}" if path in OWN_COLUMNS else path


def shown_values(values: np.ndarray) -> np.ndarray:
    """Values as cells of a table: numbers as they are, arrays as JSON."""
    if values.ndim == 1:
        return values
    return np.asarray([json.dumps(row.tolist(), separators=(",", ":")) for row in values])


def _arm_study(arm: BuiltArm, design: Design, reducer: Reducer | None, ticks: int, every: int, window: str) -> ArmStudy:
    fitted = fit_design(design, arm.params)
    _check_ranges(arm, fitted)
    kernel = Kernel(arm.world, arm.policy, reducer or default_reducer(arm.world), ticks, every, window, fitted.targets)
    return ArmStudy(arm, kernel, fitted, state_shape(arm.world, arm.params))


def _check_ranges(arm: BuiltArm, fitted: FittedDesign) -> None:
    """Values set past a builder of parameters still keep to the ranges it would have checked."""
    ranges = parameter_ranges(arm.world)
    for path, values in fitted.values.items():
        low, high = ranges.get(fitted.targets[path].leaf, (-np.inf, np.inf))
        wrong = (values < low) | (values > high)
        require(
            not wrong.any(), path, values[wrong][:1].tolist(), f"use values from {low} to {high} in arm {arm.name!r}"
        )


def _settle_columns(studies: Sequence[ArmStudy], design: Design, every: int) -> dict[str, np.dtype]:
    """The figures of every arm must be the same, and must not hide another column."""
    settled: dict[str, np.dtype] | None = None
    for one in studies:
        kernel, params = one.kernel, one.arm.params
        world = WorldInputs(words=jax.ShapeDtypeStruct((2,), np.uint32), point=jax.ShapeDtypeStruct((), np.int32))
        outputs = jax.eval_shape(kernel.run, world, kernel.shared(params, one.fitted.values))
        kernel.traces.clear()
        batched = jax.tree.map(lambda leaf: jax.ShapeDtypeStruct((1, *leaf.shape), leaf.dtype), outputs.result)
        found = column_types(batched, 2 if every else 1, getattr(kernel.reducer, "host_columns", None))
        settled = settled or found
        same = found == settled
        require(
            same, f"arms[{one.arm.name}]", ", ".join(found), f"every arm must have the figures {', '.join(settled)}"
        )
    assert settled is not None
    labels = list(studies[0].arm.labels)
    taken = [*OWN_COLUMNS, *map(design_column, design.columns)]
    for name in labels:
        require(name not in taken, f"labels.{name}", name, "another column has this name: rename it")
    for name in settled:
        require(name not in [*taken, *labels], "reducer", name, "another column has this name: rename the figure")
    return settled


def _description(study: Study) -> Any:
    arms = [
        [
            one.arm.name,
            describe(one.arm.world, "world"),
            describe(one.arm.params, "params"),
            describe(one.arm.policy, "policy"),
            describe(one.kernel.reducer, "reducer"),
            describe(one.arm.labels, "labels"),
        ]
        for one in study.arms
    ]
    design = [[path, describe(values)] for path, values in study.design.columns.items()]
    shape = [study.ticks, study.every, study.window if study.every else "", study.block]
    return [FORMAT, jaxworld.__version__, arms, design, describe(study.world_seeds), shape]


def _require_count(field: str, value: Any, low: int) -> None:
    fits = isinstance(value, int | np.integer) and not isinstance(value, bool) and low <= value < 2**31
    if not fits:
        raise ConfigurationError(field, value, f"use a whole number from {low} up")
