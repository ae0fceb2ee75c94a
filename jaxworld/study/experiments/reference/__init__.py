"""A search whose answer is known: how close it comes to the closed-form optimum."""

from jaxworld.study.experiments.reference.run import ReferenceResult, run_reference
from jaxworld.study.experiments.reference.settings import ReferenceSettings

__all__ = ["ReferenceResult", "ReferenceSettings", "run_reference"]
