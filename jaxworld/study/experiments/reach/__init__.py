"""How far a group of creators can reach under each recommender, and how much of that the recommender gives away."""

from jaxworld.study.experiments.reach.run import ReachResult, run_reach
from jaxworld.study.experiments.reach.settings import ReachSettings

__all__ = ["ReachResult", "ReachSettings", "run_reach"]
