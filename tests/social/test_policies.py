"""Rule-based personas: every archetype acts on every channel, chances are kept, and mixes follow identities."""

import functools
import math

import jax
import numpy as np
import pytest

from jaxworld.core.pytree import replace
from jaxworld.core.random import world_key
from jaxworld.social import (
    ARCHETYPES,
    DEFAULT_MIX,
    Action,
    ChannelView,
    Reason,
    SocialObservation,
    make_params,
    make_policy,
    make_traits,
)
from jaxworld.social.build import configure
from jaxworld.social.policies import assign_archetypes
from jaxworld.social.population import make_population, pad_population
from jaxworld.social.vocabulary import AFFORDANCES
from tests.social.worlds import FEED, FORUM, SURVEY, WOM, people

NUM = 2048
ONE = {"post": 0, "reply": 0, "follow": 0, "share": 0, "approve": 0, "dissent": 0, "sentiment_spread": 0}
STEPS = {
    FEED: {"post": Action.POST, "reply": Action.COMMENT, "follow": Action.FOLLOW, "share": Action.REPOST,
           "approve": Action.LIKE, "quote": Action.QUOTE},
    FORUM: {"post": Action.POST, "reply": Action.REPLY, "approve": Action.UPVOTE, "dissent": Action.DOWNVOTE},
    WOM: {"reply": Action.COMMENT, "share": Action.BUY, "approve": Action.ASK_PEER, "dissent": Action.COMPLAIN,
          "reject": Action.REJECT},
}  # fmt: skip
LOUD = {"post": 0.1, "reply": 0.1, "follow": 0.1, "share": 0.1, "approve": 0.2, "dissent": 0.1, "quote": 0.1,
        "reject": 0.1}  # fmt: skip


@functools.cache
def setting():
    """2,048 personas with tastes, all channels; the compiled policy takes traits as an argument."""
    population = people("many")
    angle = np.arange(NUM) * 0.01
    tastes = np.round(4000 * np.stack([np.cos(angle), np.sin(angle)], axis=-1)).astype(np.float32)
    population = replace(population, profile=tastes)
    config = configure(population, channels=("feed", "forum", "wom"), survey=True)
    params = make_params(config, population)
    act = jax.jit(lambda key, policy, seen: policy.act(key, (), seen)[0])
    return config, params, act


def view(approval: int = 0, attention=(10_000, 7_500, 5_000), vector: int = -1) -> ChannelView:
    """Everybody is shown stimuli 1, 2 and 3 with this many likes, or downvotes if negative."""
    shape = (NUM, 3)
    counts = np.zeros((*shape, 5), np.int32)
    counts[..., 0 if approval > 0 else 4] = abs(approval)
    fill = functools.partial(np.full, shape, dtype=np.int32)
    return ChannelView(
        stimulus=np.broadcast_to(np.asarray([1, 2, 3], np.int32), shape),
        attention=np.broadcast_to(np.asarray(attention, np.int32), shape), reason=fill(int(Reason.RANDOM)),
        author=fill(-1), kind=fill(1), vector=fill(vector), depth=fill(0), age=fill(1), counts=counts, tie=fill(-1),
        shared_community=fill(-1), via=fill(-1),
    )  # fmt: skip


def react(traits, seed: int = 1, survey: bool = False, seen: ChannelView | None = None, **shown):
    """One turn of everybody on each channel: ``{channel: TurnBatch of 2,048 rows}``."""
    config, params, act = setting()
    seen = view(**shown) if seen is None else seen
    observation = SocialObservation(
        tick=np.int32(3), active=np.ones(NUM, bool), survey=np.full(NUM, survey), feed=seen, forum=seen,
        word_of_mouth=seen,
    )  # fmt: skip
    policy = (
        make_policy(config, params, traits) if isinstance(traits, str) else make_policy(config, params, traits=traits)
    )
    batch = jax.device_get(act(world_key(seed), policy, observation))
    parts = [jax.tree.map(lambda column, k=k: column[k * NUM : (k + 1) * NUM], batch) for k in range(4)]
    return dict(zip((FEED, FORUM, WOM, SURVEY), parts, strict=True))


def near(share: float, expected: float, number: int = NUM) -> bool:
    """Within five standard errors of a binomial share."""
    return abs(share - expected) <= 5 * math.sqrt(max(expected * (1 - expected), 1e-9) / number)


@pytest.mark.parametrize("archetype", list(ARCHETYPES))
def test_every_archetype_acts_on_every_channel(archetype):
    """Each channel gets one turn of everybody, and over some ticks several kinds of acts that land there."""
    acted: dict[int, set[int]] = {}
    for seed in range(4):
        for channel, turns in react(archetype, seed, survey=True).items():
            assert turns.valid.all() and (turns.persona == np.arange(NUM)).all() and (turns.channel == channel).all()
            assert AFFORDANCES[channel][turns.action].all(), "nothing a policy does is rejected"
            acted.setdefault(channel, set()).update(turns.action.tolist())
            assert ((turns.sentiment >= 0) & (turns.sentiment <= 1_000_000)).all()
    assert acted[SURVEY] == {Action.ANSWER}
    for channel in (FEED, FORUM, WOM):
        assert Action.IGNORE in acted[channel] and len(acted[channel]) >= 3


def test_chances_are_kept():
    """Each trait's share of acts is its chance, within five standard errors, and the rest is ignored."""
    turns = react(make_traits(NUM, {**ONE, **LOUD}))
    for channel, steps in STEPS.items():
        done = turns[channel].action
        for trait, action in steps.items():
            assert near((done == action).mean(), LOUD[trait]), (channel, trait)
        assert near((done == Action.IGNORE).mean(), 1 - sum(LOUD[trait] for trait in steps))


