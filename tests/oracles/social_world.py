"""A slow, obvious social world: lists of records and loops over personas, for comparison with the array kernel.

It shares with the kernel the vocabulary, the population, the parameters and the named draws, and nothing else. Counts
are recounted at every tick from the log of who did what, threads are walked from child to parent, and every persona's
window is ranked by itself.
"""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np

from jaxworld.social.config import SocialConfig
from jaxworld.social.params import SocialParams
from jaxworld.social.vocabulary import (
    AFFORDANCES,
    COUNT_COLUMN,
    Action,
    Channel,
    Count,
    DropReason,
    Platform,
    Reason,
    StimulusKind,
)
from tests.oracles.social_draws import Draws, Words, threefry, unit
from tests.oracles.social_ranking import window_of

AUTHORING = (Action.POST, Action.QUOTE, Action.COMMENT, Action.REPLY)
NOBODY = -1


@dataclasses.dataclass
class Stimulus:
    tick: int
    author: int
    kind: int
    parent: int
    platform: int
    vector: int
    text: int


@dataclasses.dataclass(frozen=True)
class Turn:
    persona: int
    channel: int
    subject: int
    action: int
    sentiment: int
    vector: int
    text: int


@dataclasses.dataclass(frozen=True)
class Shown:
    """One filled slot of a view."""

    stimulus: int
    attention: int
    reason: int
    author: int
    kind: int
    vector: int
    depth: int
    age: int
    counts: tuple[int, ...]
    tie: int
    shared_community: int
    via: int


@dataclasses.dataclass(frozen=True)
class Mention:
    """One delivery of word of mouth; they are told in this order."""

    channel: int
    teller: int
    subject: int
    recipient: int
    tie: int


@dataclasses.dataclass
class Moment:
    """What a world shows at one tick, and what an observer learns beside it."""

    tick: int
    active: list[int]
    survey: list[int]
    views: dict[str, dict[int, list[Shown]]]
    drops: dict[str, dict[int, list[tuple[int, int]]]]
    rejected: list[bool]
    published: list[int]
    interventions: set[int]
    launched: list[int]
    ended: bool


