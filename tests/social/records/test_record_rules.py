"""Records: what they refuse, that they cannot be changed, and that their canonical text is all of them."""

import dataclasses
import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxworld.core import ConfigurationError
from jaxworld.social import records as r
from jaxworld.social.records import kinds
from tests.social.records.studies import FOUR, PACK, head

ST, OTHER, THIRD = (r.derived_id("st", 1, 0, "test", index) for index in range(3))
IM, RC = r.derived_id("im", 1, 0, "test"), r.derived_id("rc", 1, 0, "test")


def stimulus(**changes):
    return r.Stimulus(**{"stimulus_id": ST, "tick": 1, "author": "p-1", "kind": "peer_post", "text": "Hm.", **changes})


def exposure(**changes):
    return r.Exposure(**{"stimulus_id": ST, "reason": "random", "attention": 0.5, **changes})


def impression(**changes):
    given = {"impression_id": IM, "persona_id": "p-1", "channel": "forum", "tick": 1, "exposures": (exposure(),)}
    return r.Impression(**{**given, **changes})


def view(**changes):
    return r.View(**{"impression_id": IM, "contexts": {ST: r.StimulusContext()}, **changes})


def presentation(**changes):
    return r.Presentation(**{"impression": impression(), "view": view(), **changes})


def reaction(**changes):
    return r.Reaction(**{"reaction_id": RC, "subject_stimulus_id": ST, "action": "like", **changes})


def turn(**changes):
    return r.Turn(**{"impression": impression(), "view": view(), "reaction": reaction(), **changes})


def drop(stimulus_id=OTHER, channel="forum", persona="p-1"):
    dropped = r.ExposureDropped(stimulus_id=stimulus_id, channel=channel, reason="budget_exhausted")
    return r.DroppedExposure(persona_id=persona, dropped=dropped)


def delta(**changes):
    return r.WorldDelta(**{"tick": 1, "presentations": (presentation(),), "dropped": (drop(),), **changes})


def scenario(**changes):
    return r.Scenario(**{"variant": r.Variant(variant_id="v"), "horizon_ticks": 3, **changes})


def population(**changes):
    return r.Population(**{"personas": FOUR.personas, "graph": FOUR.graph, "communities": FOUR.communities, **changes})


