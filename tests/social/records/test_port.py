"""The port: what enters, what is refused, and what each tick holds."""

import dataclasses

import pytest

from jaxworld.core import ConfigurationError
from jaxworld.social.host import SocialWorld, replay
from jaxworld.social.records import (
    Impression,
    Intervention,
    Ledger,
    Population,
    Turn,
    WorldDelta,
    from_records,
    impression_id,
    published_stimulus_id,
    study_stimulus_id,
)
from tests.social.records.studies import (
    ALL,
    AWAKE,
    FOUR,
    IDS,
    digest_of,
    four,
    head,
    on,
    port,
    run_rule,
    texts,
    turns_about,
)


def begun(*steps, **options):
    """A world at tick 1, and its delta."""
    world = port(**options)
    world.reset()
    return world, world.step(1, [])


def test_a_delta_has_five_fields():
    """No state, no event ids, no sequence numbers, no rejections."""
    assert [field.name for field in dataclasses.fields(WorldDelta)] == [
        "tick", "published", "interventions", "dropped", "presentations",
    ]  # fmt: skip
    assert set(port().reset().to_dict()) == {field.name for field in dataclasses.fields(WorldDelta)}


def test_reset_publishes_the_brief_and_surveys_everybody():
    """The concept, then the claims in their order, without author; one bare impression each; nothing dropped."""
    delta = port().reset()
    assert [stimulus.kind for stimulus in delta.published] == ["concept"] + ["claim_post"] * 3
    assert [stimulus.claim_id for stimulus in delta.published] == [None, "claim-1", "claim-2", "claim-3"]
    assert {stimulus.author for stimulus in delta.published} == {None} and delta.dropped == ()
    concept = delta.published[0].stimulus_id
    assert [shown.impression.persona_id for shown in delta.presentations] == list(IDS)
    for shown in delta.presentations:
        (exposure,) = shown.impression.exposures
        assert (shown.impression.channel, exposure.stimulus_id) == ("survey_room", concept)
        assert (exposure.reason, exposure.attention, exposure.seen) == ("interest", 1.0, True)


def test_ids_follow_from_names():
    """Stimuli by study index or by action and position in the tick; impressions by channel and persona."""
    world = port()
    seed = head().world_seed
    assert [s.stimulus_id for s in world.reset().published] == [study_stimulus_id(seed, index) for index in range(4)]
    world.step(1, [])
    wanted = ((3, "forum", "post"), (0, "social_feed", "comment"), (2, "social_feed", "quote"))
    delta = world.step(2, turns_about(world, *wanted))
    expected = [(IDS[0], "comment"), (IDS[2], "quote"), (IDS[3], "post")]
    assert [(s.author, s.stimulus_id) for s in delta.published] == [
        (author, published_stimulus_id(seed, 2, action, index)) for index, (author, action) in enumerate(expected)
    ]
    for shown in delta.presentations:
        made = shown.impression
        assert made.impression_id == impression_id(seed, 2, made.channel.value, made.persona_id)


def test_presentations_come_by_channel_and_then_by_persona():
    """Feed, forum, word of mouth, then the wave; drops in the same order."""
    world, _ = begun()
    delta = world.step(2, turns_about(world, (0, "social_feed", "like"), (3, "forum", "upvote"), strong=True))
    seats = [(shown.impression.channel.value, shown.impression.persona_id) for shown in delta.presentations]
    order = ("social_feed", "forum", "wom", "survey_room")
    assert seats == sorted(seats, key=lambda seat: (order.index(seat[0]), seat[1]))
    assert {channel for channel, _ in seats} == set(order)
    drops = [(entry.dropped.channel.value, entry.persona_id) for entry in delta.dropped]
    assert drops and drops == sorted(drops, key=lambda seat: (order.index(seat[0]), seat[1]))


def test_ticks_come_one_at_a_time_and_end_at_the_horizon():
    """Stepping before reset, out of order, twice, or beyond the end is refused; so is a second reset."""
    world = port(horizon_ticks=3)
    with pytest.raises(ConfigurationError, match="reset"):
        world.step(1, [])
    world.reset()
    for wrong in (0, 2, -1):
        with pytest.raises(ConfigurationError, match="tick"):
            world.step(wrong, [])
    world.step(1, [])
    world.step(2, [])
    with pytest.raises(ConfigurationError, match="horizon"):
        world.step(3, [])
    with pytest.raises(ConfigurationError, match="reset"):
        world.reset()


