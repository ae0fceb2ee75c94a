"""What must not matter: order of turns, capacities, padding, blocks, batch width, chunks and order of arrival."""

import dataclasses
import functools
from typing import Any

import jax
import numpy as np
import pytest

from jaxworld.core import rollout, tick_key, world_key
from jaxworld.core.leaves import digest
from jaxworld.core.pytree import replace
from jaxworld.core.rollout import Trajectory
from jaxworld.social import make_params, make_policy, make_traits
from jaxworld.social.build import configure
from jaxworld.social.population import pad_population
from tests.social.worlds import (
    Driver,
    Run,
    assert_same,
    driver,
    people,
    permuted,
    random_turns,
    turn_batch,
    twelve_people,
)

TICKS = 8
BASE: dict[str, Any] = {
    "tick_unit": "day", "max_window": 5, "max_budget": 2, "window": 5, "channels": ("feed", "forum", "wom"),
    "survey": True, "survey_every": 3, "tie_threshold": 0.3, "activation_rate": 0.9, "stimulus_capacity": 128,
}  # fmt: skip
PERSONAL: dict[str, Any] = {
    **BASE, "channels": ("feed", "forum"), "survey": False, "feed_recommender": "random+twitter", "epsilon": 0.5,
    "forum_preset": "community_scoped", "block_size": 256, "hide_own": True,
}  # fmt: skip
SHARED: dict[str, Any] = {
    **BASE, "feed_recommender": "reddit_hot", "forum_recommender": "random", "idempotent_engagement": True,
    "interventions": ((2, "launch", 3), (3, "promotion", 2)),
    "intervention_effects": {"launch": {"reach": 0.5, "activation": -0.3}, "promotion": {"attention": 0.2}},
}  # fmt: skip
WORLDS = {"personal orders": PERSONAL, "shared orders": SHARED}
ROOMIER: dict[str, Any] = {
    "stimulus_capacity": 256, "max_publications": 128, "max_follows": 7, "max_followees": 5, "max_deliveries": 33,
}  # fmt: skip


def batches(seed: int = 7) -> list[Any]:
    """Turns of twelve personas about what surely exists, ten published texts a tick at most."""
    rng = np.random.default_rng(seed)
    return [turn_batch(random_turns(rng, 12, 4 + 2 * tick, 24)) for tick in range(TICKS)]


def records(run: Run) -> dict[str, Any]:
    """Everything that happened in a tick, without anything that only reflects the size of a buffer."""
    number, state = int(run.state.num_stimuli), run.state
    stimuli = {field.name: getattr(state.stimuli, field.name) for field in dataclasses.fields(state.stimuli)}
    assert all((column[number:] == -1).all() for column in stimuli.values())
    width = max(int((state.followees >= 0).sum(axis=1).max()), 1)
    views = {name: getattr(run.seen, name) for name in ("feed", "forum", "word_of_mouth")}
    return {
        "tick": (state.tick, state.num_stimuli, state.overflow, run.info.published_start, run.info.published_count),
        "stimuli": {name: column[:number] for name, column in stimuli.items()},
        "counts": state.counts[:number],
        "people": (
            run.seen.active[:12], run.seen.survey[:12], run.info.launched[:12], state.followees[:12, :width],
            state.followers_gained[:12], run.timestep.reward[:12], run.timestep.terminated[:12],
        ),
        "views": {name: jax.tree.map(lambda leaf: leaf[:12], view) for name, view in views.items()},
        "drops": {name: run.drops(name) for name in views},
        "rejected": run.info.rejected if run.tick else run.info.rejected.any(),
        "interventions": run.info.interventions,
    }  # fmt: skip


def history(made: Driver, turns: list[Any], **changes: Any) -> list[dict[str, Any]]:
    run = Run(made, **changes)
    passed = [records(run)]
    for batch in turns:
        passed.append(records(run.step_batch(batch)))
    run.driver.world.check_flags(run.state)
    return passed


def twelve(name: str, **options: Any) -> Driver:
    return driver("twelve", **{**WORLDS[name], **options})


def assert_same_history(one: list[dict[str, Any]], other: list[dict[str, Any]]) -> None:
    for tick, (left, right) in enumerate(zip(one, other, strict=True)):
        for name, value in left.items():
            try:
                assert_same(value, right[name])
            except AssertionError as error:
                raise AssertionError(f"{name} at tick {tick}") from error


@pytest.mark.parametrize("name", list(WORLDS))
def test_the_runs_compared_here_are_eventful(name):
    """Otherwise nothing would be shown by their equality."""
    last = history(twelve(name), batches())
    assert last[-1]["tick"][1] > 20 and last[-1]["counts"].sum() > 20
    for channel, view in last[0]["views"].items():
        if view is not None:
            assert any(moment["drops"][channel] for moment in last)
            assert any((moment["views"][channel].stimulus >= 0).any() for moment in last)
    assert (last[-1]["people"][3] >= 0).sum() > 3


