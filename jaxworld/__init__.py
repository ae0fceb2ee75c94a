"""jaxworld: vectorised, array-first worlds of many agents."""

from importlib.metadata import PackageNotFoundError, version

import jaxworld.commons
import jaxworld.grid
import jaxworld.markov
import jaxworld.social  # noqa: F401  (all register their worlds)
from jaxworld.core import (
    AutoReset,
    CapacityError,
    ConfigurationError,
    ContractError,
    EpisodeCap,
    JaxworldError,
    MissingExtraError,
    TimeStep,
    World,
    check_world,
    make,
    register,
    registered,
    rollout,
)

try:
    __version__ = version("jaxworld")
except PackageNotFoundError:  # running from a checkout that is not installed
    __version__ = "0.1.0"

register(
    "commons/cedar_grove",
    "jaxworld.commons.cards.world:CedarGrove",
    summary="a grove felled and planted with cards, in integers throughout",
)
register(
    "core/bandit",
    "jaxworld.core.bandit:CueBandit",
    summary="arms that pay by a cue; the optimal return has a closed form",
)
register(
    "core/random_walk",
    "jaxworld.core.random_walk:RandomWalk",
    summary="walkers looking for a goal by slippery steps; the smallest complete world",
)

__all__ = [
    "AutoReset",
    "CapacityError",
    "ConfigurationError",
    "ContractError",
    "EpisodeCap",
    "JaxworldError",
    "MissingExtraError",
    "TimeStep",
    "World",
    "__version__",
    "check_world",
    "make",
    "register",
    "registered",
    "rollout",
]
