"""What a sweep finds, and that how it is computed leaves no trace in it."""

import dataclasses

import chex
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core import RandomPolicy, make, rollout, world_key
from jaxworld.core.errors import CapacityError, ConfigurationError
from jaxworld.core.random_walk import RandomWalk
from jaxworld.metrics import host
from jaxworld.study.sweep import AgentReturns, ExposureFigures, Measure, Snapshot, grid, sweep, variants
from jaxworld.study.sweep.exposure import ExposureTally
from jaxworld.study.sweep.study import derive_seeds
from tests.study.sweep.common import SLIPS, SOCIAL, file_digest, social_sweep, walk_arms, walk_sweep


@pytest.fixture(scope="module")
def walked(tmp_path_factory):
    return walk_sweep(out=tmp_path_factory.mktemp("walk") / "sweep", chunk=5)


@pytest.fixture(scope="module")
def in_memory():
    return walk_sweep(reducer=AgentReturns(), seed=3)


def assert_same_rows(one, other):
    assert list(one) == list(other)
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name], err_msg=name)


def test_rows_are_tidy_and_in_order(in_memory):
    rows = in_memory.rows()
    assert len(rows["arm"]) == 2 * 3 * 7
    assert rows["arm"].tolist() == ["5"] * 21 + ["8"] * 21
    assert rows["num_positions"].tolist() == [5] * 21 + [8] * 21
    assert rows["point"].tolist() == [0] * 7 + [1] * 7 + [2] * 7 + [0] * 7 + [1] * 7 + [2] * 7
    assert rows["slip_threshold"].tolist() == [SLIPS[point] for point in rows["point"]]
    assert set(rows["configuration"]) == {in_memory.configuration}
    assert {"seed", "world", "jaxworld_version", "return_mean", "return_q50", "done_share"} <= set(rows)


def test_seeds_are_common_to_all_points_and_arms(in_memory):
    rows = in_memory.rows()
    assert rows["seed"].reshape(6, 7).tolist() == [derive_seeds(7, 3).tolist()] * 6
    assert len(set(derive_seeds(1000, 0).tolist())) == 1000
    # Frozen: the first 8 bytes of SHA-256 of "sweep:0:0".
    assert derive_seeds(1, 0)[0] == 16840572112024852407


def test_each_world_is_the_rollout_of_its_seed_at_its_point(in_memory):
    rows = in_memory.rows()
    world = make("core/random_walk", num_walkers=3, num_positions=8)
    run = jax.jit(lambda key, params: rollout(world, RandomPolicy(world), key, 6, params).summary)
    for row in (21, 30, 41):
        params = dataclasses.replace(world.default_params(), slip_threshold=jnp.uint32(rows["slip_threshold"][row]))
        found = run(world_key(int(rows["seed"][row])), params)
        assert rows["return_mean"][row] == pytest.approx(float(found.total_reward.mean()))
        assert rows["length_mean"][row] == pytest.approx(float(found.length.mean()))
        assert rows["done_share"][row] == pytest.approx(float(found.done.mean()))


@pytest.mark.parametrize(("chunk", "devices"), [(1, 1), (2, 2), (None, 1)])
def test_chunks_and_devices_change_no_byte(walked, tmp_path, chunk, devices):
    other = walk_sweep(out=tmp_path, chunk=chunk, devices=jax.devices()[:devices])
    assert file_digest(other.path) == file_digest(walked.path)
    assert other.configuration == walked.configuration


def test_a_social_world_is_measured_by_its_exposures():
    rows = social_sweep(chunk=5).rows()
    assert rows["exposures"][rows["budget"] == 3].sum() > 2 * rows["exposures"][rows["budget"] == 1].sum() > 0
    assert ((rows["gini"] >= 0) & (rows["gini"] < 1) & (rows["coverage"] <= 1)).all()


def test_an_arm_is_traced_and_compiled_once_however_many_calls_it_takes(monkeypatch):
    # Once to learn the shape of the results, once to compile; a scan may look twice at its body.
    monkeypatch.setattr(RandomWalk, "step", chex.assert_max_traces(RandomWalk.step, n=4))
    moments = []
    many = sweep({"walk": RandomWalk(num_walkers=4)}, seeds=50, ticks=6, block=1, progress=moments.append)
    assert many.timing["walk"]["traces"] == 1
    assert len([moment for moment in moments if moment.done_world_ticks]) == 50 // len(jax.devices())