@pytest.mark.parametrize("trait", ["post", "reply", "follow", "share", "approve", "dissent", "quote", "reject"])
def test_certain_and_impossible_acts(trait):
    """A chance of 1 is always done, a chance of 0 never."""
    turns = react(make_traits(NUM, {**ONE, trait: 1.0}))
    for channel, steps in STEPS.items():
        assert set(turns[channel].action.tolist()) == {int(steps.get(trait, Action.IGNORE))}
    assert set(react(make_traits(NUM, ONE))[FEED].action.tolist()) == {int(Action.IGNORE)}


def test_traits_can_drive_every_action_of_every_channel():
    """What lands on a channel is what its traits, or a survey wave, can make a persona do there."""
    for channel, steps in STEPS.items():
        assert {*map(int, steps.values()), int(Action.IGNORE)} == set(np.flatnonzero(AFFORDANCES[channel]).tolist())


def test_reactions_pick_by_attention():
    """Subjects are picked in proportion to attention; unnoticed slots never; nothing noticed is no turn."""
    traits = make_traits(NUM, {**ONE, "approve": 1.0})
    subjects = react(traits)[FEED].subject
    for stimulus, share in ((1, 10 / 22.5), (2, 7.5 / 22.5), (3, 5 / 22.5)):
        assert near((subjects == stimulus).mean(), share)
    assert set(react(traits, attention=(10_000, 0, 5_000))[FORUM].subject.tolist()) == {1, 3}
    assert not react(traits, attention=(0, 0, 0))[WOM].valid.any()


def test_conformists_follow_the_crowd_and_contrarians_flee_it():
    """Approval grows with visible approval for the one and shrinks for the other; dissent the other way round."""
    liking, fleeing = (make_traits(NUM, {**ONE, "approve": 0.3, "dissent": 0.3, "conformity": c}) for c in (0.1, -0.1))
    for traits, sign in ((liking, 1), (fleeing, -1)):
        for net, doublings in ((7, 3), (1, 1), (0, 0), (-3, -2)):
            done = react(traits, approval=net)[FORUM].action
            assert near((done == Action.UPVOTE).mean(), min(max(0.3 + sign * 0.1 * doublings, 0), 1))
            assert near((done == Action.DOWNVOTE).mean(), max(0.3 - sign * 0.1 * doublings, 0))


def test_interest_is_measured_by_cosine():
    """The same content, a persona's own profile: those alike approve, those opposed do not."""
    traits = make_traits(NUM, {**ONE, "interest": 1.0})
    liked = react(traits, vector=4 + 0)[FEED].action == Action.LIKE
    cosine = np.cos(np.arange(NUM) * 0.01)
    assert liked[cosine > 0.999].mean() > 0.95 and not liked[cosine < 0].any()
    half = np.abs(cosine - 0.5) < 0.1
    assert near(liked[half].mean(), cosine[half].mean(), half.sum() // 2)
    assert not (react(traits)[FEED].action == Action.LIKE).any(), "content without a vector interests nobody"


def test_sentiment_lies_between_its_bounds_and_ignoring_has_none():
    turns = react(make_traits(NUM, {**ONE, "approve": 0.5, "sentiment": 0.4, "sentiment_spread": 0.2}))[FEED]
    moved = turns.sentiment[turns.action == Action.LIKE]
    assert moved.min() >= 400_000 and moved.max() < 600_000 and np.ptp(moved) > 150_000
    assert (turns.sentiment[turns.action == Action.IGNORE] == 0).all()


def test_survey_turns_answer_the_concept_where_there_is_a_wave():
    turns = react(make_traits(NUM, ONE), survey=True)[SURVEY]
    assert turns.valid.all() and (turns.action == Action.ANSWER).all() and (turns.subject == 0).all()
    assert not react(make_traits(NUM, ONE))[SURVEY].valid.any()


def test_mixes_go_by_identity():
    """Order of arrival and padding leave each persona its archetype; shares are about those asked for."""
    ids = [f"person {number}" for number in range(500)]
    straight = make_population(ids)
    assigned = assign_archetypes(straight.identity, DEFAULT_MIX)
    shuffled = make_population([ids[k] for k in np.random.default_rng(0).permutation(500)])
    assert (assign_archetypes(shuffled.identity, DEFAULT_MIX) == assigned).all()
    assert (assign_archetypes(pad_population(straight, 520).identity, DEFAULT_MIX)[:500] == assigned).all()
    for number, share in enumerate(DEFAULT_MIX.values()):
        assert near((assigned == number).mean(), share, 500)
    assert set(assign_archetypes(straight.identity, {"conformist": 0.0, "contrarian": 1.0}).tolist()) == {1}


def test_a_mix_gives_each_persona_the_traits_of_its_archetype():
    config, params, _ = setting()
    traits = make_policy(config, params, {"talkative": 0.5, "indifferent": 0.5}).traits
    number = assign_archetypes(np.asarray(params.population.identity), {"talkative": 0.5, "indifferent": 0.5})
    expected = np.round(65_536 * np.asarray([ARCHETYPES[name]["post"] for name in ("talkative", "indifferent")]))
    assert (traits.post == expected[number]).all()


def test_policies_draw_alike_for_the_same_key():
    one, again, other = (react("talkative", seed)[FEED].action for seed in (1, 1, 2))
    assert (one == again).all() and (one != other).any()
    turns = react(make_traits(NUM, {**ONE, "post": 0.5}))
    feed, forum = turns[FEED].action, turns[FORUM].action
    assert 0.4 < ((feed == Action.POST) == (forum == Action.POST)).mean() < 0.6, "channels draw independently"
