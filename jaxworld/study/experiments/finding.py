"""What every finding returns, and the findings there are by name."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from jaxworld.core.errors import ConfigurationError
from jaxworld.metrics.intervals import Interval
from jaxworld.study.search.applications import Application
from jaxworld.study.sweep import SweepProgress


@dataclasses.dataclass(frozen=True, eq=False)
class Finding:
    """What was found.

    Attributes:
        settings: what was asked for.
        rows: a tidy table, one row a world or a world and tick.
        table: what is printed: a few rows of figures; an interval is a mapping of ``mean``, ``low`` and ``high``.
        text: what was found, how sure that is, and what it does not show, one paragraph an entry.
        drawn: what the figure needs beside the table.
    """

    settings: Any
    rows: Mapping[str, np.ndarray]
    table: Sequence[Mapping[str, Any]]
    text: Sequence[str]
    drawn: Mapping[str, Any]


class RunFinding(Protocol):
    """How a finding is run."""

    def __call__(
        self, settings: Any, *, folder: Path | None = None, progress: Callable[[SweepProgress], None] | None = None
    ) -> Finding:
        """Run it; ``folder`` keeps what is done, so that an interrupted run goes on."""


def entry(name: str, settings: str, summary: str, folder: str = "", figures: str = "findings") -> Application:
    """What a command needs to know of a study before it loads it.

    Args:
        name: of the file that has ``run_NAME``, and of the command's argument.
        settings: name of its settings class.
        summary: one line.
        folder: of this package that holds the file, with a dot at its end.
        figures: module of ``jaxworld.plot`` that has ``write_NAME_figure``.
    """
    module = f"jaxworld.study.experiments.{folder}{name}"
    return Application(
        summary=summary,
        settings=f"{module}:{settings}",
        run=f"{module}:run_{name}",
        figure=f"jaxworld.plot.{figures}:write_{name}_figure",
    )


FINDINGS: Mapping[str, Application] = {
    "concentration": entry(
        "concentration", "ConcentrationSettings", "who gets seen: recommenders by exposure budget and population size"
    ),
    "herding": entry("herding", "HerdingSettings", "what one vote more or less at the start does to a final score"),
    "spread": entry(
        "spread", "SpreadSettings", "a real cascade, fitted on its first minutes and predicted from there on"
    ),
    "communities": entry("communities", "CommunitiesSettings", "a forum for all against one scoped to communities"),
}
"""By name, each one file of this folder."""


def get_finding(name: str) -> Application:
    """The finding of that name.

    Raises:
        ConfigurationError: for an unknown name; it says which there are.
    """
    if name not in FINDINGS:
        near = difflib.get_close_matches(name, FINDINGS, n=1, cutoff=0.0)
        raise ConfigurationError("finding", name, f"did you mean {near[0]!r}? There are {', '.join(FINDINGS)}")
    return FINDINGS[name]


def ends(band: Interval, index: Any = ()) -> dict[str, float]:
    """One entry of an interval as plain numbers."""
    return {name: float(np.asarray(getattr(band, name))[index]) for name in ("mean", "low", "high")}


def said(band: Mapping[str, float], digits: int = 3) -> str:
    """An interval as words."""
    return f"{band['mean']:.{digits}f} [{band['low']:.{digits}f}, {band['high']:.{digits}f}]"
