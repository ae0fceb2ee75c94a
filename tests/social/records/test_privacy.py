"""Nothing private of anybody else can be reached from what a persona is shown."""

import dataclasses

import pytest

from jaxworld.social.host import SocialWorld
from jaxworld.social.records import BeliefChange, Persona, Population
from tests.social.records.studies import (
    AWAKE,
    FOUR,
    IDS,
    Embedder,
    four,
    head,
    on,
    turns_about,
)


def run(population, config, *, change=lambda turn: turn, channels=("feed", "forum")):
    """Four ticks in which everybody acts; the deltas."""
    world = SocialWorld(head(population, channels=channels), population, config)
    deltas = [world.reset(), world.step(1, [])]
    for tick in range(2, 6):
        wanted = [(0, "social_feed", "post"), (1, "forum", "reply"), (2, "social_feed", "post"),
                  (3, "social_feed", "like"), (3, "forum", "upvote")]  # fmt: skip
        turns = [plain(turn, tick) for turn in turns_about(world, *wanted)]
        deltas.append(world.step(tick, [change(turn) for turn in turns]))
    return deltas


def plain(turn, tick):
    """The same turn in words that do not depend on what was shown."""
    if turn.reaction.verbatim is None:
        return turn
    words = f"{turn.impression.persona_id} wrote this at {tick}"
    return dataclasses.replace(turn, reaction=dataclasses.replace(turn.reaction, verbatim=words))


def shown_to(deltas, persona):
    """All that one persona is shown and told was dropped, and all that is public."""
    return [
        [shown.to_json() for shown in delta.presentations if shown.impression.persona_id == persona]
        + [entry.to_json() for entry in delta.dropped if entry.persona_id == persona]
        + [stimulus.to_json() for stimulus in delta.published]
        for delta in deltas
    ]


def secretive(population, persona):
    """The same people, one of whom has other attributes and another story."""
    changed = [
        Persona(persona_id=entry.persona_id, attributes={"taste": "secret"}, conditioning={"story": ["secret"]})
        if entry.persona_id == persona
        else entry
        for entry in population.personas
    ]
    return Population(personas=tuple(changed), graph=population.graph, communities=population.communities)


@pytest.mark.parametrize("embedder", [True, False])
def test_attributes_and_vectors_of_others_reach_nobody(embedder):
    """In a feed by interest only the persona itself is shown anything else when what is private to it changes."""
    given = {name: (1.0, float(at), 0.5, 0.0) for at, name in enumerate(IDS)}

    def settings(third):
        vectors = {} if embedder else {**given, IDS[2]: third}
        embed = Embedder() if embedder else None
        return dataclasses.replace(AWAKE, feed_recsys_mode="twitter", embed_texts=embed, profile_vectors=vectors)

    before, after = run(FOUR, settings(given[IDS[2]])), run(secretive(FOUR, IDS[2]), settings((-9.0, 1.0, 0.0, 3.0)))
    for persona in (IDS[0], IDS[1], IDS[3]):
        assert shown_to(before, persona) == shown_to(after, persona)
    assert not any("secret" in delta.to_json() for delta in after)
    if embedder:
        assert shown_to(before, IDS[2]) != shown_to(after, IDS[2]), "its own feed follows its own profile"


def test_beliefs_and_intents_of_others_reach_nobody():
    """Where nobody tells anybody, how strongly a reaction moves somebody changes no byte of any delta."""

    def moved(turn):
        belief = BeliefChange(dimensions={"trust": -1.0}, claim_credence={"claim-1": 1.0})
        reaction = dataclasses.replace(turn.reaction, belief_change=belief, intent=(1, 0, 0, 0, 0))
        return dataclasses.replace(turn, reaction=reaction)

    config = dataclasses.replace(AWAKE, feed_recsys_mode="twitter", embed_texts=Embedder())
    plain, stirred = run(FOUR, config), run(FOUR, config, change=moved)
    assert [delta.to_json() for delta in plain] == [delta.to_json() for delta in stirred]


def test_a_presentation_holds_no_text_and_names_nobody_but_its_reader():
    """Ids of stimuli, numbers and reasons; other personas appear only as who told it."""
    deltas = run(FOUR, dataclasses.replace(AWAKE, feed_recsys_mode="twitter", embed_texts=Embedder()))
    said = {stimulus.text for delta in deltas for stimulus in delta.published}
    assert len(said) > 8
    for delta in deltas:
        for shown in delta.presentations:
            text = shown.to_json()
            others = set(IDS) - {shown.impression.persona_id}
            assert not any(other in text for other in others)
            assert not any(words in text for words in said)
    assert on(deltas[-1], "social_feed") and four() == FOUR
