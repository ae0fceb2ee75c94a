"""Texts become vectors when they are published, once each, and never while ranking."""

import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core import ConfigurationError
from jaxworld.social import make_policy, make_social
from jaxworld.social.host import load_checkpoint, save_checkpoint
from jaxworld.social.population import make_population
from jaxworld.social.vectors import lookup_vectors
from tests.social.records.studies import (
    AWAKE,
    IDS,
    Embedder,
    four,
    head,
    on,
    port,
    texts,
    turns_about,
)

CHANNELS = ("feed", "forum")


def interest(embed=None, **config):
    """A feed by interest beside a forum."""
    return dataclasses.replace(AWAKE, feed_recsys_mode="twitter", embed_texts=embed, **config)


def test_profiles_and_study_texts_are_embedded_once_at_reset():
    """Four personas and four stimuli in two calls; stepping embeds nothing more."""
    embed = Embedder()
    world = port(interest(embed), channels=CHANNELS)
    assert embed.seen == []
    delta = world.reset()
    assert embed.seen == [f"taste: {name}" for name in IDS] + [stimulus.text for stimulus in delta.published]
    for tick in range(1, 4):
        world.step(tick, [])
    assert len(embed.seen) == 8


def test_only_feed_texts_that_land_are_embedded():
    """A post and the profile that quotes it; not forum texts, not what is rejected, not what is merely said."""
    embed = Embedder()
    world = port(interest(embed), channels=CHANNELS)
    world.reset()
    world.step(1, [])
    wanted = ((0, "social_feed", "post"), (1, "forum", "post"), (2, "social_feed", "reply"), (3, "forum", "upvote"))
    turns = turns_about(world, *wanted)
    before = len(embed.seen)
    world.step(2, turns)
    said = turns[0].reaction.verbatim
    assert embed.seen[before:] == [said, f"taste: {IDS[0]} # Recent post:{said}"]
    world.step(3, [])
    assert len(embed.seen) == before + 2 == world.vectors.calls


def test_handles_name_study_profile_and_text_vectors():
    """In this order, one after the other; -1 is similar to nothing."""
    study, profile, written = (np.full((rows, 2), value, np.float32) for rows, value in ((2, 1), (3, 2), (4, 3)))
    written[3] = 9
    handles = jnp.asarray([-1, 0, 1, 2, 4, 5, 8], jnp.int32)
    found = lookup_vectors(handles, jnp.asarray(study), jnp.asarray(profile), jnp.asarray(written))
    assert np.asarray(found)[:, 0].tolist() == [0, 1, 1, 2, 2, 3, 9]
    assert np.asarray(lookup_vectors(handles[:5], jnp.asarray(study), jnp.asarray(profile)))[:, 1].tolist() == [
        0,
        1,
        1,
        2,
        2,
    ]


@pytest.mark.parametrize(
    ("options", "field"),
    [({"text_capacity": -1}, "text_capacity"), ({"text_capacity": 2**24}, "text_capacity"),
     ({"text_vectors": np.zeros((3, 2))}, "text_vectors"),
     ({"text_capacity": 3, "text_vectors": np.zeros((2, 2))}, "text_vectors")],
)  # fmt: skip
def test_text_tables_of_another_size_are_refused(options, field):
    """The table has as many rows as the configuration has room for."""
    with pytest.raises(ConfigurationError, match=field):
        make_social(population=make_population(IDS, vectors=np.eye(4, 2) + 1), **options)


def test_rule_based_personas_know_no_text_vectors():
    """They measure interest by profiles, so a world with other vectors is refused."""
    world = make_social(population=make_population(IDS, vectors=np.eye(4, 2) + 1), text_capacity=3)
    with pytest.raises(ConfigurationError, match="text_capacity"):
        make_policy(world.config, world.default_params())


