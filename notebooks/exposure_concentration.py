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
# # How far does a recommender concentrate exposure?
#
# The same people, the same random draws, four recommenders. Nothing differs between the arms but the order in which
# posts are ranked, so whatever differs in who gets seen is the recommender's doing.
#
# A persona that is awake in an hour is shown three posts. It reacts to one of them: it may like it, share it, answer
# it, follow its author, write something of its own, or let it pass. Reactions are counted, and some recommenders rank
# by these counts. We measure how unequally exposures are spread over posts.

# %%
import jax
import jax.numpy as jnp
import numpy as np

import jaxworld
from jaxworld.core import Trajectory, replace, world_key
from jaxworld.social import make_policy
from jaxworld.study.experiments.exposure import ExposureSettings, run_exposure

ARMS = ("random", "reddit_hot", "twitter", "twhin")
PERSONAS, TICKS, SEED = 100, 24, 1

# %% [markdown]
# ## One world, looked at closely
#
# A mixture fills each slot from its second recommender with chance `epsilon`, else from its first. `epsilon` is a
# traced parameter, so one compiled program, mapped over its values, runs the same world as a purely hot-ranked feed
# (0) and as a purely random one (1). `Trajectory` keeps every step of a rollout.

# %%
world = jaxworld.make(
    "social/feed", num_personas=PERSONAS, seed=SEED, feed_recommender="reddit_hot+random", stimulus_capacity=256
)
params = world.default_params()
policy = make_policy(world.config, params)


def watch(epsilon):
    given = replace(params, epsilon=epsilon)
    result = jaxworld.rollout(world, policy, world_key(SEED), TICKS, given, reducer=Trajectory())
    return result.outputs.observation, result.carry.state


observation, state = jax.vmap(watch)(jnp.asarray([0.0, 1.0], jnp.float32))
world.check_flags(state)

# %%
awake = np.asarray(observation.active)  # [2, TICKS, PERSONAS]
assert (awake[0] == awake[1]).all()
print("awake in hours 6, 12, 18:", awake[0, [6, 12, 18]].sum(axis=1))

# %% [markdown]
# The same personas are awake in the same hours: activation has a random stream of its own, so another recommender
# shifts none of its draws. What they are shown is another matter.

# %%
for name, shown in zip(("reddit_hot", "random"), np.asarray(observation.feed.stimulus)[:, 12], strict=True):
    print(f"{name:>10}, hour 12: {len(np.unique(shown[shown >= 0]))} different posts shown")

# %% [markdown]
# ## Many worlds, paired
#
# One world is an anecdote. `run_exposure` runs every arm on the same seeded worlds and gives means with 95 % intervals,
# and differences to `random` world by world, which removes what the worlds share.

# %%
settings = ExposureSettings(personas=PERSONAS, worlds=16, ticks=TICKS, recommenders=ARMS, seed=SEED)
result = run_exposure(settings)


def interval(value):
    return f"{value['mean']:.3f} [{value['low']:.3f}, {value['high']:.3f}]"


for metric in ("gini", "top_1_share", "coverage"):
    print(metric)
    for name in ARMS:
        print(f"  {name:>10}  {interval(result.summary[name][metric])}")

# %%
print("Gini coefficient, difference to random in the same worlds")
for name in ARMS[1:]:
    print(f"  {name:>10}  {interval(result.summary[name]['gini']['difference_to_random'])}")

# %% [markdown]
# ## One figure
#
# Left: the Lorenz curve of exposures over posts; the further below the diagonal, the more unequal. Right: how the Gini
# coefficient gets there. Bands are 95 % intervals over worlds.

# %%
import matplotlib.pyplot as plt

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.4), layout="constrained", dpi=80)
for name in ARMS:
    share, mean, low, high = result.lorenz[name]
    left.plot(share, mean, label=name)
    left.fill_between(share, low, high, alpha=0.2)
    tick, mean, low, high = result.curves[name]["gini"]
    right.plot(tick, mean)
    right.fill_between(tick, low, high, alpha=0.2)
left.plot([0, 1], [0, 1], color="0.6", linewidth=1)
left.set(xlabel="share of posts, least exposed first", ylabel="share of all exposures")
right.set(xlabel="hour", ylabel="Gini coefficient", ylim=(0, 1))
left.legend(frameon=False)
plt.show()

# %% [markdown]
# ## What to take from it
#
# - `random` is the baseline. It is not zero: posts differ in age, and an older post had more hours to be shown.
# - An order that is the same for everybody (`reddit_hot`, `twhin`) shows everybody who is awake the same three posts.
#   It cannot but concentrate.
# - A personal order (`twitter`) shows different posts to different personas, and so spreads the same attention over
#   more of them. How far depends on the people: try `population="clustered"`.
#
# To go further, change one thing: `budget`, `tick_unit` (under days and weeks freshness outweighs votes in the hot
# score), a mixture such as `reddit_hot+random`, or the population (`population="karate_club"`).
