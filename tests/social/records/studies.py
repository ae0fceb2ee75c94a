"""Small studies for the tests of records and port: headers, people, agents that decide by simple rules."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxworld.social.audit import audit
from jaxworld.social.host import Request, SocialWorld, TickLog, drive, each, record
from jaxworld.social.records import (
    BeliefChange,
    Brief,
    Claim,
    Community,
    Edge,
    Graph,
    Pack,
    PartitionHeader,
    Persona,
    Population,
    Product,
    Reaction,
    Rejection,
    Scenario,
    Turn,
    Variant,
    WorldConfig,
    WorldDelta,
    derived_id,
)
from jaxworld.social.trace import header_of, tick_rows

IDS = tuple(f"p-{number:06d}" for number in range(1, 5))
PACK = Pack(
    brief=Brief(
        product=Product(description="A lamp that never goes out"),
        claims=tuple(Claim(id=f"claim-{number}", text=f"Claim number {number}") for number in (1, 2, 3)),
    )
)
SEED = 4021
ALL = ("feed", "forum", "wom")
STRONG = BeliefChange(dimensions={"trust": 0.9})


def four(attributes: dict[str, dict[str, Any]] | None = None, *, communities: bool = True) -> Population:
    """Ties 1-2 of .8, 3-4 of .6 and 2-3 of .2; communities {1, 2} and {3, 4}."""
    given = attributes or {}
    ties = ((0, 1, 0.8), (2, 3, 0.6), (1, 2, 0.2))
    return Population(
        personas=tuple(Persona(persona_id=name, attributes=given.get(name, {"taste": name})) for name in IDS),
        graph=Graph(edges=tuple(Edge(u=IDS[u], v=IDS[v], weight=weight) for u, v, weight in ties)),
        communities=(
            Community(community_id="community-1", member_ids=IDS[:2]),
            Community(community_id="community-2", member_ids=IDS[2:]),
        )
        if communities
        else (),
    )


FOUR = four()
AWAKE = WorldConfig(rhythm={"hour": 1.0}, stimulus_capacity=64)
"""Everybody is awake at every tick."""


def head(
    population: Population = FOUR, *, seed: int = SEED, variant: str = "clear-v1", **scenario: Any
) -> PartitionHeader:
    """A header; hourly ticks on all channels unless said otherwise."""
    given = {"tick_unit": "hour", "horizon_ticks": 8, "channels": ALL, **scenario}
    return PartitionHeader(
        pack=PACK,
        population=population.manifest,
        scenario=Scenario(variant=Variant(variant_id=variant), **given),
        replicate_seed=seed,
    )


def port(config: WorldConfig = AWAKE, population: Population = FOUR, **scenario: Any) -> SocialWorld:
    """A fresh world."""
    return SocialWorld(head(population, **scenario), population, config)


FEED_ACTIONS = ("like", "comment", "post", "repost", "follow", "quote", "ignore")
FORUM_ACTIONS = ("upvote", "reply", "post", "downvote", "like")
WOM_ACTIONS = ("buy", "comment", "ignore")
WRITING = ("comment", "post", "quote", "reply")


def choice(channel: str, persona: int, tick: int, likes: int) -> str:
    """What the rule-following persona does about the first stimulus it is shown."""
    actions = {"social_feed": FEED_ACTIONS, "forum": FORUM_ACTIONS, "wom": WOM_ACTIONS}[channel]
    return actions[(3 * persona + 2 * tick + likes) % len(actions)]


def words(persona_id: str, action: str, stimulus_id: str) -> str:
    """What it writes."""
    return f"{persona_id} says {action} about {stimulus_id[-6:]}"


def rule(request: Request) -> Reaction:
    """The persona that follows the rule above, as an external agent."""
    impression = request.presentation.impression
    if impression.channel == "survey_room":
        return request.react(0, "answer", "It is fine.", intent=(0.02, 0.03, 0.10, 0.35, 0.50))
    persona, first = index_of(impression.persona_id), impression.exposures[0].stimulus_id
    likes = request.presentation.view.contexts[first].likes
    action = choice(impression.channel.value, persona, impression.tick, likes)
    text = words(impression.persona_id, action, first) if action in WRITING else None
    strong = (persona + impression.tick) % 2 == 0
    return request.react(0, action, text, belief_change=STRONG if strong else BeliefChange())


def index_of(persona_id: str) -> int:
    """Position of a persona."""
    return int(persona_id[2:]) - 1


def run_rule(world: SocialWorld, **options: Any) -> Any:
    """A recording of the rule-following personas to the horizon, with nothing for the auditor to find."""
    first = 0 if world.last_tick is None else world.last_tick
    logs = list(drive(world, each(rule), **options))
    if first == 0:
        assert_audited(world, logs)
    return record(logs)


def assert_audited(world: SocialWorld, logs: Sequence[TickLog]) -> None:
    """The auditor finds nothing in the trace of a whole run."""
    header = header_of(SocialWorld(world.header, world.population, world.config))
    refused: dict[int, list[Rejection]] = {}
    for rejection in world.rejected:
        refused.setdefault(rejection.tick + 1, []).append(rejection)
    ticks = []
    for log in logs:
        tick = log.delta.tick
        rows = tick_rows(log.delta, log.turns, refused.get(tick, []), log.failures, log.activation_rate)
        ticks.append((tick, [{**row, "tick": tick, "sequence": index} for index, row in enumerate(rows)]))
    report = audit(header, ticks)
    assert report.num_findings == 0, report.findings[:3]


def digest_of(deltas: Any) -> str:
    """SHA-256 over the canonical text of deltas."""
    hasher = hashlib.sha256()
    for delta in deltas:
        hasher.update(delta.to_json().encode())
    return hasher.hexdigest()


def texts(deltas: Any) -> list[str]:
    """Canonical text of each delta."""
    return [delta.to_json() for delta in deltas]


def turns_about(world: SocialWorld, *wanted: tuple[int, str, str] | tuple[int, str, str, str], strong: bool = False):
    """Turns about what the world presents now: (persona, channel, action) and, perhaps, the id of the subject."""
    requests = {}
    for shown in world.presented().presentations:
        impression = shown.impression
        requests[index_of(impression.persona_id), impression.channel.value] = shown
    made = []
    for number, (persona, channel, action, *subject) in enumerate(wanted):
        made.append(turn(world, requests[persona, channel], action, *subject, number=number, strong=strong))
    return made


def turn(
    world: SocialWorld, shown: Any, action: str, subject: str | None = None, *, number: int = 0, strong: bool = False
):
    """One turn about a presentation."""
    impression = shown.impression
    needs_text = action in (*WRITING, "answer", "complain", "ask_peer")
    reaction = Reaction(
        reaction_id=derived_id("rc", 0, impression.tick, impression.persona_id, number),
        subject_stimulus_id=subject or impression.exposures[0].stimulus_id,
        action=action,
        verbatim=words(impression.persona_id, action, subject or impression.exposures[0].stimulus_id)
        if needs_text
        else None,
        belief_change=STRONG if strong else BeliefChange(),
    )
    return Turn(impression=impression, view=shown.view, reaction=reaction)


def on(delta: WorldDelta, channel: str) -> list[Any]:
    """Presentations on one channel."""
    return [shown for shown in delta.presentations if shown.impression.channel == channel]


class Embedder:
    """Vectors from a table of words, counting every text it is given."""

    def __init__(self, table: dict[str, tuple[float, ...]] | None = None, width: int = 4) -> None:
        self.table, self.width = table or {}, width
        self.seen: list[str] = []

    def __call__(self, given: list[str]) -> np.ndarray:
        self.seen += given
        return np.asarray([self._one(text) for text in given])

    def _one(self, text: str) -> Any:
        for word, vector in self.table.items():
            if word in text:
                return vector
        rng = np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))
        return rng.normal(size=self.width)
