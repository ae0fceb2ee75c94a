"""The names behind the kernel's indices: who the personas are, and which stimulus fills which slot."""

from __future__ import annotations

from collections.abc import Sequence

from jaxworld.core.errors import require
from jaxworld.social.records.stimulus import Stimulus


class Ledger:
    """Names of one world, growing as stimuli are published.

    Args:
        seed: the 64-bit world seed, from which ids are derived.
        persona_ids: in the order of the kernel's personas.

    Attributes:
        persona_index: position by id.
        stimuli, ids: records and their ids by slot.
        slot: slot by stimulus id.
        ancestry: by slot, what each stimulus answers, nearest first.
    """

    def __init__(self, seed: int, persona_ids: Sequence[str]) -> None:
        self.seed = seed
        self.persona_ids = tuple(persona_ids)
        self.persona_index = {name: index for index, name in enumerate(self.persona_ids)}
        self.stimuli: list[Stimulus] = []
        self.ids: list[str] = []
        self.slot: dict[str, int] = {}
        self.ancestry: list[tuple[str, ...]] = []

    def publish(self, stimulus: Stimulus) -> int:
        """Give the next slot to a stimulus.

        Raises:
            ConfigurationError: if its id is taken, or it answers what was never published.
        """
        require(stimulus.stimulus_id not in self.slot, "Stimulus.stimulus_id", stimulus.stimulus_id, "it is taken")
        parent = stimulus.in_reply_to
        line: tuple[str, ...] = ()
        if parent is not None:
            require(parent in self.slot, "Stimulus.in_reply_to", parent, "it was never published")
            line = (parent, *self.ancestry[self.slot[parent]])
        self.slot[stimulus.stimulus_id] = len(self.stimuli)
        self.stimuli.append(stimulus)
        self.ids.append(stimulus.stimulus_id)
        self.ancestry.append(line)
        return len(self.stimuli) - 1