def test_a_series_is_thinned_or_combined():
    measures = Snapshot((Measure("observation.position", "value"), Measure("reward", "sum")))
    arms, options = {"walk": RandomWalk(num_walkers=2, num_positions=6)}, {"seeds": 3, "ticks": 6, "reducer": measures}
    every = sweep(arms, every=1, **options).rows()
    thin = sweep(arms, every=3, **options).rows()
    summed = sweep(arms, every=3, window="sum", **options).rows()
    assert every["tick"].tolist() == [1, 2, 3, 4, 5, 6] * 3 and thin["tick"].tolist() == [3, 6] * 3
    for name in ("observation.position[0]", "observation.position[1]", "reward_sum"):
        np.testing.assert_array_equal(thin[name], every[name].reshape(3, 2, 3)[:, :, -1].ravel())
        np.testing.assert_array_equal(summed[name], every[name].reshape(3, 2, 3).sum(axis=-1).ravel())
    last = sweep(arms, **options).rows()
    np.testing.assert_array_equal(last["reward_sum"], every["reward_sum"][5::6])


def test_quantiles_over_agents_are_order_statistics():
    found = {}
    for statistic in ("q00", "q25", "q50", "q90", "q100", "min", "max", "mean", "sum"):
        values = jnp.asarray([5, 1, 4, 2, 3], jnp.int32)
        found[statistic] = float(Measure("x", statistic).of({"x": values}))
    assert found == {
        "q00": 1, "q25": 2, "q50": 3, "q90": 5, "q100": 5, "min": 1, "max": 5, "mean": 3, "sum": 15,
    }  # fmt: skip


def test_exposure_figures_are_those_of_the_host_metrics():
    config = variants("social/feed", SOCIAL)["social/feed"]().world.config
    reducer, exposures = ExposureFigures(config=config), np.zeros(64, np.int32)
    exposures[:9] = [7, 0, 3, 3, 1, 0, 12, 2, 2]
    count = jnp.int32(9)
    tally = ExposureTally(exposures=jnp.asarray(exposures), candidates=count, active=count, drops=count)
    found = reducer.host_columns({name: np.asarray(value)[None] for name, value in reducer.final(tally).items()})
    assert found["gini"][0] == pytest.approx(host.gini(exposures[:9]), abs=1e-12)
    assert found["top_1_share"][0] == pytest.approx(12 / 30) and found["coverage"][0] == pytest.approx(7 / 9)
    assert not [name for name in found if name.startswith("_")]


def test_a_flag_of_any_world_stops_the_sweep():
    arms = variants("social/feed", {"num_personas": 60, "stimulus_capacity": 8, "max_publications": 8})
    with pytest.raises(CapacityError, match="raise stimulus_capacity"):
        sweep(arms, seeds=2, ticks=40, block=2, devices=jax.devices()[:1])


def test_progress_ends_at_the_total(tmp_path):
    moments = []
    walk_sweep(out=tmp_path, progress=moments.append)
    assert moments[0].phase == "compiling" and moments[-1].phase == "merging"
    assert moments[-1].done_world_ticks == moments[-1].total_world_ticks == 2 * 21 * 6
    assert moments[-1].rate > 0 and moments[-1].remaining_s == 0
    walk_sweep(out=tmp_path, progress=moments.append)
    assert moments[-1].total_world_ticks == 0 and moments[-1].resumed_worlds == 42


def test_a_dry_run_counts_and_writes_nothing(tmp_path):
    result = walk_sweep(out=tmp_path / "none", dry_run=True)
    estimate = result.estimate
    assert not (tmp_path / "none").exists() and result.path is None
    assert (estimate.worlds, estimate.world_ticks, estimate.rows, estimate.compiles) == (42, 252, 42, 2)
    assert estimate.call_bytes > 0 and estimate.seconds > 0
    assert [arm.name for arm in estimate.arms] == ["5", "8"]
    assert all(arm.flops_per_world_tick > 100 for arm in estimate.arms)
    with pytest.raises(ConfigurationError, match="not complete"):
        result.rows()


