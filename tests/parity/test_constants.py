"""The numbers of our rules are those in the original's settings, in all variants. Runs under `make parity`."""

import numpy as np
import pytest

from jaxworld.core.random import probability_threshold
from jaxworld.grid.substrates.commons_harvest import RADIUS
from jaxworld.grid.substrates.matrix_games import EDGE_UNITS
from tests.parity.worlds import VARIANTS, world_of


@pytest.fixture(scope="module")
def settings(original):
    return original("constants", *VARIANTS)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_numbers_are_those_of_the_settings(settings, variant):
    theirs = settings[variant]
    world = world_of(variant)
    params = world.default_params()

    ours = {
        "players": world.num_agents,
        "actions": len(world.action_names),
        "max_steps": world.max_steps,
        "view": [getattr(world.window, side) for side in ("forward", "backward", "left", "right")],
        **_numbers(variant, world, params),
    }
    if "intervalLength" in theirs:
        ours["minimumFramesPerEpisode"] = params.ending.minimum
        ours["intervalLength"] = params.ending.interval
        ours["probabilityTerminationPerInterval"] = params.ending.chance
    assert set(ours) == set(theirs)
    for name, value in ours.items():
        expected = theirs[name]
        if name in ("regrowRate", "regenerationRate", "regrowthProbabilities", "probabilityTerminationPerInterval"):
            expected = probability_threshold(expected)
        if name == "edges":
            expected = (expected * EDGE_UNITS).astype(np.float32)
        np.testing.assert_array_equal(np.asarray(value), expected, err_msg=name)


def _numbers(variant, world, params):
    if variant == "coins":
        rewards = {"rewardSelfForMatch": params.reward, "rewardSelfForMismatch": params.reward}
        others = {"rewardOtherForMatch": 0, "rewardOtherForMismatch": params.mismatch}
        return {"regrowRate": params.regrowth, **rewards, **others}
    (beam,) = world.beams.values()
    beams = {"beamLength": beam.length, "beamRadius": beam.radius, "framesTillRespawn": params.respawn_delay}
    if variant.startswith("commons_harvest"):
        return {
            **beams,
            "cooldownTime": params.zap_cooldown,
            "regrowthProbabilities": params.regrowth,
            "radius": RADIUS,
            "rewardForEating": params.apple_reward,
        }
    return {
        **beams,
        "cooldownTime": params.cooldown,
        "freezeOnInteraction": params.freeze,
        "regenerationRate": params.regrowth,
        "regenerationDelay": params.regrowth_delay,
        "initialHealth": params.health,
        "payoffs": params.payoffs,
        "edges": np.asarray(params.result_edges)[: len(world.game.edges)],
        "coin_for_ties": world.game.roles is not None,
    }
