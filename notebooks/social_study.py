# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A study of one social world, from its people to a finding
#
# A study starts with people, shows them something, records what they do, and ends with a claim that somebody else can
# check. Here the personas are driven from outside, as a language model would drive them; then many worlds of the same
# people are run on arrays, because one world is an anecdote.

# %%
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from jaxworld.social.audit import audit_folder
from jaxworld.social.host import SocialWorld, drive, each, population_records, record, verify
from jaxworld.social.population import load_population
from jaxworld.social.records import (
    BeliefChange,
    Brief,
    Claim,
    Pack,
    PartitionHeader,
    Product,
    Scenario,
    Variant,
    WorldConfig,
)
from jaxworld.social.trace import TraceReader, cascade, drive_on_record, drops, reach, recording_of, seen_by, viewers_of
from jaxworld.study.experiments.exposure import ExposureSettings, run_exposure

# %% [markdown]
# ## People
#
# Eighty personas in planted communities. `load_population` takes a file of one's own just as well. The records of a
# population hold who there is, who is tied to whom and who belongs where; what a run needs besides comes as settings.

# %%
PERSONAS, SEED = 80, 11
built = load_population("communities", num_personas=PERSONAS, seed=SEED)
people, settings = population_records(built)
print(f"{len(people.personas)} personas, {len(people.graph.edges)} ties, {len(people.communities)} communities")

# %% [markdown]
# ## What the study shows them
#
# The header says everything that identifies a world: the product and its claims, who takes part, the scenario and the
# replicate. World seed and ids follow from it, so two people with the same header have the same world.

# %%
pack = Pack(
    brief=Brief(
        product=Product(description="A kettle that boils a cup in twenty seconds"),
        claims=(Claim(id="fast", text="It is twice as fast."), Claim(id="frugal", text="It needs half the power.")),
    )
)
scenario = Scenario(
    variant=Variant(variant_id="kettle-v1"),
    tick_unit="hour",
    horizon_ticks=20,
    channels=("feed", "wom"),
    exposure_budget=3,
    survey_every=6,
)
header = PartitionHeader(pack=pack, population=people.manifest, scenario=scenario, replicate_seed=SEED)
config = WorldConfig(feed_recsys_mode="reddit_hot", stimulus_capacity=256, **settings)
print("world", header.world_id, "from seed", header.world_seed)

# %% [markdown]
# ## Agents from outside
#
# An agent gets a request: the persona with what is private to it, what it is shown, and the texts. This one follows a
# simple rule; a language model would read the same request. Whatever is wrong with an answer is recorded as a failure
# and contributes no turn: here every persona whose number ends in 7 has an agent that breaks in hour 12.

# %%
MOODS = ("like", "ignore", "comment", "like", "post", "ignore", "repost", "like")


def persona(request):
    shown = request.presentation.impression
    number = int(shown.persona_id[-4:])
    if shown.tick == 12 and number % 10 == 7:
        raise RuntimeError("no answer from the model")
    if shown.channel == "survey_room":
        return request.react(0, "answer", "I might buy it.", intent=(0.05, 0.1, 0.25, 0.35, 0.25))
    if shown.channel == "wom":
        return request.react(0, "ignore")
    mood = MOODS[(number + 3 * shown.tick) % len(MOODS)]
    words = f"{shown.persona_id} has a view on this" if mood in ("comment", "post") else None
    moved = BeliefChange(dimensions={"trust": 0.8}) if (number + shown.tick) % 9 == 0 else BeliefChange()
    return request.react(0, mood, words, belief_change=moved)


# %% [markdown]
# The run goes on record: a file a tick, whole or not there. If it is killed, the same line goes on where the files end
# and asks nobody twice.

# %%
scratch = tempfile.TemporaryDirectory()
folder = Path(scratch.name) / "trace"
logs = list(drive_on_record(SocialWorld(header, people, config), each(persona), folder))
print(sum(len(log.turns) for log in logs), "turns,", sum(len(log.failures) for log in logs), "failed requests")

# %% [markdown]
# ## Questions to the trace