class SocialOracle:
    def __init__(self, config: SocialConfig, params: SocialParams) -> None:
        self.config, self.params, people = config, params, params.population
        self.personas = range(config.num_personas)
        self.present = [p for p in self.personas if people.present[p]]
        self.identity: list[Words] = [(int(high), int(low)) for high, low in people.identity]
        self.community = [int(c) for c in people.community]
        self.profile = [[float(x) for x in row] for row in people.profile]
        self.ties: dict[tuple[int, int], int] = {}
        for persona in self.personas:
            for entry in range(int(people.row_offsets[persona]), int(people.row_offsets[persona + 1])):
                self.ties[persona, int(people.neighbor[entry])] = int(people.tie_strength[entry])
        self.followees: list[list[int]] = [[] for _ in self.personas]
        for follower, followee in people.follows:
            self.followees[int(follower)].append(int(followee))
        self.followers_gained = [0 for _ in self.personas]
        self.budget, self.window = int(params.budget), int(params.window)
        self.epsilon, self.horizon = float(params.epsilon), int(params.horizon)
        self.shown_on = {"feed": (Platform.STUDY, Platform.FEED), "forum": (Platform.STUDY, Platform.FORUM)}
        self.channels = [name for name in ("feed", "forum", "wom") if name in config.channels]

    # The two entry points.

    def reset(self, key: Words) -> Moment:
        self.tick, self.draws = 0, Draws(key)
        self.stimuli: list[Stimulus] = []
        self.engagements: list[tuple[int, int, int, int]] = []
        self.seen: set[tuple[str, int, int]] = set()
        for slot in range(self.config.num_study):
            kind = StimulusKind.CLAIM_POST if slot else StimulusKind.CONCEPT
            self.stimuli.append(Stimulus(0, NOBODY, kind, -1, Platform.STUDY, vector=slot, text=slot))
        self.recount()
        moment = self.blank_moment(0)
        if self.config.channels == ("wom",):
            moment.launched = self.launched()
            for persona in moment.launched:
                bare = self.slot_of(persona, 0, Reason.LAUNCH, attention=10_000)
                bare = dataclasses.replace(bare, counts=(0,) * len(Count))
                moment.views["wom"][persona] = [bare]
        moment.survey = self.survey(active=[])
        moment.published = list(range(self.config.num_study))
        moment.interventions = self.starting_interventions()
        return moment

    def step(self, key: Words, turns: list[Turn]) -> Moment:
        if self.tick >= self.horizon - 1:
            return self.blank_moment(len(turns))
        self.tick, self.draws = self.tick + 1, Draws(key)
        landed = [self.lands(turn) for turn in turns]
        moment = self.blank_moment(len(turns))
        moment.rejected = [not lands for lands in landed]
        social = [
            turn for turn, lands in zip(turns, landed, strict=True) if lands and turn.channel != Channel.SURVEY_ROOM
        ]
        # What can be told: stimuli that existed when the turn was taken.
        mentions = self.mentions([turn for turn in turns if self.is_told(turn, turn in social)])
        self.engage(social)
        self.follow(social)
        moment.published = self.publish(social)
        self.recount()
        moment.active = [p for p in self.present if self.is_awake(p)]
        for platform in ("feed", "forum"):
            if platform in self.channels:
                self.present_platform(platform, moment)
        if "wom" in self.channels:
            self.present_word_of_mouth(mentions, moment)
        moment.survey = self.survey(moment.active)
        moment.interventions = self.starting_interventions()
        return moment

    def blank_moment(self, num_turns: int) -> Moment:
        return Moment(
            tick=self.tick,
            active=[],
            survey=[],
            views={name: {} for name in self.channels},
            drops={name: {} for name in self.channels},
            rejected=[False] * num_turns,
            published=[],
            interventions=set(),
            launched=[],
            ended=self.tick >= self.horizon - 1,
        )

    # What turns do.

    def lands(self, turn: Turn) -> bool:
        """The channel is on, affords the action, and the stimulus exists."""
        on = {
            Channel.SURVEY_ROOM: self.config.survey,
            Channel.SOCIAL_FEED: "feed" in self.channels,
            Channel.FORUM: "forum" in self.channels,
            Channel.WORD_OF_MOUTH: "wom" in self.channels,
        }
        exists = 0 <= turn.subject < len(self.stimuli)
        return bool(on[Channel(turn.channel)] and AFFORDANCES[turn.channel, turn.action] and exists)

    def is_told(self, turn: Turn, landed: bool) -> bool:
        """The turn sparks word of mouth."""
        if turn.channel == Channel.SURVEY_ROOM or not 0 <= turn.subject < len(self.stimuli):
            return False
        counts = self.config.word_of_mouth_from_rejected or (landed and turn.action != Action.IGNORE)
        return counts and turn.sentiment >= int(self.params.sentiment_threshold)

    def engage(self, turns: list[Turn]) -> None:
        for turn in turns:
            if (column := int(COUNT_COLUMN[turn.action])) >= 0:
                self.engagements.append((self.tick, column, turn.persona, turn.subject))

    def follow(self, turns: list[Turn]) -> None:
        wishes = {(t.persona, self.stimuli[t.subject].author) for t in turns if t.action == Action.FOLLOW}
        for persona, author in sorted(wishes):
            if author not in (NOBODY, persona) and author not in self.followees[persona]:
                self.followees[persona].append(author)
                self.followers_gained[author] += 1

    def publish(self, turns: list[Turn]) -> list[int]:
        writing = [turn for turn in turns if turn.action in AUTHORING]
        writing.sort(key=lambda t: (t.persona, t.subject, t.action, t.channel, t.vector, t.text))
        first = len(self.stimuli)
        for turn in writing:
            replies = turn.action in (Action.COMMENT, Action.REPLY)
            platform = {
                Channel.SOCIAL_FEED: Platform.FEED,
                Channel.FORUM: Platform.FORUM,
                Channel.WORD_OF_MOUTH: self.stimuli[turn.subject].platform,
            }[Channel(turn.channel)]
            self.stimuli.append(
                Stimulus(
                    tick=self.tick,
                    author=turn.persona,
                    kind=StimulusKind.PEER_REPLY if replies else StimulusKind.PEER_POST,
                    parent=turn.subject if replies else -1,
                    platform=platform,
                    vector=turn.vector if turn.vector >= 0 else self.config.num_study + turn.persona,
                    text=turn.text,
                )
            )
        return list(range(first, len(self.stimuli)))

    # What is known about stimuli and personas.

    def recount(self) -> None:
        """Engagement visible at this tick: rows of earlier turns, and replies published before it."""
        rows = [row[1:] for row in self.engagements]
        if self.config.idempotent_engagement:
            rows = sorted(set(rows))
        self.table = [[0] * len(Count) for _ in self.stimuli]
        for column, _, slot in rows:
            self.table[slot][column] += 1
        for stimulus in self.stimuli:
            if stimulus.kind == StimulusKind.PEER_REPLY and stimulus.tick < self.tick:
                self.table[stimulus.parent][Count.REPLIES] += 1

    def counts(self, slot: int) -> tuple[int, ...]:
        return tuple(self.table[slot])

    def ancestry(self, slot: int) -> list[int]:
        """Parents, the nearest first."""
        chain = []
        while (slot := self.stimuli[slot].parent) >= 0:
            chain.append(slot)
        return chain

    def root(self, slot: int) -> int:
        return [slot, *self.ancestry(slot)][-1]

    def row(self, slot: int) -> tuple[int, ...]:
        """The stimulus as the kernel's columns have it."""
        it = self.stimuli[slot]
        thread = (it.parent, self.root(slot), len(self.ancestry(slot)))
        return (it.tick, it.author, int(it.kind), *thread, int(it.platform), it.vector, it.text)

    def vector(self, slot: int) -> list[float]:
        handle, num_study = self.stimuli[slot].vector, self.config.num_study
        if handle >= num_study:
            return self.profile[handle - num_study]
        return [float(x) for x in self.params.study_vectors[handle]]

    def in_network(self, persona: int, author: int) -> bool:
        return (persona, author) in self.ties or author in self.followees[persona]

    def standing(self, author: int) -> int:
        """What ``twhin`` ranks authors by."""
        people = self.params.population
        if self.config.fan == "none":
            return 0
        if self.config.fan == "degree":
            return sum(1 for pair in self.ties if pair[0] == author)
        followers = 0 if author == NOBODY else int(people.followers[author]) + self.followers_gained[author]
        return max(followers, 999)

    # Who is there.

    def effect(self, name: str) -> int:
        """Sum of what the interventions under way add, in 1/10,000."""
        schedule, total = self.params.interventions, 0
        for start, duration, kind in zip(schedule.tick, schedule.duration, schedule.kind, strict=True):
            if 0 <= start <= self.tick < start + duration:
                total += int(getattr(schedule, name)[kind])
        return total

    def starting_interventions(self) -> set[int]:
        schedule = self.params.interventions
        return {int(k) for tick, k in zip(schedule.tick, schedule.kind, strict=True) if tick == self.tick}

    def is_awake(self, persona: int) -> bool:
        people = self.params.population
        curve = self.params.rhythm if people.rhythm is None else people.rhythm[persona]
        rhythm = np.float32(curve[self.tick % len(curve)])
        involvement = max(np.float32(people.involvement[persona]), np.float32(0))
        chance = min(involvement * rhythm, np.float32(1))
        chance = min(max(chance + np.float32(self.effect("activation") / 10_000), np.float32(0)), np.float32(1))
        chance = chance * min(max(np.float32(self.params.activation_rate), np.float32(0)), np.float32(1))
        return unit(self.draws.word("activation", self.identity[persona])) < chance

    def launched(self) -> list[int]:
        def lot(persona: int) -> tuple[int, int]:
            identity = self.identity[persona]
            return self.draws.word("launch", identity, 0), self.draws.word("launch", identity, 1) >> 16

        return sorted(sorted(self.present, key=lot)[: int(self.params.launch_count)])

    def survey(self, active: list[int]) -> list[int]:
        wave = self.tick % int(self.params.survey_every) == 0 or self.tick == self.horizon - 1
        if not (self.config.survey and wave):
            return []
        return active if self.config.survey_gated else self.present

    # What they are shown.

    def noticed(self, slot: int, rank: int, shown: int) -> int:
        """Attention of a rank among ``shown`` stimuli, in 1/10,000."""
        fall = 10_000 - min(max(int(self.params.last_slot_attention), 0), 10_000)
        exact = Fraction(10_000) if shown == 1 else 10_000 - Fraction(fall * rank, shown - 1)
        if exact < int(self.params.attention_floor):
            return 0
        attention = math.ceil(exact - Fraction(1, 2))
        if attention > 0 and self.stimuli[slot].author == NOBODY:
            attention = min(max(attention + self.effect("attention"), 0), 10_000)
        return attention

    def slot_of(self, persona: int, slot: int, reason: int, attention: int, teller: int = NOBODY) -> Shown:
        stimulus = self.stimuli[slot]
        tie = shared = -1
        other = stimulus.author if teller == NOBODY else teller
        if other not in (NOBODY, persona):
            tie = self.ties.get((persona, other), 0)
            shared = self.shared_community(persona, other)
        return Shown(
            stimulus=slot,
            attention=attention,
            reason=int(reason),
            author=stimulus.author,
            kind=int(stimulus.kind),
            vector=stimulus.vector,
            depth=len(self.ancestry(slot)),
            age=self.tick - stimulus.tick,
            counts=self.counts(slot),
            tie=tie,
            shared_community=shared,
            via=teller,
        )

    def shared_community(self, one: int, other: int) -> int:
        """Not defined for a persona without a community."""
        if self.community[one] < 0 or self.community[other] < 0:
            return -1
        return int(self.community[one] == self.community[other])

    def present_platform(self, platform: str, moment: Moment) -> None:
        config = self.config
        forum = "community_scoped" if config.forum_preset == "community_scoped" else config.forum_recommender
        for persona in moment.active:
            window = window_of(self, platform, persona, config.feed_recommender if platform == "feed" else forum)
            shown, dropped = window[: self.budget], window[self.budget :]
            moment.views[platform][persona] = [
                self.slot_of(persona, slot, reason, self.noticed(slot, rank, len(shown)))
                for rank, (slot, reason) in enumerate(shown)
            ]
            moment.drops[platform][persona] = [(slot, int(DropReason.BUDGET_EXHAUSTED)) for slot, _ in dropped]
            self.seen |= {(platform, persona, slot) for slot, _ in shown}

    def reward(self, moment: Moment) -> list[int]:
        """Noticed exposures of everybody's stimuli to others."""
        earned = [0 for _ in self.personas]
        for view in moment.views.values():
            for persona, shown in view.items():
                for slot in shown:
                    if slot.author not in (NOBODY, persona) and slot.attention > 0:
                        earned[slot.author] += 1
        return earned

    # Word of mouth.

    def mentions(self, turns: list[Turn]) -> list[Mention]:
        made = {
            Mention(turn.channel, turn.persona, turn.subject, peer, self.ties[turn.persona, peer])
            for turn in turns
            for peer in self.peers_told(turn.persona)
        }
        return sorted(made, key=lambda m: (m.channel, m.teller, m.subject))

    def peers_told(self, teller: int) -> list[int]:
        """The same peers whatever the teller has to tell at this tick."""
        own = (self.draws.word("peers", self.identity[teller], 0), self.draws.word("peers", self.identity[teller], 1))
        threshold = int(self.params.tie_threshold)
        peers = [v for v in self.personas if self.ties.get((teller, v), -1) >= threshold]
        peers.sort(key=lambda v: (threefry(own, self.identity[v])[0], v))
        return peers[: int(self.params.peers_told)]

    def present_word_of_mouth(self, mentions: list[Mention], moment: Moment) -> None:
        for persona in self.personas:
            told = [mention for mention in mentions if mention.recipient == persona]
            subjects = list(dict.fromkeys(mention.subject for mention in told))
            if not subjects:
                continue
            if persona not in moment.active:
                moment.drops["wom"][persona] = [(s, int(DropReason.ASLEEP)) for s in subjects]
                continue
            shown, dropped = subjects[: self.budget], subjects[self.budget :]
            moment.drops["wom"][persona] = [(s, int(DropReason.BUDGET_EXHAUSTED)) for s in dropped]
            moment.views["wom"][persona] = [
                self.slot_of(
                    persona,
                    subject,
                    Reason.WORD_OF_MOUTH,
                    self.noticed(subject, rank, len(shown)),
                    # max() keeps the first of equals: the strongest tie, on equal ties the first mention.
                    max((m for m in told if m.subject == subject), key=lambda m: m.tie).teller,
                )
                for rank, subject in enumerate(shown)
            ]