def test_turns_of_other_ticks_strangers_and_forged_impressions_are_refused():
    """Only what the last delta issued can be answered; a refused step leaves the world as it was."""
    world, first = begun()
    old = turns_about(world, (0, "social_feed", "like"))
    second = world.step(2, [])
    (turn,) = turns_about(world, (0, "social_feed", "like"))
    shown = turn.impression

    def forged(**changes):
        return dataclasses.replace(turn, impression=dataclasses.replace(shown, **changes))

    fewer = dataclasses.replace(shown, exposures=shown.exposures[:1])
    wrong = {
        "tick": [*old, forged(tick=3), forged(tick=9)],
        "persona": [forged(persona_id="p-nobody")],
        "never issued": [
            forged(channel="wom"),
            forged(persona_id=IDS[1]),
            dataclasses.replace(turn, impression=fewer),
        ],
    }
    for words, turns in wrong.items():
        for entry in turns:
            with pytest.raises(ConfigurationError, match=words):
                world.step(3, [turn, entry])
    assert world.last_tick == 2 and world.presented().to_json() == second.to_json()
    assert isinstance(turn, Turn) and isinstance(shown, Impression) and first.tick == 1
    world.step(3, [turn])


def test_the_order_of_turns_has_no_effect():
    """Deltas are the same whatever order turns come in, authored texts and word of mouth included."""
    made = []
    for direction in (1, -1):
        world, _ = begun()
        wanted = (
            (0, "social_feed", "comment"), (1, "social_feed", "quote"), (1, "forum", "reply"), (2, "forum", "post"),
            (1, "social_feed", "post"), (3, "social_feed", "follow"), (0, "forum", "like"),
        )  # fmt: skip
        turns = turns_about(world, *wanted, strong=True)[::direction]
        made.append([*texts([world.step(2, turns), world.step(3, [])]), str(world.rejected)])
    assert made[0] == made[1]


def test_what_lands_and_what_does_not():
    """Likes count at the next tick; texts are published and shown one later; the rest is on the side log."""
    world, _ = begun()
    feed = on(world.presented(), "social_feed")[0].impression.exposures[0].stimulus_id
    wanted = ((0, "social_feed", "like"), (0, "social_feed", "comment"), (1, "social_feed", "upvote"),
              (1, "survey_room", "like"), (2, "survey_room", "answer"))  # fmt: skip
    turns = turns_about(world, *wanted)
    second = world.step(2, turns)
    assert [(entry.persona_id, entry.action, entry.channel, entry.tick) for entry in world.rejected] == [
        (IDS[1], "like", "survey_room", 1), (IDS[1], "upvote", "social_feed", 1),
    ]  # fmt: skip
    (reply,) = second.published
    assert (reply.author, reply.tick, reply.in_reply_to) == (IDS[0], 2, feed)

    def contexts(delta, stimulus_id):
        return {
            shown.impression.persona_id: shown.view.contexts[stimulus_id]
            for shown in on(delta, "social_feed")
            if stimulus_id in shown.view.contexts
        }

    assert {context.likes for context in contexts(second, feed).values()} <= {1}
    assert not contexts(second, reply.stimulus_id)
    seen = {}
    for tick in range(3, 8):
        seen |= contexts(world.step(tick, []), reply.stimulus_id)
    for viewer, context in seen.items():
        assert context.ancestry == (feed,)
        expected = {IDS[0]: (None, None), IDS[1]: (0.8, True), IDS[2]: (0.0, False), IDS[3]: (0.0, False)}
        assert (context.tie_strength, context.shared_community) == expected[viewer]
    assert len(seen) == 4


def test_rejected_turns_change_nothing():
    """A world given only unsupported actions is a world given none."""
    with_turns, without = begun()[0], begun()[0]
    turns = turns_about(with_turns, (0, "social_feed", "upvote"), (1, "forum", "like"), (2, "survey_room", "post"))
    assert with_turns.step(2, turns).to_json() == without.step(2, []).to_json()
    assert with_turns.step(3, []).to_json() == without.step(3, []).to_json()
    assert len(with_turns.rejected) == 3 and not without.rejected


