"""Configurations and parameters that cannot work are refused on the host, naming the field and a remedy."""

import numpy as np
import pytest

import jaxworld
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.pytree import replace
from jaxworld.social import ARCHETYPES, make_policy, make_social, make_traits
from tests.social.worlds import four_people, people

ACT = ((1, "launch"),)

REFUSED = [
    ({"feed_recommender": "redit_hot"}, "feed_recommender", "did you mean 'reddit_hot'"),
    ({"feed_recommender": "zzz"}, "feed_recommender", "use one of random"),
    ({"feed_recommender": "community_scoped"}, "feed_recommender", "use one of"),
    ({"feed_recommender": "random+reddit_hot+twhin"}, "feed_recommender", "two recommenders at most"),
    ({"feed_recommender": "random+"}, "feed_recommender", "use one of"),
    ({"feed_recommender": "twitter"}, "feed_recommender", "give the population profile vectors"),
    ({"feed_recommender": "random+twitter"}, "feed_recommender", "give the population profile vectors"),
    ({"feed_recommender": "twhin", "population": people("four strangers")}, "feed_recommender", "ties or follows"),
    ({"feed_recommender": "following_only", "population": people("four strangers")}, "feed_recommender", "ties"),
    ({"forum_recommender": "twhin"}, "forum_recommender", "use one of reddit_hot, random"),
    ({"forum_preset": "community_scope"}, "forum_preset", "did you mean 'community_scoped'"),
    ({"channels": ("feed", "fourm")}, "channels", "did you mean 'forum'"),
    ({"channels": ("forum", "feed")}, "channels", "in the order"),
    ({"channels": ("feed", "feed")}, "channels", "once"),
    ({"channels": "feed"}, "channels", "use a tuple"),
    ({"channels": ["feed"]}, "channels", "use a tuple"),
    ({"tick_unit": "month"}, "tick_unit", "use one of hour, day, week"),
    ({"fan": "log_follower"}, "fan", "did you mean 'log_followers'"),
    ({"max_bugdet": 3}, "max_bugdet", "did you mean 'max_budget'"),
    ({"sentiment_treshold": 0.5}, "sentiment_treshold", "did you mean 'sentiment_threshold'"),
    ({"population": 5}, "population", "give Population arrays"),
    ({"max_budget": 0}, "max_budget", "1 or more"),
    ({"max_budget": 2.5}, "max_budget", "1 or more"),
    ({"max_budget": True}, "max_budget", "1 or more"),
    ({"max_window": 2}, "max_window", "at least the budget of 3"),
    ({"stimulus_capacity": 3}, "stimulus_capacity", "use from 4"),
    ({"stimulus_capacity": 2**24}, "stimulus_capacity", "16,777,215"),
    ({"stimulus_capacity": 64, "max_publications": 65}, "max_publications", "at most stimulus_capacity = 64"),
    ({"num_claims": -1}, "num_claims", "0 or more"),
    ({"block_size": 0}, "block_size", "1 or more"),
    ({"max_publications": -5}, "max_publications", "1 or more"),
    ({"max_followees": 0}, "max_followees", "1 or more"),
    ({"max_deliveries": -1}, "max_deliveries", "0 or more"),
    ({"max_peers_told": 0}, "max_peers_told", "1 or more"),
    ({"budget": 4}, "budget", "max_budget = 3"),
    ({"budget": 0}, "budget", "max_budget = 3"),
    ({"budget": 3, "window": 2}, "window", "use from budget = 3"),
    ({"window": 10}, "window", "max_window = 9"),
    ({"peers_told": 3}, "peers_told", "max_peers_told = 2"),
    ({"activation_rate": 1.5}, "activation_rate", "from 0 to 1"),
    ({"activation_rate": float("nan")}, "activation_rate", "from 0 to 1"),
    ({"epsilon": -0.1}, "epsilon", "from 0 to 1"),
    ({"last_slot_attention": 1.1}, "last_slot_attention", "from 0 to 1"),
    ({"attention_floor": float("inf")}, "attention_floor", "from 0 to 1"),
    ({"sentiment_threshold": -0.1}, "sentiment_threshold", "from 0 to 1"),
    ({"tie_threshold": 2.0}, "tie_threshold", "from 0 to 1"),
    ({"launch_reach": 1.5}, "launch_reach", "from 0 to 1"),
    ({"launch_reach": float("nan")}, "launch_reach", "from 0 to 1"),
    ({"survey_every": 0}, "survey_every", "from 1"),
    ({"horizon": 0}, "horizon", "from 1"),
    ({"max_net_votes": 0}, "max_net_votes", "from 1"),
    ({"rhythm": np.ones(7)}, "rhythm", "24 values"),
    ({"rhythm": np.full(24, np.nan)}, "rhythm", "finite"),
    ({"rhythm": np.full(24, -0.1)}, "rhythm", "0 or more"),
    ({"interventions": ((1, "lunch"),)}, "interventions[0].kind", "launch"),
    ({"interventions": (*ACT, (5, "launch")), "horizon": 5}, "interventions[1].tick", "below the horizon of 5"),
    ({"interventions": ((-1, "launch"),)}, "interventions[0].tick", "below the horizon"),
    ({"interventions": ((1, "launch", 0),)}, "interventions[0].duration", "from 1"),
    ({"interventions": ACT, "intervention_effects": {"lunch": {}}}, "intervention_effects", "use one of launch"),
    ({"interventions": ACT, "intervention_effects": {"launch": {"price": 1}}}, "intervention_effects.launch", "reach"),
    (
        {"interventions": ACT, "intervention_effects": {"launch": {"reach": 2}}},
        "intervention_effects.launch.reach",
        "1",
    ),
    ({"study_vectors": np.zeros((3, 0))}, "study_vectors", "shape must be (4, 0)"),
    ({"population": people("four with tastes"), "study_vectors": np.full((4, 2), np.nan)}, "study_vectors", "finite"),
]


