"""The laws, against plain Python written from the rules: every row of small graphs."""

import numpy as np
import pytest

from jaxworld.markov import chicken, congestion, inspection
from tests.markov.games import SMALL, golden_graph, publics, small_graph
from tests.oracles import markov_games as oracle


def _pursuit(public, n):
    return tuple(int(cell) for cell in public.cell[n])


def _ice(public, n, side=4):
    return tuple(divmod(int(cell), side) for cell in public.cell[n])


def _gathering(public, n, sites=(1, 2)):
    players = tuple(
        (None, None, int(away)) if away else (int(cell), int(facing), 0)
        for cell, facing, away in zip(public.cell[n], public.facing[n], public.away[n], strict=True)
    )
    return players, frozenset(site for site, wait in zip(sites, public.wait[n], strict=True) if wait == 0)


def _stag(public, n):
    plants = frozenset(int(cell) for cell in np.flatnonzero(public.plants[n]))
    return tuple(int(cell) for cell in public.cell[n]), plants, int(public.stag[n])


LAWS = {
    "pursuit": (_pursuit, lambda s, a: oracle.pursuit(s, a, 3, walls=(4,))),
    "open_pursuit": (_pursuit, lambda s, a: oracle.pursuit(s, a, 2)),
    "ice_duel": (_ice, lambda s, a: oracle.ice_duel(s, a, 2)),
    "gathering": (_gathering, lambda s, a: oracle.gathering(s, a, 2, 2, (1, 2))),
    "stag_hunt": (_stag, lambda s, a: oracle.stag_hunt(s, a, 2, 3)),
}


@pytest.mark.parametrize("name", LAWS)
def test_every_row_is_the_law(name):
    graph, (read, law) = small_graph(name), LAWS[name]
    public = publics(SMALL[name](), graph.bits())
    names = [read(public, state) for state in range(graph.num_states)]
    number = {state: index for index, state in enumerate(names)}
    assert len(number) == graph.num_states
    stride = max(1, graph.num_states * graph.num_joint_actions // 2000)
    for row in range(0, graph.num_states * graph.num_joint_actions, stride):
        state, joint = divmod(row, graph.num_joint_actions)
        if graph.terminal[state]:
            continue
        wanted, rewards = law(names[state], tuple(graph.actions_of(joint).tolist()))
        targets, chances = graph.row(state, joint)
        given = dict(zip(targets.tolist(), chances.tolist(), strict=True))
        assert given == pytest.approx({number[end]: chance for end, chance in wanted.items()}, abs=1e-12)
        mean = sum(chance * np.asarray(rewards[end]) for end, chance in wanted.items())
        assert graph.reward[state, joint] == pytest.approx(mean, abs=1e-6)


def test_stage_payoffs():
    table = chicken().default_params().payoff
    np.testing.assert_array_equal(table, [[2, 2], [1, 3], [3, 1], [0, 0]])
    table = inspection().default_params().payoff
    np.testing.assert_array_equal(table, [[0, 0], [-4, 5], [-2, 0], [1, -10]])
    table = np.asarray(congestion().default_params().payoff).reshape(*(2,) * 6, 6)
    np.testing.assert_array_equal(table[0, 0, 0, 0, 0, 1], [-11] * 5 + [-2])
    np.testing.assert_array_equal(table[0, 0, 0, 1, 1, 1], [-4] * 6)


def test_pot_rounds_half_up_and_pays_in_shares():
    graph = golden_graph("public_goods")
    level = {0: 0}
    for _ in range(3):  # both contribute: 0, 30, 51, 66 (65.7)
        state = max(level)
        target, _ = graph.row(state, 0)
        pot = level[state]
        assert graph.reward[state, 0] == pytest.approx([0.15 * pot - 10] * 2, abs=1e-5)
        level = {int(target[0]): int(np.floor(pot * 0.7 + 30 + 0.5))}
        bits = graph.bits()[int(target[0])]
        assert int((bits[4:] * (1 << np.arange(9))).sum()) == next(iter(level.values()))


def test_labels_of_ended_states():
    pursuit, ice, stag = (small_graph(name) for name in ("pursuit", "ice_duel", "stag_hunt"))
    np.testing.assert_array_equal(pursuit.labels["collision"] ^ pursuit.labels["goal"], pursuit.terminal)
    np.testing.assert_array_equal(ice.labels["fell_0"] | ice.labels["fell_1"], ice.terminal)
    np.testing.assert_array_equal(stag.labels["mauled_0"] | stag.labels["mauled_1"], stag.terminal)
    assert not (stag.labels["mauled_0"] & stag.labels["mauled_1"]).any()
