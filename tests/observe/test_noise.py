"""Noise: its size, its independence, and what must not change with it."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core import tick_key, world_keys
from tests.observe.digest import digest
from tests.observe.family import KEY, compiled, make, observe, readings, same_bits, values
from tests.oracles import observe as oracle

TICKS = 12_000
ROOT = Path(__file__).resolve().parents[2]


def correlation(one, other):
    return abs(np.corrcoef(one.ravel(), other.ravel())[0, 1])


def test_standard_deviation_is_the_fraction_of_the_value():
    stock, wealth = readings(TICKS)
    others = ~np.eye(8, dtype=bool)
    for relative in (stock, wealth[:, others]):
        assert relative.std() == pytest.approx(0.2, rel=0.01)
        assert abs(relative.mean()) < 0.2 * 0.02
    assert ((stock / 0.2) ** 4).mean() == pytest.approx(3, rel=0.05)


def test_readings_are_independent_over_observers_targets_ticks_and_variables():
    stock, wealth = readings(TICKS)
    assert correlation(stock, np.roll(stock, 1, axis=1)) < 0.01  # observers
    assert correlation(stock[1:], stock[:-1]) < 0.01  # ticks
    rows, columns = np.nonzero(~np.eye(8, dtype=bool))
    assert correlation(wealth[:, rows, columns], wealth[:, columns, rows]) < 0.01  # who looks at whom
    assert correlation(wealth[1:, rows, columns], wealth[:-1, rows, columns]) < 0.01
    assert correlation(stock[:, rows], wealth[:, rows, columns]) < 0.01  # the same observer's other variable
    assert correlation(stock[:, columns], wealth[:, rows, columns]) < 0.01


def test_a_second_noise_is_a_further_draw_and_scales_with_what_comes_in():
    twice = make({"commonsStock": {"noise": 0.1, "transforms": [{"kind": "gaussian_noise", "stdFraction": 0.1}]}})
    apart = make({"commonsStock": {"noise": 0.1}})
    one, other = (np.asarray(observe(p)["commonsStock"].value) for p in (apart, twice))
    words = [oracle.noise_words(tick_key(KEY, 5), "commonsStock", "gaussian_noise", 1, i, 2**32 - 1) for i in range(4)]
    expected = one + 0.1 * np.abs(one) * oracle.quantile(words)
    np.testing.assert_allclose(other, expected, rtol=2e-5)


def test_every_draw_is_keyed_by_names_and_identities_alone():
    pipeline = make({"othersWealth": {"noise": 0.25}})
    identity = np.asarray([7, 3, 900, 11], np.uint32)
    true = values()
    got = np.asarray(observe(pipeline, identity=identity)["othersWealth"].value)
    for row, column in np.ndindex(4, 4):
        if row != column:
            word = oracle.noise_words(
                tick_key(KEY, 5), "othersWealth", "gaussian_noise", 0, identity[row], identity[column]
            )
            x = float(true["othersWealth"][column])
            assert got[row, column] == pytest.approx(x * (1 + 0.25 * float(oracle.quantile([word])[0])), abs=2e-3)


def test_permuted_players_permute_observations_and_more_players_change_none():
    configuration = {"commonsStock": {"noise": 0.3}, "othersWealth": {"noise": 0.3, "max": 500, "resolution": "bucket"}}
    order = np.asarray([2, 0, 3, 1])
    true = values()
    moved = {name: value if value.ndim == 0 else value[order] for name, value in true.items()}
    one = observe(make(configuration))
    other = observe(make(configuration), true=moved, identity=order.astype(np.uint32))
    wide = observe(
        make(configuration, 6),
        true={name: value if value.ndim == 0 else jnp.pad(value, (0, 2)) for name, value in true.items()},
        active=np.arange(6) < 4,
    )
    for name in ("commonsStock", "othersWealth", "ownWealth"):
        for part in ("value", "mask", "code"):
            first, second, third = (np.asarray(getattr(made[name], part)) for made in (one, other, wide))
            rows = (order, order[:, None])[first.ndim - 1] if first.ndim == 1 else (order[:, None], order[None, :])
            assert (second == first[rows]).all()
            assert (third[tuple(slice(4) for _ in range(first.ndim))] == first).all()
    assert not wide["othersWealth"].mask[4:].any() and not wide["othersWealth"].mask[:, 4:].any()


def test_no_noise_equals_no_noise_entry_and_noise_touches_nothing_else():
    rest = {"ownWealth": {"noise": 0.5}, "othersHarvest": {"resolution": "bucket"}}
    without = make({"commonsStock": {"resolution": "sign", "reference": "observed"}, **rest})
    pipeline = make({"commonsStock": {"noise": 0, "resolution": "sign", "reference": "observed"}, **rest})
    run, plain = compiled(pipeline), compiled(without)
    corners = [0.0, -0.0, 1e-30, -3.7, np.inf, -np.inf, np.nan, 8191.9995, 3e38]
    params = pipeline.default_params()
    for stock in corners:
        silent = run(params, pipeline.init_memory(), values(stock=stock), 3)
        assert same_bits(silent, plain(without.default_params(), without.init_memory(), values(stock=stock), 3))
        for noise in (0.1, 1.0):
            loud = dict(params, commonsStock=dataclasses.replace(params["commonsStock"], noise=np.float32(noise)))
            noisy = run(loud, pipeline.init_memory(), values(stock=stock), 3)[0]
            silent_rest = {name: made for name, made in silent[0].items() if name != "commonsStock"}
            assert same_bits({name: noisy[name] for name in silent_rest}, silent_rest)
            if stock == 0 or not np.isfinite(stock):  # 0, NaN and infinity have no noise
                np.testing.assert_array_equal(noisy["commonsStock"].value, silent[0]["commonsStock"].value)
    assert run._cache_size() == 1  # a sweep of noise compiles once


def test_a_batch_of_worlds_and_an_uncompiled_run_have_the_bits_of_single_worlds():
    pipeline = make(
        {
            "commonsStock": {"noise": 0.1, "resolution": ["exact", "bucket", "sign"], "reference": "true"},
            "othersWealth": {"noise": 0.4, "transforms": [{"kind": "clamp", "min": 0, "max": 250.5}]},
        }
    )
    params = pipeline.default_params()
    keys = world_keys([1, 2, 2**33])
    stocks = jnp.asarray([33.3, 70.125, 99.9], jnp.float32)

    def world(key, stock):
        # The product must not be contracted with the noise that is added to it.
        true = values(stock=1.0) | {"commonsStock": stock * np.float32(1.1)}
        memory = pipeline.init_memory()
        _, memory = pipeline.apply(params, memory, true, key=tick_key(key, 0))
        return pipeline.apply(params, memory, true, key=tick_key(key, 1))

    batch = jax.jit(jax.vmap(world))(keys, stocks)
    compiled_world = jax.jit(world)
    for row, run in ((0, compiled_world), (1, world), (2, compiled_world)):
        lone = run(keys[row], stocks[row])
        assert same_bits(jax.tree.map(lambda leaf, row=row: leaf[row], batch), lone)


def test_an_optimising_compiler_gives_the_bits_of_a_plain_one():
    # This process skips LLVM's optimisation; the other one contracts, vectorises and unrolls all it can.
    program = [sys.executable, "-m", "tests.observe.digest"]
    made = subprocess.run(
        program, cwd=ROOT, env=os.environ | {"XLA_FLAGS": ""}, capture_output=True, text=True, check=True
    )
    assert made.stdout.strip() == digest()


def test_noise_can_differ_between_observers():
    """Those without any read the truth, the others what they read when all have it; targets make no difference."""
    pipeline = make({"commonsStock": {"noise": 0.25}, "othersWealth": {"noise": 0.25}})
    params, level = pipeline.default_params(), np.asarray([0.25, 0, 0.25, 0], np.float32)
    names = ("commonsStock", "othersWealth")
    mixed = params | {name: dataclasses.replace(params[name], noise=level) for name in names}
    none = params | {name: dataclasses.replace(params[name], noise=np.float32(0)) for name in names}
    found, noisy, exact = (observe(pipeline, given) for given in (mixed, params, none))
    for name in names:
        one, all_noisy, plain = (np.asarray(delivered[name].value) for delivered in (found, noisy, exact))
        np.testing.assert_array_equal(one[[0, 2]], all_noisy[[0, 2]], err_msg=name)
        np.testing.assert_array_equal(one[[1, 3]], plain[[1, 3]], err_msg=name)
        assert (one[[0, 2]] != plain[[0, 2]]).any()
