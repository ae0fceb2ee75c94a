"""Named arms: a commons with the players in it, for studies that refer to it by name."""

from __future__ import annotations

import dataclasses
import difflib
from typing import Any

from jaxworld.commons.agents import Roster, RosterPolicy, make_roster
from jaxworld.commons.build import make_commons
from jaxworld.commons.figures import CommonsFigures
from jaxworld.commons.world import CommonsWorld
from jaxworld.core.errors import ConfigurationError

NOISY_STOCK = {"commonsStock": {"noise": 0.0}}
"""Everybody reads the stock with noise of a level that can be swept, 0 by default."""


@dataclasses.dataclass(frozen=True, eq=False)
class CommonsArm:
    """``roster``: who plays; ``options``: of ``make_commons``; ``num_turns``: of a run; ``summary``: one line."""

    roster: Roster
    options: dict[str, Any]
    num_turns: int
    summary: str

    def world(self, **changes: Any) -> CommonsWorld:
        """The commons, with some options changed."""
        return make_commons(
            **{"num_players": len(self.roster), "observability": NOISY_STOCK, **self.options, **changes}
        )

    def policy(self, world: CommonsWorld) -> RosterPolicy:
        """The players."""
        return make_roster(world, self.roster)

    def reducer(self) -> CommonsFigures:
        """Figures with the shares of each kind of player."""
        return CommonsFigures(classes=self.roster)


ARMS: dict[str, CommonsArm] = {
    "balanced6-r.6-cap.05": CommonsArm(
        roster=Roster("pulse", "racer", "conservative", "msy", "tit_for_tat", "bucket"),
        options={"regrowth": 0.6, "harvest_cap": 0.05},
        num_turns=100,
        summary="one each of six agents, best served by reading noise of about 40 %; found by search, no general claim",
    ),
    "pulse3-conservative3": CommonsArm(
        roster=Roster.of(pulse=3, conservative=3),
        options={"regrowth": 0.4, "harvest_cap": 0.1},
        num_turns=100,
        summary="three aggressive and three cautious players; strong noise ruins the commons",
    ),
    "blind6": CommonsArm(
        roster=Roster.of(constant=3, tit_for_tat=1, free_rider=1, random=1),
        options={"regrowth": 0.4, "harvest_cap": 0.05},
        num_turns=100,
        summary="six players who never look at the stock: noise on it cannot change a bit of what they do",
    ),
}
"""Arms by name."""


def default_roster(num_players: int) -> Roster:
    """One after the other of the six agents of ``balanced6-r.6-cap.05``, as often as it takes."""
    six = ARMS["balanced6-r.6-cap.05"].roster
    return Roster(*(six[player % len(six)] for player in range(num_players)))


def get_arm(name: str) -> CommonsArm:
    """A named arm.

    Raises:
        ConfigurationError: if there is none of this name; the nearest is named.
    """
    if name not in ARMS:
        near = difflib.get_close_matches(name, ARMS, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ConfigurationError("arm", name, f"{hint}use one of {', '.join(ARMS)}")
    return ARMS[name]
