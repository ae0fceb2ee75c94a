"""The reference world: it keeps the contract, and its closed form is what play gives."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxworld
from jaxworld.core.contract import check_world
from jaxworld.core.errors import ConfigurationError
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.random import world_keys
from jaxworld.core.rollout import rollout


@pytree_dataclass
class Table:
    """Pulls the arm of the table for the cue of this tick, or of the tick before."""

    arms: jax.Array
    remembers: jax.Array

    def init(self, key, params):
        return jnp.zeros(1, jnp.int32)

    def act(self, key, carry, observation):
        return self.arms[jnp.where(self.remembers, carry, observation)], observation


@pytest.mark.parametrize("lag", [0, 1])
def test_it_keeps_the_contract(lag):
    world = jaxworld.make("core/bandit", num_agents=2, lag=lag)
    assert check_world(world, eager=False, thorough=lag == 1).num_traces == 1


def test_no_table_of_arms_beats_the_closed_form_and_the_best_one_meets_it():
    world = jaxworld.make("core/bandit", num_cues=2, num_arms=2, lag=1)
    params = world.params([[0.8, 0.3], [0.1, 0.6]])
    tables = list(itertools.product(range(2), range(2)))
    keys, steps = world_keys(range(400)), 6

    def score(arms, remembers, key):
        return rollout(world, Table(arms=arms, remembers=remembers), key, steps, params).summary.total_reward[0]

    over_worlds = jax.vmap(score, in_axes=(None, None, 0))
    arms, flags = jnp.asarray(tables, jnp.int32), jnp.asarray([False, True])
    each = jax.jit(jax.vmap(jax.vmap(over_worlds, in_axes=(0, None, None)), in_axes=(None, 0, None)))
    blind, remembering = np.asarray(each(arms, flags, keys)).mean(axis=2)
    # One blind step at max(0.45, 0.45) and five at (0.8 + 0.6) / 2.
    assert world.optimal_return(steps, params) == pytest.approx(0.45 + 5 * 0.7, abs=1e-6)
    assert world.optimal_return(steps, params, memory=False) == pytest.approx(6 * 0.45, abs=1e-6)
    assert remembering.max() == pytest.approx(world.optimal_return(steps, params), abs=0.2)
    assert tables[int(remembering.argmax())] == (0, 1)
    assert blind.max() < world.optimal_return(steps, params, memory=False) + 0.2


@pytest.mark.parametrize(
    ("keywords", "message"),
    [({"lag": 2}, "lag = 2"), ({"num_arms": 0}, "num_arms = 0"), ({"num_cues": 1.5}, "num_cues = 1.5")],
)
def test_bad_configuration(keywords, message):
    with pytest.raises(ConfigurationError, match=message):
        jaxworld.make("core/bandit", **keywords)


def test_bad_chances():
    world = jaxworld.make("core/bandit", num_cues=1, num_arms=2)
    for chances in ([[0.1]], [[0.1, 1.2]], [[0.1, np.nan]]):
        with pytest.raises(ConfigurationError, match="chances"):
            world.params(chances)
