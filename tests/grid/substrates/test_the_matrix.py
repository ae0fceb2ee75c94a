"""The Matrix: when things happen to the step, who may interact with whom, what it pays, and what is refused."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxworld.core import ConfigurationError, check_world, make, registered
from jaxworld.core.random import tick_key, world_keys
from jaxworld.grid import GAMES, TheMatrix
from jaxworld.grid.draws import ALWAYS
from jaxworld.grid.substrates.matrix_variants import MATRIX_VARIANTS
from tests.grid.substrates.matrix_scene import (
    EAST,
    FORWARD,
    INTERACT,
    MAP,
    NOOP,
    NORTH,
    SOUTH,
    TURN_LEFT,
    WEST,
    scene,
    script,
)

COOPERATOR, DEFECTOR = (5, 1), (1, 3)
FACING_PAIR = [(5, 3, EAST), (5, 5, WEST)]


def payoff(game: str, row: Any, column: Any) -> tuple[float, float]:
    """The oracle: what the row and the column player get, in float64."""
    p, q = np.asarray(row, float) / np.sum(row), np.asarray(column, float) / np.sum(column)
    tables = GAMES[game].payoffs
    return float(p @ tables[0] @ q), float(p @ tables[1] @ q)


# What happens when


@pytest.mark.parametrize(("kind", "num_players", "comes_back"), [("arena", 4, 68), ("repeated", 2, 23)])
def test_an_interaction_from_the_shot_to_the_return(kind: str, num_players: int, comes_back: int) -> None:
    small = scene(kind=kind, num_players=num_players)
    start = small.state(FACING_PAIR, {0: COOPERATOR, 1: DEFECTOR})
    restless = [{0: INTERACT}, *[{0: FORWARD, 1: TURN_LEFT}] * (comes_back + 1)]
    steps = small.play(start, restless)

    state, reward, events, seen = steps[1]
    assert events["partner"][:2].tolist() == [1, 0]
    np.testing.assert_array_equal(seen["INTERACTION_INVENTORIES"][:2], [[COOPERATOR, DEFECTOR], [DEFECTOR, COOPERATOR]])
    np.testing.assert_array_equal(state.own.inventory[:2], [COOPERATOR, DEFECTOR])  # the column player won
    assert (small.own_cell(seen, "INTERACTION_RESULT") == 0).all()
    assert small.own_cell(seen, "AVATAR_STATES")[:2].tolist() == [2, 2]

    row, column = payoff("prisoners_dilemma", COOPERATOR, DEFECTOR)
    colours = [1 + int(np.searchsorted([1, 2, 3, 4], value, side="right")) for value in (row, column)]
    for step in range(2, 18):
        state, reward, _, seen = steps[step]
        assert small.own_cell(seen, "INTERACTION_RESULT")[:2].tolist() == colours, step
        assert small.own_cell(seen, "AVATAR_STATES")[:2].tolist() == [1, 1]
        assert (seen["INTERACTION_INVENTORIES"] == -1).all()
        assert not reward.any()
        np.testing.assert_array_equal(state.avatars.cell[:2], start.avatars.cell[:2])
        np.testing.assert_array_equal(state.avatars.orientation[:2], [EAST, WEST])
        np.testing.assert_array_equal(state.own.inventory[:2], [COOPERATOR, DEFECTOR])

    state, reward, _, seen = steps[18]
    np.testing.assert_allclose(reward[:2], [row, column], rtol=1e-6)
    assert (state.own.inventory == 1).all()
    assert not state.own.ready[:2].any()
    assert not any(seen[name][:2].any() for name in ("TERRAIN", "AVATARS", "INTERACTION_RESULT", "AVATAR_ROLES"))

    away = [bool((steps[step][0].avatars.absence[:2] > 0).all()) for step in range(1, len(steps))]
    assert away == [18 <= step <= comes_back for step in range(1, len(steps))]  # the shot was in step T = 1
    assert not any(steps[step][1].any() for step in range(19, len(steps)))
    assert set(steps[comes_back + 1][0].avatars.cell[:2].tolist()) <= set(small.world._points.tolist())


def test_a_one_shot_game_ends_the_step_after_it_has_paid() -> None:
    small = scene("running_with_scissors", "one_shot", 2)
    start = small.state(FACING_PAIR, {0: (1, 4, 1), 1: (3, 1, 1)})
    steps = small.play(start, script(21, step_2={1: INTERACT}))
    ended = [bool(step[0].ended) for step in steps[1:]]
    assert ended.index(True) == 19  # step 20, the shot was in step 2
    column, row = payoff("running_with_scissors", (3, 1, 1), (1, 4, 1))[::-1]
    np.testing.assert_allclose(steps[19][1], [column, row], rtol=1e-6)
    assert not any(steps[step][1].any() for step in range(1, 22) if step != 19)
    assert steps[21][0].steps == 20  # nothing moves after the end


def test_in_repeated_games_everything_is_back_as_soon_as_nobody_is_there() -> None:
    small = scene(kind="repeated", num_players=2)
    site = small.site(6, 1)
    start = small.state(FACING_PAIR, {0: COOPERATOR, 1: DEFECTOR}, waiting={site: 1}, health={site: 1})
    steps = small.play(start, script(19, step_1={0: INTERACT}))
    there = [bool(step[0].own.waiting[site] == 0) for step in steps[1:]]
    assert there == [step == 19 for step in range(1, 20)]  # both leave in step 18
    assert steps[19][0].own.health[site] == 1  # what it had lost stays lost


def test_what_is_gathered_counts_at_once_and_is_seen_a_step_later() -> None:
    small = scene()
    steps = small.play(small.state([(3, 3, EAST)]), script(3, step_1={0: FORWARD}))
    state, _, events, seen = steps[1]
    assert events["collected"].tolist() == [1, 0, 0, 0]
    assert seen["INVENTORY"].tolist() == [[2, 1], [1, 1], [1, 1], [1, 1]]
    assert state.own.ready.tolist() == [True, False, False, False]
    assert small.own_cell(seen, "AVATAR_STATES").tolist() == [1, 1, 1, 1]
    assert small.own_cell(steps[2][3], "AVATAR_STATES").tolist() == [2, 1, 1, 1]
    assert small.own_cell(seen, "RESOURCES")[0] == 0
    assert steps[3][3]["INVENTORY"][0].tolist() == [2, 1]


def test_a_resource_may_come_back_after_the_delay_but_not_under_somebody() -> None:
    small, params = scene(), scene().world.params(regrowth=0.04, regrowth_delay=10, gathering_reward=0.5)
    site = small.site(3, 4)
    stay = small.play(small.state([(3, 3, EAST)]), script(14, step_1={0: FORWARD}), params, sites=ALWAYS)
    assert [int(step[0].own.waiting[site]) for step in stay[1:]] == list(range(1, 15))
    assert sum(int(step[2]["collected"][0]) for step in stay[1:]) == 1
    assert [float(step[1][0]) for step in stay[1:4]] == [0.5, 0, 0]

    leave = small.play(
        small.state([(3, 3, EAST)]), script(12, step_1={0: FORWARD}, step_5={0: FORWARD}), params, sites=ALWAYS
    )
    back = [bool(step[0].own.waiting[site] == 0) for step in leave[1:]]
    assert back.index(True) == 11  # taken in step 1: back in step 12 at the earliest

    start = small.state([(3, 3, EAST)], waiting={site: 11})
    state, _, events, _ = small.step(start, {0: FORWARD}, params, sites={site: ALWAYS})
    assert events["collected"][0] == 1  # it comes back under whoever has just come
    assert state.own.waiting[site] == 1


def test_the_third_hit_destroys_a_resource_and_passes() -> None:
    small = scene()
    site, far = small.site(3, 4), small.site(3, 6)
    start = small.state([(3, 3, EAST)])
    steps = small.play(start, script(7, step_1={0: INTERACT}, step_4={0: INTERACT}, step_7={0: INTERACT}))
    assert [int(steps[step][0].own.health[site]) for step in (1, 4, 7)] == [2, 1, 3]
    assert [int(steps[step][2]["destroyed"][0]) for step in (1, 4, 7)] == [0, 0, 1]
    assert [int(steps[step][0].own.waiting[site]) for step in (4, 7)] == [0, 1]
    assert [int(steps[step][0].own.health[far]) for step in (4, 7)] == [3, 2]  # behind it, in reach of the third
    lit = [steps[step][3]["BEAMS"][0, :, 5] for step in (1, 7)]  # the way ahead is up in the middle column
    assert lit[0].sum() == 0
    assert lit[1].tolist() == [0] * 7 + [1, 1] + [0, 0]  # not in the third cell, whose resource stops it


def test_two_beams_in_one_step_wear_the_same_resource_one_after_the_other() -> None:
    small = scene()
    site = small.site(3, 4)
    start = small.state([(3, 3, EAST), (4, 4, NORTH)], health={site: 1})
    for first in (0, 1):
        state, _, events, _ = small.step(start, {0: INTERACT, 1: INTERACT}, beam={first: 0, 1 - first: 1})
        assert events["destroyed"][:2].tolist() == [int(first == 0), int(first == 1)]
        assert state.own.health[site] == 2  # as new when the second came, gone only afterwards
        assert state.own.waiting[site] == 1


def test_beams_need_three_steps_and_no_timer_runs_for_the_frozen_and_the_absent() -> None:
    small = scene()
    steps = small.play(small.state([(5, 5, SOUTH)]), [{0: INTERACT}] * 7)
    assert [bool(step[2]["fired"][0]) for step in steps[1:]] == [True, False, False, True, False, False, True]
    assert [float(step[3]["READY_TO_SHOOT"][0]) for step in steps[1:5]] == [0, 0.5, 1, 0]

    pair = small.state(FACING_PAIR, {0: COOPERATOR, 1: DEFECTOR})
    steps = small.play(pair, [{0: INTERACT, 1: NOOP}, *[{0: INTERACT, 1: INTERACT}] * 71])
    ready = [float(step[3]["READY_TO_SHOOT"][0]) for step in steps[1:]]
    assert ready[:69] == [0.0] * 69  # back in step 69, T + 68, as it left
    assert ready[69:72] == [0.5, 1.0, 0.0]
    fired = [bool(step[2]["fired"][1]) for step in steps[1:]]
    assert fired.index(True) == 69  # the step after it has come back


# Who interacts with whom


def test_both_must_have_gathered_something() -> None:
    small = scene()
    params = small.world.params(unready_reward=-0.25)
    for ready, reward in (({0: COOPERATOR}, -0.25), ({1: COOPERATOR}, 0.0), ({}, -0.25)):
        state, earned, events, _ = small.step(small.state(FACING_PAIR, ready), {0: INTERACT}, params)
        assert (events["partner"] == -1).all()
        assert (state.avatars.frozen == 0).all()
        assert earned.tolist() == [reward, 0, 0, 0]


def test_whoever_fires_first_is_the_row_player() -> None:
    small = scene()
    start = small.state(FACING_PAIR, {0: COOPERATOR, 1: COOPERATOR})
    for first in (0, 1):
        state, *_ = small.step(start, {0: INTERACT, 1: INTERACT}, beam={first: 0, 1 - first: 1})
        assert state.own.as_row[:2].tolist() == [first == 0, first == 1]


@pytest.mark.parametrize(
    ("row", "column", "kept"),
    [(DEFECTOR, COOPERATOR, False), (COOPERATOR, COOPERATOR, False), (COOPERATOR, DEFECTOR, True)],
)
def test_only_a_row_player_that_wins_or_ties_loses_its_inventory_at_once(row: Any, column: Any, kept: bool) -> None:
    small = scene()
    steps = small.play(small.state(FACING_PAIR, {0: row, 1: column}), script(18, step_1={0: INTERACT}))
    state, _, _, seen = steps[1]
    np.testing.assert_array_equal(seen["INVENTORY"][:2], [row if kept else (1, 1), column])
    assert state.own.ready[:2].tolist() == [kept, True]
    np.testing.assert_array_equal(seen["INTERACTION_INVENTORIES"][0], [row, column])
    np.testing.assert_allclose(steps[18][1][:2], payoff("prisoners_dilemma", row, column), rtol=1e-6)


def test_a_failed_attempt_uses_up_the_step_of_both() -> None:
    small = scene()
    start = small.state([(5, 3, EAST), (5, 5, WEST), (3, 5, SOUTH)], {1: COOPERATOR, 2: DEFECTOR})
    shots = {0: INTERACT, 2: INTERACT}  # both at player 1; player 0 has gathered nothing
    assert (small.step(start, shots, beam={0: 0, 2: 1})[2]["partner"] == -1).all()
    assert small.step(start, shots, beam={0: 1, 2: 0})[2]["partner"].tolist() == [-1, 2, 1, -1]


def test_a_shooter_deals_with_one_only_and_the_others_it_hits_are_used_up() -> None:
    small = scene()
    everybody = dict.fromkeys(range(4), COOPERATOR)
    crowded = small.state([(5, 4, NORTH), (4, 3, NORTH), (4, 4, EAST), (4, 5, NORTH)], everybody)
    assert small.step(crowded, {0: INTERACT})[2]["partner"].tolist() == [1, 0, -1, -1]  # left, right, ahead

    start = small.state([(5, 4, NORTH), (4, 3, NORTH), (4, 4, EAST), (4, 7, NORTH)], everybody)
    shots = {0: INTERACT, 2: INTERACT}  # player 0 hits 1 and 2; player 2 hits 0, beside it, and 3
    assert small.step(start, shots, beam={0: 0, 2: 1})[2]["partner"].tolist() == [1, 0, -1, -1]
    assert small.step(start, shots, beam={0: 1, 2: 0})[2]["partner"].tolist() == [2, -1, 0, -1]


def test_nobody_joins_an_interaction_that_is_under_way() -> None:
    small = scene()
    start = small.state([*FACING_PAIR, (3, 5, SOUTH)], {0: COOPERATOR, 1: DEFECTOR, 2: DEFECTOR})
    steps = small.play(start, script(18, step_1={0: INTERACT}, step_2={2: INTERACT}, step_18={2: INTERACT}))
    for step in (2, 18):  # in the last step of the others too
        assert steps[step][2]["fired"][2]
        assert steps[step][2]["partner"].tolist() == [-1, -1, -1, -1]
        assert steps[step][3]["BEAMS"][2, 9 - 2, 5] == 0  # and they stop the beam
    assert steps[18][0].own.ready.tolist() == [False, False, True, False]


def test_fans_interact_with_the_other_fans_only_and_a_coin_decides_ties() -> None:
    small = scene("bach_or_stravinsky")
    assert small.world.config.row_players == (True, True, False, False)
    everybody = dict.fromkeys(range(4), (3, 3))
    alike = small.state([(5, 3, EAST), (5, 5, WEST)], everybody)
    assert (small.step(alike, {0: INTERACT})[2]["partner"] == -1).all()

    start = small.state([(5, 3, EAST), (8, 8, NORTH), (5, 5, WEST)], everybody)
    for shooter in (0, 2):  # p' A q = 1.25 = p' B q
        for word, inventory in ((0, [[1, 1], [3, 3]]), (2**31, [[3, 3], [3, 3]])):
            state, _, events, seen = small.step(start, {shooter: INTERACT}, tie={0: word})
            assert events["partner"].tolist() == [2, -1, 0, -1]
            assert state.own.as_row.tolist() == [True, False, False, False]
            assert state.own.inventory[[0, 2]].tolist() == inventory
    assert small.own_cell(seen, "AVATAR_ROLES").tolist() == [1, 1, 2, 2]
    swapped = TheMatrix("bach_or_stravinsky", roles=["stravinsky_fan", "bach_fan"])
    assert swapped.config.row_players == (False, True)


def test_in_other_games_everybody_sees_itself_and_others() -> None:
    small = scene()
    _, _, _, seen = small.step(small.state(FACING_PAIR), {})
    np.testing.assert_array_equal(seen["AVATAR_ROLES"] > 0, seen["AVATARS"] > 0)
    np.testing.assert_array_equal(seen["AVATAR_ROLES"] == 1, seen["AVATARS"] == np.arange(1, 5)[:, None, None])
    assert (seen["AVATAR_ROLES"] == 2).sum() >= 2
    ids = small.world.object_observation_ids
    assert dict(ids["AVATAR_ROLES"]) == {"self": 1, "other": 2}
    assert dict(ids["INTERACTION_RESULT"])["violet"] == 5
    assert dict(ids["RESOURCES"]) == {"class_1": 1, "class_2": 2}


# What is conserved

ORCHARD = """
#########
#S1.2.1S#
#.?.?.?.#
#1.2.1.2#
#.?.?.?.#
#S2.1.2S#
#########
"""


@pytest.fixture(scope="module")
def crowd() -> Any:
    """Random play in many arenas: leaves ``[64, 150, ...]`` before and after each step, rewards and events."""
    world = TheMatrix("prisoners_dilemma", "arena", num_players=4, map=ORCHARD)
    params = world.params(regrowth=0.2, regrowth_delay=2, respawn_delay=5, ending_probability=0.0)

    def play(key: jax.Array) -> Any:
        start, _ = world.reset(tick_key(key, 0), params)

        def step(state: Any, tick: jax.Array) -> Any:
            here = tick_key(key, tick)
            words = world.draws(here)
            action = (words["turn"] >> np.uint32(5)).astype(jnp.int32) & np.int32(7)
            made, reward, events = world.advance(state, action, words, params)
            return made, (state, made, reward, events)

        return jax.lax.scan(step, start, jnp.arange(1, 151, dtype=jnp.uint32))[1]

    return jax.device_get(jax.jit(jax.vmap(play))(world_keys(range(64))))


def test_inventories_gain_what_leaves_the_ground_and_nothing_else(crowd: Any) -> None:
    before, made, _, events = crowd
    gained = (events["collected"][..., None] == np.arange(1, 3)).astype(int)
    lost = (made.own.inventory == 1 + gained).all(axis=-1) & (before.own.inventory != 1).any(axis=-1)
    kept = made.own.inventory == before.own.inventory + gained
    assert (kept.all(axis=-1) | lost).all()
    paid = (before.own.countdown == 0) & (before.avatars.absence == 0)
    joined = events["partner"] >= 0
    assert (lost <= (paid | joined)).all()
    assert (events["collected"] > 0).sum() > 1000
    assert joined.sum() > 100

    # What came back under somebody was never seen; and one may gather what another shoots in the same step.
    number = TheMatrix("prisoners_dilemma", "arena", map=ORCHARD, num_players=4).sites.number()[made.avatars.cell]
    waited = np.take_along_axis(np.pad(before.own.waiting, [(0, 0), (0, 0), (0, 1)]), number, axis=-1) > 0
    from_ground = ((events["collected"] > 0) & ~waited).sum(axis=-1)
    goes = ((before.own.waiting == 0) & (made.own.waiting > 0)).sum(axis=-1)
    both = from_ground + events["destroyed"].sum(axis=-1) - goes
    assert (both >= 0).all()
    assert (both > 0).mean() < 0.01


def test_payments_are_those_of_the_frozen_pairs(crowd: Any) -> None:
    before, made, reward, events = crowd
    due = (before.own.countdown == 0) & (before.avatars.absence == 0)
    own, other = before.own.pair[..., 0, :].astype(float), before.own.pair[..., 1, :].astype(float)
    tables = GAMES["prisoners_dilemma"].payoffs
    # A symmetric game: the table by own and other strategy is the same for row and column players.
    expected = np.einsum("...i,ij,...j->...", own, tables[0], other) / np.maximum(own.sum(-1) * other.sum(-1), 1)
    np.testing.assert_allclose(reward, np.where(due, expected, 0), rtol=1e-6)
    assert due.sum() > 100
    partner = events["partner"]
    world, step, player = np.nonzero(partner >= 0)
    assert (partner[world, step, partner[world, step, player]] == player).all()
    cells = np.where(made.avatars.absence == 0, made.avatars.cell, -1 - np.arange(4))
    assert (np.diff(np.sort(cells, axis=-1), axis=-1) > 0).all()


def test_random_classes_are_drawn_and_given_ones_kept() -> None:
    world = TheMatrix("running_with_scissors", "one_shot")
    words = {name: np.zeros((300, size), np.uint32) for name, size in world.start_draws().items()}
    generator = np.random.default_rng(0)
    words = {name: generator.integers(0, 2**32, word.shape, np.uint32) for name, word in words.items()}
    avatars, own = jax.device_get(jax.jit(jax.vmap(world.begin, (0, None)))(words, world.default_params()))
    assert world.sites.size == 36
    drawn = world._kinds == 4
    assert (own.kinds[:, ~drawn] == world._kinds[~drawn]).all()
    counts = np.bincount(own.kinds[:, drawn].reshape(-1), minlength=4)
    assert counts[0] == 0
    assert (abs(counts[1:] / counts.sum() - 1 / 3) < 0.03).all()
    assert (avatars.cell[:, 0] != avatars.cell[:, 1]).all()
    assert (own.inventory == 1).all()
    assert not own.waiting.any()


# Variants and refusals

SIZES = {"arena": (8, (24, 25), (11, 11)), "repeated": (2, (15, 23), (5, 5)), "one_shot": (2, (15, 23), (5, 5))}
ENDINGS = {"prisoners_dilemma_arena": 0.15, "stag_hunt_arena": 0.1, "running_with_scissors_repeated": 0.2}


@pytest.mark.parametrize(("game", "kind"), MATRIX_VARIANTS)
def test_the_fifteen_variants(game: str, kind: str) -> None:
    world = make(f"grid/{game}_in_the_matrix_{kind}")
    players, board, window = SIZES[kind]
    assert world.num_agents == players
    assert (world.board.rows, world.board.cols) == board
    assert world.grid_shape == window
    params = jax.device_get(world.default_params())
    chance = ENDINGS.get(f"{game}_{kind}", {"arena": 0.2, "repeated": 0.1, "one_shot": 0.0}[kind])
    assert params.ending.chance / 2**32 == pytest.approx(chance, abs=1e-9)
    assert params.regrowth / 2**32 == pytest.approx({"arena": 0.04, "repeated": 0.02, "one_shot": 0}[kind], abs=1e-9)
    assert params.regrowth_delay == {"arena": 10, "repeated": 15 if "scissors" in game else 10, "one_shot": 1000}[kind]
    assert world.max_steps == {"one_shot": 1000}.get(kind, 2500 if (game, kind) == ("stag_hunt", "repeated") else 5000)
    assert (params.freeze, params.cooldown, params.health) == (16, 2, 3)
    np.testing.assert_array_equal(params.payoffs, GAMES[game].payoffs)


def test_all_variants_are_registered() -> None:
    names = [name for name in registered() if name.startswith("grid/") and "_in_the_matrix_" in name]
    assert len(names) == 15
    own = make("grid/chicken_in_the_matrix_arena", num_players=3, payoff=[[0, 1], [2, 3]], observation_mode="global")
    assert own.num_agents == 3
    np.testing.assert_array_equal(own.default_params().payoffs, [[[0, 1], [2, 3]], [[0, 2], [1, 3]]])


REFUSED = {
    "game": (lambda: TheMatrix("poker"), "game", "bach_or_stravinsky"),
    "kind": (lambda: TheMatrix(kind="twice"), "kind", "arena, repeated, one_shot"),
    "no map": (lambda: TheMatrix("chicken", "one_shot"), "kind", "give a map"),
    "players": (lambda: TheMatrix(num_players=14), "num_players", "at most 13"),
    "mode": (lambda: TheMatrix(observation_mode="mine"), "observation_mode", "local, global, focal"),
    "class": (lambda: TheMatrix(map=MAP.replace("2", "3")), "map row 3, column 6", "resource of class 2"),
    "no site": (lambda: TheMatrix(map="####\n#SS#\n####"), "number of '12?' in map", "at least 1"),
    "roles": (lambda: TheMatrix(roles=["bach_fan"] * 2), "roles", "whoever fires"),
    "fans": (lambda: TheMatrix("bach_or_stravinsky", roles=["bach_fan"]), "roles", "give 2 of"),
    "table": (lambda: TheMatrix(payoff=np.ones((3, 3))), "payoffs", "2 x 2"),
    "nan": (lambda: scene().world.params(payoffs=[[np.nan, 1], [1, 1]]), "payoffs", "finite"),
    "edges": (lambda: scene().world.params(result_edges=[2, 1]), "result_edges", "ascending"),
    "chance": (lambda: scene().world.params(regrowth=2), "regrowth", "0 to 1"),
    "delay": (lambda: scene().world.params(respawn_delay=-1), "respawn_delay", "from 0"),
    "health": (lambda: scene().world.params(health=0), "health", "from 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_named_with_a_remedy(case: str) -> None:
    build, field, remedy = REFUSED[case]
    with pytest.raises(ConfigurationError) as caught:
        build()
    assert caught.value.field == field
    assert remedy in str(caught.value)


def test_a_repeated_game_keeps_the_contract() -> None:
    world = make("grid/rationalizable_coordination_in_the_matrix_repeated", map=MAP.replace("2..", "2.3"))
    check_world(world, num_steps=3, batch=2, eager=False, thorough=False)
