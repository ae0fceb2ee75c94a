"""Digest of many noisy observations; run as a program, it prints the digest under whatever flags XLA was given."""

import hashlib

import jax
import numpy as np

from jaxworld.core import tick_key, world_keys
from tests.observe.family import make, values

CONFIGURATION = {
    "commonsStock": {"noise": 0.1, "resolution": ["sign", "exact"], "reference": "observed"},
    "ownWealth": {"noise": 0.7},
    "othersWealth": {"noise": 0.4, "max": 500, "resolution": "bucket", "buckets": 5},
    "othersHarvest": {"noise": 0.2, "resolution": "exact", "transforms": [{"kind": "clamp", "min": 0, "max": 2.7}]},
}


def observe_worlds(worlds):
    """What players of each world receive at their second tick, and what they remember."""
    pipeline = make(CONFIGURATION)
    params = pipeline.default_params()

    def world(key, number):
        # Products that an optimising compiler would love to contract with the noise added to them.
        true = values() | {"commonsStock": number * np.float32(1.1), "ownWealth": values()["ownWealth"] * number}
        memory = pipeline.apply(params, pipeline.init_memory(), true, key=tick_key(key, 0))[1]
        return pipeline.apply(params, memory, true, key=tick_key(key, 1))

    keys = world_keys(worlds)
    return jax.jit(jax.vmap(world))(keys, np.linspace(0.3, 90, len(worlds), dtype=np.float32))


def digest(num_worlds=300):
    leaves = jax.tree.leaves(observe_worlds(range(num_worlds)))
    return hashlib.sha256(b"".join(np.asarray(leaf).tobytes() for leaf in leaves)).hexdigest()


if __name__ == "__main__":
    jax.config.update("jax_platforms", "cpu")
    print(digest())