@pytest.mark.parametrize("name", list(WORLDS))
def test_the_order_of_turns(name):
    """Rows of a batch are a set."""
    rng = np.random.default_rng(1)
    plain, shuffled = Run(twelve(name)), Run(twelve(name))
    for batch in batches():
        order = rng.permutation(len(batch.valid))
        one, other = records(plain.step_batch(batch)), records(shuffled.step_batch(permuted(batch, order)))
        one["rejected"] = one["rejected"][order]
        assert_same(one, other)
        assert_same(plain.state, shuffled.state)


@pytest.mark.parametrize("name", list(WORLDS))
def test_capacities(name):
    """Larger and smaller buffers for stimuli, publications, follows and deliveries, as long as all fits."""
    turns = batches()
    assert_same_history(history(twelve(name), turns), history(twelve(name, **ROOMIER), turns))


@pytest.mark.parametrize("name", list(WORLDS))
def test_padding(name):
    """Absent personas at the end change nothing about those present, and do nothing themselves."""
    padded = pad_population(people("twelve"), 17)
    made, turns, study = Driver(padded, WORLDS[name]), batches(), twelve(name).params().study_vectors
    assert_same_history(history(twelve(name), turns), history(made, turns, study_vectors=study))
    run = Run(made).step_batch(turns[0]).step_batch(turns[1])
    assert not run.seen.active[12:].any() and not run.seen.survey[12:].any()
    assert (run.seen.feed.stimulus[12:] == -1).all() and (run.seen.forum.stimulus[12:] == -1).all()


def test_padding_keeps_the_default_vectors_of_the_study():
    """Concept and claims point where they would without absent personas."""
    padded = pad_population(people("twelve"), 17)
    config = configure(padded, channels=("feed",))
    expected = twelve("personal orders").params().study_vectors
    assert (make_params(config, padded).study_vectors == expected).all()


def test_blocks_of_personal_orders():
    """How many personas are ranked at once: all twelve, or four at a time."""
    turns = batches()
    expected = history(twelve("personal orders"), turns)
    assert_same_history(expected, history(twelve("personal orders", block_size=5), turns))


def test_the_order_of_arrival():
    """A population given in another order is the same population, to the bit."""
    for seed in range(3):
        assert_same(twelve_people(np.random.default_rng(seed).permutation(12)), people("twelve"))


def test_what_does_not_rank_does_not_show():
    """Tastes of personas change no byte where the recommender does not rank by them."""
    population = people("twelve")
    other = replace(population, profile=np.roll(population.profile, 3, axis=0), followers=population.followers + 5)
    turns = batches()
    assert_same_history(
        history(twelve("shared orders"), turns), history(twelve("shared orders"), turns, population=other)
    )


def test_word_of_mouth_leaves_other_channels_alone():
    """With nobody telling anybody, feed, forum and state are those of a world in which everybody tells."""
    turns = batches()
    telling = history(twelve("shared orders"), turns)
    silent = history(twelve("shared orders"), turns, tie_threshold=1.0, sentiment_threshold=1.0, peers_told=0)
    for one, other in zip(telling, silent, strict=True):
        for name in ("stimuli", "counts", "tick"):
            assert_same(one[name], other[name])
        for channel in ("feed", "forum"):
            assert_same(one["views"][channel], other["views"][channel])
            assert one["drops"][channel] == other["drops"][channel]


def test_a_batch_of_one_world():
    """A world alone under vmap is the world itself; wider batches are compared with parameters swept as well."""
    run, turns = Run(twelve("personal orders")), batches()[:3]
    step = jax.jit(jax.vmap(run.driver.world.step, in_axes=(0, 0, None, None)))
    state = jax.tree.map(lambda leaf: leaf[None], run.state)
    for tick, batch in enumerate(turns, start=1):
        state, timestep = step(tick_key(run.key, tick)[None], state, batch, run.params)
        run.step_batch(batch)
        assert_same((run.state, run.timestep), jax.tree.map(lambda leaf: np.asarray(leaf)[0], (state, timestep)))


def test_cutting_a_run_into_chunks():
    """Six ticks at once are three and three, with a policy acting; every stacked leaf and the final carry."""
    made = driver("twelve", **{**BASE, "channels": ("feed",), "feed_recommender": "reddit_hot"})
    traits = make_traits(12, {"post": 0.2, "reply": 0.2, "approve": 0.3, "follow": 0.1, "sentiment": 0.7})
    policy, params, key = make_policy(made.world.config, made.params(), traits=traits), made.params(), world_key(9)

    @functools.partial(jax.jit, static_argnums=1)
    def run(first_tick, num_steps, carry=None):
        return rollout(
            made.world, policy, key, num_steps, params, reducer=Trajectory(), carry=carry, first_tick=first_tick
        )

    start = run(1, 0).carry
    whole, first = run(1, 6, start), run(1, 3, start)
    second = run(4, 3, first.carry)
    outputs = jax.tree.map(lambda one, two: np.concatenate([one, two]), first.outputs, second.outputs)
    assert_same(jax.device_get(whole.outputs), jax.device_get(outputs))
    assert digest(jax.device_get(whole.carry)) == digest(jax.device_get(second.carry))
    assert whole.carry.state.num_stimuli > 8
