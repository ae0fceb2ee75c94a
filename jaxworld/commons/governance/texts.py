"""Words that go with coded letters; they stay on the host, because no law depends on them."""

from __future__ import annotations

from jaxworld.core import checks
from jaxworld.core.errors import require


class TextTable:
    """Texts by (turn, sender, receiver): at most one a key, read by the receiver in the turn after.

    Args:
        num_players: N.
    """

    def __init__(self, num_players: int) -> None:
        self.num_players = checks.whole("num_players", num_players, 2, 100_000)
        self._texts: dict[tuple[int, int, int], str] = {}

    def write(self, turn: int, sender: int, receiver: int, text: str) -> None:
        """Keep a text; a second one for the same key replaces the first.

        Raises:
            ConfigurationError: for an unknown player, a text to oneself, or something that is no string.
        """
        last = self.num_players - 1
        key = checks.whole("turn", turn, 0, 2**31 - 1), checks.whole("sender", sender, 0, last), receiver
        checks.whole("receiver", receiver, 0, last)
        require(sender != receiver, "receiver", receiver, "write to another player")
        require(isinstance(text, str), "text", text, "use a string")
        self._texts[key] = text

    def broadcast(self, turn: int, sender: int, text: str) -> None:
        """Keep one text for everyone else."""
        for receiver in range(self.num_players):
            if receiver != sender:
                self.write(turn, sender, receiver, text)

    def inbox(self, turn: int, receiver: int) -> dict[int, str]:
        """What ``receiver`` reads in ``turn``: sender to text, exactly what was written in the turn before."""
        sent = {sender: (turn - 1, sender, receiver) for sender in range(self.num_players)}
        return {sender: self._texts[key] for sender, key in sent.items() if key in self._texts}

    def records(self) -> list[dict[str, int | str]]:
        """Everything as rows with ``turn``, ``from``, ``to`` and ``text``, in order."""
        keys = sorted(self._texts)
        return [{"turn": t, "from": sender, "to": to, "text": self._texts[t, sender, to]} for t, sender, to in keys]
