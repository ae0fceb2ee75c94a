"""What a sweep returns."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from jaxworld.core.errors import ConfigurationError
from jaxworld.study.sweep.dryrun import Estimate
from jaxworld.study.sweep.summary import Differences, Summary, difference_table, summarise
from jaxworld.study.tables import read_table


@dataclasses.dataclass(frozen=True, eq=False)
class SweepResult:
    """A finished sweep, a part of one, or an estimate.

    Attributes:
        configuration: fingerprint of what was computed.
        figures: names of the columns that were measured.
        design: names of the columns that were varied.
        labels: names of the columns that tell arms apart, beside ``arm``.
        path: the merged table; None without a folder, or while files are missing.
        computed, resumed, missing: worlds computed now, found done, and still to be done (by other shards).
        timing: per arm ``compile_s``, ``run_s``, ``run_cpu_s`` (over all threads of this process, so it includes what
            still compiles beside it), ``traces``, and the ``call_worlds`` and ``call_bytes`` of a call.
        estimate: what a dry run found.
        kept: the rows of a sweep without a folder.
    """

    configuration: str
    figures: tuple[str, ...]
    design: tuple[str, ...]
    labels: tuple[str, ...]
    path: Path | None = None
    computed: int = 0
    resumed: int = 0
    missing: int = 0
    timing: Mapping[str, Mapping[str, float]] = dataclasses.field(default_factory=dict)
    estimate: Estimate | None = None
    kept: Mapping[str, np.ndarray] | None = None

    def rows(self) -> dict[str, np.ndarray]:
        """The tidy table, one array a column.

        Raises:
            ConfigurationError: if it is not complete.
        """
        if self.kept is not None:
            return dict(self.kept)
        if self.path is None:
            remedy = "the table is not complete: run the other shards and merge, or run without dry_run"
            raise ConfigurationError("rows", f"{self.missing} worlds missing", remedy)
        return read_table(self.path)[0]

    def summary(self, figures: Sequence[str] | None = None, level: float = 0.95) -> Summary:
        """Means over seeds with their intervals, see :func:`summarise`."""
        return summarise(self.rows(), figures or self.figures, level=level)

    def differences(
        self, figure: str, *, arm: str | None = None, point: int | None = None, level: float = 0.95
    ) -> Differences:
        """Paired differences to an arm or to a point, see :func:`difference_table`."""
        return difference_table(self.rows(), figure, arm=arm, point=point, level=level)

    def to_dict(self) -> dict[str, Any]:
        """Plain values about the run, without its rows."""
        return {
            "configuration": self.configuration,
            "table": None if self.path is None else str(self.path),
            "worlds": {"computed": self.computed, "resumed": self.resumed, "missing": self.missing},
            "timing": {name: dict(entry) for name, entry in self.timing.items()},
            "estimate": None if self.estimate is None else self.estimate.to_dict(),
        }
