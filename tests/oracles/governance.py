"""Governance told slowly: players, letters and pacts as Python objects, one at a time, in float64."""

from __future__ import annotations

import dataclasses
import math

FREE, OFFERED, ACTIVE, EXPIRED, VOID = range(5)


@dataclasses.dataclass
class Offer:
    proposer: int
    cap: float
    delay: int
    duration: int
    open_turns: int
    min_signatures: int
    fine: float
    invited: frozenset


@dataclasses.dataclass
class Pact:
    offer: Offer
    start: int
    end: int
    deadline: int
    invited: set
    accepted: set
    status: int = OFFERED
    violations: dict = dataclasses.field(default_factory=dict)
    exposed: dict = dataclasses.field(default_factory=dict)


class Governance:
    """One world's pacts, sanctions and reputations; ``sanction`` is its name."""

    def __init__(self, num_players, max_pacts, sanction="none", barred_turns=1, tolerance=0.01, memory=1.0, prior=0.0):
        self.players = range(num_players)
        self.slots = [None] * max_pacts
        self.sanction, self.barred_turns, self.tolerance = sanction, barred_turns, tolerance
        self.memory, self.prior = memory, prior
        self.exposed, self.violations = [0.0] * num_players, [0.0] * num_players
        self.barred_until = [-1] * num_players
        self.total_bound, self.total_broken = [0] * num_players, [0] * num_players
        self.dropped = 0

    def status(self, slot):
        return FREE if self.slots[slot] is None else self.slots[slot].status

    def begin(self, turn, present):
        for pact in filter(None, self.slots):
            left = [player for player in pact.accepted if player in present]
            enough = len(left) >= max(pact.offer.min_signatures, 1)
            if pact.status == OFFERED and pact.offer.proposer not in present:
                pact.status = VOID
            elif (pact.status == OFFERED and pact.start <= turn) or pact.status == ACTIVE:
                pact.status = ACTIVE if enough else VOID
            if pact.status == ACTIVE and pact.end < turn:
                pact.status = EXPIRED

    def enforce(self, turn, harvest, wealth, alive, present):
        """Returns the new wealth and, for each slot, the set of breakers."""
        wealth, broken = list(wealth), [set() for _ in self.slots]
        bound = [set() for _ in self.slots]
        for slot, pact in enumerate(self.slots):
            if alive and self.status(slot) == ACTIVE:
                bound[slot] = {i for i in pact.accepted if i in present and self.barred_until[i] < turn}
                broken[slot] = {i for i in bound[slot] if harvest[i] > pact.offer.cap + self.tolerance}
        wealth = self._fine(harvest, wealth, bound, broken)
        for player in self.players:
            self.total_bound[player] += sum(player in b for b in bound)
            self.total_broken[player] += sum(player in b for b in broken)
            if alive:
                self.exposed[player] = self.memory * self.exposed[player] + sum(player in b for b in bound)
                self.violations[player] = self.memory * self.violations[player] + sum(player in b for b in broken)
            if self.sanction == "exclusion" and any(player in b for b in broken):
                self.barred_until[player] = max(self.barred_until[player], turn + self.barred_turns)
        for slot, pact in enumerate(self.slots):
            for player in bound[slot]:
                pact.exposed[player] = pact.exposed.get(player, 0) + 1
            for player in broken[slot]:
                pact.violations[player] = pact.violations.get(player, 0) + 1
        return wealth, broken

    def _fine(self, harvest, wealth, bound, broken):
        if self.sanction not in ("fine", "graduated"):
            return wealth
        owed = {}
        for slot, pact in enumerate(self.slots):
            for player in broken[slot]:
                times = [1, 2, 4][min(pact.violations.get(player, 0), 2)] if self.sanction == "graduated" else 1
                owed[slot, player] = pact.offer.fine * times * (harvest[player] - pact.offer.cap)
        pots, after = [0.0] * len(self.slots), list(wealth)
        for (slot, player), amount in owed.items():
            asked = sum(a for (_, debtor), a in owed.items() if debtor == player)
            owned = max(wealth[player], 0.0)
            paid = amount if asked <= owned else amount * owned / asked
            after[player] -= paid
            pots[slot] += paid
        for slot, pot in enumerate(pots):
            receivers = (bound[slot] - broken[slot]) or bound[slot]
            for player in receivers:
                after[player] += pot / len(receivers)
        return after

    def receive(self, turn, offers, accepts, present, identity):
        """``offers``: those made, ``accepts``: pairs of player and slot, ``identity``: number of each player."""
        for player, slot in accepts:
            pact = self.slots[slot]
            is_open = pact is not None and pact.status == OFFERED and turn <= pact.deadline and turn < pact.start
            if is_open and player in present and player in pact.invited:
                pact.accepted.add(player)
        made = [o for o in offers if o.proposer in present and math.isfinite(o.cap) and o.cap >= 0 and o.duration >= 1]
        for offer in sorted(made, key=lambda o: identity[o.proposer]):
            free = [slot for slot in range(len(self.slots)) if self.status(slot) in (FREE, EXPIRED, VOID)]
            if not free:
                self.dropped += 1
                continue
            start = turn + max(offer.delay, 1)
            self.slots[free[0]] = Pact(
                offer=offer,
                start=start,
                end=start + offer.duration - 1,
                deadline=min(turn + max(offer.open_turns, 0), start - 1),
                invited={*offer.invited, offer.proposer},
                accepted={offer.proposer},
            )

    def honour_rate(self, player):
        """None if nothing is known."""
        total = self.exposed[player] + 2 * self.prior
        return None if total == 0 else (self.exposed[player] - self.violations[player] + self.prior) / total


def delivered(letters, present, identity, length=None):
    """What each reader finds and what is lost: ``(inbox, lost)``.

    ``letters``: list of (sender, receiver, code, argument), the receiver -2 for everyone. The inbox of a reader is a
    list of (sender, code, argument), lowest identity first, the last ``length`` of them.
    """
    players = range(len(identity))
    inbox = {reader: [] for reader in players}
    for sender, to, code, argument in sorted(letters, key=lambda letter: identity[letter[0]]):
        for reader in players:
            if sender in present and code > 0 and reader != sender and to in (reader, -2):
                inbox[reader].append((sender, code, argument))
    if length is None:
        return inbox, dict.fromkeys(players, 0)
    lost = {reader: max(len(found) - length, 0) for reader, found in inbox.items()}
    return {reader: found[-length:] for reader, found in inbox.items()}, lost
