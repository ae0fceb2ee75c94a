"""Inequality, concentration and intervals.

The functions named here run inside kernels in float32; :mod:`jaxworld.metrics.host` has the same names in exact
integers and float64, for every figure that is reported.
"""

from jaxworld.metrics import host
from jaxworld.metrics.concentration import coverage, effective_number, entropy, herfindahl, top_share
from jaxworld.metrics.inequality import gini, lorenz_curve
from jaxworld.metrics.intervals import Interval, mean_interval, paired_difference

__all__ = [
    "Interval",
    "coverage",
    "effective_number",
    "entropy",
    "gini",
    "herfindahl",
    "host",
    "lorenz_curve",
    "mean_interval",
    "paired_difference",
    "top_share",
]
