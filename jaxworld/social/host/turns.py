"""Turns of personas as rows of the kernel."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from jaxworld.social.config import SocialConfig
from jaxworld.social.engagement import channels_on
from jaxworld.social.records.kinds import ACTION_CODE, CHANNEL_CODE
from jaxworld.social.records.ledger import Ledger
from jaxworld.social.records.turn import Turn
from jaxworld.social.state import TurnBatch
from jaxworld.social.vocabulary import AFFORDANCES, AUTHORING, SENTIMENT_UNIT, Action

LEAST_ROWS = 64


@dataclasses.dataclass(frozen=True)
class EnteredTurns:
    """Turns in canonical order, whatever order they came in.

    Attributes:
        turns: sorted by persona, subject, action, channel and text; that is the order of publication.
        persona, channel, subject, action, sentiment: ``int32[n]``.
        landed: ``bool[n]``, the action lands on its channel.
        authored: positions of the turns that publish a text, in the order of publication.
    """

    turns: tuple[Turn, ...]
    persona: np.ndarray
    channel: np.ndarray
    subject: np.ndarray
    action: np.ndarray
    sentiment: np.ndarray
    landed: np.ndarray
    authored: list[int]

    def batch(self, num_rows: int, vector: np.ndarray, text: np.ndarray) -> TurnBatch:
        """Rows of the kernel, padded; ``vector`` and ``text`` are handles ``int32[n]``."""
        num = len(self.turns)

        def padded(column: np.ndarray, fill: int) -> np.ndarray:
            return np.concatenate([column.astype(np.int32), np.full(num_rows - num, fill, np.int32)])

        columns = {
            name: padded(getattr(self, name), 0) for name in ("persona", "channel", "subject", "action", "sentiment")
        }
        valid = np.arange(num_rows) < num
        return TurnBatch(valid=valid, vector=padded(vector, -1), text=padded(text, -1), **columns)  # type: ignore[arg-type]


def enter_turns(config: SocialConfig, turns: Sequence[Turn], ledger: Ledger) -> EnteredTurns:
    """Sort turns and look up what they name; all of it must exist."""
    rows = [
        (
            ledger.persona_index[turn.impression.persona_id],
            ledger.slot[turn.reaction.subject_stimulus_id],
            ACTION_CODE[turn.reaction.action],
            CHANNEL_CODE[turn.impression.channel],
        )
        for turn in turns
    ]
    texts = [turn.reaction.verbatim or "" for turn in turns]
    order = sorted(range(len(turns)), key=lambda at: (rows[at], texts[at], turns[at].reaction.reaction_id))
    table = np.asarray([rows[at] for at in order], np.int32).reshape(len(turns), 4)
    persona, subject, action, channel = (np.ascontiguousarray(table[:, column]) for column in range(4))
    ordered = tuple(turns[at] for at in order)
    landed = (AFFORDANCES & np.asarray(channels_on(config))[:, None])[channel, action]
    sentiment = [round(turn.reaction.sentiment * SENTIMENT_UNIT) for turn in ordered]
    return EnteredTurns(
        turns=ordered,
        persona=persona,
        channel=channel,
        subject=subject,
        action=action,
        sentiment=np.asarray(sentiment, np.int32),
        landed=landed,
        authored=np.flatnonzero(landed & AUTHORING[action]).tolist(),
    )


def follows_per_persona(entered: EnteredTurns) -> tuple[int, int]:
    """New follows at most: of all personas together, and of one."""
    following = entered.persona[entered.landed & (entered.action == Action.FOLLOW)]
    return len(following), int(np.bincount(following).max()) if len(following) else 0


def rows_for(num_turns: int, at_least: int) -> int:
    """A number of rows that holds the turns: powers of two, so that few programs are compiled."""
    return max(at_least, LEAST_ROWS, 1 << max(num_turns - 1, 0).bit_length())
