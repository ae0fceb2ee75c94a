"""The replay that fits a trace."""

from tests.parity.coins import CoinsReplay
from tests.parity.harvest import HarvestReplay
from tests.parity.matrix import MatrixReplay

REPLAYS = {"coins": CoinsReplay, "commons_harvest": HarvestReplay}


def replay(trace, *, follow=False):
    """The replay of a trace; with `follow`, of its longest run of undisturbed steps."""
    family = REPLAYS.get(trace.variant.partition("__")[0], MatrixReplay)
    return family(trace.longest_run() if follow else trace, follow=follow)