def test_a_block_is_made_smaller_until_it_measurably_fits(tmp_path):
    """Then it belongs to the configuration, and whoever goes on in that folder keeps to it."""

    def run(**options):
        return sweep(RandomWalk(num_walkers=3), seeds=4000, ticks=4, **options)

    whole = run(dry_run=True)
    limit = 0.6 * whole.estimate.call_bytes / 2**30
    small = run(out=tmp_path, max_memory=limit, shard="0/2")
    assert small.timing["world"]["call_bytes"] <= limit * 2**30
    assert 0 < small.timing["world"]["call_worlds"] < len(jax.devices()) * whole.estimate.block
    rest = run(out=tmp_path)
    assert rest.computed + rest.resumed == 4000 and rest.resumed == small.computed
    assert rest.timing["world"]["call_worlds"] == small.timing["world"]["call_worlds"]
    assert rest.configuration == small.configuration != whole.configuration
    with pytest.raises(ConfigurationError, match="max_memory"):
        run(max_memory=1e-9)
    with pytest.raises(ConfigurationError, match="fewer worlds side by side"):
        run(max_memory=limit, block=whole.estimate.block)


def test_summary_and_paired_differences(in_memory):
    rows, summary = in_memory.rows(), in_memory.summary()
    assert summary.worlds == 7
    assert list(summary.keys) == ["arm", "num_positions", "point", "slip_threshold"]
    assert summary.keys["arm"].tolist() == ["5", "5", "5", "8", "8", "8"]
    cells = rows["length_mean"].astype(np.float64).reshape(6, 7)
    np.testing.assert_allclose(summary.figures["length_mean"].mean, cells.mean(axis=1))
    assert (summary.figures["length_mean"].low <= summary.figures["length_mean"].mean).all()
    by_arm = in_memory.differences("length_mean", arm="5").difference
    np.testing.assert_allclose(by_arm.mean, (cells - np.concatenate([cells[:3], cells[:3]])).mean(axis=1))
    np.testing.assert_array_equal(by_arm.high[:3], 0)
    by_point = in_memory.differences("length_mean", point=1).difference
    np.testing.assert_allclose(by_point.mean, (cells - cells[[1, 1, 1, 4, 4, 4]]).mean(axis=1))
    with pytest.raises(ConfigurationError, match="baseline"):
        in_memory.differences("length_mean", arm="9")


def test_arms_must_agree():
    one, other = RandomWalk(num_walkers=2), RandomWalk(num_walkers=3)
    measures = Snapshot((Measure("observation.position", "value"),))
    with pytest.raises(ConfigurationError, match="every arm must have the figures"):
        sweep({"a": one, "b": other}, seeds=2, ticks=2, reducer=measures)
    with pytest.raises(ConfigurationError, match="same in file names"):
        sweep({"a b": one, "a-b": other}, seeds=2, ticks=2)


BAD = {
    "no arms": ({"arms": {}}, "arms"),
    "not a world": ({"arms": {"a": 3}}, "give a world"),
    "no seeds": ({"seeds": 0}, "seeds"),
    "seed twice": ({"seeds": [1, 2, 1]}, "twice"),
    "seed of 65 bits": ({"seeds": [2**64]}, "seeds"),
    "no ticks": ({"ticks": 0}, "ticks"),
    "every does not divide": ({"every": 4}, "divisor"),
    "unknown window": ({"every": 3, "window": "median"}, "window"),
    "no chunk": ({"chunk": 0}, "chunk"),
    "no block": ({"block": 0}, "block"),
    "shard without a number": ({"shard": "1-2"}, "shard"),
    "shard outside": ({"shard": "2/2"}, "0/2 to 1/2"),
    "memory without end": ({"max_memory": float("inf")}, "max_memory"),
    "memory is not a number": ({"max_memory": float("nan")}, "max_memory"),
    "unknown parameter": ({"design": grid({"slip_treshold": [1]})}, "slip_threshold"),
    "unknown figure": ({"reducer": Snapshot((Measure("observation.positio"),))}, "observation.position"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_work_is_refused_before_it_runs(case):
    change, expected = BAD[case]
    given = {"arms": {"walk": RandomWalk()}, "seeds": 2, "ticks": 6, **change}
    with pytest.raises(ConfigurationError, match=expected) as caught:
        sweep(given.pop("arms"), given.pop("design", None), **given)
    assert "\n" not in str(caught.value)


def test_parameters_keep_to_the_ranges_of_their_world():
    with pytest.raises(ConfigurationError, match="from 1 to 3"):
        sweep(variants("social/feed", SOCIAL), grid({"budget": [1, 4]}), seeds=1, ticks=1)


def test_options_that_are_fixed_and_varied_are_refused():
    with pytest.raises(ConfigurationError, match="fixed and varied"):
        variants("core/random_walk", {"ring": True}, {"ring": [True, False]})
    with pytest.raises(ConfigurationError, match="num_walkers"):
        variants("core/random_walk", {"num_walkers": "three"})["core/random_walk"]()
    assert list(walk_arms()) == ["5", "8"]
