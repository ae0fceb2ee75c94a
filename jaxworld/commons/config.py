"""Static configuration of a commons: sizes and which parts of the law exist, checked on the host."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from jaxworld.core import checks
from jaxworld.core.errors import require

if TYPE_CHECKING:
    from jaxworld.commons.governance.layer import GovernanceConfig

MOST_PLAYERS = 100_000


@dataclasses.dataclass(frozen=True, kw_only=True)
class CommonsConfig:
    """What fixes a shape or a code path. Numbers a study sweeps are in ``CommonsParams``.

    Attributes:
        num_players: N, players that are never present included.
        whole_units: the resource comes in whole units: requests are rounded down, what is left over is handed out
            unit by unit, collapse is judged before regrowth, and the stock multiplies instead of growing by the
            logistic law (Piatti et al., "Cooperate or Collapse", 2024).
        seneca: capital that amplifies the harvest and pollution that slows regrowth and wears capital down.
        governance: messages, pacts, sanctions and reputation, or None.
        pipeline: the compiled observation pipeline.

    Raises:
        ConfigurationError: for sizes that cannot work, or governance of another number of players.
    """

    num_players: int
    whole_units: bool = False
    seneca: bool = False
    governance: GovernanceConfig | None = None
    pipeline: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "num_players", checks.whole("num_players", self.num_players, 1, MOST_PLAYERS))
        checks.flag("whole_units", self.whole_units)
        checks.flag("seneca", self.seneca)
        both = self.whole_units and self.seneca
        require(not both, "seneca", True, "capital harvests fractions of a unit: choose seneca or whole units")
        if self.governance is not None:
            fits = self.governance.num_players == self.num_players
            require(fits, "governance", self.governance, f"configure it for {self.num_players} players")
