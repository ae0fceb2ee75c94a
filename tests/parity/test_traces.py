"""Short runs of the original rules, replayed step by step: states, rewards, events, beams and views must be equal."""

import pytest

from tests.parity.families import replay
from tests.parity.trace import ATE, COLLECTED, DESTROYED, FOLDER, INTERACTION, TOOK_COIN, ZAP, load

# What has to happen in a trace for the replay to say something.
NEEDED = {
    "coins": {TOOK_COIN: 60},
    "commons_harvest_open": {ZAP: 30, ATE: 60},
    "commons_harvest_closed": {ZAP: 10, ATE: 30},
    "prisoners_dilemma_arena": {INTERACTION: 6, COLLECTED: 20, DESTROYED: 5},
    "running_with_scissors_repeated": {INTERACTION: 3, COLLECTED: 8, DESTROYED: 3},
    "bach_or_stravinsky_repeated": {INTERACTION: 3, COLLECTED: 8, DESTROYED: 3},
    "running_with_scissors_one_shot": {INTERACTION: 3, COLLECTED: 8, DESTROYED: 3},
}


def test_every_trace_is_replayed():
    assert {path.stem for path in FOLDER.glob("*.npz")} == set(NEEDED)


@pytest.mark.parametrize("name", NEEDED)
def test_a_trace_of_the_original_is_reproduced_in_every_step(name):
    made = replay(load(FOLDER / f"{name}.npz"))

    assert made.mismatches() == {}
    for kind, least in NEEDED[name].items():
        assert len(made.trace.happened(kind)) >= least


@pytest.mark.parametrize("name", NEEDED)
def test_traces_show_only_layouts_of_ours(name):
    """Symbols of the legend, and none of the sizes of the original maps other than Coins', which is drawn."""
    rows = load(FOLDER / f"{name}.npz").layout.split("\n")

    assert set("".join(rows)) <= set("#.SIA123? ")
    assert name == "coins" or (len(rows), len(rows[0])) not in {(18, 24), (24, 25), (15, 23)}
