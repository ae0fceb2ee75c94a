"""Turns can only be about what the last delta issued."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxworld.core.errors import ConfigurationError, require
from jaxworld.social.records.arrays import DeltaArrays
from jaxworld.social.records.convert import to_records
from jaxworld.social.records.kinds import CHANNEL_CODE
from jaxworld.social.records.ledger import Ledger
from jaxworld.social.records.turn import Turn
from jaxworld.social.vocabulary import Channel


def check_issued(turns: Sequence[Turn], issued: DeltaArrays, ledger: Ledger) -> None:
    """Refuse turns about anything else; each impression is compared with the one that was issued.

    Raises:
        ConfigurationError: for a turn by an unknown persona, of another tick, or about an impression never issued.
    """
    seat = np.full((len(Channel), len(ledger.persona_ids)), -1, np.int32)
    seat[issued.channel, issued.persona] = np.arange(len(issued.persona))
    presentations = to_records(issued, ledger).presentations
    for index, turn in enumerate(turns):
        field = f"turns[{index}]"
        require(isinstance(turn, Turn), field, turn, "use a Turn")
        shown = turn.impression
        persona = ledger.persona_index.get(shown.persona_id)
        if persona is None:
            raise ConfigurationError(f"{field}.impression.persona_id", shown.persona_id, "there is no such persona")
        if shown.tick != issued.tick:
            raise ConfigurationError(
                f"{field}.impression.tick", shown.tick, f"only turns of tick {issued.tick} can enter"
            )
        row = int(seat[CHANNEL_CODE[shown.channel], persona])
        if row < 0 or presentations[row].impression != shown:
            raise ConfigurationError(f"{field}.impression", shown.impression_id, "this was never issued")
