"""When things happen in the original, to the step, in the recorded stretches in which nobody interfered.

The replay holds our worlds to every one of these steps; here the numbers that the documentation states are read off
the original itself.
"""

import numpy as np
import pytest

from tests.parity.trace import FOLDER, INTERACTION, ZAP, load


@pytest.fixture(scope="module")
def traces():
    return {path.stem: load(path) for path in FOLDER.glob("*.npz")}


def undisturbed(trace, step, steps):
    """Whether the steps from this one on follow one another without edits or a new episode."""
    source, target = trace["step_source"].astype(int), trace["step_target"].astype(int)
    last = step + steps
    return last < trace.num_steps and target[last] - source[step] == steps + 1


@pytest.mark.parametrize(("name", "delay"), [("commons_harvest_open", 4), ("commons_harvest_closed", 100)])
def test_a_removed_player_misses_the_observations_of_its_delay_and_one_more(traces, name, delay):
    trace = traces[name]
    alive = trace.after("alive") == 1
    seen = 0
    for step, _, victim, *_ in trace.happened(ZAP).astype(int):
        if undisturbed(trace, step, delay + 1):
            assert not alive[step : step + delay + 1, victim].any()
            assert alive[step + delay + 1, victim]
            seen += 1
    assert seen >= 1


@pytest.mark.parametrize(
    ("name", "cooldown"),
    [("commons_harvest_open", 2), ("commons_harvest_closed", 1), ("prisoners_dilemma_arena", 2)],
)
def test_one_fires_again_after_the_cooldown_and_one_step_more(traces, name, cooldown):
    trace = traces[name]
    before, after = trace.before("cooldown"), trace.after("cooldown")
    fires = (before == 0) & (after == cooldown)
    ready = trace["step_observed_READY_TO_SHOOT"]
    # In The Matrix the timer rests while an interaction lasts.
    alive = (trace.after("alive") == 1) & (trace.after("frozen") == 0)
    gaps = set()
    for step, player in np.argwhere(fires):
        upcoming = np.arange(step, min(step + cooldown + 1, trace.num_steps))
        if not undisturbed(trace, step, len(upcoming) - 1) or not alive[upcoming, player].all():
            continue
        expected = np.minimum((upcoming - step) / cooldown, 1)
        np.testing.assert_allclose(ready[upcoming, player], expected, atol=1e-6)
        later = np.flatnonzero(fires[step + 1 :, player])
        if len(later) and alive[step : step + 2 + later[0], player].all():
            gaps.add(int(later[0]) + 1)
    assert min(gaps) == cooldown + 1


@pytest.mark.parametrize(
    ("name", "back"),
    [("prisoners_dilemma_arena", 68), ("running_with_scissors_repeated", 23), ("bach_or_stravinsky_repeated", 23)],
)
def test_an_interaction_shows_sixteen_results_then_pays_and_removes_then_lets_return(traces, name, back):
    trace = traces[name]
    alive, marker, cell = trace.after("alive") == 1, trace.after("marker"), trace.after("cell")
    returned = 0
    for step, row, column, *payoffs in trace.happened(INTERACTION).tolist():
        start, pair = int(step), [int(row), int(column)]
        if not undisturbed(trace, start, 17):
            continue
        shown = marker[start + 1 : start + 17, pair]
        assert (shown >= 2).all() and (shown == shown[0]).all()
        assert marker[start, pair].max() <= 1
        assert alive[start : start + 17, pair].all() and not alive[start + 17, pair].any()
        assert (cell[start : start + 18, pair] == cell[start, pair]).all()
        np.testing.assert_allclose(trace["step_reward"][start + 17, pair], payoffs, rtol=1e-6)
        assert not trace["step_reward"][start : start + 17, pair].any()
        assert (trace.after("inventory")[start + 17, pair] == 1).all()
        if undisturbed(trace, start, back):
            assert not alive[start + 17 : start + back, pair].any() and alive[start + back, pair].all()
            returned += 1
    assert returned >= 1


def test_a_one_shot_game_ends_eighteen_steps_after_the_interaction(traces):
    trace = traces["running_with_scissors_one_shot"]
    meetings = trace.happened(INTERACTION)[:, 0].astype(int)
    ends = np.flatnonzero(trace["step_ended"])
    assert ends.tolist() == [step + 18 for step in meetings if step + 18 < trace.num_steps]


def test_the_ready_mark_shows_a_step_after_the_first_pickup(traces):
    trace = traces["prisoners_dilemma_arena"]
    gained = (trace.before("ready") == 0) & (trace.after("ready") == 1) & (trace.after("countdown") < 0)
    seen = 0
    for step, player in np.argwhere(gained):
        if undisturbed(trace, step, 1) and trace.after("countdown")[step + 1, player] < 0:
            assert trace.after("marker")[[step, step + 1], player].tolist() == [0, 1]
            seen += 1
    assert seen >= 3


def test_who_is_removed_sees_nothing_but_the_outside(traces):
    seen = 0
    for name, trace in traces.items():
        if name == "coins":
            continue
        outside = (trace["window_outside"] == 1).all(axis=(2, 3))
        absent = trace.after("alive")[trace["window_step"]] == 0
        np.testing.assert_array_equal(outside, absent)
        seen += absent.sum()
    assert seen >= 10
