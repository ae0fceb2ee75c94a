"""Long runs of the original rules, replayed step by step. Runs under `make parity`."""

import pytest

from tests.parity.families import replay
from tests.parity.trace import Trace
from tests.parity.worlds import VARIANTS


@pytest.fixture(scope="module")
def on_own_maps(original):
    return {name: Trace(arrays) for name, arrays in original("maps", *VARIANTS).items()}


@pytest.fixture(scope="module")
def crowds(original):
    return {name: Trace(arrays) for name, arrays in original("crowds").items()}


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_step_on_the_original_map_is_reproduced(on_own_maps, variant):
    made = replay(on_own_maps[variant])

    assert made.mismatches() == {}
    assert made.trace.num_steps == 600


@pytest.mark.parametrize("variant", VARIANTS)
def test_our_world_goes_on_as_the_original_does(on_own_maps, variant):
    """From the original's state and with its choices, but our own states in between: nothing is kept elsewhere."""
    made = replay(on_own_maps[variant], follow=True)

    assert made.mismatches() == {}
    assert made.trace.num_steps >= 60


@pytest.mark.parametrize(
    "name",
    [
        "coins",
        "commons_harvest_open",
        "commons_harvest_closed",
        "prisoners_dilemma_arena",
        "bach_or_stravinsky_arena",
        "running_with_scissors_repeated",
        "bach_or_stravinsky_repeated",
        "running_with_scissors_one_shot",
    ],
)
def test_every_step_among_crowds_is_reproduced(crowds, name):
    made = replay(crowds[name])

    assert made.mismatches() == {}
    assert made.trace.num_steps >= 1400