# %%
trace = TraceReader(folder).table()
someone = logs[9].delta.presentations[0].impression.persona_id
for row in seen_by(trace, someone, 9).to_pylist():
    print(f"hour 9, {someone} on {row['channel']}: {row['text'][:44]!r}, {row['likes']} likes, because {row['reason']}")
concept = logs[0].delta.published[0].stimulus_id
print("dropped for want of attention:", len(drops(trace)), "times")
print("the concept's thread:", len(cascade(trace, concept)), "events")

# %% [markdown]
# Everybody is asked about the concept in the survey room at hour 0. What else got around? The texts of personas that
# reached most people, beside the two claims of the study:

# %%
published = [stimulus for log in logs for stimulus in log.delta.published]
claims, written = published[1:3], [stimulus for stimulus in published if stimulus.author is not None]
written.sort(key=lambda stimulus: len(set(viewers_of(trace, stimulus.stimulus_id).column("persona_id").to_pylist())))
figure, panel = plt.subplots(figsize=(6.5, 3), layout="constrained", dpi=80)
for stimulus, style in [(claim, "--") for claim in claims] + [(text, "-") for text in written[:-6:-1]]:
    grown = reach(trace, stimulus.stimulus_id)
    name = f"claim: {stimulus.text}" if stimulus.author is None else f"{stimulus.author}, hour {stimulus.tick}"
    panel.plot(grown.column("tick"), grown.column("personas"), style, label=name)
panel.set(xlabel="hour", ylabel="personas reached", title="What got around in one world")
panel.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))
plt.show()

# %% [markdown]
# ## Can it be trusted?
#
# The auditor derives what the trace must say from its turns alone, in code of its own. A replay takes the header and
# the recorded turns and must show every persona the same again; if it did not, the error would name tick, field and
# entry.

# %%
report = audit_folder(folder)
print(f"audited: {report.num_rows} rows, {report.num_findings} findings")
verify(SocialWorld(header, people, config), recording_of(TraceReader(folder), with_deltas=True))
print("replayed:", len(logs), "ticks equal")

# %% [markdown]
# What a persona is shown depends on the seed, so another replicate is another anecdote. The same rule, the next seed:

# %%
again = PartitionHeader(pack=pack, population=people.manifest, scenario=scenario, replicate_seed=SEED + 1)
other = record(drive(SocialWorld(again, people, config), each(persona)))
for name, deltas in (("this world", [log.delta for log in logs]), ("the next one", other.deltas)):
    feeds = [p.impression for delta in deltas for p in delta.presentations if p.impression.channel == "social_feed"]
    shown = [exposure.stimulus_id for impression in feeds for exposure in impression.exposures]
    most = max(map(shown.count, set(shown)))
    print(f"{name}: {len(set(shown))} stimuli on the feed, the most shown one got {most / len(shown):.0%} of exposures")
scratch.cleanup()

# %% [markdown]
# ## A finding
#
# Does the recommender concentrate exposure, or do these people? The array kernel runs the same kind of people in many
# seeded worlds under each recommender, with rule-based personas and the same draws, so that the difference is the
# recommender's.

# %%
asked = ExposureSettings(
    personas=PERSONAS,
    worlds=24,
    ticks=20,
    population="communities",
    recommenders=("random", "reddit_hot"),
    seed=SEED,
)
found = run_exposure(asked)
for name, metrics in found.summary.items():
    gini = metrics["gini"]
    print(f"{name:>10}: Gini {gini['mean']:.3f} [{gini['low']:.3f}, {gini['high']:.3f}]")
paired = found.summary["reddit_hot"]["gini"]["difference_to_random"]
print(f"paired difference {paired['mean']:+.3f} [{paired['low']:+.3f}, {paired['high']:+.3f}] over 24 worlds")

# %% [markdown]
# With an interval that excludes zero over paired worlds, the concentration is the recommender's doing here. That does
# not say that people are harmless: under a ranking that feeds on votes they supply them. `jaxworld finding
# concentration` asks the question over budgets and population sizes.
