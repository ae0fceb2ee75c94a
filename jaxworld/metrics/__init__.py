"""Inequality, concentration, cascades and intervals.

The functions named here run inside kernels in float32; :mod:`jaxworld.metrics.host` has the same names in exact
integers and float64, for every figure that is reported.
"""

from jaxworld.metrics import host
from jaxworld.metrics.cascades import Cascades, cascade_curves, measure_cascades, structural_virality, trace_forest
from jaxworld.metrics.commons import (
    discounted,
    efficiency,
    equality,
    honour_rate,
    log_utility,
    over_usage,
    peace,
    rawls,
    survival_time,
    sustainability,
    utilitarian,
    welfare,
)
from jaxworld.metrics.concentration import coverage, effective_number, entropy, herfindahl, top_share
from jaxworld.metrics.inequality import gini, lorenz_curve
from jaxworld.metrics.intervals import Interval, mean_interval, paired_difference

__all__ = [
    "Cascades",
    "Interval",
    "cascade_curves",
    "coverage",
    "discounted",
    "effective_number",
    "efficiency",
    "entropy",
    "equality",
    "gini",
    "herfindahl",
    "honour_rate",
    "host",
    "log_utility",
    "lorenz_curve",
    "mean_interval",
    "measure_cascades",
    "over_usage",
    "paired_difference",
    "peace",
    "rawls",
    "structural_virality",
    "survival_time",
    "sustainability",
    "top_share",
    "trace_forest",
    "utilitarian",
    "welfare",
]
