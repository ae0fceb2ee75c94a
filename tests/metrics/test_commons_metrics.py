"""Metrics of a commons: kernel and host against sums written out, and the cases nobody agrees on."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld import metrics
from jaxworld.core.errors import ConfigurationError
from jaxworld.metrics import host

RANDOM = np.random.default_rng(0)
HARVESTS = RANDOM.gamma(1.0, 2.0, (4, 9, 5)).astype(np.float32)
TOTALS = HARVESTS.sum(axis=1)
TIMES = (np.arange(9, dtype=np.float32)[:, None] * HARVESTS).sum(axis=1)


def close(kernel, exact, wanted) -> None:
    np.testing.assert_allclose(exact, wanted, rtol=1e-6)
    np.testing.assert_allclose(kernel, wanted, rtol=2e-5)


def test_figures_of_totals() -> None:
    turns, rate, size = jnp.full(4, 9.0), jnp.full(4, 0.4), jnp.full(4, 50.0)
    rows = [row.tolist() for row in TOTALS.astype(float)]
    close(
        metrics.welfare(TOTALS, turns, rate, size), host.welfare(TOTALS, 9, 0.4, 50.0), [sum(row) / 45 for row in rows]
    )
    bent = [sum(math.log(1 + value / 3) for value in row) / 5 for row in rows]
    close(metrics.log_utility(TOTALS, jnp.full(4, 3.0)), host.log_utility(TOTALS, np.full(4, 3.0)), bent)
    close(metrics.rawls(TOTALS), host.rawls(TOTALS), [min(row) for row in rows])
    close(metrics.utilitarian(TOTALS, turns), host.utilitarian(TOTALS, 9), [sum(row) / 9 for row in rows])
    pairs = [1 - sum(abs(a - b) for a in row for b in row) / (2 * 5 * sum(row)) for row in rows]
    close(metrics.equality(TOTALS), host.equality(TOTALS), pairs)
    used = [1 - max(0.0, 9 * 10 - sum(row)) / 90 for row in rows]
    close(metrics.efficiency(TOTALS, turns, jnp.full(4, 10.0)), host.efficiency(TOTALS, 9, 10.0), used)
    when = [np.mean([t / h for t, h in zip(times, row, strict=True)]) for times, row in zip(TIMES, rows, strict=True)]
    close(metrics.sustainability(TIMES, TOTALS), host.sustainability(TIMES, TOTALS), when)


def test_figures_of_series_and_counts() -> None:
    wanted = sum(0.9**turn * HARVESTS[:, turn].astype(float) for turn in range(9))
    close(metrics.discounted(HARVESTS, jnp.float32(0.9)), host.discounted(HARVESTS, 0.9), wanted)
    over, takes = jnp.asarray([[1, 0, 2], [0, 0, 0]]), jnp.asarray([[4, 4, 4], [0, 0, 0]])
    close(metrics.over_usage(over, takes), host.over_usage(over, takes), [0.25, 0.0])
    close(metrics.peace(jnp.asarray(3), jnp.asarray(12)), host.peace(3, 12), 0.75)
    alive = jnp.asarray([[True, True, False], [False, False, False]])
    close(metrics.survival_time(alive), host.survival_time(alive), [2, 0])
    bound, broken = jnp.asarray([4.0, 2.0]), jnp.asarray([1.0, 2.0])
    close(metrics.honour_rate(broken, bound), host.honour_rate(broken, bound), [0.75, 0.0])


def test_cases_nobody_agrees_on_are_defined_alike() -> None:
    nothing = np.zeros((2, 3), np.float32)
    for module in (metrics, host):
        np.testing.assert_array_equal(module.equality(nothing), 1.0)
        np.testing.assert_array_equal(np.isnan(module.sustainability(nothing, nothing)), True)
        np.testing.assert_array_equal(np.isnan(module.honour_rate(nothing, nothing)), True)
        one = np.array([[0.0, 2.0, 6.0]], np.float32)
        np.testing.assert_allclose(module.sustainability(one * 3, one), 3.0)
        mask = np.array([True, True, False])
        np.testing.assert_allclose(module.rawls(one + 1, mask), 1.0)
        np.testing.assert_allclose(module.equality(one, mask), module.equality(one[:, :2]))
        np.testing.assert_allclose(module.efficiency(one, np.full(1, 1.0), np.full(1, 4.0)), 1.0)  # more is not better


def test_whole_numbers_are_summed_exactly() -> None:
    large = np.array([2**53, 1, 1])
    assert host.utilitarian(large, 2) == (2**53 + 2) / 2
    with pytest.raises(ConfigurationError, match="scale"):
        host.log_utility([1.0], 0.0)
    with pytest.raises(ConfigurationError, match="discount"):
        host.discounted([[1.0]], 1.5)
    assert jax.jit(metrics.welfare)(jnp.ones(3), jnp.float32(1), jnp.float32(0), jnp.float32(1)) == 0
