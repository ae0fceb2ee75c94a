"""Slow growth and fast collapse under constant effort, and what each part of it does."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.commons import CommonsAction, make_commons, make_params, make_seneca_params
from jaxworld.core.pytree import replace
from jaxworld.core.random import world_key
from tests.oracles import commons as oracle

TURNS = 320


@pytest.fixture(scope="module")
def catches() -> dict[str, np.ndarray]:
    """Total harvest of each turn, with everything, without pollution, and without capital."""
    world = make_commons(6, seneca=True)
    params = make_params(world.config, collapse_share=0.0)
    mine = make_seneca_params()
    clean = replace(mine, regrowth_damage=np.float32(0), pollution_wear=np.float32(0))
    bare = replace(mine, initial_capital=np.float32(0), investment=np.float32(0))
    variants = [replace(params, seneca=each) for each in (mine, clean, bare)]
    stacked = jax.tree.map(lambda *leaves: jnp.stack([jnp.asarray(leaf) for leaf in leaves]), *variants)
    effort = CommonsAction(request=jnp.full(6, 0.1))

    def run(params):
        def turn(state, _):
            state, timestep = world.step(world_key(1), state, effort, params)
            return state, timestep.info.harvest.sum()

        return jax.lax.scan(turn, world.reset(world_key(0), params)[0], None, length=TURNS)[1]

    made = np.asarray(jax.jit(jax.vmap(run))(stacked))
    return dict(zip(("all", "clean", "bare"), made, strict=True))


def rise_and_fall(catch: np.ndarray, share: float) -> tuple[int, int]:
    """Turns from ``share`` of the peak to the peak, and back."""
    peak = int(catch.argmax())
    low = catch <= share * catch[peak]
    return peak - int(np.flatnonzero(low[:peak]).max()), int(np.flatnonzero(low[peak:]).min())


def test_it_falls_at_least_four_times_as_fast_as_it_rose(catches) -> None:
    rise, fall = rise_and_fall(catches["all"], 0.1)
    assert rise >= 4 * fall
    assert (rise, fall) == (176, 22)
    assert rise_and_fall(catches["all"], 0.5) == (74, 21)
    assert catches["all"].max() / catches["all"][0] == pytest.approx(12.9, abs=0.1)


def test_it_follows_the_equations_over_the_whole_curve(catches) -> None:
    rules = oracle.Rules(harvest_cap=np.inf, collapse_share=0.0, seneca=oracle.SENECA)
    state, expected = oracle.World(stock=100.0, wealth=[0.0] * 6), []
    for _ in range(TURNS):
        state = oracle.play(state, [0.1] * 6, rules)
        expected.append(sum(state.harvest))
    np.testing.assert_allclose(catches["all"], expected, rtol=2e-3, atol=2e-3)


def test_pollution_brings_the_fall_forward_and_capital_makes_it(catches) -> None:
    everything, clean, bare = (catches[name] for name in ("all", "clean", "bare"))
    # Without pollution: later, higher, and steeper still.
    assert clean.argmax() > everything.argmax()
    assert clean.max() > everything.max()
    rise, fall = rise_and_fall(clean, 0.1)
    assert rise / fall > 176 / 22
    # Without capital: no growth and no collapse.
    assert bare.max() < 1.1 * bare[0]
    assert bare[-1] > 0.9 * bare.max()
