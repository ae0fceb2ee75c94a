"""The harvesting policy that does best for its player, or for all, against each kind of others."""

from jaxworld.study.experiments.harvest.run import HarvestResult, run_harvest
from jaxworld.study.experiments.harvest.settings import HarvestSettings

__all__ = ["HarvestResult", "HarvestSettings", "run_harvest"]
