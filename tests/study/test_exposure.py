"""The exposure study: what it finds, and that how it is computed leaves no trace in it."""

import dataclasses

import jax
import numpy as np
import pytest

from jaxworld.core.errors import CapacityError, ConfigurationError
from jaxworld.metrics import host
from jaxworld.study.experiments.exposure import METRICS, ExposureSettings, run_exposure

SMALL = ExposureSettings(
    personas=100, worlds=12, ticks=24, recommenders=("random", "reddit_hot", "twitter", "twhin"), seed=3
)


@pytest.fixture(scope="module")
def moments():
    return []


@pytest.fixture(scope="module")
def small(moments):
    return run_exposure(SMALL, progress=moments.append)


def test_random_is_flatter_than_hot_and_degree_in_paired_worlds(small):
    """By Gini and by the share of the top percent, with intervals that exclude zero; interest is reported alike."""
    for metric in ("gini", "top_1_percent_share"):
        for name in ("reddit_hot", "twhin"):
            assert small.summary[name][metric]["difference_to_random"]["low"] > 0, (name, metric)
        assert_reported(small.summary["twitter"][metric]["difference_to_random"])


def test_interest_among_clustered_people_is_reported_too():
    settings = dataclasses.replace(SMALL, population="clustered", recommenders=("random", "twitter"))
    summary = run_exposure(settings).summary
    for metric in ("gini", "top_1_percent_share"):
        assert_reported(summary["twitter"][metric]["difference_to_random"])


def assert_reported(interval):
    assert interval["low"] <= interval["mean"] <= interval["high"]


def test_arms_share_people_seeds_and_draws(small):
    """Common random numbers: the same personas are awake in the same worlds, whatever the recommender."""
    rows = small.rows
    arms = [rows["recommender"] == name for name in SMALL.recommenders]
    for column in ("world", "seed", "tick", "active", "exposures"):
        for arm in arms[1:]:
            np.testing.assert_array_equal(rows[column][arms[0]], rows[column][arm])
    assert len(np.unique(rows["seed"])) == SMALL.worlds


def test_rows_and_summary_agree(small):
    """The summary is the last tick's mean over worlds (drops: of all ticks), and differences are paired."""
    rows = small.rows
    assert len(rows["tick"]) == len(SMALL.recommenders) * SMALL.worlds * SMALL.ticks
    finals = {}
    for name in SMALL.recommenders:
        arm = rows["recommender"] == name
        last = arm & (rows["tick"] == SMALL.ticks)
        finals[name] = rows["gini"][last]
        assert small.summary[name]["gini"]["mean"] == pytest.approx(rows["gini"][last].mean())
        drops = small.summary[name]["drops_per_persona_tick"]["mean"]
        assert drops == pytest.approx(rows["drops_per_persona_tick"][arm].mean())
    difference = small.summary["reddit_hot"]["gini"]["difference_to_random"]["mean"]
    assert difference == pytest.approx((finals["reddit_hot"] - finals["random"]).mean())
    ticks, mean, low, high = small.curves["random"]["gini"]
    at_end = rows["gini"][(rows["recommender"] == "random") & (rows["tick"] == SMALL.ticks)]
    assert mean[-1] == pytest.approx(at_end.mean())
    assert (low <= mean).all() and (mean <= high).all() and ticks[0] == 1


def test_chunks_calls_blocks_and_devices_change_nothing(small, monkeypatch):
    """One world at a time on one device, ten ticks a call, rows to a sink: the bits of the default run."""
    from jaxworld.study.experiments.exposure import run

    plans, original = [], run.make_plan

    def few_ticks(settings, world, devices):
        plans.append(dataclasses.replace(original(settings, world, devices), ticks=10, whole=False))
        return plans[-1]

    monkeypatch.setattr(run, "make_plan", few_ticks)
    parts = []
    settings = dataclasses.replace(SMALL, chunk=1, recommenders=("random",))
    other = run_exposure(settings, devices=jax.devices()[:1], sink=parts.append)
    assert [(plan.chunk, plan.block, plan.mesh.size) for plan in plans] == [(1, 1, 1)]
    assert other.rows == {}
    rows = {column: np.concatenate([part[column] for part in parts]) for column in parts[0]}
    arm = small.rows["recommender"] == "random"
    order = np.lexsort((rows["tick"], rows["world"]))
    for column, values in small.rows.items():
        np.testing.assert_array_equal(values[arm], rows[column][order], err_msg=column)
    for metric in METRICS:
        assert small.summary["random"][metric] == other.summary["random"][metric]
        np.testing.assert_array_equal(
            np.array(small.curves["random"][metric]), np.array(other.curves["random"][metric]), err_msg=metric
        )
    np.testing.assert_array_equal(np.array(small.lorenz["random"]), np.array(other.lorenz["random"]))


