"""Variables of a family that does not exist, and short ways to run a pipeline."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from jaxworld.core import tick_key, world_key
from jaxworld.observe import Variable, compile_pipeline

VARIABLES = (
    Variable("commonsStock", "scalar", 0, 100, True, "What is left."),
    Variable("regenRate", "scalar", 0, 1, False, "How fast it grows back."),
    Variable("ownWealth", "player", None, None, True, "What the player owns."),
    Variable("othersWealth", "pair", 0, None, True, "What another player owns."),
    Variable("othersHarvest", "pair", 0, 5, True, "What another player took."),
    Variable("capitalStock", "scalar", 0, None, False, "Machines.", requires="set seneca = true"),
)
KEY = world_key(20)


def make(configuration, num_observers=4):
    return compile_pipeline(VARIABLES, configuration, num_observers)


def values(num_observers=4, stock=70.0):
    wealth = jnp.asarray(np.linspace(10, 300, num_observers, dtype=np.float32))
    return {
        "commonsStock": jnp.float32(stock),
        "ownWealth": wealth,
        "othersWealth": wealth,
        "othersHarvest": wealth / np.float32(100),
    }


def observe(pipeline, params=None, true=None, tick=5, **keywords):
    """Delivered, eagerly, from empty memory."""
    params = pipeline.default_params() if params is None else params
    true = values(pipeline.num_observers) if true is None else true
    return pipeline.apply(params, pipeline.init_memory(), true, key=tick_key(KEY, tick), **keywords)[0]


def compiled(pipeline):
    """``f(params, memory, true, tick)``, compiled."""

    @jax.jit
    def run(params, memory, true, tick):
        return pipeline.apply(params, memory, true, key=tick_key(KEY, tick))

    return run


@functools.cache
def readings(num_ticks, num_observers=8):
    """Noisy stock 50 and noisy wealth 10 of everybody at many ticks: ``[T, N]`` and ``[T, N, N]``, not rounded."""
    pipeline = make({"commonsStock": {"noise": 0.2}, "othersWealth": {"noise": 0.2}}, num_observers)
    true = values(num_observers, stock=8192.0) | {"othersWealth": jnp.full(num_observers, 16384, jnp.float32)}

    @jax.jit
    def run(ticks):
        params, memory = pipeline.default_params(), pipeline.init_memory()
        return jax.vmap(lambda tick: pipeline.apply(params, memory, true, key=tick_key(KEY, tick))[0])(ticks)

    made = run(np.arange(num_ticks, dtype=np.uint32))
    stock = np.asarray(made["commonsStock"].value, np.float64) / 8192 - 1
    return stock, np.asarray(made["othersWealth"].value, np.float64) / 16384 - 1


def same_bits(one, other):
    """Whether two pytrees have the same structure and the same bits."""
    leaves, others = jax.tree.leaves(one), jax.tree.leaves(other)
    assert jax.tree.structure(one) == jax.tree.structure(other)
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in zip(leaves, others, strict=True))
