"""Floor 3: shared resources, the agents that live on them, and the agreements they make."""

from jaxworld.commons.agents import (
    AGENT_TYPES,
    AgentCoefficients,
    QuadraticPopulation,
    Roster,
    RosterPolicy,
    default_coefficients,
    make_quadratic,
    make_roster,
)
from jaxworld.commons.build import PRESETS, make_commons, make_preset
from jaxworld.commons.config import CommonsConfig
from jaxworld.commons.figures import CommonsFigures, CommonsTally, figures
from jaxworld.commons.noise_levels import run_noise_levels
from jaxworld.commons.params import CommonsParams, SenecaParams, make_params, make_seneca_params
from jaxworld.commons.presets import ARMS, CommonsArm, default_roster, get_arm
from jaxworld.commons.state import CommonsAction, CommonsInfo, CommonsObservation, CommonsState, PublicState
from jaxworld.commons.vocabulary import GrowthBase, Ration
from jaxworld.commons.world import CommonsWorld
from jaxworld.core.registry import register

for _name, (_, _summary) in PRESETS.items():
    register(_name, make_preset(_name), summary=_summary)

__all__ = [
    "AGENT_TYPES",
    "ARMS",
    "PRESETS",
    "AgentCoefficients",
    "CommonsAction",
    "CommonsArm",
    "CommonsConfig",
    "CommonsFigures",
    "CommonsInfo",
    "CommonsObservation",
    "CommonsParams",
    "CommonsState",
    "CommonsTally",
    "CommonsWorld",
    "GrowthBase",
    "PublicState",
    "QuadraticPopulation",
    "Ration",
    "Roster",
    "RosterPolicy",
    "SenecaParams",
    "default_coefficients",
    "default_roster",
    "figures",
    "get_arm",
    "make_commons",
    "make_params",
    "make_preset",
    "make_quadratic",
    "make_roster",
    "make_seneca_params",
    "run_noise_levels",
]