TWO = (exposure(), exposure(stimulus_id=OTHER))
REFUSED = {
    "an id of another kind": (lambda: stimulus(stimulus_id=IM), "stimulus_id"),
    "an id with letters Crockford left out": (lambda: stimulus(stimulus_id="st-" + "i" * 26), "stimulus_id"),
    "a negative tick": (lambda: stimulus(tick=-1), "tick"),
    "an empty text": (lambda: stimulus(text=" "), "text"),
    "a concept with an author": (lambda: stimulus(kind="concept"), "author"),
    "a post without an author": (lambda: stimulus(author=None), "author"),
    "a claim post without a claim": (lambda: stimulus(kind="claim_post", author=None), "claim_id"),
    "a reply to nothing": (lambda: stimulus(kind="peer_reply"), "in_reply_to"),
    "a post that replies": (lambda: stimulus(in_reply_to=OTHER), "in_reply_to"),
    "a reply to itself": (lambda: stimulus(kind="peer_reply", in_reply_to=ST), "in_reply_to"),
    "an unknown word": (lambda: stimulus(kind="song"), "kind"),
    "attention above 1": (lambda: exposure(attention=1.5), "attention"),
    "attention that is no number": (lambda: exposure(attention=float("nan")), "attention"),
    "no exposure": (lambda: impression(exposures=()), "exposures"),
    "one stimulus twice": (lambda: impression(exposures=(exposure(), exposure(attention=1.0))), "exposures"),
    "two stimuli in the survey room": (lambda: impression(channel="survey_room", exposures=TWO), "exposures"),
    "negative counts": (lambda: r.StimulusContext(likes=-1), "likes"),
    "a circular ancestry": (lambda: r.StimulusContext(ancestry=(ST, OTHER, ST)), "ancestry"),
    "a teller without a tie": (lambda: r.StimulusContext(via_persona_id="p-2"), "tie_strength"),
    "a view of nothing": (lambda: view(contexts={}), "contexts"),
    "a view of something else": (lambda: presentation(view=view(contexts={OTHER: r.StimulusContext()})), "contexts"),
    "a view of too much": (
        lambda: presentation(view=view(contexts={ST: r.StimulusContext(), OTHER: r.StimulusContext()})), "contexts",
    ),
    "a view of another impression": (
        lambda: presentation(view=view(impression_id=r.derived_id("im", 2, 0, "x"))), "impression_id",
    ),
    "something published at another tick": (lambda: delta(published=(stimulus(tick=0),)), "published"),
    "a stimulus published twice": (lambda: delta(published=(stimulus(), stimulus())), "published"),
    "something shown at another tick": (
        lambda: delta(presentations=(presentation(impression=impression(tick=2)),)), "presentations",
    ),
    "two presentations on one channel": (lambda: delta(presentations=(presentation(), presentation())), "impression"),
    "one drop twice": (lambda: delta(dropped=(drop(), drop())), "dropped"),
    "something dropped and shown": (lambda: delta(dropped=(drop(ST),)), "dropped"),
    "silence where words are needed": (lambda: reaction(action="comment"), "verbatim"),
    "words of who ignores": (lambda: reaction(action="ignore", verbatim="No."), "verbatim"),
    "an intent of who ignores": (lambda: reaction(action="ignore", intent=(0, 0, 0, 0, 1)), "intent"),
    "chances that do not sum to 1": (lambda: reaction(intent=(0.5, 0.5, 0.5, 0, 0)), "intent"),
    "four chances": (lambda: reaction(intent=(0.5, 0.5, 0, 0)), "intent"),
    "a belief that moves too far": (lambda: r.BeliefChange(dimensions={"trust": 1.5}), "dimensions"),
    "a belief nobody knows": (lambda: r.BeliefChange(dimensions={"mood": 0.5}), "dimensions"),
    "a turn about what was not shown": (lambda: turn(reaction=reaction(subject_stimulus_id=OTHER)), "subject"),
    "a turn about what was not noticed": (
        lambda: turn(impression=impression(exposures=(exposure(attention=0.0),))), "subject",
    ),
    "no ticks": (lambda: scenario(horizon_ticks=0), "horizon_ticks"),
    "no budget": (lambda: scenario(exposure_budget=0), "exposure_budget"),
    "an act after the end": (lambda: scenario(interventions=(r.Intervention(tick=3, kind="teaser"),)), "interventions"),
    "one act twice": (lambda: scenario(interventions=(r.Intervention(tick=1, kind="teaser"),) * 2), "interventions"),
    "a launch beside other channels": (lambda: scenario(channels={"feed", "wom"}, launch_reach=0.5), "launch_reach"),
    "the survey room as a channel": (lambda: scenario(channels={"survey_room"}), "channels"),
    "a persona twice": (lambda: population(personas=FOUR.personas + FOUR.personas[:1]), "personas"),
    "a tie to nobody": (lambda: population(personas=FOUR.personas[:3], communities=()), "edges"),
    "a tie off the grid": (lambda: r.Edge(u="p-1", v="p-2", weight=0.33333), "weight"),
    "a tie to oneself": (lambda: r.Edge(u="p-1", v="p-1", weight=0.5), "v"),
    "communities that leave somebody out": (lambda: population(communities=FOUR.communities[:1]), "communities"),
    "overlapping communities": (
        lambda: population(
            communities=(*FOUR.communities, r.Community(community_id="x", member_ids=(FOUR.persona_ids[0],)))
        ),
        "communities",
    ),
    "a window below zero": (lambda: r.WorldConfig(candidate_window=0), "candidate_window"),
    "a rate above 1": (lambda: r.WorldConfig(activation_rate=1.2), "activation_rate"),
    "vectors of two lengths": (lambda: r.WorldConfig(profile_vectors={"p-1": (1,), "p-2": (1, 2)}), "profile_vectors"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_records_refuse(what):
    """Whatever breaks a rule is refused where it is made, with the field named."""
    make, field = REFUSED[what]
    with pytest.raises(ConfigurationError) as refusal:
        make()
    assert field in refusal.value.field


VALID = {
    "Stimulus": stimulus(kind="peer_reply", in_reply_to=OTHER, text='He said "ü"\n'),
    "Turn": turn(
        reaction=reaction(
            action="quote", verbatim="See.", intent=(0, 0, 0.25, 0.25, 0.5),
            belief_change=r.BeliefChange(dimensions={"fit": -0.25}, claim_credence={"c": 1}),
        )
    ),
    "WorldDelta": delta(published=(stimulus(),), interventions=("teaser", "launch")),
    "PartitionHeader": head(interventions=(r.Intervention(tick=1, kind="teaser"),), price=9.5),
    "Population": FOUR,
    "Rejection": r.Rejection(persona_id="p-1", action="buy", channel="forum", tick=2),
}  # fmt: skip


@pytest.mark.parametrize("name", VALID)
def test_canonical_text_is_the_whole_record(name):
    """Text and plain data lead back to an equal record; keys are sorted and nothing is spaced out."""
    record = VALID[name]
    text = record.to_json()
    assert type(record).from_json(text) == record == type(record).from_dict(record.to_dict())
    assert text == json.dumps(record.to_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert pickle.loads(pickle.dumps(record)) == record


@pytest.mark.parametrize("name", VALID)
def test_records_cannot_be_changed_or_extended(name):
    """Fields are fixed; unknown ones and missing ones are refused by name."""
    record = VALID[name]
    first = dataclasses.fields(record)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(record, first, None)
    with pytest.raises(ConfigurationError, match=f"{name}.mood"):
        type(record).from_dict({**record.to_dict(), "mood": 1})
    needed = next(f.name for f in dataclasses.fields(record) if f.default is f.default_factory is dataclasses.MISSING)
    with pytest.raises(ConfigurationError, match=f"{name}.{needed}"):
        type(record).from_dict({k: v for k, v in record.to_dict().items() if k != needed})


def test_mappings_inside_records_cannot_be_changed():
    """Contexts, beliefs and attributes are as fixed as fields."""
    for mapping in (view().contexts, FOUR.personas[0].attributes, r.BeliefChange(dimensions={"fit": 1}).dimensions):
        with pytest.raises(TypeError):
            mapping["x"] = 1
        with pytest.raises(TypeError):
            mapping.clear()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(JSON)
def test_canonical_json_is_what_the_standard_library_writes(value):
    """Sorted, without spaces, Unicode as it is; and it reads back as the same value."""
    text = r.canonical_json(value)
    assert text == json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert json.loads(text) == value


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}, {1: 2}, object()])
def test_canonical_json_refuses_what_json_has_not(value):
    """NaN, infinities, keys that are no strings, other objects."""
    with pytest.raises(ConfigurationError):
        r.canonical_json(value)


