"""Talk, pacts, sanctions and reputation around a shared resource; :mod:`.layer` puts them together."""

from jaxworld.commons.governance.layer import (
    GovernanceActions,
    GovernanceConfig,
    GovernanceParams,
    GovernanceState,
    GovernanceView,
    governance_params,
)
from jaxworld.commons.governance.messages import EVERYONE, NOBODY, Letters, Message, letter_to
from jaxworld.commons.governance.pacts import Offers, PactStatus, own_cap, sustainable_cap
from jaxworld.commons.governance.sanctions import Sanction
from jaxworld.commons.governance.texts import TextTable

__all__ = [
    "EVERYONE",
    "NOBODY",
    "GovernanceActions",
    "GovernanceConfig",
    "GovernanceParams",
    "GovernanceState",
    "GovernanceView",
    "Letters",
    "Message",
    "Offers",
    "PactStatus",
    "Sanction",
    "TextTable",
    "governance_params",
    "letter_to",
    "own_cap",
    "sustainable_cap",
]
