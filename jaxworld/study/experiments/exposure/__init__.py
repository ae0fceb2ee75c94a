"""The main job: how far each recommender concentrates exposure, on many seeded worlds under common random numbers."""

from jaxworld.study.experiments.exposure.run import ExposureProgress, run_exposure
from jaxworld.study.experiments.exposure.settings import ExposureSettings
from jaxworld.study.experiments.exposure.summary import METRICS, ExposureResult

__all__ = ["METRICS", "ExposureProgress", "ExposureResult", "ExposureSettings", "run_exposure"]
