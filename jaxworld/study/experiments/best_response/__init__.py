"""The policy that answers fixed others best in a repeated game, searched on worlds, beside the closed form."""

from jaxworld.study.experiments.best_response.run import BestResponseResult, run_best_response
from jaxworld.study.experiments.best_response.settings import BestResponseSettings

__all__ = ["BestResponseResult", "BestResponseSettings", "run_best_response"]
