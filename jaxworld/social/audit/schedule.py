"""What the study does by the calendar: interventions, survey waves and the launch."""

from __future__ import annotations

from collections import Counter

from jaxworld.social.audit.facts import FEED, FORUM, SURVEY, WOM, Facts
from jaxworld.social.audit.moment import Moment


def check_interventions(moment: Moment, facts: Facts) -> None:
    """Every kind scheduled at a tick is there once, and nothing else."""
    due = {act.kind for act in facts.acts if act.tick == moment.tick}
    met: Counter[str | None] = Counter()
    for row in moment.interventions:
        kind = row.get("kind")
        met[kind] += 1
        if kind not in due:
            moment.flag(row, "intervention", kind, sorted(due) or None, "interventions as scheduled")
        elif met[kind] > 1:
            moment.flag(row, "intervention", kind, "once", "interventions as scheduled, each once")
    for kind in sorted(due):
        if not met[kind]:
            moment.flag(None, "intervention", None, kind, "interventions as scheduled")


def check_channels(moment: Moment, facts: Facts) -> None:
    """Nothing on channels that are off; feed and forum begin at tick 1; nothing is dropped before, or in surveys."""
    for table, what in ((moment.shown, "shown"), (moment.dropped, "dropped")):
        for (channel, _), rows in table.items():
            if channel not in facts.on:
                moment.flag(rows[0], "channel", channel, sorted(facts.on), f"{what} on channels that are on")
            elif moment.tick == 0 and (channel in (FEED, FORUM) or what == "dropped"):
                moment.flag(rows[0], "channel", channel, None, "feed, forum and drops begin at tick 1")
            elif channel == SURVEY and what == "dropped":
                moment.flag(rows[0], "channel", channel, None, "the survey room drops nothing")
    for row in (*moment.turns, *moment.failures):
        if row.get("channel") not in facts.on:
            moment.flag(row, "channel", row.get("channel"), sorted(facts.on), "turns on channels that are on")


def check_survey(moment: Moment, facts: Facts, concept: str) -> None:
    """A wave asks everybody about the concept; at other ticks nobody is asked."""
    reached, wave = moment.personas_on(SURVEY), facts.is_wave(moment.tick)
    if not wave:
        for persona in sorted(reached):
            row = moment.shown[SURVEY, persona][0]
            moment.flag(row, "channel", SURVEY, None, "surveys at wave ticks only")
        return
    if not facts.world["survey_gated"]:
        for persona in facts.position:
            if persona not in reached:
                moment.flag(None, "channel", None, SURVEY, "a wave reaches everybody", persona)
    for persona in reached:
        row = moment.shown[SURVEY, persona][0]
        for field, value in (("stimulus_id", concept), ("reason", "interest"), ("attention", 1.0)):
            if row.get(field) != value:
                moment.flag(row, field, row.get(field), value, "the survey room shows the concept alone")


def check_launch(moment: Moment, facts: Facts, concept: str) -> None:
    """Where word of mouth is the only channel the study tells some personas at tick 0, and nobody else does."""
    if moment.tick > 0:
        return
    told = moment.personas_on(WOM)
    due = facts.world["launch_count"] if facts.world["channels"] == ["wom"] else 0
    if len(told) != due:
        moment.flag(None, "reason", len(told), due, "number of personas the study launches")
    for persona in told:
        row = moment.shown[WOM, persona][0]
        for field, value in (("stimulus_id", concept), ("reason", "launch"), ("attention", 1.0)):
            if row.get(field) != value:
                moment.flag(row, field, row.get(field), value, "the launch tells the concept")


def check_awake(moment: Moment, facts: Facts) -> None:
    """Who is awake is awake on feed, forum and word of mouth alike."""
    if moment.tick == 0:
        return
    always = {channel for channel in (FEED, FORUM) if channel in facts.on and always_shows(facts, channel)}
    known = [(channel, moment.personas_on(channel)) for channel in sorted(always)]
    for channel, awake in known[:1]:
        for other, others in known[1:]:
            for persona in sorted(awake ^ others):
                moment.flag(None, "channel", channel if persona in awake else other, "both", "awake on all", persona)
        for persona in sorted(moment.personas_on(WOM) - awake):
            moment.flag(moment.shown[WOM, persona][0], "channel", WOM, channel, "awake on all channels")
        if facts.world["survey_gated"] and facts.is_wave(moment.tick):
            for persona in sorted(moment.personas_on(SURVEY) ^ awake):
                moment.flag(None, "channel", SURVEY, channel, "a gated wave reaches the awake", persona)
    for (channel, persona), rows in moment.dropped.items():
        for row in rows:
            asleep = row.get("reason") == "asleep"
            awake_somewhere = any((each, persona) in moment.shown for each in (FEED, FORUM, WOM))
            if channel == WOM and asleep and awake_somewhere:
                moment.flag(row, "reason", "asleep", "budget_exhausted", "dropped as asleep, yet shown something")
            elif channel == WOM and not asleep and known and persona not in known[0][1]:
                moment.flag(row, "reason", row.get("reason"), "asleep", "dropped as awake, yet shown nothing")


def always_shows(facts: Facts, channel: str) -> bool:
    """Whether a channel has something for everybody who is awake: the study's own stimuli, unless these are hidden."""
    if facts.world["hide_seen"]:
        return False
    return channel == FORUM or any(name in _OPEN for name in facts.world["feed_recommender"].split("+"))


_OPEN = ("random", "reddit_hot", "twhin", "chronological", "twitter")
"""Recommenders of the feed that leave no candidate out."""