def test_metrics_are_those_of_the_counts():
    """Exposure is counted over what could be shown, and each persona reached counts once."""
    from jaxworld.study.experiments.exposure.reducer import ExposureTick
    from jaxworld.study.experiments.exposure.summary import measure

    exposures = np.array([[[6, 3, 1, 0, 0, 0]]], np.int32)
    counts = ExposureTick(
        exposures=exposures,
        reach=np.array([[[3, 3, 1, 0, 0, 0]]], np.int32),
        drops=np.array([[8]], np.int32),
        active=np.array([[2]], np.int32),
        candidates=np.array([[4]], np.int32),
        overflow=np.array([[0]], np.int32),
    )
    found = measure(counts, people=4)
    assert found["gini"][0, 0] == host.gini(np.array([6, 3, 1, 0]))
    assert found["top_1_share"][0, 0] == 0.6
    assert found["coverage"][0, 0] == 0.75
    assert found["effective_number"][0, 0] == pytest.approx(100 / 46)
    assert found["mean_reach"][0, 0] == pytest.approx((3 + 3 + 1 + 0) / 4 / 4)
    assert found["drops_per_persona_tick"][0, 0] == 2.0


def test_progress_ends_at_the_total(small, moments):
    total = len(SMALL.recommenders) * SMALL.worlds * SMALL.ticks
    assert small.settings is SMALL
    assert [moments[0].phase, moments[1].phase] == ["population", "compiling"]
    assert moments[-1].done_world_ticks == moments[-1].total_world_ticks == total
    done = [moment.done_world_ticks for moment in moments]
    assert done == sorted(done)


@pytest.mark.parametrize("worlds", [1, 7, 10**7])
def test_a_plan_stays_within_the_memory_it_may_use(worlds):
    """However many worlds are asked for, what runs at once fits."""
    from jaxworld.social import make_social
    from jaxworld.study.experiments.exposure.plan import make_plan, world_bytes

    settings = dataclasses.replace(SMALL, worlds=worlds, ticks=500, max_memory=0.01)
    world = make_social(num_personas=60, stimulus_capacity=128)
    plan = make_plan(settings, world, jax.devices())
    held, per_tick = world_bytes(world)
    kept = plan.chunk * plan.ticks * per_tick + (0 if plan.whole else plan.chunk * held)
    assert kept + plan.block * plan.mesh.size * held <= 0.01 * 2**30
    assert plan.chunk % (plan.block * plan.mesh.size) == 0
    assert plan.chunk <= max(worlds, 1) + plan.block * plan.mesh.size


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"worlds": 10**7, "max_memory": 0.5}, "worlds"),
        ({"max_memory": 1e-6}, "max_memory"),
        ({"population": "karate_clubb"}, "population"),
        ({"population": "/no/such/folder"}, "population"),
    ],
)
def test_what_cannot_work_is_refused_before_it_runs(change, named):
    with pytest.raises(ConfigurationError, match=named):
        run_exposure(dataclasses.replace(SMALL, **change))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"personas": 0}, "personas"),
        ({"worlds": -1}, "worlds"),
        ({"ticks": 2.5}, "ticks"),
        ({"budget": 4, "window": 3}, "window"),
        ({"recommenders": ()}, "recommenders"),
        ({"recommenders": ("random", "random")}, "recommenders"),
        ({"recommenders": ("redit_hot",)}, "reddit_hot"),
        ({"channels": ("wom",)}, "channels"),
        ({"channels": ("forum",), "recommenders": ("twhin",)}, "recommenders"),
        ({"tick_unit": "minute"}, "tick_unit"),
        ({"max_memory": float("inf")}, "max_memory"),
        ({"seed": -1}, "seed"),
    ],
)
def test_settings_check_themselves(change, named):
    with pytest.raises(ConfigurationError, match=named):
        dataclasses.replace(SMALL, **change)


def test_a_buffer_that_is_too_small_is_an_error_not_a_cut():
    with pytest.raises(CapacityError, match="raise stimulus_capacity"):
        run_exposure(
            dataclasses.replace(SMALL, personas=300, worlds=2, capacity=64, ticks=40, recommenders=("random",))
        )