def test_a_wave_is_bare_and_survey_turns_change_nothing():
    """Whatever the concept earned, the survey room shows it without context; answers leave no trace."""
    world, other = begun()[0], begun()[0]
    likes = [(persona, "forum", "upvote") for persona in range(4)]
    answers = [(persona, "survey_room", "answer") for persona in range(4)]
    delta = world.step(2, turns_about(world, *likes, *answers, strong=False))
    assert delta.to_json() == other.step(2, turns_about(other, *likes)).to_json()
    for shown in on(delta, "survey_room"):
        (context,) = shown.view.contexts.values()
        assert context == type(context)()


def test_word_of_mouth_tells_the_subject_to_a_tied_peer():
    """A strong turn about something reaches only who is tied closely enough, with the tie and the teller."""
    world, _ = begun()
    told = on(world.step(2, turns_about(world, (0, "social_feed", "like"), strong=True)), "wom")
    (shown,) = told
    (exposure,) = shown.impression.exposures
    (context,) = shown.view.contexts.values()
    assert shown.impression.persona_id == IDS[1] and exposure.reason == "wom"
    assert (context.via_persona_id, context.tie_strength, context.shared_community) == (IDS[0], 0.8, True)


@pytest.mark.parametrize(("channels", "on_at_1"), [((), set()), (ALL, {"social_feed", "forum"})])
def test_channels_come_from_the_scenario(channels, on_at_1):
    """Nothing is shown on a channel that is off; waves come in any case."""
    world = port(channels=channels)
    world.reset()
    shown = {presentation.impression.channel.value for presentation in world.step(1, []).presentations}
    assert shown == on_at_1 | {"survey_room"}


def test_the_study_launches_where_word_of_mouth_is_alone():
    """A share of the personas is told at tick 0; which ones depends on the seed."""
    reached = set()
    for seed in range(12):
        delta = port(channels=("wom",), launch_reach=0.5, seed=seed).reset()
        told = on(delta, "wom")
        assert len(told) == 2 and {shown.impression.exposures[0].reason for shown in told} == {"launch"}
        assert all(context == type(context)() for shown in told for context in shown.view.contexts.values())
        reached.add(tuple(shown.impression.persona_id for shown in told))
    again = [
        shown.impression.persona_id for shown in on(port(channels=("wom",), launch_reach=0.5, seed=3).reset(), "wom")
    ]
    assert tuple(again) in reached and len(reached) > 2


def test_channels_change_the_id_of_a_world_and_not_who_is_awake():
    """The same draws for the same people, whatever channels are on."""
    sleepy = dataclasses.replace(AWAKE, rhythm={"hour": 0.5})
    awake, ids = [], set()
    for channels in (("feed", "forum", "wom"), ("forum",)):
        world = port(sleepy, channels=channels)
        deltas = [world.reset()] + [world.step(tick, []) for tick in range(1, 8)]
        awake.append([[shown.impression.persona_id for shown in on(delta, "forum")] for delta in deltas])
        ids.add(world.header.world_id)
    assert awake[0] == awake[1] and len(ids) == 2
    assert 0 < sum(map(len, awake[0])) < 28


def test_unit_and_horizon_travel_with_the_scenario():
    """The last tick has a wave, the schedule is that of the scenario and in its order."""
    acts = tuple(Intervention(tick=1, kind=kind) for kind in ("teaser", "launch"))
    world = port(channels=(), interventions=acts, survey_every=5, horizon_ticks=4)
    deltas = [world.reset()] + [world.step(tick, []) for tick in range(1, 4)]
    assert [list(delta.interventions) for delta in deltas] == [[], ["teaser", "launch"], [], []]
    assert [bool(on(delta, "survey_room")) for delta in deltas] == [True, False, False, True]
    assert world.kernel.config.tick_unit == "hour" and int(world.params.horizon) == 4


