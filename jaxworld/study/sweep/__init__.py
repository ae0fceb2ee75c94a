"""Sweeps: every variant of a world at every point of a design on the same seeds, on any number of devices."""

from jaxworld.study.sweep.arms import Arm, variants
from jaxworld.study.sweep.design import Design, cross, grid, latin_hypercube, points, random, sobol
from jaxworld.study.sweep.distributed import initialise, process_mesh
from jaxworld.study.sweep.dryrun import ArmEstimate, Estimate
from jaxworld.study.sweep.exposure import ExposureFigures
from jaxworld.study.sweep.merge import merge
from jaxworld.study.sweep.progress import SweepProgress
from jaxworld.study.sweep.reducers import AgentReturns, Measure, Snapshot, TimeMean
from jaxworld.study.sweep.result import SweepResult
from jaxworld.study.sweep.run import sweep
from jaxworld.study.sweep.summary import Differences, Summary, difference_table, summarise

__all__ = [
    "AgentReturns",
    "Arm",
    "ArmEstimate",
    "Design",
    "Differences",
    "Estimate",
    "ExposureFigures",
    "Measure",
    "Snapshot",
    "Summary",
    "SweepProgress",
    "SweepResult",
    "TimeMean",
    "cross",
    "difference_table",
    "grid",
    "initialise",
    "latin_hypercube",
    "merge",
    "points",
    "process_mesh",
    "random",
    "sobol",
    "summarise",
    "sweep",
    "variants",
]