def test_derived_numbers_are_the_published_ones():
    """World seeds of three known replicates; ids are 128 bits of a hash in Crockford's base 32."""
    known = {(7, "clear-v1"): 4559272868482491478, (8, "clear-v1"): 13691069116212796920}
    known[4021, "v1baseline"] = 11034306418181925209
    for (replicate, variant), seed in known.items():
        assert r.world_seed(replicate, variant) == seed
    import hashlib

    value = int.from_bytes(hashlib.sha256(b"5:2:impression:forum:p-1:0").digest(), "big") % 2**128
    digits = "0123456789abcdefghjkmnpqrstvwxyz"
    expected = "".join(digits[(value >> shift) % 32] for shift in range(125, -1, -5))
    assert r.impression_id(5, 2, "forum", "p-1") == f"im-{expected}"


def test_worlds_that_differ_in_channels_or_price_share_a_seed_and_nothing_else():
    """The seed depends on replicate and variant, the id on everything."""
    one, other = head(), head(price=3, channels=("feed",))
    assert one.world_seed == other.world_seed and one.world_id != other.world_id
    assert head(seed=1).world_seed != one.world_seed != head(variant="other").world_seed
    assert len(one.world_id) == 12


def test_order_of_arrival_leaves_no_trace_in_a_population():
    """Personas, ties in either direction and communities in any order have one hash."""
    flipped = tuple(r.Edge(u=edge.v, v=edge.u, weight=edge.weight) for edge in reversed(FOUR.graph.edges))
    other = r.Population(personas=FOUR.personas[::-1], graph=r.Graph(edges=flipped), communities=FOUR.communities[::-1])
    assert other == FOUR and other.manifest == FOUR.manifest


def test_sentiment_is_the_strongest_movement():
    """The largest belief change, or half the distance of the mean intent from 3; nothing is 0."""
    assert reaction().sentiment == 0
    assert reaction(intent=(0.02, 0.03, 0.10, 0.35, 0.50)).sentiment == pytest.approx(0.64)
    moved = r.BeliefChange(dimensions={"fit": 0.3}, claim_credence={"c": -0.7})
    assert reaction(belief_change=moved, intent=(0, 0, 1, 0, 0)).sentiment == 0.7


def test_words_of_records_and_codes_of_the_kernel_match():
    """Every word the kernel can produce has one code, and the other way round."""
    assert len(kinds.ACTION_CODE) == 15 and len(kinds.CHANNEL_CODE) == 4
    assert set(kinds.REASON_WORD.values()) == set(r.ExposureReason)
    assert set(kinds.DROP_WORD.values()) == set(r.DropReason)
    assert r.StimulusKind.WOM_MESSAGE not in kinds.STIMULUS_CODE
    assert PACK.brief.claims[0].id == "claim-1"