def test_windows_and_budgets():
    """Three budgets by default and never less than one; the configuration can only tighten the scenario's budget."""
    cases = [
        (3, None, None, (3, 9)),
        (2, 5, None, (2, 6)),
        (3, 1, None, (1, 3)),
        (3, None, 2, (3, 3)),
        (3, 2, 5, (2, 5)),
    ]
    for scenario, tighter, window, expected in cases:
        config = dataclasses.replace(AWAKE, exposure_budget=tighter, candidate_window=window)
        world = port(config, exposure_budget=scenario)
        world.build()
        assert (int(world.params.budget), int(world.params.window)) == expected


MISSING = {
    "twitter without vectors": ({"feed_recsys_mode": "twitter"}, {}, FOUR),
    "twhin without a graph": ({"feed_recsys_mode": "twhin"}, {}, Population.of_strangers(IDS)),
    "an unknown mode": ({"feed_recsys_mode": "astrology"}, {}, FOUR),
    "a forum by interest": ({"forum_recsys_mode": "twitter"}, {}, FOUR),
}


@pytest.mark.parametrize("what", MISSING)
def test_a_missing_signal_fails_at_reset(what):
    """With the recommender named, before anything is compiled."""
    config, scenario, population = MISSING[what]
    world = port(dataclasses.replace(AWAKE, **config), population, **scenario)
    with pytest.raises(ConfigurationError, match="recommender"):
        world.reset()


def test_a_feed_that_is_off_needs_no_signal():
    """A forum-only world does not ask for vectors."""
    world = port(dataclasses.replace(AWAKE, feed_recsys_mode="twitter"), channels=("forum",))
    world.build()
    assert world.kernel.config.channels == ("forum",)


def test_a_population_that_is_not_the_headers_is_refused():
    """By its hash; without one, the header's personas are strangers."""
    with pytest.raises(ConfigurationError, match="population"):
        SocialWorld(head(), four(communities=False), AWAKE)
    with pytest.raises(ConfigurationError, match="population"):
        SocialWorld(head(), None, AWAKE)
    strangers = Population.of_strangers(IDS)
    world = SocialWorld(head(strangers), config=AWAKE)
    assert world.population == strangers


def test_involvement_and_unknown_personas():
    """Nobody with an involvement of 0 is awake; a row about nobody is refused."""
    config = dataclasses.replace(AWAKE, involvement={IDS[2]: 0.0})
    world = port(config)
    world.reset()
    shown = on(world.step(1, []), "social_feed")
    assert [presentation.impression.persona_id for presentation in shown] == [IDS[0], IDS[1], IDS[3]]
    with pytest.raises(ConfigurationError, match="involvement"):
        port(dataclasses.replace(AWAKE, involvement={"p-9": 1.0})).build()


def test_buffers_grow_without_a_trace():
    """A dozen posts a tick, then twenty, beyond the room there is at first: as in a world with room for all."""
    digests = set()
    for capacity in (32, 64):
        world = port(dataclasses.replace(AWAKE, stimulus_capacity=capacity), channels=("feed",))
        world.reset()
        deltas = [world.step(1, [])]
        for tick, posts in ((2, 3), (3, 3), (4, 3), (5, 5)):
            wanted = [(persona, "social_feed", "post") for persona in range(4) for _ in range(posts)]
            deltas.append(world.step(tick, turns_about(world, *wanted)))
        digests.add(digest_of(deltas))
        assert len(world.ledger.stimuli) == 60
        assert world.kernel.config.stimulus_capacity == 64 and world.kernel.config.max_publications == 32
    assert len(digests) == 1


def test_every_rule_of_a_delta_holds_when_it_is_read():
    """A run of rule-following personas, every delta checked record by record, and turned back into its arrays."""
    recording = run_rule(port())
    assert sum(len(delta.published) for delta in recording.deltas) > 12
    assert {entry.dropped.reason for delta in recording.deltas for entry in delta.dropped} >= {"budget_exhausted"}
    again, ledger = port(), Ledger(head().world_seed, IDS)
    for delta, replayed in zip(recording.deltas, replay(again, recording), strict=True):
        delta.check()
        assert WorldDelta.from_json(delta.to_json()) == delta == replayed
        assert from_records(delta, ledger, 3) == again.issued
