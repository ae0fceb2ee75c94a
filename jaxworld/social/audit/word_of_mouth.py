"""Word of mouth: who can have told whom what, and who must have been told."""

from __future__ import annotations

from collections import defaultdict

from jaxworld.social.audit.facts import CHANNEL_ORDER, WOM, Facts
from jaxworld.social.audit.history import History
from jaxworld.social.audit.moment import Moment, Row


class Telling:
    """What the strong turns of the last tick allow.

    Attributes:
        subjects: what each teller tells, and in what order it is mentioned: the channel of the turn, then the teller.
        peers: whom each teller can tell: those with a strong enough tie.
        cap: most peers one teller tells.
    """

    def __init__(self, history: History) -> None:
        facts = history.facts
        threshold = round(facts.world["tie_threshold"] * 1_000)
        self.cap = facts.world["peers_told"]
        self.subjects: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
        self._about: dict[str, dict[str, None]] = {}
        for turn in history.strong:
            teller, subject = str(turn.get("persona_id")), str(turn.get("stimulus_id"))
            mention = CHANNEL_ORDER.index(str(turn.get("channel"))), facts.position[teller]
            earlier = self.subjects[teller].get(subject, mention)
            self.subjects[teller][subject] = min(mention, earlier)
            self._about.setdefault(subject, {})[teller] = None
        self.peers = {
            teller: {peer for peer, tie in facts.ties[teller].items() if tie >= threshold} for teller in self.subjects
        }

    def tellers(self, subject: str, peer: str) -> list[str]:
        """Who can have told a peer about a subject."""
        return [who for who in self._about.get(subject, ()) if peer in self.peers[who]]

    def tells_everybody(self, teller: str) -> bool:
        """Whether the cap leaves nobody out."""
        return len(self.peers[teller]) <= self.cap


def check_word_of_mouth(moment: Moment, history: History) -> None:
    """Check gates, cap, precedence of tellers, and that what was told is shown or dropped."""
    facts = history.facts
    if WOM not in facts.on or moment.tick == 0:
        return
    telling, heard = Telling(history), moment.heard(WOM)
    only_from: dict[str, set[str]] = defaultdict(set)
    for persona, rows in heard.items():
        for row in rows:
            subject = row.get("stimulus_id") or ""
            tellers = telling.tellers(subject, persona)
            if not tellers:
                moment.flag(row, "stimulus_id", subject, "told by a peer", "a strong reaction of a close enough peer")
                continue
            if len(tellers) == 1:
                only_from[tellers[0]].add(persona)
            if row.get("event") == "exposure":
                _check_teller(moment, facts, telling, row, persona, tellers)
        _check_budget(moment, facts, persona)
    _check_peers(moment, telling, heard, only_from)


def _check_teller(moment: Moment, facts: Facts, telling: Telling, row: Row, persona: str, tellers: list[str]) -> None:
    via, subject = row.get("via_persona_id"), row.get("stimulus_id") or ""
    if via not in tellers:
        moment.flag(row, "via_persona_id", via, tellers, "a teller with a strong turn about it and a close enough tie")
        return

    def precedence(teller: str) -> tuple[int, tuple[int, int]]:
        return -facts.tie(persona, teller), telling.subjects[teller][subject]

    first = min(tellers, key=precedence)
    if precedence(first) < precedence(via) and telling.tells_everybody(first):
        moment.flag(row, "via_persona_id", via, first, "of several tellers the closest, then the first")


def _check_budget(moment: Moment, facts: Facts, persona: str) -> None:
    shown, dropped = moment.shown.get((WOM, persona), []), moment.dropped.get((WOM, persona), [])
    budget = facts.world["budget"]
    for row in shown[budget:]:
        moment.flag(row, "rank", row.get("rank"), f"below {budget}", "exposure budget")
    asleep = [row for row in dropped if row.get("reason") == "asleep"]
    for row in dropped:
        reason = row.get("reason")
        if reason not in ("asleep", "budget_exhausted"):
            moment.flag(row, "reason", reason, "asleep or budget_exhausted", "why what is told is dropped")
        elif reason == "budget_exhausted" and (asleep or len(shown) < budget):
            moment.flag(row, "reason", reason, "shown, or asleep", "dropped only beyond the budget")


def _check_peers(moment: Moment, telling: Telling, heard: dict[str, list[Row]], only_from: dict[str, set[str]]) -> None:
    known = {persona: {row.get("stimulus_id") for row in rows} for persona, rows in heard.items()}
    for teller, about in telling.subjects.items():
        peers = telling.peers[teller]
        told = sum(known.get(peer, set()) >= about.keys() for peer in peers)
        due = min(telling.cap, len(peers))
        if told < due:
            moment.flag(None, "drop", told, due, "peers who hear all a teller tells, or whose drops are listed", teller)
        if len(only_from[teller]) > telling.cap:
            row = next(row for row in heard[max(only_from[teller])])
            moment.flag(row, "via_persona_id", len(only_from[teller]), telling.cap, "peers told by one teller", teller)
