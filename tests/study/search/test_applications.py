"""Named applications: the hook for new ones, and the reach study counted by hand."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxworld
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.random import world_keys
from jaxworld.core.rollout import Trajectory, rollout
from jaxworld.metrics.intervals import paired_difference
from jaxworld.plot.reach import write_reach_figure
from jaxworld.plot.search import write_reference_figure
from jaxworld.social.policies import PROBABILITY_UNIT
from jaxworld.study.experiments.reach import ReachSettings, run_reach
from jaxworld.study.experiments.reach.effort import COSTS, even_split
from jaxworld.study.experiments.reach.run import make_objective
from jaxworld.study.experiments.reference import ReferenceSettings, run_reference
from jaxworld.study.search import applications
from jaxworld.study.search.applications import (
    Application,
    application_names,
    get_application,
    register_application,
    resolve,
)
from jaxworld.study.search.evaluate import Evaluator

TINY = ReachSettings(
    personas=40, creators=8, ticks=14, recommenders=("twhin",), population_size=4, generations=3, worlds=2,
    held_out_worlds=8, effort=0.3,
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Double:
    size: int = 1


def test_a_family_can_add_an_application_of_its_own(monkeypatch):
    monkeypatch.setattr(applications, "_applications", dict(applications._applications))
    mine = Application("doubles a number", Double, lambda settings, **_: 2 * settings.size, "os.path:join")
    register_application("double", mine)
    register_application("double", mine)
    assert application_names()["double"] == "doubles a number"
    found = get_application("double")
    assert resolve(found.run)(found.make_settings(size=4)) == 8 and callable(resolve(found.figure))
    with pytest.raises(ConfigurationError, match="already registered"):
        register_application("double", dataclasses.replace(mine, summary="another"))
    with pytest.raises(ConfigurationError, match="did you mean 'size'"):
        found.make_settings(sise=2)
    with pytest.raises(ConfigurationError, match="did you mean 'double'"):
        get_application("duoble")


def test_the_built_in_applications_resolve():
    for name in ("reach", "reference", "harvest", "best_response"):
        application = get_application(name)
        assert dataclasses.is_dataclass(application.make_settings())
        assert callable(resolve(application.run)) and callable(resolve(application.figure))


def test_a_split_of_effort_becomes_chances_of_creators_alone():
    objective = make_objective(TINY, "random")
    creator = np.asarray(objective.codec.creator)
    assert creator.sum() == 8
    own = objective.codec.policy.traits
    all_on_posts = objective.codec.decode({"split": jnp.asarray([60, 0, 0, 0, 0], jnp.float32)}).traits
    np.testing.assert_array_equal(np.asarray(all_on_posts.post)[creator], round(0.3 * PROBABILITY_UNIT))
    assert np.asarray(all_on_posts.reply)[creator].max() == 0
    for name in ("post", "reply", "share", "approve", "dissent", "conformity", "sentiment"):
        np.testing.assert_array_equal(
            np.asarray(getattr(all_on_posts, name))[~creator], np.asarray(getattr(own, name))[~creator]
        )
    even = objective.codec.decode(even_split()).traits
    spent = sum(cost * int(np.asarray(getattr(even, name))[creator][0]) for name, cost in COSTS.items())
    assert spent / PROBABILITY_UNIT == pytest.approx(0.3, abs=1e-3)


def test_reach_is_what_a_slow_count_over_the_views_finds():
    objective = make_objective(TINY, "random")
    creator, key = np.asarray(objective.codec.creator), world_keys([5])[0]
    posting = {"split": jnp.asarray([60, 0, 0, 0, 0], jnp.float32)}
    policy = objective.codec.decode(posting)
    run = rollout(objective.world, policy, key, TINY.ticks + 1, objective.params, reducer=Trajectory())
    seen = jax.tree.map(
        np.asarray, run.outputs.observation
    )  # entry t is the view of tick t; the objective counts ticks 1 on
    met = awake = 0
    for tick in range(1, TINY.ticks + 1):
        for persona in np.flatnonzero(~creator):
            if bool(seen.active[tick, persona]):
                awake += 1
                shown = zip(seen.feed.stimulus[tick, persona], seen.feed.author[tick, persona], strict=True)
                met += any(int(stimulus) >= 0 and int(author) in np.flatnonzero(creator) for stimulus, author in shown)
    assert 0 < met < awake
    scores = Evaluator(objective).scores({"split": posting["split"][None]}, np.array([5], np.uint64))
    assert scores[0, 0] == pytest.approx(met / awake)


def test_a_reach_study_compares_the_same_policy_on_the_same_worlds(tmp_path):
    told = []
    result = run_reach(TINY, progress=lambda arm, event: told.append((arm, event.generation)))
    assert told == [("twhin", 1), ("twhin", 2), ("twhin", 3)]
    assert result.recommender_names == ("twhin", "random") and result.policy_names == ("even split", "twhin")

    def scores(policy, recommender):
        rows = (result.rows["policy"] == policy) & (result.rows["recommender"] == recommender)
        assert rows.sum() == TINY.held_out_worlds
        return result.rows["reach"][rows]

    figures = result.summary["twhin"]
    here = scores("twhin", "twhin") - scores("even split", "twhin")
    there = scores("twhin", "random") - scores("even split", "random")
    assert here.std() > 0 and there.std() > 0
    assert figures["gain"]["mean"] == pytest.approx(here.mean())
    assert figures["gain_under_random"]["mean"] == pytest.approx(there.mean())
    given = paired_difference(here, there)
    assert figures["given"] == pytest.approx({"mean": given.mean, "low": given.low, "high": given.high})
    np.testing.assert_allclose(result.matrix[1], [scores("twhin", name).mean() for name in ("twhin", "random")])
    assert result.searches["twhin"].score.mean == pytest.approx(scores("twhin", "twhin").mean())
    assert (result.rows["seed_of_world"] >= 2**63).all()
    assert sum(figures["split"].values()) == pytest.approx(1)
    write_reach_figure(result, tmp_path / "reach.png")
    assert (tmp_path / "reach.png").stat().st_size > 10_000


def test_the_reference_reaches_the_closed_form(tmp_path):
    settings = ReferenceSettings(policies=("linear",), generations=6, steps=10, seeds=3)
    result = run_reference(settings)
    share = result.summary["linear, cue on show"]["share"]
    assert share["low"] >= 0.95
    world = jaxworld.make("core/bandit", lag=1)
    expected = world.optimal_return(10, memory=False)
    assert result.summary["linear, cue of last tick"]["optimum"] == pytest.approx(expected)
    write_reference_figure(result, tmp_path / "reference.png")
    assert (tmp_path / "reference.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"creators": 200}, "somebody has to be the audience"),
        ({"effort": 0.0}, "effort = 0.0"),
        ({"recommenders": ("twich",)}, "twich"),
        ({"recommenders": ()}, "at least one"),
        ({"ticks": 0}, "ticks = 0"),
    ],
)
def test_bad_reach_settings(change, match):
    with pytest.raises(ConfigurationError, match=match):
        ReachSettings(**change)
