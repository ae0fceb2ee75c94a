"""Built-in agents of a commons, mixed in rosters, and populations of coefficients to search."""

from jaxworld.commons.agents.quadratic import QuadraticPopulation, make_quadratic, quadratic_request
from jaxworld.commons.agents.roster import Roster, RosterPolicy, make_roster
from jaxworld.commons.agents.types import AGENT_TYPES, AgentCoefficients, default_coefficients

__all__ = [
    "AGENT_TYPES",
    "AgentCoefficients",
    "QuadraticPopulation",
    "Roster",
    "RosterPolicy",
    "default_coefficients",
    "make_quadratic",
    "make_roster",
    "quadratic_request",
]