@pytest.mark.parametrize(
    ("options", "field", "remedy"), REFUSED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_cannot_work_is_refused(options, field, remedy):
    with pytest.raises(ConfigurationError) as caught:
        make_social(**{"population": people("four"), **options})
    assert caught.value.field == field and remedy in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"budget": float("nan")},
        {"horizon": float("inf")},
        {"sentiment_threshold": None},
        {"activation_rate": "most"},
        {"feed_recommender": None},
        {"interventions": 5},
        {"rhythm": "x"},
        {"study_vectors": "x"},
        {"launch_reach": None},
        {"budget": "2"},
        {"interventions": ((1,),)},
        {"interventions": ((1.5, "launch"),)},
        {"interventions": ((1, "launch", 2**31),)},
        {"interventions": ACT, "intervention_effects": {"launch": 3}},
        {"survey": "yes"},
    ],
    ids=str,
)
def test_values_of_the_wrong_kind_are_refused_too(options):
    with pytest.raises(ConfigurationError):
        make_social(**{"population": people("four"), **options})


@pytest.mark.parametrize("bad", [np.nan, -1.0, np.inf])
def test_involvement_is_checked_in_arrays_made_elsewhere(bad):
    population = replace(people("four"), involvement=np.asarray([1, bad, 1, 1], np.float32))
    with pytest.raises(ConfigurationError, match="involvement"):
        make_social(population=population)


def test_more_follows_than_room_is_refused():
    followers = four_people(follows=np.asarray([(0, 1), (0, 2), (0, 3)]))
    with pytest.raises(ConfigurationError, match="a persona with 3 follows"):
        make_social(population=followers, max_followees=2)


def test_a_population_of_another_size_is_refused():
    world = make_social(population=people("four"))
    with pytest.raises(ConfigurationError, match="num_personas = 4: the population has 12"):
        from jaxworld.social import make_params

        make_params(world.config, people("twelve"))


def test_a_ranked_feed_needs_its_signal_only_where_there_is_a_feed():
    """Without a feed nothing is missing."""
    make_social(population=people("four"), channels=("forum",), feed_recommender="twitter")


def test_registered_worlds_refuse_in_the_same_words():
    with pytest.raises(ConfigurationError, match="did you mean 'max_budget'"):
        jaxworld.make("social/feed", num_personas=8, max_bugdet=2)
    with pytest.raises(ConfigurationError, match="social/word_of_mouth"):
        jaxworld.make("social/word_of_moth")


@pytest.mark.parametrize(
    ("mix", "match"),
    [
        ("conformists", "use archetypes from"),
        ({"conformist": 0.5}, "must sum to 1"),
        ({"conformist": 1.5, "contrarian": -0.5}, "policy mix.conformist|policy mix.contrarian"),
        ({"conformist": float("nan")}, "policy mix.conformist"),
        ({}, "must sum to 1"),
    ],
)
def test_bad_mixes_are_refused(mix, match):
    world = make_social(population=people("four"))
    with pytest.raises(ConfigurationError, match=match):
        make_policy(world.config, world.default_params(), mix)


@pytest.mark.parametrize(
    "values", [{"pots": 0.5}, {"post": 1.5}, {"post": -0.1}, {"like": 0.1}, {"reply": float("nan")}]
)
def test_bad_traits_are_refused(values):
    with pytest.raises(ConfigurationError, match=f"trait.*{next(iter(values))}|trait = '{next(iter(values))}'"):
        make_traits(4, values)
    assert "conformist" in ARCHETYPES
