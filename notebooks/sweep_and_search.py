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
# # Sweeping a world, and searching in one
#
# Two questions that need many runs. *How does a figure depend on the parameters?* A sweep answers it: every variant at
# every point, on the same seeds. *Which behaviour is best?* A search answers it: candidates play, the better ones lead.

# %%
import matplotlib.pyplot as plt
import numpy as np
import optax

import jaxworld
from jaxworld.study.sweep import grid, sweep, variants

# %% [markdown]
# ## A sweep: attention budget and recommender
#
# A persona that is awake in an hour is shown as many posts as its budget allows. Does a larger budget spread attention
# over more posts? That should depend on who ranks, so we ask it of two recommenders.
#
# The recommender is a static option, so each one is an *arm* and compiled once. The budget is a traced parameter, so
# its values are *points* of a design and cost no compilation. `max_budget` makes room for the largest one.

# %%
RECOMMENDERS, BUDGETS = ("random", "reddit_hot"), (1, 2, 3, 4, 6, 8)
options = {"num_personas": 200, "stimulus_capacity": 256, "max_budget": max(BUDGETS)}
arms = variants("social/feed", options, {"feed_recommender": RECOMMENDERS})
swept = sweep(arms, grid({"budget": BUDGETS}), seeds=16, ticks=24)
rows = swept.rows()
print(len(rows["gini"]), "rows:", ", ".join(rows))
print(f"{rows['candidates'].mean():.0f} posts in a world on average")

# %% [markdown]
# A row is one world. `summary` condenses the worlds of each arm and point to a mean with a 95 % interval. (With
# `out="some/folder"` the rows go to files as they come, and the same call goes on after an interruption.)

# %%
summary = swept.summary()


def curve(arm, interval):
    chosen = summary.keys["arm"] == arm
    return summary.keys["budget"][chosen], *(np.asarray(end)[chosen] for end in interval)


for name in RECOMMENDERS:
    for budget, mean, low, high in zip(*curve(name, summary.figures["gini"]), strict=True):
        print(f"{name:>10}, budget {budget}: Gini {mean:.3f} [{low:.3f}, {high:.3f}]")

# %% [markdown]
# All arms and points share their seeds: the same people wake in the same hours with the same draws. So differences are
# taken world by world, which removes what the worlds share.

# %%
paired = swept.differences("gini", arm="random").difference
for budget, mean, low, high in zip(*curve("reddit_hot", paired), strict=True):
    print(f"budget {budget}: Gini {mean:+.3f} [{low:+.3f}, {high:+.3f}] against random")

# %%
figure, panels = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", dpi=80)
shown = {
    "Gini coefficient of exposure": summary.figures["gini"],
    "share of posts shown at all": summary.figures["coverage"],
    "Gini, difference to random": paired,
}
for panel, (title, interval) in zip(panels, shown.items(), strict=True):
    for name in RECOMMENDERS:
        budget, mean, low, high = curve(name, interval)
        panel.errorbar(budget, mean, (mean - low, high - mean), marker="o", markersize=4, capsize=3, label=name)
    panel.set(title=title, xlabel="budget", xticks=BUDGETS)
panels[0].legend(frameon=False)
panels[2].axhline(0, color="0.6", linewidth=1)
plt.show()

# %% [markdown]
# ## A search: one world whose optimum is known
#
# Before a search is trusted on a world where nobody knows the best behaviour, it should find it where somebody does.
# In `core/bandit` an agent sees one of three cues and pulls one of three arms. The right arm pays with chance 0.9, the
# others with 0.1. With `lag=0` the cue on show counts, and the best return of 20 steps is 18. With `lag=1` the cue
# shown a step *earlier* counts: without memory no policy earns more than 0.37 a step, with memory only the first step
# is blind.

# %%
from jaxworld.study.search import OpenAIES, SearchSettings, make_array_policy, search, world_objective

STEPS = 20
strategy = OpenAIES(population_size=32, sigma=0.3, optimiser=optax.adam(0.1))
settings = SearchSettings(generations=40, worlds=16, held_out_worlds=128, held_out_every=5)
searches = {
    "linear, cue on show": ("linear", 0),
    "linear, last cue": ("linear", 1),
    "recurrent, last cue": ("recurrent", 1),
}
found, optimum = {}, {}
for title, (kind, lag) in searches.items():
    world = jaxworld.make("core/bandit", lag=lag)
    template = make_array_policy(kind, world, hidden=(8,))
    found[title] = search(world_objective(world, STEPS), template, strategy, settings)
    optimum[title] = world.optimal_return(STEPS, memory=kind == "recurrent")

# %% [markdown]
# OpenAI-ES tries random directions both ways and climbs along the estimated slope. All candidates of a generation meet
# the same worlds, and every generation fresh ones. The score is that of the final policy in held-out worlds which no
# generation meets, so it has no luck of selection in it.

# %%
for title, result in found.items():
    mean, low, high = result.score
    print(f"{title:>20}: {mean:.2f} [{low:.2f}, {high:.2f}], at best {optimum[title]:.2f}")

# %%
figure, axis = plt.subplots(figsize=(6, 3.4), layout="constrained", dpi=80)
for number, (title, result) in enumerate(found.items()):
    curves = result.curve
    axis.plot(curves["generation"], curves["mean"], color=f"C{number}", label=title)
    axis.fill_between(curves["generation"], curves["low"], curves["high"], color=f"C{number}", alpha=0.2)
    axis.axhline(optimum[title], color=f"C{number}", linestyle="--", linewidth=1)
axis.set(xlabel="generation", ylabel=f"return of {STEPS} steps, held-out worlds", ylim=(0, STEPS))
axis.legend(frameon=False, loc="lower right")
plt.show()

# %% [markdown]
# ## What to take from it
#
# - The recommender matters most when attention is scarce. With one post an hour a hot-ranked feed shows the same one to
#   everybody who is awake; every further post it may show spreads attention over more of them. Under `random` the
#   budget hardly matters: what inequality there is comes from age, since an older post had more hours to be shown.
# - The intervals hold the luck of 16 worlds. Differences are paired, so what the worlds share is not in theirs.
# - The search finds the known optimum, and where memory is needed only the policy that has it gets there. An interval
#   that reaches above the optimum is the luck of 128 worlds, not a better policy.
#
# To go further: cross the grid with a range (`cross`, `sobol`), put the sweep on a cluster (`docs/scale_out.md`), or
# let creators search for reach under each recommender (`jaxworld search --application reach`).