def test_interest_decides_and_posts_carry_their_own_vectors():
    """Strangers' posts come in the order of their similarity to the viewer's profile, the study's after them."""
    table = {"sport": (1, 0, 0), "music": (0, 1, 0), "other": (0, 0, 1)}
    embed = Embedder(table, width=3)
    people = four({name: {"likes": "sport" if at < 2 else "music"} for at, name in enumerate(IDS)})
    world = port(interest(embed), people, channels=CHANNELS)
    world.reset()
    world.step(1, [])
    turns = [
        dataclasses.replace(turn, reaction=dataclasses.replace(turn.reaction, verbatim=f"{word}, I say"))
        for turn, word in zip(
            turns_about(world, (0, "social_feed", "post"), (3, "social_feed", "post")), ("music", "sport"), strict=True
        )
    ]
    published = world.step(2, turns).published
    by_music, by_sport = (stimulus.stimulus_id for stimulus in published)
    firsts = {
        shown.impression.persona_id: shown.impression.exposures[0] for shown in on(world.step(3, []), "social_feed")
    }
    # 2 is tied to 1 and 3 to 4: network first. 1 and 4 are strangers to each other.
    assert (firsts[IDS[1]].stimulus_id, firsts[IDS[1]].reason) == (by_music, "network")
    assert (firsts[IDS[2]].stimulus_id, firsts[IDS[2]].reason) == (by_sport, "network")
    assert (firsts[IDS[0]].stimulus_id, firsts[IDS[0]].reason) == (by_sport, "interest")
    assert world.vectors.latest == {0: "music, I say", 3: "sport, I say"}


def test_given_profiles_are_never_embedded():
    """Vectors that come with the configuration stay as they are; without an embedder texts are similar to nobody."""
    given = {name: (1.0, 0.0, float(at)) for at, name in enumerate(IDS)}
    embed = Embedder(width=3)
    world = port(interest(embed, profile_vectors=given), channels=CHANNELS)
    world.reset()
    assert len(embed.seen) == 4
    silent = port(interest(profile_vectors=given), channels=CHANNELS)
    silent.reset()
    assert not np.asarray(silent.params.study_vectors).any() and not np.asarray(silent.params.text_vectors).any()
    assert np.asarray(silent.params.population.profile).any()


BAD = {
    "too few vectors": lambda given: np.zeros((1, 3)),
    "NaN": lambda given: np.full((len(given), 3), np.nan),
    "no numbers": lambda given: given,
}


@pytest.mark.parametrize("what", BAD)
def test_an_embedder_that_returns_something_else_is_refused(what):
    """By name."""
    with pytest.raises(ConfigurationError, match="embed_texts"):
        port(interest(BAD[what]), channels=CHANNELS).reset()


def test_a_failing_embedder_leaves_the_world_as_it_was():
    """The step can be taken again."""
    embed = Embedder()
    world, twin = (port(interest(embed), channels=CHANNELS) for _ in range(2))
    for one in (world, twin):
        one.reset()
        one.step(1, [])
    turns = turns_about(world, (0, "social_feed", "post"))
    working, world.vectors._embed = world.vectors._embed, BAD["NaN"]
    with pytest.raises(ConfigurationError):
        world.step(2, turns)
    world.vectors._embed = working
    assert world.step(2, turns).to_json() == twin.step(2, turns_about(twin, (0, "social_feed", "post"))).to_json()


def test_a_restored_feed_ranks_the_same(tmp_path):
    """Vectors of texts and refreshed profiles are in the checkpoint: nothing is embedded again."""
    embed = Embedder()
    config = interest(embed)
    world = port(config, channels=CHANNELS)
    world.reset()
    world.step(1, [])
    world.step(2, turns_about(world, *((persona, "social_feed", "post") for persona in range(4))))
    save_checkpoint(world, tmp_path / "world.npz")
    before = len(embed.seen)
    restored = load_checkpoint(tmp_path / "world.npz", head(channels=CHANNELS), world.population, config)
    assert len(embed.seen) == before
    assert restored.presented().to_json() == world.presented().to_json()
    expected = texts(world.step(tick, []) for tick in range(3, 6))
    assert texts(restored.step(tick, []) for tick in range(3, 6)) == expected
